package library

import "github.com/metalgen/metalgen/internal/msl/tree"

// What Metal's own headers are made of is no part of the language, but sources
// that add functions to the library call it: __metal_fabs(x, mode), the builtins
// of the compiler that are named as GCC's, and uniform values.

// mathModes are the last argument of __metal_exp and the like.
var mathModes = map[string]tree.Value{
	"__METAL_PRECISE_MATH__":    tree.IntValue(tree.Int, 0),
	"__METAL_FAST_MATH__":       tree.IntValue(tree.Int, 1),
	"__METAL_MAYBE_FAST_MATH__": tree.IntValue(tree.Int, 2),
}

// CompilerBuiltins are the builtins of the compiler, with the function of the
// library that does the same to a value of the type; they all return an int.
var CompilerBuiltins = map[string]struct {
	Name string
	Of   tree.ScalarKind
}{
	"__builtin_clz": {"clz", tree.UInt}, "__builtin_clzl": {"clz", tree.ULong}, "__builtin_clzll": {"clz", tree.ULong},
	"__builtin_ctz": {"ctz", tree.UInt}, "__builtin_ctzl": {"ctz", tree.ULong}, "__builtin_ctzll": {"ctz", tree.ULong},
	"__builtin_popcount": {"popcount", tree.UInt}, "__builtin_popcountl": {"popcount", tree.ULong},
	"__builtin_popcountll": {"popcount", tree.ULong},
}

// GroupValues are functions for what a kernel's arguments say, too.
var GroupValues = map[string]string{
	"__metal_get_simdgroup_size":            "threads_per_simdgroup",
	"__metal_get_thread_index_in_simdgroup": "thread_index_in_simdgroup",
	"__metalgen_simdgroup":                  "simdgroup_index_in_threadgroup",
}
