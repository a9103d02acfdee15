package msl

import (
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// pointerOp checks the operators of pointers.
func (oper operation) pointerOp(x, y tree.Expr) tree.Expr {
	a, b := x.Type(), y.Type()
	o := operators[oper.op]
	switch {
	case o.compare:
		t := pointerEither(x, y, a, b)
		if t == nil {
			return oper.badOperands(a, b)
		}
		x, y = oper.c.implicit(x, t), oper.c.implicit(y, t)
		if x == nil || y == nil {
			return nil
		}
		return &tree.Binary{Node: tree.At(oper.pos, tree.ScalarType(tree.Bool)), Op: o.op, X: x, Y: y}
	case o.op == tree.Add && b.Kind == tree.Pointer && a.Kind != tree.Pointer:
		x, y = y, x
		fallthrough
	case (o.op == tree.Add || o.op == tree.Sub) && a.Kind == tree.Pointer && b.Kind != tree.Pointer:
		i := oper.offset(x.Type(), y)
		if i == nil {
			return nil
		}
		return &tree.PointerAdd{Node: tree.At(oper.pos, x.Type()), X: x, I: i, Neg: o.op == tree.Sub}
	case o.op == tree.Sub && a.Space == b.Space && types.Same(a.Elem, b.Elem):
		if !hasSize(oper.c, a, oper.pos) {
			return nil
		}
		return &tree.PointerDiff{Node: tree.At(oper.pos, tree.ScalarType(tree.Long)), X: x, Y: y}
	}
	return oper.badOperands(a, b)
}

// offset is the integer by which a pointer moves.
func (oper operation) offset(pointer *tree.Type, i tree.Expr) tree.Expr {
	if i = oper.c.value(i); i == nil {
		return nil
	}
	if t := i.Type(); !types.Integral(t) && !types.Unscoped(t) {
		return oper.badOperands(pointer, t)
	}
	if !hasSize(oper.c, pointer, oper.pos) {
		return nil
	}
	return oper.c.promoted(i)
}

// hasSize reports whether one can step over what a pointer points to.
func hasSize(c *checker, pointer *tree.Type, pos parser.Pos) bool {
	if t := c.complete(pointer.Elem); t == nil || t.Size == 0 {
		c.unknown(pos, resolve.Opaque(pointer.Elem), "%s has no size to step over", pointer.Elem.Spelled())
		return false
	}
	return true
}

// pointerEither is the type in which two pointers meet, or nil.
func pointerEither(x, y tree.Expr, a, b *tree.Type) *tree.Type {
	switch {
	case types.IsNull(y) && a.Kind == tree.Pointer:
		return a
	case types.IsNull(x) && b.Kind == tree.Pointer:
		return b
	case a.Kind != tree.Pointer || b.Kind != tree.Pointer || a.Space != b.Space:
		return nil
	}
	constant := a.Const || b.Const
	switch {
	case types.Same(a.Elem, b.Elem), a.Elem.Kind == tree.Void:
		return tree.PointerTo(a.Elem, a.Space, constant)
	case b.Elem.Kind == tree.Void:
		return tree.PointerTo(b.Elem, a.Space, constant)
	}
	return nil
}

// checkDeref checks *X, and the X of X->f.
func checkDeref(c *checker, x tree.Expr, pos parser.Pos) tree.Expr {
	if x = c.value(x); x == nil {
		return nil
	}
	t := x.Type()
	if t.Kind != tree.Pointer {
		return c.fail(pos, "%s is no pointer", t.Spelled())
	}
	elem := c.complete(t.Elem)
	if elem == nil || elem.Kind == tree.Void {
		return c.fail(pos, "nothing is known of what %s points to", t.Spelled())
	}
	return &tree.Deref{Node: tree.At(pos, elem), X: x}
}

func checkAddressOf(c *checker, e *parser.Unary) tree.Expr {
	x := c.expr(e.X)
	if x == nil {
		return nil
	}
	x = c.facts.Named(x)
	space, readonly, ok := types.PlaceOf(x)
	switch {
	case !ok:
		return c.fail(e.Pos, "this has no address: it is a value, not a variable")
	case types.NoAddress(x) != "":
		return c.fail(e.Pos, "%s has no address", types.NoAddress(x))
	case types.IsElements(x):
		return c.fail(e.Pos, "the elements of a simdgroup_matrix have no address")
	}
	c.facts.Addressed(x)
	return &tree.AddrOf{Node: tree.At(e.Pos, tree.PointerTo(x.Type(), space, readonly)), X: x}
}

// checkIndex checks X[I].
func checkIndex(c *checker, e *parser.Index) tree.Expr {
	x, i := c.expr(e.X), c.expr(e.I)
	if y, ok := c.operation("[]", e.Pos).userOperator([]tree.Expr{x, i}); ok {
		return y
	}
	if i = c.value(c.plain(i)); x == nil || i == nil {
		return nil
	}
	if i.Type().Kind == tree.Pointer && types.Integral(x.Type()) {
		x, i = i, x // i[p] is p[i]
	}
	if t := i.Type(); !types.Integral(t) && !types.Unscoped(t) {
		return c.fail(i.Position(), "an index must be an integer, not %s", t.Spelled())
	}
	i = c.promoted(i)
	t := x.Type()
	switch t.Kind {
	case tree.Pointer:
		if !hasSize(c, t, e.Pos) {
			return nil
		}
	case tree.Array:
		// one may take the address of what is after the last element
	case tree.Vector, tree.PackedVector, tree.Matrix:
		if k, ok := i.(*tree.Const); ok {
			if n, ok := k.Value.Int(); !ok || n < 0 || n >= int64(t.Len) {
				return c.fail(i.Position(), "index %s is outside of %s", k.Value, t.Spelled())
			}
		}
	default:
		return c.unknown(e.Pos, resolve.Opaque(t), "%s has no elements",
			t.Spelled()) // an array of textures is one, too
	}
	elem := c.complete(t.Elem)
	if elem == nil {
		return nil
	}
	return &tree.Index{Node: tree.At(e.Pos, elem), X: x, I: i}
}
