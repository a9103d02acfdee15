// Package templates writes Go packages: a [binding.Package] goes in, files come out, formatted as gofmt formats
// them. It knows nothing of MSL text and reads or writes no files.
//
// Start reading at package.go, which writes a file for each Metal source, and source.go, which lays out such a file.
// Each thing that is emitted has a file of its own here:
//
//   - overview.go and preload.go: declarations of the package
//   - library.go, constants.go, enums.go, structs.go, members.go and fields.go: declarations of a source
//   - args.go, grid.go, function.go and describe.go: declarations of a kernel; family.go: those that a kernel
//     template has besides
//   - arg_*.go: one kind of argument, with its field, its statement and its description. arg.go has the table
//     of kinds.
//
// In file.go jennifer renders and formats a file. The emitters share expr.go, which turns the expressions of shapes
// and grids into Go that cannot overflow, with the help of interval.go; condition.go, names.go and imports.go; and
// code.go and comment.go.
package templates
