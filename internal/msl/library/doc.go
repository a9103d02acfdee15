// Package library is the standard library of the language as tables: what names there are, and what is said of each.
// It knows no program.
//
// functions.go has the functions, with signatures that signature.go reads and settles; atomic.go, internals.go and
// texture_method.go have those that are not in its table. values.go, limits.go and enums.go have the constants, type.go,
// member.go, texture.go, sampler.go and struct.go the types, and beyond.go the names that Metal has and metalgen
// does not know.
package library
