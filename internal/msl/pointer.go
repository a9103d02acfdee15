package msl

import "github.com/metalgen/metalgen/parser"

// pointerOp checks the operators of pointers.
func (c *checker) pointerOp(op string, x, y Expr, pos parser.Pos) Expr {
	a, b := x.Type(), y.Type()
	o := operators[op]
	switch {
	case o.compare:
		t := pointerEither(x, y, a, b)
		if t == nil {
			return c.badOperands(op, a, b, pos)
		}
		x, y = c.implicit(x, t), c.implicit(y, t)
		if x == nil || y == nil {
			return nil
		}
		return &Binary{node{pos, scalarType(Bool)}, o.op, x, y}
	case o.op == Add && b.Kind == Pointer && a.Kind != Pointer:
		x, y = y, x
		fallthrough
	case (o.op == Add || o.op == Sub) && a.Kind == Pointer && b.Kind != Pointer:
		i := c.offset(x.Type(), y, op, pos)
		if i == nil {
			return nil
		}
		return &PointerAdd{node{pos, x.Type()}, x, i, o.op == Sub}
	case o.op == Sub && a.Space == b.Space && same(a.Elem, b.Elem):
		if !c.hasSize(a, pos) {
			return nil
		}
		return &PointerDiff{node{pos, scalarType(Long)}, x, y}
	}
	return c.badOperands(op, a, b, pos)
}

// offset is the integer by which a pointer moves.
func (c *checker) offset(pointer *Type, i Expr, op string, pos parser.Pos) Expr {
	if i = c.value(i); i == nil {
		return nil
	}
	if t := i.Type(); !integral(t) && !unscoped(t) {
		return c.badOperands(op, pointer, t, pos)
	}
	if !c.hasSize(pointer, pos) {
		return nil
	}
	return c.promoted(i)
}

// hasSize reports whether one can step over what a pointer points to.
func (c *checker) hasSize(pointer *Type, pos parser.Pos) bool {
	if t := c.complete(pointer.Elem); t == nil || t.Size == 0 {
		c.fail(pos, "%s has no size to step over", spelled(pointer.Elem))
		return false
	}
	return true
}

// pointerEither is the type in which two pointers meet, or nil.
func pointerEither(x, y Expr, a, b *Type) *Type {
	switch {
	case isNull(y) && a.Kind == Pointer:
		return a
	case isNull(x) && b.Kind == Pointer:
		return b
	case a.Kind != Pointer || b.Kind != Pointer || a.Space != b.Space:
		return nil
	}
	constant := a.Const || b.Const
	switch {
	case same(a.Elem, b.Elem), a.Elem.Kind == Void:
		return pointerTo(a.Elem, a.Space, constant)
	case b.Elem.Kind == Void:
		return pointerTo(b.Elem, a.Space, constant)
	}
	return nil
}

// deref checks *X, and the X of X->f.
func (c *checker) deref(x Expr, pos parser.Pos) Expr {
	if x = c.value(x); x == nil {
		return nil
	}
	t := x.Type()
	if t.Kind != Pointer {
		return c.fail(pos, "%s is no pointer", spelled(t))
	}
	elem := c.complete(t.Elem)
	if elem == nil || elem.Kind == Void {
		return c.fail(pos, "nothing is known of what %s points to", spelled(t))
	}
	return &Deref{node{pos, elem}, x}
}

func (c *checker) addressOf(e *parser.Unary) Expr {
	x := c.expr(e.X)
	if x == nil {
		return nil
	}
	x = c.facts.named(x)
	space, readonly, ok := placeOf(x)
	switch {
	case !ok:
		return c.fail(e.Pos, "this has no address: it is a value, not a variable")
	case noAddress(x) != "":
		return c.fail(e.Pos, "%s has no address", noAddress(x))
	case isElements(x):
		return c.fail(e.Pos, "the elements of a simdgroup_matrix have no address")
	}
	c.facts.addressed(x)
	return &AddrOf{node{e.Pos, pointerTo(x.Type(), space, readonly)}, x}
}

// index checks X[I].
func (c *checker) index(e *parser.Index) Expr {
	x, i := c.expr(e.X), c.expr(e.I)
	if y, ok := c.userOperator("[]", []Expr{x, i}, e.Pos); ok {
		return y
	}
	if i = c.value(c.plain(i)); x == nil || i == nil {
		return nil
	}
	if i.Type().Kind == Pointer && integral(x.Type()) {
		x, i = i, x // i[p] is p[i]
	}
	if t := i.Type(); !integral(t) && !unscoped(t) {
		return c.fail(i.Position(), "an index must be an integer, not %s", spelled(t))
	}
	i = c.promoted(i)
	t := x.Type()
	switch t.Kind {
	case Pointer:
		if !c.hasSize(t, e.Pos) {
			return nil
		}
	case Array:
		// one may take the address of what is behind the last element
	case Vector, PackedVector, Matrix:
		if k, ok := i.(*Const); ok {
			if n, ok := k.Value.Int(); !ok || n < 0 || n >= int64(t.Len) {
				return c.fail(i.Position(), "index %s is outside of %s", k.Value, spelled(t))
			}
		}
	default:
		return c.fail(e.Pos, "%s has no elements", spelled(t))
	}
	elem := c.complete(t.Elem)
	if elem == nil {
		return nil
	}
	return &Index{node{e.Pos, elem}, x, i}
}
