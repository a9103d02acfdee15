package msl

import (
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// What Metal's own headers are made of is no part of the language, but sources
// that add functions to the library call it: __metal_fabs(x, mode), the builtins
// of the compiler that are named as GCC's, and uniform values.

// mathModes are the last argument of __metal_exp and the like.
var mathModes = map[string]tree.Value{
	"__METAL_PRECISE_MATH__":    tree.IntValue(tree.Int, 0),
	"__METAL_FAST_MATH__":       tree.IntValue(tree.Int, 1),
	"__METAL_MAYBE_FAST_MATH__": tree.IntValue(tree.Int, 2),
}

// internalName is the function of the library that __metal_name does, or "".
func internalName(name string) string {
	rest, ok := strings.CutPrefix(name, "__metal_")
	if !ok || builtins[rest] == nil {
		return ""
	}
	return rest
}

// callInternal checks a call of __metal_name. What metalgen knows of it is what Metal's
// public functions say, so an error need not be one.
func (c *checker) callInternal(f *libraryFunc, name *parser.Name, args []tree.Expr) tree.Expr {
	n := len(*c.errs)
	x := c.callBuiltin(f, name, args)
	for _, e := range (*c.errs)[n:] {
		e.Unsupported = true
	}
	return x
}

// mathMode takes the mode off the arguments of __metal_name.
func mathMode(f *libraryFunc, args []tree.Expr) (rest []tree.Expr, fast, precise bool) {
	if f.sig == nil || len(args) != len(f.sig.params)+1 {
		return args, false, false
	}
	last := len(args) - 1
	mode, ok := args[last].(*tree.Const)
	if !ok {
		return args, false, false
	}
	return args[:last], mode.Value.Bits == 1, mode.Value.Bits == 0
}

// compilerBuiltins are the builtins of the compiler, with the function of the
// library that does the same to a value of the type; they all return an int.
var compilerBuiltins = map[string]struct {
	name string
	of   tree.ScalarKind
}{
	"__builtin_clz": {"clz", tree.UInt}, "__builtin_clzl": {"clz", tree.ULong}, "__builtin_clzll": {"clz", tree.ULong},
	"__builtin_ctz": {"ctz", tree.UInt}, "__builtin_ctzl": {"ctz", tree.ULong}, "__builtin_ctzll": {"ctz", tree.ULong},
	"__builtin_popcount": {"popcount", tree.UInt}, "__builtin_popcountl": {"popcount", tree.ULong},
	"__builtin_popcountll": {"popcount", tree.ULong},
}

func checkCompilerBuiltin(c *checker, f *libraryFunc, pos parser.Pos, args []tree.Expr) tree.Expr {
	row := compilerBuiltins[f.name]
	if len(args) != 1 {
		return c.fail(pos, "%s takes 1 argument, these are %d", f.name, len(args))
	}
	x := c.implicit(args[0], tree.ScalarType(row.of))
	if x == nil {
		return nil
	}
	return c.facts.folded(c.convert(&tree.Builtin{Node: tree.At(pos, x.Type()), Name: row.name, Args: []tree.Expr{x}},
		tree.ScalarType(tree.Int)))
}

// checkGroupValue checks __metal_get_simdgroup_size(ushort()) and the like, which
// return a value of the type of their argument.
func checkGroupValue(c *checker, f *libraryFunc, pos parser.Pos, args []tree.Expr) tree.Expr {
	if len(args) != 1 || !integral(args[0].Type()) {
		return c.fail(pos, "%s does not take %s", f.name, typeList(args))
	}
	return &tree.Builtin{Node: tree.At(pos, args[0].Type()), Name: groupValues[f.name]}
}

// groupValues are functions for what a kernel's arguments say, too.
var groupValues = map[string]string{
	"__metal_get_simdgroup_size":            "threads_per_simdgroup",
	"__metal_get_thread_index_in_simdgroup": "thread_index_in_simdgroup",
	"__metalgen_simdgroup":                  "simdgroup_index_in_threadgroup",
}

// checkUniform checks make_uniform(x): a value of which the source says that all
// threads of the simd-group have it.
func checkUniform(c *checker, f *libraryFunc, pos parser.Pos, args []tree.Expr) tree.Expr {
	if len(args) != 1 || !arithmetic(args[0].Type()) {
		return c.fail(pos, "%s does not take %s", f.name, typeList(args))
	}
	return args[0]
}
