package cpu

import (
	"fmt"
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// effect evaluates an expression whose value nobody uses.
func (b *builder) effect(e tree.Expr) {
	outer := b.pos
	b.at(e.Position())
	defer func() { b.pos = outer }()
	switch e := e.(type) {
	case *tree.Assign:
		b.assignment(e)
	case *tree.IncDec:
		b.step(e)
	default:
		b.value(e)
	}
}

// condition evaluates a scalar bool.
func (b *builder) condition(e tree.Expr) int32 { return b.value(e)[0] }

// value evaluates an expression: the registers of its leaves.
func (b *builder) value(e tree.Expr) value {
	outer := b.pos
	b.at(e.Position())
	b.descend(b.pos)
	v := b.evaluate(e)
	b.ascend()
	b.pos = outer
	return v
}

func (b *builder) evaluate(e tree.Expr) value {
	switch e := e.(type) {
	case *tree.Const:
		return value{b.constantValue(e.Type().Scalar, e.Value)}
	case *tree.VarRef:
		if e.Var.Constant != nil {
			return b.functionConstant(e)
		}
		if v := e.Var; v.Static && v.Init != nil && !inMemory(v.Type) && b.vars[v] == nil {
			return b.value(v.Init)
		}
		return b.load(b.variable(e), e.Position())
	case *tree.Unary:
		return b.unary(e)
	case *tree.Binary:
		return b.binary(e)
	case *tree.PointerAdd:
		p := b.value(e.X)[0]
		index := b.integer(e.I)
		size := e.Type().Elem.Size
		if e.Neg {
			n := b.convertLeaf(index.reg, index.kind, tree.Long)
			n = b.pure(unsetAny, longClass, negInt[int64], 0, n)
			return value{b.opImm(longClass, addPointerLong, int64(size), p, n)}
		}
		return value{b.movePointer(p, index, size)}
	case *tree.PointerDiff:
		x, y := b.value(e.X)[0], b.value(e.Y)[0]
		return value{b.opImm(longClass, diffPointer, int64(e.X.Type().Elem.Size), x, y)}
	case *tree.Cond:
		return b.conditional(e)
	case *tree.Convert:
		return b.convert(e)
	case *tree.Decay:
		return value{b.address(b.lvalue(e.X), e.Position())}
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
			return b.load(b.lvalue(e), e.Position())
		}
		return b.load(b.field(inRegisters(e.X.Type(), b.value(e.X), b.scope()), e.Field), e.Position())
	case *tree.Elements:
		return b.value(e.X)
	case *tree.Deref:
		return b.load(b.lvalue(e), e.Position())
	case *tree.AddrOf:
		return value{b.address(b.lvalue(e.X), e.Position())}
	case *tree.Assign:
		return b.load(b.assignment(e), e.Position())
	case *tree.IncDec:
		p, old := b.step(e)
		if e.Postfix {
			return old
		}
		return b.load(p, e.Position())
	case *tree.Comma:
		b.effect(e.X)
		return b.value(e.Y)
	case *tree.Text:
		return value{b.text(e)}
	case *tree.LogObject:
		return value{b.logObject(e)}
	case *tree.Log:
		b.log(e)
		return nil
	case *tree.Call:
		return b.call(e)
	case *tree.Builtin:
		return b.builtin(e)
	case *tree.TextureCall:
		return b.textureCall(e)
	case *tree.SamplerConst:
		return value{b.sampler(e.State)}
	}
	unsupported(e.Position(), fmt.Sprintf("an expression of this kind (%T)", e))
	panic("unreachable")
}

func (b *builder) unary(e *tree.Unary) value {
	x := b.value(e.X)
	v := make(value, len(x))
	for i, l := range b.leaves(e.Type(), e.Position()) {
		run := unaryOps[e.Op][operandOf(l.kind)]
		if run == nil {
			unsupported(e.Position(), "this operator on "+e.Type().String())
		}
		v[i] = b.fit(l.kind, b.pure(unaryRule(e.Op, l.kind), l.class(), run, 0, x[i]))
	}
	return v
}

func (b *builder) binary(e *tree.Binary) value {
	switch e.Op {
	case tree.LogicalAnd, tree.LogicalOr:
		return value{b.logical(e)}
	}
	if e.X.Type().Kind == tree.SimdgroupMatrix {
		return multiplySimdgroup(b.assembler, b.value(e.X), b.value(e.Y), nil)
	}
	// a chain of operators is lowered from its innermost one on: it is as deep as it is long
	var few [8]*tree.Binary
	chain := append(few[:0], e)
	for !fusesLeft(e) {
		inner, ok := e.X.(*tree.Binary)
		if !ok || inner.Op == tree.LogicalAnd || inner.Op == tree.LogicalOr ||
			inner.X.Type().Kind == tree.SimdgroupMatrix {
			break
		}
		chain, e = append(chain, inner), inner
	}
	b.at(e.Position())
	var v value
	if fusesLeft(e) {
		v = b.fusedLeft(e)
		chain = chain[:len(chain)-1]
	} else {
		v = b.value(e.X)
	}
	for _, e := range slices.Backward(chain) {
		b.at(e.Position())
		b.work.step(b.pos)
		v = b.applied(e, v)
	}
	return v
}

// applied lowers an operator whose left side has the value x.
func (b *builder) applied(e *tree.Binary, x value) value {
	if fusesRight(e) {
		return b.fusedRight(e, x)
	}
	x = keep(b.assembler, e.X, x, e.Y)
	y := b.value(e.Y)
	if e.X.Type().Kind == tree.Matrix || e.Y.Type().Kind == tree.Matrix {
		return matrixArithmetic(b.assembler, e.Op, e.X.Type(), e.Y.Type(), x, y, e.Position())
	}
	return operator(b.assembler, e.Op, e.X.Type(), e.Y.Type(), x, y, e.Position())
}

// operands evaluates expressions in order. Values are copied where a later expression
// may change them.
func (b *builder) operands(list ...tree.Expr) []value {
	values := make([]value, len(list))
	for i, e := range list {
		values[i] = keep(b.assembler, e, b.value(e), list[i+1:]...)
	}
	return values
}

// keep returns v with copies of those registers that later operands may change.
func keep(asm *assembler, e tree.Expr, v value, later ...tree.Expr) value {
	if !slices.ContainsFunc(later, changes) {
		return v
	}
	for i, l := range asm.leaves(e.Type(), e.Position()) {
		if !asm.isTemp(v[i]) {
			v[i] = asm.copyOf(l.class(), v[i])
		}
	}
	return v
}

// changes reports whether evaluating an expression may assign to a variable.
func changes(e tree.Expr) bool {
	found := false
	walk(e, func(e tree.Expr) {
		switch e := e.(type) {
		case *tree.Assign, *tree.IncDec, *tree.Call:
			found = true
		case *tree.Builtin:
			_, writes := writtenArgument[e.Name]
			found = found || writes
		}
	})
	return found
}

// logical lowers && and ||. The right side is only evaluated where it decides.
func (b *builder) logical(e *tree.Binary) int32 {
	x := b.condition(e.X)
	and := e.Op == tree.LogicalAnd
	if is, ok := b.decided(x); ok && is == and {
		return b.condition(e.Y)
	} else if ok {
		return x
	}
	if b.harmless(e.Y) {
		y := b.condition(e.Y)
		if and {
			return b.operate(tree.And, tree.Bool, x, y)
		}
		return b.operate(tree.Or, tree.Bool, x, y)
	}
	r := b.newJoin(maskClass)
	b.copyTo(maskClass, r, x)
	decides := r
	if !and {
		decides = b.op(maskClass, maskNot, r)
	} else {
		decides = b.op(maskClass, copyMask, r)
	}
	b.branch(decides, func() {
		mark := b.mark()
		b.assign(maskClass, r, b.condition(e.Y), b.scope())
		b.release(mark)
	}, nil, false)
	return r
}

// harmless reports whether an expression may be evaluated for lanes that do not need
// it: it changes nothing, cannot fault and costs little.
func (vars *variables) harmless(e tree.Expr) bool {
	ok, cost := true, 0
	walk(e, func(e tree.Expr) {
		cost++
		switch e := e.(type) {
		case *tree.Const, *tree.Unary, *tree.Convert, *tree.Bitcast, *tree.Swizzle, *tree.Elements, *tree.Construct,
			*tree.Cond, *tree.FieldOf, *tree.PointerAdd:
		case *tree.VarRef:
			s := vars.vars[e.Var]
			ok = ok && (e.Var.Constant != nil || s != nil && (!s.place.memory || s.place.object != 0))
		case *tree.Builtin:
			ok = ok && cheap[e.Name]
		case *tree.Binary:
			if k := e.X.Type(); (e.Op == tree.Div || e.Op == tree.Mod) && !floating(k.Scalar) {
				c, known := constantIndex(e.Y)
				ok = ok && known && c != 0
			}
		default:
			ok = false
		}
	})
	return ok && cost <= maxHarmless
}

// maxHarmless bounds the nodes of a harmless expression.
const maxHarmless = 16

func (b *builder) conditional(e *tree.Cond) value {
	cond := b.condition(e.If)
	if is, ok := b.decided(cond); ok {
		if is {
			return b.value(e.Then)
		}
		return b.value(e.Else)
	}
	leaves := b.leaves(e.Type(), e.Position())
	v := make(value, len(leaves))
	if b.harmless(e.Then) && b.harmless(e.Else) {
		x, y := b.value(e.Then), b.value(e.Else)
		b.decides("branches on it", cond)
		for i, l := range leaves {
			v[i] = b.choice(l.class(), cond, x[i], y[i])
		}
		return v
	}
	// the branches must not change what decides
	decides := b.newTemp(maskClass)
	b.copyTo(maskClass, decides, cond)
	for i, l := range leaves {
		v[i] = b.newJoin(l.class())
	}
	scope := b.scope()
	side := func(side tree.Expr) func() {
		return func() {
			mark := b.mark()
			if len(leaves) == 0 {
				b.effect(side)
			} else {
				x := b.value(side)
				b.assignAll(leaves, v, x, scope)
			}
			b.release(mark)
		}
	}
	b.branch(decides, side(e.Then), side(e.Else), true)
	return v
}

func (b *builder) convert(e *tree.Convert) value {
	from, to := e.X.Type(), e.Type()
	if to.Kind == tree.Void {
		b.effect(e.X)
		return nil
	}
	if v, ok := b.bitField(e); ok && len(v) == countLeaves(to) {
		return v
	}
	x := b.value(e.X)
	switch {
	case to.Kind == tree.Pointer && from.Kind == tree.Pointer:
		b.program.castsConst = b.program.castsConst || from.Const && !to.Const
		return x
	case from.Kind == tree.StructType, from.Kind == tree.SimdgroupMatrix:
		return x
	case to.Kind == tree.Pointer:
		// a number that no pointer was turned into leads to nothing
		b.program.forging = b.program.forging || !isZero(e.X)
		return value{b.convertLeaf(x[0], from.Scalar, tree.ULong)}
	case from.Kind == tree.Pointer:
		if to.Scalar == tree.Bool && to.Kind == tree.Scalar {
			return value{b.op(maskClass, isNotZero[uint64], x[0])}
		}
		return value{b.convertLeaf(x[0], tree.ULong, to.Scalar)}
	case to.Kind == tree.Matrix && from.Kind == tree.Scalar:
		diagonal, zero := b.convertLeaf(x[0], from.Scalar, to.Scalar), b.float(0)
		var v value
		for c := range to.Len {
			for r := range to.Elem.Len {
				if r == c {
					v = append(v, diagonal)
				} else {
					v = append(v, zero)
				}
			}
		}
		return v
	}
	n := countLeaves(to)
	v := make(value, n)
	for i := range v {
		if len(x) == 1 && i > 0 {
			v[i] = v[0]
			continue
		}
		v[i] = b.convertLeaf(x[i], from.Scalar, to.Scalar)
	}
	return v
}

// isZero reports whether an integer is known to be 0.
func isZero(e tree.Expr) bool {
	n, known := constantIndex(e)
	return known && n == 0
}

// construct lowers a value made of its parts.
func (b *builder) construct(e *tree.Construct) value {
	if t := e.Type(); t.Kind == tree.StructType && overlaps(t.Struct) {
		p := b.newObject("", t, e.Position())
		b.initialise(p, e, false)
		return b.load(p, e.Position())
	}
	leaves := b.leaves(e.Type(), e.Position())
	v := make(value, 0, len(leaves))
	for _, part := range b.operands(e.Args...) {
		v = append(v, part...)
	}
	return append(v, b.zeros(leaves[len(v):])...)
}

func (b *builder) swizzle(e *tree.Swizzle) value {
	if isPlace(e.X) {
		return b.load(b.swizzled(e), e.Position())
	}
	x := b.value(e.X)
	v := make(value, len(e.Elems))
	for i, n := range e.Elems {
		v[i] = x[n]
	}
	return v
}

func (b *builder) index(e *tree.Index) value {
	_, swizzle := e.X.(*tree.Swizzle)
	if e.X.Type().Kind == tree.Pointer || isPlace(e.X) && !swizzle {
		return b.load(b.indexed(e), e.Position())
	}
	// an element of a value: of the result of a function, or of a swizzle
	t := e.X.Type()
	base := inRegisters(t, b.value(e.X), b.scope())
	index := b.integer(e.I)
	if n, ok := b.knownInteger(index); ok && n >= 0 && n < int64(t.Len) {
		return b.load(base.element(e.Type(), 0, int(n)*countLeaves(t.Elem)), e.Position())
	}
	base.typ, base.chooser, base.count = e.Type(), b.convertLeaf(index.reg, index.kind, tree.Int), t.Len
	return b.load(base, e.Position())
}
