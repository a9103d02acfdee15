package msl

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/fold"
	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// specialCheck checks a call of a function of the library.
type specialCheck func(c *checker, f *library.Function, pos parser.Pos, args []tree.Expr) tree.Expr

// specialChecks are those of the functions that have no signature.
var specialChecks map[string]specialCheck

func init() { // what checks their arguments checks calls
	specialChecks = map[string]specialCheck{
		"determinant": checkDeterminant,
		"transpose":   checkTranspose,

		"is_function_constant_defined": checkDefined,

		"make_filled_simdgroup_matrix": func(c *checker, f *library.Function, pos parser.Pos, _ []tree.Expr) tree.Expr {
			return c.fail(pos, "%s needs its type: %s<float, 8, 8>(x)", f.Name, f.Name)
		},
		"simdgroup_load":                checkSimdgroupMove,
		"simdgroup_store":               checkSimdgroupMove,
		"simdgroup_multiply":            checkSimdgroupMultiply,
		"simdgroup_multiply_accumulate": checkSimdgroupMultiply,

		"is_null_texture": isNullTexture,
		"make_uniform":    checkUniform,
	}
	for name := range library.CompilerBuiltins {
		specialChecks[name] = checkCompilerBuiltin
	}
	for name := range library.GroupValues {
		specialChecks[name] = checkGroupValue
	}
	for name := range library.AtomicTable {
		specialChecks[name] = checkAtomic
	}
}

func checkAtomic(c *checker, f *library.Function, pos parser.Pos, args []tree.Expr) tree.Expr {
	row := library.AtomicTable[f.Name]
	params := strings.Split(row.Params, ",")
	if len(args) != len(params)+1 {
		return c.fail(pos, "%s takes %s, these are %d", f.Name, library.Arity(len(params)+1, len(params)+1), len(args))
	}
	object := c.value(args[0])
	if object == nil {
		return nil
	}
	t := object.Type()
	if t.Kind != tree.Pointer || !t.Elem.Atomic || t.Space != "device" && t.Space != "threadgroup" {
		return c.fail(object.Position(), "%s needs a pointer to an atomic in device or threadgroup memory, not %s",
			f.Name, t.Spelled())
	}
	value := tree.ScalarType(t.Elem.Scalar)
	if !row.Class.Has(value.Scalar) {
		return c.fail(pos, "%s does not work on %s", f.Name, t.Elem.Spelled())
	}
	if t.Const && f.Name != "atomic_load_explicit" {
		return c.fail(object.Position(), "%s cannot change this: what the pointer points to is const", f.Name)
	}
	word := func(w string) *tree.Type {
		switch w {
		case "V":
			return value
		case "P":
			return tree.PointerTo(value, "thread", false)
		}
		return library.Settled(w, nil)
	}
	b := &tree.Builtin{Node: tree.At(pos, word(row.Result)), Name: f.Name, Args: []tree.Expr{object}}
	for i, p := range params {
		a := c.implicit(args[i+1], word(p))
		if a == nil {
			return nil
		}
		b.Args = append(b.Args, a)
	}
	return b
}

// checkDefined checks is_function_constant_defined(c), whose argument is
// the constant itself.
func checkDefined(c *checker, f *library.Function, pos parser.Pos, args []tree.Expr) tree.Expr {
	if len(args) == 1 {
		if v, ok := args[0].(*tree.VarRef); ok && v.Var.Constant != nil {
			return &tree.Builtin{Node: tree.At(pos, tree.ScalarType(tree.Bool)), Name: f.Name, Args: args}
		}
	}
	return c.fail(pos, "%s takes a function constant", f.Name)
}

func checkDeterminant(c *checker, f *library.Function, pos parser.Pos, args []tree.Expr) tree.Expr {
	if m := matrixArg(c, f, pos, args); m != nil {
		if t := m.Type(); t.Len == t.Elem.Len {
			return &tree.Builtin{Node: tree.At(pos, t.Elem.Elem), Name: f.Name, Args: args}
		}
		return c.fail(pos, "%s does not take %s", f.Name, types.TypeList(args))
	}
	return nil
}

func checkTranspose(c *checker, f *library.Function, pos parser.Pos, args []tree.Expr) tree.Expr {
	m := matrixArg(c, f, pos, args)
	if m == nil {
		return nil
	}
	t := m.Type()
	return &tree.Builtin{Node: tree.At(pos, tree.MatrixOf(tree.VectorType(t.Scalar, t.Len), t.Elem.Len)), Name: f.Name,
		Args: args}
}

func matrixArg(c *checker, f *library.Function, pos parser.Pos, args []tree.Expr) tree.Expr {
	if len(args) != 1 || args[0].Type().Kind != tree.Matrix {
		return c.fail(pos, "%s does not take %s", f.Name, types.TypeList(args))
	}
	return args[0]
}

// checkSimdgroupMove checks simdgroup_load and simdgroup_store: the matrix, a
// pointer, and what says where the matrix is in memory.
func checkSimdgroupMove(c *checker, f *library.Function, pos parser.Pos, args []tree.Expr) tree.Expr {
	load := f.Name == "simdgroup_load"
	if len(args) < 2 || len(args) > 5 {
		return c.fail(pos, "%s takes %s, these are %d", f.Name, library.Arity(2, 5), len(args))
	}
	matrix := args[0]
	t := matrix.Type()
	if t.Kind != tree.SimdgroupMatrix {
		return c.fail(matrix.Position(), "%s needs a simdgroup_matrix, not %s", f.Name, t.Spelled())
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
		return c.fail(memory.Position(), "%s needs %s device or threadgroup pointer to %s, not %s", f.Name, what,
			t.Elem, p.Spelled())
	}
	b := &tree.Builtin{Node: tree.At(pos, tree.Named("void")), Name: f.Name, Args: []tree.Expr{matrix, memory}}
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
func checkSimdgroupMultiply(c *checker, f *library.Function, pos parser.Pos, args []tree.Expr) tree.Expr {
	n := 3
	if f.Name == "simdgroup_multiply_accumulate" {
		n = 4
	}
	if len(args) != n {
		return c.fail(pos, "%s takes %s, these are %d", f.Name, library.Arity(n, n), len(args))
	}
	for _, a := range args {
		if t := a.Type(); t.Kind != tree.SimdgroupMatrix {
			return c.fail(a.Position(), "%s needs a simdgroup_matrix, not %s", f.Name, t.Spelled())
		}
	}
	d := c.bind(&tree.Var{Type: args[0].Type(), Space: "thread", Ref: true}, args[0])
	if d == nil {
		return nil
	}
	return &tree.Builtin{Node: tree.At(pos, tree.Named("void")), Name: f.Name,
		Args: append([]tree.Expr{d}, args[1:]...)}
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
	x := c.implicit(args[0], d.Type.Elem)
	if x == nil {
		return nil
	}
	return &tree.Builtin{Node: tree.At(name.Pos, d.Type), Name: "make_filled_simdgroup_matrix", Args: []tree.Expr{x}}
}

func checkCompilerBuiltin(c *checker, f *library.Function, pos parser.Pos, args []tree.Expr) tree.Expr {
	row := library.CompilerBuiltins[f.Name]
	if len(args) != 1 {
		return c.fail(pos, "%s takes 1 argument, these are %d", f.Name, len(args))
	}
	x := c.implicit(args[0], tree.ScalarType(row.Of))
	if x == nil {
		return nil
	}
	return fold.Expr(c.facts, c.convert(&tree.Builtin{Node: tree.At(pos, x.Type()), Name: row.Name,
		Args: []tree.Expr{x}}, tree.ScalarType(tree.Int)))
}

// checkGroupValue checks __metal_get_simdgroup_size(ushort()) and the like, which
// return a value of the type of their argument.
func checkGroupValue(c *checker, f *library.Function, pos parser.Pos, args []tree.Expr) tree.Expr {
	if len(args) != 1 || !types.Integral(args[0].Type()) {
		return c.fail(pos, "%s does not take %s", f.Name, types.TypeList(args))
	}
	return &tree.Builtin{Node: tree.At(pos, args[0].Type()), Name: library.GroupValues[f.Name]}
}

// checkUniform checks make_uniform(x): a value that, as the source says, all
// threads of the simd-group have.
func checkUniform(c *checker, f *library.Function, pos parser.Pos, args []tree.Expr) tree.Expr {
	if len(args) != 1 || !types.Arithmetic(args[0].Type()) {
		return c.fail(pos, "%s does not take %s", f.Name, types.TypeList(args))
	}
	return args[0]
}

// numericLimit checks numeric_limits<T>::max() and the like.
func numericLimit(c *checker, e *parser.Name, pos parser.Pos) tree.Expr {
	if len(e.Args.Args) != 1 || e.Member == nil || len(e.Member.Path) != 1 {
		return c.fail(e.Pos, "numeric_limits takes a type and has members: numeric_limits<float>::max()")
	}
	tn, err := c.r.Syntax.Type(e.Args.Args[0].List)
	if err != nil {
		c.report(err, e.Pos)
		return nil
	}
	t := c.typeName(tn)
	if t == nil {
		return nil
	}
	member := e.Member.Path[0]
	if limit := library.NumericLimits[member]; limit != nil && (types.Arithmetic(t) || t.Kind == tree.Vector) {
		v := limit(t.Scalar)
		x := &tree.Const{Node: tree.At(pos, tree.ScalarType(v.Kind)), Value: v}
		if t.Kind == tree.Vector && library.LimitFunctions[member] {
			return c.construction(t, pos).construct([]tree.Expr{x}, true)
		}
		return x
	}
	return c.fail(e.Pos, "numeric_limits<%s> has no %s", t.Spelled(), member)
}
