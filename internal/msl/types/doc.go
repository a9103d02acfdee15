// Package types says how types and checked expressions relate, by the rules of the language and whatever the program
// declares: relation.go which types are one and what can be computed with, rank.go how good a conversion is, value.go
// what an expression is as a value, place.go what an lvalue leads to.
package types
