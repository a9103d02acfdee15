// Package resolve knows what the declarations of a program are: it enters their names, and resolves types, layouts,
// constants and templates, each when it is first asked for and once.
//
// Read env.go first. A [Resolver] is what is known of a program, and an [Env] how the program looks from a point in
// the source: all resolving is done in one. What expressions mean is not known here. Where a type or a constant is
// made of one that is more than numbers, a [Checker] is asked.
//
// The name of a file begins with its subject: symbol for names, type for types and their layouts, constant for values,
// template for templates, with their arguments, instances and specialisations. facts.go has what is known of structs and
// variables beyond what package tree says, function.go and method.go the functions that names lead to, limits.go how
// much a source may ask for.
package resolve
