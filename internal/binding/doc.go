// Package binding is the model of a Go package that calls Metal kernels.
//
// In come analysed sources ([msl.Program]); out goes a [Package] that says,
// with every name, type, shape and dispatch geometry resolved, what templates
// emit and what `metalgen list` prints.
package binding
