// Package templates writes Go packages: a [binding.Package] goes in, files come out, formatted as gofmt formats
// them. It knows nothing of MSL text and reads or writes no files.
//
// Start reading at package.go, which has a file written for each Metal source, and source.go, which lays such a
// file out. Everything that is emitted has a file of its own here:
//
//   - overview.go and preload.go, what is of the whole package
//   - library.go, constants.go, enums.go, structs.go, members.go and fields.go, what is of a source
//   - args.go, grid.go, function.go and describe.go, what is of a kernel; family.go, what else is of a family
//   - arg_*.go, what is of one kind of argument: its field, its setting and its description. arg.go has the
//     table of kinds.
//
// In file.go jennifer renders and formats a file. What the emitters share is in expr.go, which turns the expressions
// of shapes and grids into Go that cannot overflow, with the help of interval.go, in condition.go, names.go and
// imports.go, and in code.go and comment.go.
package templates
