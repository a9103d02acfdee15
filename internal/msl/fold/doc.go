// Package fold evaluates checked expressions before the program runs: fold.go operators and functions of the library,
// call.go functions of the source, flow.go whether execution reaches the end of statements.
package fold
