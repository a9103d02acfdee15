package build

import (
	"fmt"
	"slices"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// effect evaluates an expression whose value nobody uses.
func (b *builder) effect(e tree.Expr) {
	outer := b.out.Pos()
	b.out.At(e.Position())
	switch e := e.(type) {
	case *tree.Assign:
		b.assignment(e)
	case *tree.IncDec:
		b.step(e)
	default:
		b.value(e)
	}
	b.out.At(outer)
}

// condition evaluates a scalar bool.
func (b *builder) condition(e tree.Expr) ir.Value { return b.value(e)[0] }

// value evaluates an expression: the values of its leaves.
func (b *builder) value(e tree.Expr) value {
	outer, pos := b.out.Pos(), e.Position()
	b.out.At(pos)
	b.out.descend(pos)
	v := b.evaluate(e)
	b.out.ascend()
	b.out.At(outer)
	return v
}

func (b *builder) evaluate(e tree.Expr) value {
	switch e := e.(type) {
	case *tree.Const:
		return b.out.single(b.out.constant(e.Type().Scalar, e.Value))
	case *tree.VarRef:
		return b.named(e)
	case *tree.Unary:
		return b.unary(e)
	case *tree.Binary:
		return b.binary(e)
	case *tree.PointerAdd:
		return b.out.single(b.pointerAdd(e))
	case *tree.PointerDiff:
		x := b.value(e.X)[0]
		y := b.value(e.Y)[0]
		return b.out.single(b.out.opImm(ir.OpDiff, ir.Ptr, int64(e.X.Type().Elem.Size), x, y))
	case *tree.Cond:
		return b.conditional(e)
	case *tree.Convert:
		return b.converted(e)
	case *tree.Decay:
		return b.out.single(b.mem.addressOf(b.lvalue(e.X), e.Position()))
	case *tree.AddrOf:
		return b.out.single(b.mem.addressOf(b.lvalue(e.X), e.Position()))
	case *tree.Bitcast:
		return b.bitcast(e)
	case *tree.Construct:
		return b.construct(e)
	case *tree.Swizzle:
		return b.swizzle(e)
	case *tree.Index:
		return b.index(e)
	case *tree.FieldOf:
		if isPlace(e.X) {
			return b.mem.load(b.lvalue(e))
		}
		return b.mem.load(b.mem.field(ofValue(e.X.Type(), b.value(e.X)), e.Field))
	case *tree.Elements:
		return b.value(e.X)
	case *tree.Deref:
		return b.mem.load(b.lvalue(e))
	case *tree.Assign:
		return b.mem.load(b.assignment(e))
	case *tree.IncDec:
		p, old := b.step(e)
		if e.Postfix {
			return old
		}
		return b.mem.load(p)
	case *tree.Comma:
		b.effect(e.X)
		return b.value(e.Y)
	case *tree.Call:
		return b.call(e)
	}
	return b.fromLibrary(e)
}

// fromLibrary evaluates what is elsewhere: functions of the library, textures, samplers, messages.
func (b *builder) fromLibrary(e tree.Expr) value {
	switch e := e.(type) {
	case *tree.Builtin:
		return b.builtin(e)
	case *tree.TextureCall:
		return textureCall(b, e)
	case *tree.SamplerConst:
		return b.out.single(b.consts.sampler(e.State))
	case *tree.Text:
		return b.out.single(b.consts.text(e))
	case *tree.LogObject:
		return b.out.single(b.consts.logObject(e))
	case *tree.Log:
		b.log(e)
		return nil
	}
	b.out.unsupported(e.Position(), fmt.Sprintf("an expression of this kind (%T)", e))
	panic("unreachable")
}

// named evaluates the name of a variable or a constant.
func (b *builder) named(e *tree.VarRef) value {
	v := e.Var
	if v.Constant != nil {
		return b.consts.functionConstant(v.Constant, e.Position())
	}
	if v.Static && v.Init != nil && !inMemory(v.Type) && b.vars.places[v] == nil {
		return b.value(v.Init)
	}
	return b.mem.load(b.variable(e))
}

func (b *builder) pointerAdd(e *tree.PointerAdd) ir.Value {
	p := b.value(e.X)[0]
	index := b.integer(e.I)
	size := e.Type().Elem.Size
	if !e.Neg {
		return b.mem.movePointer(p, index, size)
	}
	n := b.num.convert(index.value, index.kind, tree.Long)
	return b.out.opImm(ir.OpMove, ir.S64, int64(size), p, b.out.op(ir.OpNeg, ir.I64, n))
}

func (b *builder) binary(e *tree.Binary) value {
	switch e.Op {
	case tree.LogicalAnd, tree.LogicalOr:
		return b.out.single(b.logical(e))
	}
	// a chain of operators is written from its innermost one on: it is as deep as it is long
	var few [8]*tree.Binary
	chain := append(few[:0], e)
	for {
		inner, ok := e.X.(*tree.Binary)
		if !ok || inner.Op == tree.LogicalAnd || inner.Op == tree.LogicalOr {
			break
		}
		chain, e = append(chain, inner), inner
	}
	b.out.At(e.Position())
	v := b.value(e.X)
	for _, e := range slices.Backward(chain) {
		b.out.At(e.Position())
		b.out.work.step(b.out.Pos())
		v = b.applied(e, v)
	}
	return v
}

// applied writes an operator whose left side has the value x.
func (b *builder) applied(e *tree.Binary, x value) value {
	y := b.value(e.Y)
	tx, ty := e.X.Type(), e.Y.Type()
	switch {
	case tx.Kind == tree.SimdgroupMatrix:
		return b.num.multiply(x, y, nil)
	case tx.Kind == tree.Matrix || ty.Kind == tree.Matrix:
		return b.num.matrixArithmetic(e.Op, tx, ty, x, y, e.Position())
	}
	return b.num.operator(e.Op, tx, ty, x, y, e.Position())
}

// logical writes && and ||. The right side is only evaluated where it decides.
func (b *builder) logical(e *tree.Binary) ir.Value {
	x := b.condition(e.X)
	and := e.Op == tree.LogicalAnd
	if is, ok := b.out.decided(x); ok && is == and {
		return b.condition(e.Y)
	} else if ok {
		return x
	}
	right := func() value { return b.out.single(b.condition(e.Y)) }
	known := func() value { return b.out.single(b.out.truth(!and)) }
	if and {
		return b.flow.branch(x, ir.ByOperator{}, []ir.Type{ir.Bool}, right, known)[0]
	}
	return b.flow.branch(x, ir.ByOperator{}, []ir.Type{ir.Bool}, known, right)[0]
}

func (b *builder) conditional(e *tree.Cond) value {
	cond := b.condition(e.If)
	if is, ok := b.out.decided(cond); ok {
		if is {
			return b.value(e.Then)
		}
		return b.value(e.Else)
	}
	leaves := b.out.leavesOf(e.Type(), e.Position())
	side := func(side tree.Expr) func() value {
		return func() value {
			if len(leaves) == 0 {
				b.effect(side)
				return nil
			}
			return b.value(side)
		}
	}
	return b.flow.branch(cond, ir.ByOperator{}, typesOf(leaves), side(e.Then), side(e.Else))
}

// construct writes a value made of its parts.
func (b *builder) construct(e *tree.Construct) value {
	t := e.Type()
	if t.Kind == tree.StructType && overlaps(t.Struct) {
		p := b.mem.newObject(t, e.Position())
		b.initialise(p, e, false)
		return b.mem.load(p)
	}
	leaves := b.out.leavesOf(t, e.Position())
	v := b.out.newValue(len(leaves))[:0]
	for _, a := range e.Args {
		v = append(v, b.value(a)...)
	}
	return append(v, b.out.zeros(leaves[len(v):])...)
}

func (b *builder) swizzle(e *tree.Swizzle) value {
	if isPlace(e.X) {
		return b.mem.load(b.swizzled(e))
	}
	x := b.value(e.X)
	v := b.out.newValue(len(e.Elems))
	for i, n := range e.Elems {
		v[i] = x[n]
	}
	return v
}

// operands evaluates expressions in order.
func (b *builder) operands(list ...tree.Expr) []value {
	values := make([]value, len(list))
	for i, e := range list {
		values[i] = b.value(e)
	}
	return values
}
