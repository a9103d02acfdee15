package fold

import (
	"math/bits"
	"slices"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// opTexts are the operators as the evaluation of constants spells them.
var opTexts = map[tree.Op]string{
	tree.Add: "+", tree.Sub: "-", tree.Mul: "*", tree.Div: "/", tree.Mod: "%", tree.And: "&", tree.Or: "|", tree.Xor: "^",
	tree.Shl: "<<", tree.Shr: ">>",
	tree.Equal: "==", tree.NotEqual: "!=", tree.Less: "<", tree.LessEqual: "<=", tree.Greater: ">",
	tree.GreaterEqual: ">=",
}

// Value evaluates a checked expression; it reports false where its value is not
// known before the program runs.
func Value(f *resolve.Facts, x tree.Expr) (tree.Value, bool) {
	return folder{f, func(x tree.Expr) (tree.Value, bool) { return Value(f, x) }, nil}.expr(x)
}

// Constant evaluates an expression whose value has to be known before the program runs.
func Constant(f *resolve.Facts, x tree.Expr) (tree.Value, error) {
	k := folder{facts: f, why: new(error)}
	k.fold = func(x tree.Expr) (tree.Value, bool) { return k.expr(x) }
	v, ok := k.expr(x)
	switch {
	case ok:
		return v, nil
	case *k.why != nil:
		return v, *k.why
	case types.IsVector(x.Type()):
		return v, resolve.Errorf(x.Position(), "%s is no scalar type", x.Type())
	}
	return v, resolve.Errorf(x.Position(), "this is no constant expression")
}

// expr evaluates an expression.
func (f folder) expr(x tree.Expr) (tree.Value, bool) {
	if !f.facts.Work.Descend(x.Position()) {
		return tree.Value{}, false
	}
	v, ok := f.node(x)
	f.facts.Work.Ascend()
	return v, ok
}

func (f folder) node(x tree.Expr) (tree.Value, bool) {
	switch x := x.(type) {
	case *tree.Const:
		return x.Value, true
	case *tree.VarRef:
		return Var(f.facts, x.Var)
	case *tree.Index, *tree.FieldOf:
		if part := f.constant(x); part != nil {
			return f.fold(part)
		}
		return tree.Value{}, false
	case *tree.Swizzle:
		if v := vector(f.facts, x.X, f.fold); v != nil && len(x.Elems) == 1 {
			return f.fold(v.Args[x.Elems[0]])
		}
		return tree.Value{}, false
	case *tree.Convert:
		if !types.ScalarLike(x.Type()) || !types.ScalarLike(x.X.Type()) {
			return tree.Value{}, false
		}
		v, ok := f.fold(x.X)
		if !ok {
			return tree.Value{}, false
		}
		v, err := v.Convert(x.Type().Scalar)
		return f.result(v, err, x.Position())
	case *tree.Unary:
		return f.unary(x)
	case *tree.Binary:
		return f.binary(x)
	case *tree.Cond:
		v, ok := f.fold(x.If)
		if !ok {
			return tree.Value{}, false
		}
		if v.IsTrue() {
			return f.fold(x.Then)
		}
		return f.fold(x.Else)
	case *tree.Builtin:
		return f.builtin(x)
	case *tree.Call:
		return foldCall(f.facts, x)
	}
	return tree.Value{}, false
}

// constant is the expression that a part of a constant table or object has for its
// initial value, or nil.
func (f folder) constant(x tree.Expr) tree.Expr {
	switch x := x.(type) {
	case *tree.VarRef:
		if x.Var.Static && x.Var.Const && x.Var.Init != nil {
			return x.Var.Init
		}
		return f.facts.Vars[x.Var].Initial()
	case *tree.Index:
		i, ok := f.fold(x.I)
		n, whole := i.Int()
		if !ok || !whole || n < 0 || x.X.Type().Kind != tree.Array || n >= int64(x.X.Type().Len) {
			return nil
		}
		return partOf(f.constant(x.X), int(n), x)
	case *tree.FieldOf:
		whole := f.constant(x.X)
		if call, ok := whole.(*tree.Call); ok {
			if made := Object(f.facts, call); made != nil {
				whole = made
			}
		}
		if whole == nil || whole.Type().Kind != tree.StructType || whole.Type().Struct.Union {
			return nil
		}
		return partOf(whole, slices.Index(whole.Type().Struct.Fields, x.Field), x)
	}
	return nil
}

// partOf is the i-th part of a constructed value; what it leaves out is zero.
func partOf(whole tree.Expr, i int, x tree.Expr) tree.Expr {
	k, ok := whole.(*tree.Construct)
	switch {
	case !ok || i < 0 || types.IsVector(k.Typ) || k.Typ.Kind == tree.Matrix:
		return nil
	case i < len(k.Args):
		return k.Args[i]
	}
	return types.PlainZero(x.Type(), x.Position())
}

// folder evaluates the operators.
type folder struct {
	facts *resolve.Facts
	fold  func(tree.Expr) (tree.Value, bool) // evaluates operands
	why   *error                             // why an operation has no value, if somebody asks
}

// result is what an operation comes to. It reports false for one that has no value, and notes why.
func (f folder) result(v tree.Value, err error, pos parser.Pos) (tree.Value, bool) {
	if err != nil && f.why != nil && *f.why == nil {
		*f.why = resolve.Errorf(pos, "%s", err)
	}
	return v, err == nil
}

// Var is the value of a constant that is a variable because something may
// take its address.
func Var(f *resolve.Facts, v *tree.Var) (tree.Value, bool) {
	if k := f.Vars[v]; k != nil && k.Known != nil {
		return *k.Known, true
	}
	return tree.Value{}, false
}

func (f folder) unary(x *tree.Unary) (tree.Value, bool) {
	v, ok := f.fold(x.X)
	if !ok {
		return tree.Value{}, false
	}
	switch {
	case x.Op == tree.LogicalNot:
		return tree.BoolValue(!v.IsTrue()), true
	case x.Op == tree.BitNot && !v.Kind.Floating():
		return tree.IntValue(v.Kind, ^v.Bits), true
	case x.Op == tree.Neg && v.Kind.Floating():
		return tree.Value{Kind: v.Kind, Float: -v.Float}, true
	case x.Op == tree.Neg:
		return tree.IntValue(v.Kind, -v.Bits), true
	}
	return tree.Value{}, false
}

// binary evaluates a chain of operators from its innermost one on: it is as deep as it
// is long.
func (f folder) binary(x *tree.Binary) (tree.Value, bool) {
	var few [8]*tree.Binary
	chain := few[:0]
	for inner, ok := x, true; ok; inner, ok = inner.X.(*tree.Binary) {
		chain = append(chain, inner)
	}
	a, ok := f.fold(chain[len(chain)-1].X)
	for _, x := range slices.Backward(chain) {
		if !ok {
			return tree.Value{}, false
		}
		a, ok = f.binaryOf(x, a)
	}
	return a, ok
}

// binaryOf evaluates an operator whose left side has the value a.
func (f folder) binaryOf(x *tree.Binary, a tree.Value) (tree.Value, bool) {
	switch {
	case x.Op == tree.LogicalAnd && !a.IsTrue():
		return a, true
	case x.Op == tree.LogicalOr && a.IsTrue():
		return a, true
	}
	b, ok := f.fold(x.Y)
	if !ok {
		return tree.Value{}, false
	}
	if x.Op == tree.LogicalAnd || x.Op == tree.LogicalOr {
		return b, true
	}
	if !types.ScalarLike(x.X.Type()) || !types.ScalarLike(x.Y.Type()) {
		return tree.Value{}, false
	}
	v, err := tree.BinaryOp(opTexts[x.Op], a, b)
	if err == nil && v.Kind != x.Type().Scalar { // an enum's operators give the enum
		v, err = v.Convert(x.Type().Scalar)
	}
	return f.result(v, err, x.Position())
}

// counted are the functions of bits, of a value of so many bits.
var counted = map[string]func(bits uint64, size int) int{
	"clz":      func(b uint64, size int) int { return bits.LeadingZeros64(b) - (64 - size) },
	"ctz":      func(b uint64, size int) int { return min(bits.TrailingZeros64(b), size) },
	"popcount": func(b uint64, size int) int { return bits.OnesCount64(b) },
}

// builtin evaluates the functions that sizes are computed with.
func (f folder) builtin(x *tree.Builtin) (tree.Value, bool) {
	if count := counted[x.Name]; count != nil && types.Arithmetic(x.Type()) {
		v, ok := f.fold(x.Args[0])
		if !ok {
			return tree.Value{}, false
		}
		size := 8 * v.Kind.Bytes()
		return tree.IntValue(v.Kind, uint64(count(v.Bits<<(64-size)>>(64-size), size))), true
	}
	if x.Name != "min" && x.Name != "max" || len(x.Args) != 2 || !types.Arithmetic(x.Type()) {
		return tree.Value{}, false
	}
	a, okA := f.fold(x.Args[0])
	b, okB := f.fold(x.Args[1])
	if !okA || !okB {
		return tree.Value{}, false
	}
	less, err := tree.BinaryOp("<", a, b)
	if err != nil {
		return tree.Value{}, false
	}
	if less.IsTrue() == (x.Name == "min") {
		return a, true
	}
	return b, true
}

// Expr is x, or where its operands are constants what it comes to.
func Expr(f *resolve.Facts, x tree.Expr) tree.Expr {
	switch e := x.(type) {
	case *tree.Unary:
		if _, ok := e.X.(*tree.Const); !ok {
			return x
		}
	case *tree.Binary:
		if _, ok := e.X.(*tree.Const); !ok {
			return x
		}
		if _, ok := e.Y.(*tree.Const); !ok {
			return x
		}
	}
	if v, ok := Value(f, x); ok && types.ScalarLike(x.Type()) {
		return &tree.Const{Node: tree.At(x.Position(), x.Type()), Value: v}
	}
	return x
}
