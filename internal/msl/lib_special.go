package msl

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// specialFunctions are the functions of the library whose arguments hang
// together in ways of their own.
var specialFunctions = makeSpecialFunctions()

func makeSpecialFunctions() map[string]*libraryFunc {
	m := map[string]*libraryFunc{
		"determinant": {check: checkDeterminant},
		"transpose":   {check: checkTranspose},

		"is_function_constant_defined": {check: checkDefined},

		"make_filled_simdgroup_matrix": {check: func(c *checker, f *libraryFunc, pos parser.Pos, _ []tree.Expr) tree.Expr {
			return c.fail(pos, "%s needs its type: %s<float, 8, 8>(x)", f.name, f.name)
		}},
		"simdgroup_load":                {check: checkSimdgroupMove},
		"simdgroup_store":               {check: checkSimdgroupMove},
		"simdgroup_multiply":            {check: checkSimdgroupMultiply},
		"simdgroup_multiply_accumulate": {check: checkSimdgroupMultiply},
	}
	for name := range compilerBuiltins {
		m[name] = &libraryFunc{check: checkCompilerBuiltin}
	}
	for name := range groupValues {
		m[name] = &libraryFunc{check: checkGroupValue}
	}
	m["is_null_texture"] = &libraryFunc{check: isNullTexture}
	m["make_uniform"] = &libraryFunc{check: checkUniform}
	for name := range atomicTable {
		m[name] = &libraryFunc{check: checkAtomic}
	}
	return m
}

// atomicRow is the signature of a function of atomics (section 6.15.2): V is the
// type of the value, P a pointer of the thread to one. The object comes first.
type atomicRow struct {
	result string
	params string
	class  typeClass
}

// atomicTable has the atomic functions, which work on what is in device or
// threadgroup memory.
var atomicTable = makeAtomicTable()

func makeAtomicTable() map[string]atomicRow {
	m := map[string]atomicRow{
		"atomic_store_explicit":                 {"void", "V,memory_order", numbers | bools},
		"atomic_load_explicit":                  {"V", "memory_order", numbers | bools},
		"atomic_exchange_explicit":              {"V", "V,memory_order", numbers | bools},
		"atomic_compare_exchange_weak_explicit": {"bool", "P,V,memory_order,memory_order", numbers | bools},
		"atomic_max_explicit":                   {"void", "V,memory_order", integers},
		"atomic_min_explicit":                   {"void", "V,memory_order", integers},
		"atomic_fetch_add_explicit":             {"V", "V,memory_order", numbers},
		"atomic_fetch_sub_explicit":             {"V", "V,memory_order", numbers},
	}
	for _, op := range []string{"and", "max", "min", "or", "xor"} {
		m["atomic_fetch_"+op+"_explicit"] = atomicRow{"V", "V,memory_order", integers}
	}
	return m
}

func checkAtomic(c *checker, f *libraryFunc, pos parser.Pos, args []tree.Expr) tree.Expr {
	row := atomicTable[f.name]
	params := strings.Split(row.params, ",")
	if len(args) != len(params)+1 {
		return c.fail(pos, "%s takes %s, these are %d", f.name, arity(len(params)+1, len(params)+1), len(args))
	}
	object := c.value(args[0])
	if object == nil {
		return nil
	}
	t := object.Type()
	if t.Kind != tree.Pointer || !t.Elem.Atomic || t.Space != "device" && t.Space != "threadgroup" {
		return c.fail(object.Position(), "%s needs a pointer to an atomic in device or threadgroup memory, not %s", f.name,
			t.Spelled())
	}
	value := tree.ScalarType(t.Elem.Scalar)
	if !row.class.has(value.Scalar) {
		return c.fail(pos, "%s does not work on %s", f.name, t.Elem.Spelled())
	}
	if t.Const && f.name != "atomic_load_explicit" {
		return c.fail(object.Position(), "%s cannot change this: what the pointer points to is const", f.name)
	}
	word := func(w string) *tree.Type {
		switch w {
		case "V":
			return value
		case "P":
			return tree.PointerTo(value, "thread", false)
		}
		return settled(w, nil)
	}
	b := &tree.Builtin{Node: tree.At(pos, word(row.result)), Name: f.name, Args: []tree.Expr{object}}
	for i, p := range params {
		a := c.implicit(args[i+1], word(p))
		if a == nil {
			return nil
		}
		b.Args = append(b.Args, a)
	}
	return b
}

// checkDefined checks is_function_constant_defined(c), of which the argument is
// the constant itself.
func checkDefined(c *checker, f *libraryFunc, pos parser.Pos, args []tree.Expr) tree.Expr {
	if len(args) == 1 {
		if v, ok := args[0].(*tree.VarRef); ok && v.Var.Constant != nil {
			return &tree.Builtin{Node: tree.At(pos, tree.ScalarType(tree.Bool)), Name: f.name, Args: args}
		}
	}
	return c.fail(pos, "%s takes a function constant", f.name)
}

func checkDeterminant(c *checker, f *libraryFunc, pos parser.Pos, args []tree.Expr) tree.Expr {
	if m := matrixArg(c, f, pos, args); m != nil {
		if t := m.Type(); t.Len == t.Elem.Len {
			return &tree.Builtin{Node: tree.At(pos, t.Elem.Elem), Name: f.name, Args: args}
		}
		return c.fail(pos, "%s does not take %s", f.name, types.TypeList(args))
	}
	return nil
}

func checkTranspose(c *checker, f *libraryFunc, pos parser.Pos, args []tree.Expr) tree.Expr {
	m := matrixArg(c, f, pos, args)
	if m == nil {
		return nil
	}
	t := m.Type()
	return &tree.Builtin{Node: tree.At(pos, tree.MatrixOf(tree.VectorType(t.Scalar, t.Len), t.Elem.Len)), Name: f.name,
		Args: args}
}

func matrixArg(c *checker, f *libraryFunc, pos parser.Pos, args []tree.Expr) tree.Expr {
	if len(args) != 1 || args[0].Type().Kind != tree.Matrix {
		return c.fail(pos, "%s does not take %s", f.name, types.TypeList(args))
	}
	return args[0]
}

// checkSimdgroupMove checks simdgroup_load and simdgroup_store: the matrix, a
// pointer, and what says where the matrix is in memory.
func checkSimdgroupMove(c *checker, f *libraryFunc, pos parser.Pos, args []tree.Expr) tree.Expr {
	load := f.name == "simdgroup_load"
	if len(args) < 2 || len(args) > 5 {
		return c.fail(pos, "%s takes %s, these are %d", f.name, arity(2, 5), len(args))
	}
	matrix := args[0]
	t := matrix.Type()
	if t.Kind != tree.SimdgroupMatrix {
		return c.fail(matrix.Position(), "%s needs a simdgroup_matrix, not %s", f.name, t.Spelled())
	}
	if load {
		if matrix = c.bind(&tree.Var{Type: t, Space: "thread", Ref: true}, matrix); matrix == nil {
			return nil
		}
	}
	memory := c.value(args[1])
	if memory == nil {
		return nil
	}
	p := memory.Type()
	if p.Kind != tree.Pointer || !types.Same(p.Elem, t.Elem) || p.Space == "thread" || !load && p.Const {
		what := "a"
		if load {
			what = "a const"
		}
		return c.fail(memory.Position(), "%s needs %s device or threadgroup pointer to %s, not %s", f.name, what, t.Elem,
			p.Spelled())
	}
	b := &tree.Builtin{Node: tree.At(pos, tree.Named("void")), Name: f.name, Args: []tree.Expr{matrix, memory}}
	last := []*tree.Type{tree.ScalarType(tree.ULong), tree.VectorType(tree.ULong, 2), tree.ScalarType(tree.Bool)}
	for i, want := range last {
		var a tree.Expr
		switch {
		case i+2 < len(args):
			a = args[i+2]
		case i == 0:
			a = &tree.Const{Node: tree.At(pos, want), Value: tree.IntValue(tree.ULong, 8)}
		default:
			a = &tree.Const{Node: tree.At(pos, tree.ScalarType(want.Scalar)), Value: tree.Value{Kind: want.Scalar}}
		}
		if a = c.implicit(a, want); a == nil {
			return nil
		}
		b.Args = append(b.Args, a)
	}
	return b
}

// checkSimdgroupMultiply checks d = a * b and d = a * b + c.
func checkSimdgroupMultiply(c *checker, f *libraryFunc, pos parser.Pos, args []tree.Expr) tree.Expr {
	n := 3
	if f.name == "simdgroup_multiply_accumulate" {
		n = 4
	}
	if len(args) != n {
		return c.fail(pos, "%s takes %s, these are %d", f.name, arity(n, n), len(args))
	}
	for _, a := range args {
		if t := a.Type(); t.Kind != tree.SimdgroupMatrix {
			return c.fail(a.Position(), "%s needs a simdgroup_matrix, not %s", f.name, t.Spelled())
		}
	}
	d := c.bind(&tree.Var{Type: args[0].Type(), Space: "thread", Ref: true}, args[0])
	if d == nil {
		return nil
	}
	return &tree.Builtin{Node: tree.At(pos, tree.Named("void")), Name: f.name, Args: append([]tree.Expr{d}, args[1:]...)}
}

// diagonal checks simdgroup_matrix<T, 8, 8>(x), which has x on its diagonal and
// zero elsewhere.
func (made construction) diagonal(args []tree.Expr) tree.Expr {
	if len(args) == 0 {
		args = []tree.Expr{&tree.Const{Node: tree.At(made.pos, made.t.Elem), Value: tree.Value{Kind: made.t.Scalar}}}
	}
	if len(args) > 1 {
		return made.c.fail(made.pos, "%s is made of one value, these are %d", made.t.Spelled(), len(args))
	}
	if types.Same(args[0].Type(), made.t) {
		return args[0]
	}
	x := made.c.implicit(args[0], made.t.Elem)
	if x == nil {
		return nil
	}
	return &tree.Builtin{Node: tree.At(made.pos, made.t), Name: "simdgroup_matrix_diagonal", Args: []tree.Expr{x}}
}

// filledMatrix checks make_filled_simdgroup_matrix<T, 8, 8>(x), which unlike the type
// may leave out the rows: there are as many as columns.
func filledMatrix(c *checker, name *parser.Name, args []tree.Expr) tree.Expr {
	list := *name.Args
	if len(list.Args) == 2 {
		list.Args = append(slices.Clip(list.Args), list.Args[1])
	}
	at := parser.Here{Pos: name.Pos}
	matrix := &parser.Type{Pos: name.Pos, At: at, Path: parser.Path{"metal", "simdgroup_matrix"}, Args: &list}
	d := c.declared(matrix, nil, nil)
	if d == nil {
		return nil
	}
	if len(args) != 1 {
		return c.fail(name.Pos, "make_filled_simdgroup_matrix takes 1 argument, these are %d", len(args))
	}
	x := c.implicit(args[0], d.typ.Elem)
	if x == nil {
		return nil
	}
	return &tree.Builtin{Node: tree.At(name.Pos, d.typ), Name: "make_filled_simdgroup_matrix", Args: []tree.Expr{x}}
}
