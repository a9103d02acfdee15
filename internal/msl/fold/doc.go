// Package fold evaluates checked expressions before the program runs, for sizes and arguments of templates as well as
// in bodies: fold.go operators and functions of the library, call.go functions of the source, object.go objects,
// flow.go whether execution reaches the end of statements.
package fold
