package build

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// indexed returns the place of an element of an array, vector or matrix, or of what a
// pointer points to.
func (b *builder) indexed(e *tree.Index) place {
	t := e.X.Type()
	if t.Kind == tree.Pointer {
		p, space := b.value(e.X)[0], ir.SpaceNamed(t.Space)
		index := b.integer(e.I)
		if n, ok := b.out.knownInteger(index); ok && n >= 0 && n < maxKnown {
			q := ofPointer(e.Type(), p, space)
			q.offset = n * int64(e.Type().Size)
			return q
		}
		return b.mem.elementAt(e.Type(), p, index, e.Type().Size, space)
	}
	base := b.lvalue(e.X)
	written, literal := constantIndex(e.I)
	if literal && (written < 0 || written >= int64(t.Len)) && t.Kind != tree.Array {
		// Nobody may come to such an index of an array, and one in a buffer may be of any size.
		fail(e.I.Position(), "index %d is out of bounds of %s", written, t)
	}
	index := b.integer(e.I)
	if n, known := b.out.knownInteger(index); known && n >= 0 && n < int64(t.Len) {
		return base.element(e.Type(), int(n)*t.Elem.Size, int(n)*countLeaves(t.Elem))
	}
	if base.elements != nil {
		b.out.unsupported(e.Position(),
			"an element of a swizzle, by an index that is not known when compiling, as a place")
	}
	if base.memory {
		q := b.mem.elementAt(e.Type(), b.mem.settled(base), index, t.Elem.Size, base.space)
		q.offset, q.packed = base.offset, base.packed
		return q
	}
	return b.chosen(e, base, index)
}

// maxKnown bounds the elements by which an access is away from its pointer.
const maxKnown = 1 << 20

// chosen returns the place of the element of a vector or a matrix that an index picks.
func (b *builder) chosen(e *tree.Index, base place, index integerValue) place {
	t := e.X.Type()
	q := base
	q.typ, q.chooser, q.count = e.Type(), b.num.convert(index.value, index.kind, tree.Int), t.Len
	q.named = partsOf(e)
	if base.chooser != 0 { // an element of the column of a matrix
		inner := q
		inner.pos = b.out.Pos()
		b.mem.checkChooser(inner)
		q.named = nil
		q.chooser = b.out.opImm(ir.OpNestedPick, ir.Void, int64(t.Len), base.chooser, q.chooser)
		q.count = base.count * t.Len
	}
	return q
}

// partsOf returns what to call the parts of a variable that e is one of, or nil.
func partsOf(e *tree.Index) *ir.Parts {
	if ref, ok := e.X.(*tree.VarRef); ok && ref.Var.Name != "" {
		return &ir.Parts{Of: ref.Var.Name, Element: e.Type().String()}
	}
	return nil
}

// index evaluates an element as a value.
func (b *builder) index(e *tree.Index) value {
	_, swizzle := e.X.(*tree.Swizzle)
	if e.X.Type().Kind == tree.Pointer || isPlace(e.X) && !swizzle {
		return b.mem.load(b.indexed(e))
	}
	// an element of a value: of the result of a function, or of a swizzle
	t := e.X.Type()
	base := ofValue(t, b.value(e.X))
	index := b.integer(e.I)
	if n, ok := b.out.knownInteger(index); ok && n >= 0 && n < int64(t.Len) {
		return b.mem.load(base.element(e.Type(), 0, int(n)*countLeaves(t.Elem)))
	}
	base.typ, base.chooser, base.count = e.Type(), b.num.convert(index.value, index.kind, tree.Int), t.Len
	return b.mem.load(base)
}

// constantIndex returns the value of an index that the source says.
func constantIndex(e tree.Expr) (int64, bool) {
	for {
		c, ok := e.(*tree.Convert)
		if !ok || c.X.Type().Scalar.Floating() || c.X.Type().Kind != tree.Scalar {
			break
		}
		e = c.X
	}
	c, ok := e.(*tree.Const)
	if !ok {
		return 0, false
	}
	return c.Value.Int()
}

// integerValue is an integer that moves a pointer, or picks an element.
type integerValue struct {
	value ir.Value
	kind  tree.ScalarKind
}

// integer evaluates an integer.
func (b *builder) integer(e tree.Expr) integerValue {
	return integerValue{b.value(e)[0], e.Type().Scalar}
}

// knownInteger returns an integer that is the same whenever the kernel runs.
func (em *emitter) knownInteger(n integerValue) (v int64, ok bool) {
	bits, ok := em.Bits(n.value)
	switch {
	case n.kind.Bytes() == 8:
		return int64(bits), ok
	case n.kind.Signed():
		return int64(int32(bits)), ok
	}
	return int64(uint32(bits)), ok
}

// maxElement bounds the bytes of elements by which an index of 32 bits moves a pointer: a step is well within what a
// pointer reaches.
const maxElement = 1 << 12

// indexType returns what an index moves a pointer as.
func indexType(k tree.ScalarKind) ir.Type {
	switch {
	case k.Bytes() == 8:
		return ir.S64
	case k.Signed():
		return ir.S32
	}
	return ir.U32
}

// elementAt returns the place of an element of what a pointer points to. A single number
// is loaded and stored by index; for what has several leaves the pointer is moved once.
func (m *memory) elementAt(t *tree.Type, pointer ir.Value, index integerValue, size int, space ir.Space) place {
	if countLeaves(t) != 1 || size > maxElement || size == 0 {
		return ofPointer(t, m.movePointer(pointer, index, size), space)
	}
	p := ofPointer(t, pointer, space)
	p.index, p.scale, p.indexed = index.value, int32(size), indexType(index.kind)
	return p
}

// movePointer adds an index to a pointer.
func (m *memory) movePointer(p ir.Value, index integerValue, size int) ir.Value {
	if size <= maxElement && index.kind.Bytes() < 8 {
		return m.out.opImm(ir.OpMove, indexType(index.kind), int64(size), p, index.value)
	}
	return m.out.opImm(ir.OpMove, ir.S64, int64(size), p, m.num.convert(index.value, index.kind, tree.Long))
}
