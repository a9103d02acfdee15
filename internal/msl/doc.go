// Package msl knows what the declarations of the Metal Shading Language mean: types
// with their sizes, alignments and offsets, constants with their values, kernels and
// their arguments with the indexes that Metal assigns them, and the bodies of
// functions.
//
// In comes a [parser.Tree], out goes a [Program]. What is in a Program is data of
// package tree. Section numbers are those of Apple's Metal Shading Language
// Specification, version 3.2.
//
// # The passes
//
// [Analyze] goes over the declarations of a source:
//
//  1. It enters all names into the table of symbols (symbol_declare.go). Nothing is
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
// # Where to begin
//
// Read program.go, then env.go: an env is how the program looks from a point in the
// source. All resolving and checking is done in one. It has the resolver, which is
// common to all of them, and what differs from point to point: the namespace, the
// local names, the object of a method, and where errors go.
//
// The name of a file begins with its subject:
//
//	symbol_    names: entering them and looking them up
//	type_      types, layouts, and how types relate
//	const_     values of constant expressions
//	template_  templates: arguments, deduction, order, instances
//	kernel_    signatures of kernels, and what is read off their tokens
//	arg_       the kinds of arguments
//	func_      functions, methods and constructors
//	stmt_      statements and local variables
//	expr_      expressions: calls, operators, conversions, initial values
//	lib_       the standard library of the language
//	texture_   textures and samplers: their types, methods and states
//	vet_       all functions, called or not, and templates by themselves
//	version    what versions of the language lack
//
// Templates need no pass of their own. An instance is a namespace in which the
// parameters are names like others, so whoever resolves a type or a constant need
// not know that there are templates.
package msl
