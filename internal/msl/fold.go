package msl

import (
	"math/bits"
	"slices"
)

// opTexts are the operators as the evaluation of constants spells them.
var opTexts = map[Op]string{
	Add: "+", Sub: "-", Mul: "*", Div: "/", Mod: "%", And: "&", Or: "|", Xor: "^", Shl: "<<", Shr: ">>",
	Equal: "==", NotEqual: "!=", Less: "<", LessEqual: "<=", Greater: ">", GreaterEqual: ">=",
}

// fold evaluates a checked expression; it reports false where its value is not
// known before the program runs.
func (f *facts) fold(x Expr) (Value, bool) { return f.foldWith(x, f.fold) }

// foldWith evaluates an expression, and what is in it by means of inner.
func (k *facts) foldWith(x Expr, inner func(Expr) (Value, bool)) (Value, bool) {
	f := folder{k, inner}
	switch x := x.(type) {
	case *Const:
		return x.Value, true
	case *VarRef:
		return k.foldVar(x.Var)
	case *Index, *FieldOf:
		if part := f.constant(x); part != nil {
			return f.fold(part)
		}
		return Value{}, false
	case *Convert:
		if !scalarLike(x.Type()) || !scalarLike(x.X.Type()) {
			return Value{}, false
		}
		v, ok := f.fold(x.X)
		if !ok {
			return Value{}, false
		}
		v, err := v.Convert(x.Type().Scalar)
		return v, err == nil
	case *Unary:
		return f.unary(x)
	case *Binary:
		return f.binary(x)
	case *Cond:
		v, ok := f.fold(x.If)
		if !ok {
			return Value{}, false
		}
		if v.isTrue() {
			return f.fold(x.Then)
		}
		return f.fold(x.Else)
	case *Builtin:
		return f.builtin(x)
	case *Call:
		return k.foldCall(x)
	}
	return Value{}, false
}

// constant is the expression that a part of a constant table or object has for its
// initial value, or nil.
func (f folder) constant(x Expr) Expr {
	switch x := x.(type) {
	case *VarRef:
		if x.Var.Static && x.Var.Const && x.Var.Init != nil {
			return x.Var.Init
		}
		return f.facts.vars[x.Var].initial()
	case *Index:
		i, ok := f.fold(x.I)
		n, whole := i.Int()
		if !ok || !whole || n < 0 || x.X.Type().Kind != Array || n >= int64(x.X.Type().Len) {
			return nil
		}
		return partOf(f.constant(x.X), int(n), x)
	case *FieldOf:
		whole := f.constant(x.X)
		if whole == nil || whole.Type().Kind != StructType || whole.Type().Struct.Union {
			return nil
		}
		return partOf(whole, slices.Index(whole.Type().Struct.Fields, x.Field), x)
	}
	return nil
}

// partOf is the i-th part of a constructed value; what it leaves out is zero.
func partOf(whole Expr, i int, x Expr) Expr {
	k, ok := whole.(*Construct)
	switch {
	case !ok || i < 0 || isVector(k.typ) || k.typ.Kind == Matrix:
		return nil
	case i < len(k.Args):
		return k.Args[i]
	}
	return plainZero(x.Type(), x.Position())
}

// folder evaluates the operators.
type folder struct {
	facts *facts
	fold  func(Expr) (Value, bool)
}

func scalarLike(t *Type) bool { return arithmetic(t) || t.Kind == EnumType }

// foldVar is the value of a constant that is a variable because something may
// take its address.
func (f *facts) foldVar(v *Var) (Value, bool) {
	if k := f.vars[v]; k != nil && k.known != nil {
		return *k.known, true
	}
	return Value{}, false
}

func (f folder) unary(x *Unary) (Value, bool) {
	v, ok := f.fold(x.X)
	if !ok {
		return Value{}, false
	}
	switch {
	case x.Op == LogicalNot:
		return Value{Kind: Bool, Bits: b2u(!v.isTrue())}, true
	case x.Op == BitNot && !v.Kind.floating():
		return intValue(v.Kind, ^v.Bits), true
	case x.Op == Neg && v.Kind.floating():
		return Value{Kind: v.Kind, Float: -v.Float}, true
	case x.Op == Neg:
		return intValue(v.Kind, -v.Bits), true
	}
	return Value{}, false
}

func (f folder) binary(x *Binary) (Value, bool) {
	a, ok := f.fold(x.X)
	if !ok {
		return Value{}, false
	}
	switch {
	case x.Op == LogicalAnd && !a.isTrue():
		return a, true
	case x.Op == LogicalOr && a.isTrue():
		return a, true
	}
	b, ok := f.fold(x.Y)
	if !ok {
		return Value{}, false
	}
	if x.Op == LogicalAnd || x.Op == LogicalOr {
		return b, true
	}
	if !scalarLike(x.X.Type()) || !scalarLike(x.Y.Type()) {
		return Value{}, false
	}
	v, err := binaryOp(opTexts[x.Op], a, b)
	if err != nil {
		return Value{}, false
	}
	if v.Kind != x.Type().Scalar { // an enum's operators give the enum
		v, err = v.Convert(x.Type().Scalar)
	}
	return v, err == nil
}

// counted are the functions of bits, of a value of so many bits.
var counted = map[string]func(bits uint64, size int) int{
	"clz":      func(b uint64, size int) int { return bits.LeadingZeros64(b) - (64 - size) },
	"ctz":      func(b uint64, size int) int { return min(bits.TrailingZeros64(b), size) },
	"popcount": func(b uint64, size int) int { return bits.OnesCount64(b) },
}

// builtin evaluates the functions that sizes are computed with.
func (f folder) builtin(x *Builtin) (Value, bool) {
	if count := counted[x.Name]; count != nil && arithmetic(x.Type()) {
		v, ok := f.fold(x.Args[0])
		if !ok {
			return Value{}, false
		}
		size := 8 * scalars[v.Kind].size
		return intValue(v.Kind, uint64(count(v.Bits<<(64-size)>>(64-size), size))), true
	}
	if x.Name != "min" && x.Name != "max" || len(x.Args) != 2 || !arithmetic(x.Type()) {
		return Value{}, false
	}
	a, okA := f.fold(x.Args[0])
	b, okB := f.fold(x.Args[1])
	if !okA || !okB {
		return Value{}, false
	}
	less, err := binaryOp("<", a, b)
	if err != nil {
		return Value{}, false
	}
	if less.isTrue() == (x.Name == "min") {
		return a, true
	}
	return b, true
}

// folded is x, or where its operands are constants what it comes to.
func (f *facts) folded(x Expr) Expr {
	switch e := x.(type) {
	case *Unary:
		if _, ok := e.X.(*Const); !ok {
			return x
		}
	case *Binary:
		if _, ok := e.X.(*Const); !ok {
			return x
		}
		if _, ok := e.Y.(*Const); !ok {
			return x
		}
	}
	if v, ok := f.fold(x); ok && scalarLike(x.Type()) {
		return &Const{node: node{x.Position(), x.Type()}, Value: v}
	}
	return x
}
