package build

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// numbers writes operations on numbers: on scalars of MSL, and on the vectors and matrices that are made of these.
type numbers struct{ out *emitter }

// operators are the operations of operators. Of integers some work on those with and without a sign alike.
var operators = [...]ir.Op{
	tree.Neg: ir.OpNeg, tree.BitNot: ir.OpNot, tree.LogicalNot: ir.OpNot,
	tree.Add: ir.OpAdd, tree.Sub: ir.OpSub, tree.Mul: ir.OpMul, tree.Div: ir.OpDiv, tree.Mod: ir.OpRem,
	tree.And: ir.OpAnd, tree.Or: ir.OpOr, tree.Xor: ir.OpXor, tree.Shl: ir.OpShl, tree.Shr: ir.OpShr,
	tree.Equal: ir.OpEq, tree.NotEqual: ir.OpNe, tree.Less: ir.OpLt, tree.LessEqual: ir.OpLe,
	tree.Greater: ir.OpLt, tree.GreaterEqual: ir.OpLe, // of operands in reverse
}

// typeFor returns what an operation takes scalars of a kind as, or Void where it takes none.
func typeFor(op ir.Op, k tree.ScalarKind) ir.Type {
	t := ir.TypeOf(k)
	if op.Info().On(t.Held()) {
		return t.Held()
	}
	if op.Info().On(t) {
		return t
	}
	return ir.Void
}

// arithmetic writes a binary operator on scalars of one type.
func (num *numbers) arithmetic(op tree.Op, k tree.ScalarKind, x, y ir.Value) ir.Value {
	return num.fit(k, num.operate(op, k, x, y))
}

// operate is arithmetic whose result is not yet brought into the range or precision of its type.
func (num *numbers) operate(op tree.Op, k tree.ScalarKind, x, y ir.Value) ir.Value {
	o := operators[op]
	return num.out.op(o, typeFor(o, k), x, y)
}

// fit brings the result of 32-bit arithmetic into the range or precision of a
// type of fewer bits.
func (num *numbers) fit(k tree.ScalarKind, r ir.Value) ir.Value {
	switch k {
	case tree.Char, tree.Short, tree.UChar, tree.UShort:
		return num.out.opImm(ir.OpWrap, ir.TypeOf(k), int64(8*k.Bytes()), r)
	case tree.Half:
		return num.out.op(ir.OpRoundHalf, ir.F32, r)
	case tree.BFloat:
		return num.out.op(ir.OpRoundBFloat, ir.F32, r)
	}
	return r
}

// fitAll is fit for all scalars of a value.
func (num *numbers) fitAll(k tree.ScalarKind, x value) value {
	v := num.out.newValue(len(x))
	for i := range x {
		v[i] = num.fit(k, x[i])
	}
	return v
}

// compare writes a comparison of scalars of one type.
func (num *numbers) compare(op tree.Op, k tree.ScalarKind, x, y ir.Value) ir.Value {
	o := operators[op]
	return num.compareAs(op, typeFor(o, k), x, y)
}

// compareAs is compare for operands that are taken as t.
func (num *numbers) compareAs(op tree.Op, t ir.Type, x, y ir.Value) ir.Value {
	if op == tree.Greater || op == tree.GreaterEqual {
		x, y = y, x
	}
	return num.out.op(operators[op], t, x, y)
}

// unary writes a prefix operator element by element.
func (b *builder) unary(e *tree.Unary) value {
	x := b.value(e.X)
	v := b.out.newValue(len(x))
	op := operators[e.Op]
	for i, l := range b.out.leavesOf(e.Type(), e.Position()) {
		t := typeFor(op, l.kind)
		if l.isHandle() || t == ir.Void || (t == ir.Bool) != (e.Op == tree.LogicalNot) {
			b.out.unsupported(e.Position(), "this operator on "+e.Type().String())
		}
		v[i] = b.num.fit(l.kind, b.out.op(op, t, x[i]))
	}
	return v
}

// operator writes a binary operator element by element.
func (num *numbers) operator(op tree.Op, tx, ty *tree.Type, x, y value, pos parser.Pos) value {
	leaves := num.out.leavesOf(tx, pos)
	v := num.out.newValue(len(leaves))
	for i, l := range leaves {
		k := l.kind
		switch {
		case l.isHandle():
			v[i] = num.compareAs(op, ir.Ptr, x[i], num.out.op(ir.OpBeside, ir.Ptr, x[i], y[i]))
		case op >= tree.Equal && op <= tree.GreaterEqual:
			v[i] = num.compare(op, k, x[i], y[i])
		case op == tree.Shl || op == tree.Shr:
			n := num.convert(y[i], num.out.leavesOf(ty, pos)[i].kind, tree.UInt)
			if k.Bytes() < 4 { // shifted in a wider register
				n = num.out.op(ir.OpAnd, ir.I32, n, num.out.word(uint32(8*k.Bytes()-1)))
			}
			v[i] = num.fit(k, num.operate(op, k, x[i], n))
		default:
			if typeFor(operators[op], k) == ir.Void {
				num.out.unsupported(pos, "this operator on "+tx.String())
			}
			v[i] = num.arithmetic(op, k, x[i], y[i])
		}
	}
	return v
}
