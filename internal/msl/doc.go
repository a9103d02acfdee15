// Package msl knows what the declarations of the Metal Shading Language mean: types
// with their sizes, alignments and offsets, constants with their values, kernels and
// their arguments with the indexes that Metal assigns them, and the bodies of
// functions.
//
// [Analyze] makes a [Program] from a [parser.Tree]. What is in a Program is data of package tree. Section numbers are
// those of Apple's Metal Shading Language Specification, version 3.2.
//
// # The passes
//
// [Analyze] goes over the declarations of a source:
//
//  1. It enters all names into the table of symbols (package resolve). Nothing is
//     resolved yet, so that the order of declarations does not matter.
//  2. It reads the function constants (const_function.go), which arguments may
//     depend on.
//  3. It reads the signature of each kernel, or of each instance of a template of
//     kernels (kernel.go, template_kernel.go). This is where types are resolved and
//     laid out and constants evaluated, each when it is first needed and once. An
//     argument is of one of the kinds of arg.go, which have a file each.
//  4. It evaluates the static_asserts of the file (kernel_assert.go).
//
// Bodies are checked when [Program.Body] asks for one (func.go), with all functions
// that it calls. The checker makes statements and expressions of the tree from those
// of the parser, in which every conversion and every overload is settled.
//
// # The packages
//
// Each knows only those before it: tree has the data, types how they relate, library
// the tables of the standard library, resolve what the declarations of a program are,
// fold the values of checked expressions, and skim what is read off tokens.
//
// # Where to begin
//
// Read program.go, then env.go of package resolve: an Env is how the program looks from
// a point in the source. A checker (func.go) has one, and checks one function in it. What
// checks one kind of expression or statement is a function in the file of its subject.
//
// The name of a file begins with its subject:
//
//	const_     constants of the program
//	template_  calls of templates: instances of functions, packs
//	kernel_    signatures of kernels, and what is read off their tokens
//	arg_       the kinds of arguments
//	func_      functions, methods and constructors
//	stmt_      statements and local variables
//	expr_      expressions: calls, operators, conversions, initial values
//	lib_       calls of the standard library
//	texture_   calls of textures, and states of samplers
//	vet_       all functions, called or not, and templates by themselves
//	version    what versions of the language lack
//
// Templates need no pass of their own. An instance is a namespace in which the
// parameters are names like others, so what resolves a type or a constant need
// not know that there are templates.
package msl
