// Package randomtest writes random programs that are MSL and C++ at once, and has clang
// say what they compute.
//
// It makes a [Program] from a seed: a kernel named test with the functions and classes that it calls, and its
// arguments. [Clang.Run] compiles many programs at once, as C++ for the machine of the test, after prelude.h, and
// returns the numbers that they leave. [Program.Shrink] makes a program smaller while something still holds of it.
//
// No program does what C++ leaves undefined or unspecified:
//
//   - every variable has an initial value, and every index is within its array;
//   - shift counts are masked, divisors checked, and floats become integers within a range;
//   - integers wrap around (-fwrapv), and floats are rounded after each operation;
//   - an expression that changes something stands alone, so that no other part of its
//     statement can see when it does: calls of functions that are not pure initialise new
//     variables, are assigned to places that they do not move, or are conditions.
//
// A writer goes from the outside to the inside. kernel.go has the whole program: types
// (type.go, record.go, class.go), functions (function.go, method.go, template.go) and the
// kernel. They consist of statements (statement.go), and those of expressions
// (expression.go) over the variables in scope (scope.go). Text is kept as a tree of pieces
// (piece.go), so that a program can lose some of them.
package randomtest
