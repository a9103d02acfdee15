// Package templates writes Go packages: a [binding.Package] goes in, formatted
// files come out. It knows nothing of MSL text and reads or writes no files.
//
// Every kind of thing that is emitted has its own file here: package.go starts at
// the top, source.go lays out the file of one Metal source, and args.go, grid.go,
// function.go, describe.go, structs.go, enums.go and constants.go each emit one
// kind of declaration in it. They build on expr.go, which turns the expressions of
// shapes and grids into Go that cannot overflow, and on code.go and comment.go.
// gofmt.go says how the result comes to be formatted.
package templates
