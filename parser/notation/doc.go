// Package notation parses what comments state of shapes and geometry: formulas and tuples of them in formula.go,
// conditions in condition.go. Their expressions are those of package parser.
package notation
