// Package binding is the model of a Go package that calls Metal kernels.
//
// It makes a [Package] of analysed sources ([msl.Program]). The Package says, with every name, type, shape and dispatch
// geometry resolved, what templates emit and what `metalgen list` prints. Nothing after this package decides anything.
//
// Read model.go first, which is what comes out, and build.go, which has the passes:
//
//   - source.go reads one source, kernel.go one kernel of it. The comments above the kernel
//     are found (comments.go), matched with its signature (agreement.go) and understood
//     (annotation.go, package claim, prose.go); bind.go makes expressions of the formulas in
//     them, and geometry.go makes a grid of those.
//   - types.go has the Go types of a source, and mirror.go makes those of structs. A type
//     points to the struct or enum that it means (gotype.go).
//   - family.go makes one function of the instances of a template.
//   - twins.go compares what sources define under one name, and names.go names everything.
//   - godoc.go makes doc comments of what a source says.
//   - layouts.go lists the fields of structs for the runtime.
//
// What is particular to a kind of argument is in its own file, arg_*.go; arg.go has the
// questions that the passes ask it, and a row for each kind.
package binding
