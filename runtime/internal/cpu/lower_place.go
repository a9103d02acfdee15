package cpu

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// place is what an lvalue denotes.
type place struct {
	typ *tree.Type

	// In registers: those of all leaves, and the mask for which they live. With
	// a chooser, the place is one of count equal parts of them.
	regs    value
	scope   int32
	chooser int32 // register of the part's number, or -1
	count   int
	parts   parts

	// In memory: a pointer, and a byte offset from it. object is set where the
	// place is in a constant argument at a known offset.
	pointer int32
	offset  int64
	object  int
	memory  bool
	// elements are the byte offsets of the elements of a swizzle, which do not
	// lie side by side.
	elements []int

	// The pointer is yet to be moved by a register times scale bytes, where
	// indexed says what it holds.
	index   int32
	indexed int32
	scale   int32

	// packed is set for what is in a packed struct: it may lie at any byte.
	packed bool

	// words is set for a struct that is copied: its bytes count, not its fields.
	words bool

	space string // of memory, see tree.Type; empty for that of a thread

	// bits is the width of a bit-field, which starts at bit shift; else 0.
	bits, shift int

	pos parser.Pos // of the expression that denotes it
}

func inRegisters(t *tree.Type, regs value, scope int32) place {
	return place{typ: t, regs: regs, scope: scope, chooser: -1}
}

func inMemoryAt(t *tree.Type, pointer int32, offset int64) place {
	return place{typ: t, memory: true, pointer: pointer, offset: offset, chooser: -1}
}

// in returns the place as one in an address space.
func (p place) in(space string) place {
	p.space = space
	return p
}

// set reports whether a place is in memory of the device and constant address spaces: nothing of it
// is ever unset, and pointers in it are addresses.
func (p place) set() bool { return p.space == "device" || p.space == "constant" }

// element returns the part of a place that starts offset bytes or, in registers, leaf
// leaves behind its start.
func (p place) element(t *tree.Type, offset, leaf int) place {
	if p.memory {
		q := p
		if p.elements != nil {
			offset, q.elements = p.elements[leaf], nil
		}
		q.typ, q.offset = t, p.offset+int64(offset)
		return q
	}
	q := p
	q.typ, q.regs = t, p.regs[leaf:leaf+countLeaves(t)]
	if p.chooser >= 0 {
		var leaves []int
		for i := range countLeaves(t) {
			leaves = append(leaves, leaf+i)
		}
		q.regs = p.ofParts(leaves)
	}
	return q
}

// ofParts returns some leaves of each part that the chooser picks from.
func (p place) ofParts(leaves []int) value {
	var v value
	n := countLeaves(p.typ)
	for part := range p.count {
		for _, i := range leaves {
			v = append(v, p.regs[part*n+i])
		}
	}
	return v
}

// field returns the place of a field of a struct.
func (acc *accesses) field(p place, f *tree.Field) place {
	if overlaps(p.typ.Struct) {
		q := acc.inMemoryFor(p, acc.pos).element(f.Type, f.Offset, 0)
		q.bits, q.shift, q.packed = f.Bits, f.Shift, q.packed || isPacked(p.typ.Struct, f)
		return q
	}
	leaf := 0
	if !p.memory {
		for _, other := range p.typ.Struct.Fields {
			if other == f {
				break
			}
			leaf += countLeaves(other.Type)
		}
	}
	q := p.element(f.Type, f.Offset, leaf)
	q.packed = q.packed || isPacked(p.typ.Struct, f)
	return q
}

// hasNoAddress reports whether a place is one that references cannot refer to, so that one
// to a constant has a copy: components of vectors, and bit-fields.
func hasNoAddress(e tree.Expr) bool {
	switch e := e.(type) {
	case *tree.Swizzle:
		return true
	case *tree.Index:
		return e.X.Type().Kind == tree.Vector || e.X.Type().Kind == tree.PackedVector
	case *tree.FieldOf:
		return e.Field.Bits > 0
	}
	return false
}

// isPlace reports whether an expression denotes a place rather than a value.
func isPlace(e tree.Expr) bool {
	switch e := e.(type) {
	case *tree.VarRef:
		return e.Var.Constant == nil
	case *tree.Deref:
		return true
	case *tree.Assign:
		return true
	case *tree.IncDec:
		return !e.Postfix
	case *tree.Index:
		return e.X.Type().Kind == tree.Pointer || isPlace(e.X)
	case *tree.FieldOf:
		return isPlace(e.X)
	case *tree.Swizzle:
		return isPlace(e.X)
	case *tree.Elements:
		return isPlace(e.X)
	}
	return false
}

// lvalue evaluates an expression that denotes a place.
func (b *builder) lvalue(e tree.Expr) place {
	outer := b.pos
	b.at(e.Position())
	b.descend(b.pos)
	p := b.denoted(e)
	b.ascend()
	p.pos = b.pos
	b.pos = outer
	return p
}

func (b *builder) denoted(e tree.Expr) place {
	switch e := e.(type) {
	case *tree.VarRef:
		return b.variable(e)
	case *tree.Deref:
		return inMemoryAt(e.Type(), b.value(e.X)[0], 0).in(e.X.Type().Space)
	case *tree.Assign:
		return b.assignment(e)
	case *tree.IncDec:
		p, _ := b.step(e)
		return p
	case *tree.Index:
		return b.indexed(e)
	case *tree.FieldOf:
		return b.field(b.lvalue(e.X), e.Field)
	case *tree.Swizzle:
		return b.swizzled(e)
	case *tree.Elements: // the leaves of a matrix are just these
		p := b.lvalue(e.X)
		p.typ = e.Type()
		return p
	}
	unsupported(e.Position(), "this as a place to store to")
	panic("unreachable")
}

// indexed returns the place of an element of an array, vector or matrix, or of what a
// pointer points to.
func (b *builder) indexed(e *tree.Index) place {
	t := e.X.Type()
	if t.Kind == tree.Pointer {
		p := b.value(e.X)[0]
		index := b.integer(e.I)
		if n, ok := b.knownInteger(index); ok && n >= 0 && n < 1<<20 {
			return inMemoryAt(e.Type(), p, n*int64(e.Type().Size)).in(t.Space)
		}
		return b.elementAt(e.Type(), p, index, e.Type().Size).in(t.Space)
	}
	base := b.lvalue(e.X)
	written, literal := constantIndex(e.I)
	if literal && (written < 0 || written >= int64(t.Len)) {
		if t.Kind != tree.Array {
			fail(e.I.Position(), "index %d is out of bounds of %s", written, t)
		}
		// Nobody may come here, and the size of an array in a buffer may be any: the buffer says how far it goes.
		base.object = 0
	}
	index := b.integer(e.I)
	if n, known := b.knownInteger(index); known && n >= 0 && n < int64(t.Len) {
		return base.element(e.Type(), int(n)*t.Elem.Size, int(n)*countLeaves(t.Elem))
	}
	if base.elements != nil {
		unsupported(e.Position(), "an element of a swizzle, by an index that is not known when compiling, as a place")
	}
	if base.memory {
		q := b.elementAt(e.Type(), b.settled(base), index, t.Elem.Size)
		q.offset, q.packed, q.space = base.offset, base.packed, base.space
		return q
	}
	q := base
	q.typ, q.chooser, q.count = e.Type(), b.convertLeaf(index.reg, index.kind, tree.Int), t.Len
	q.parts = partsOf(e)
	if base.chooser >= 0 { // an element of the column of a matrix
		inner := q
		inner.pos = b.pos
		b.checkChooser(inner)
		q.parts = parts{}
		q.chooser, q.count = b.opImm(wordClass, nestedIndex, int64(t.Len), base.chooser, q.chooser), base.count*t.Len
	}
	return q
}

// parts is what messages call the parts of a vector or an array in registers.
type parts struct {
	of      string // the variable
	element string // the type of one
}

// partsOf returns what to call the parts of a variable that e is one of.
func partsOf(e *tree.Index) parts {
	if ref, ok := e.X.(*tree.VarRef); ok && ref.Var.Name != "" {
		return parts{ref.Var.Name, e.Type().String()}
	}
	return parts{}
}

// constantIndex returns the value of an index that is known when compiling.
func constantIndex(e tree.Expr) (int64, bool) {
	for {
		c, ok := e.(*tree.Convert)
		if !ok || floating(c.X.Type().Scalar) || c.X.Type().Kind != tree.Scalar {
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
	reg  int32
	kind tree.ScalarKind
}

// integer evaluates an integer.
func (b *builder) integer(e tree.Expr) integerValue {
	return integerValue{b.value(e)[0], e.Type().Scalar}
}

// knownInteger returns an integer that is the same whenever the program runs.
func (asm *assembler) knownInteger(n integerValue) (v int64, ok bool) {
	c, ok := asm.constantIn(n.reg)
	switch {
	case classOf(n.kind) == longClass:
		return int64(c.bits), ok
	case signed(n.kind):
		return int64(int32(c.bits)), ok
	}
	return int64(uint32(c.bits)), ok
}

// elementAt returns the place of an element of what a pointer points to. A single number
// is loaded and stored by index; for what has several leaves the pointer is moved once.
func (b *builder) elementAt(t *tree.Type, pointer int32, index integerValue, size int) place {
	if countLeaves(t) != 1 || size > maxElement {
		return inMemoryAt(t, b.movePointer(pointer, index, size), 0)
	}
	p := inMemoryAt(t, pointer, 0)
	p.index, p.scale = index.reg, int32(size)
	switch {
	case classOf(index.kind) == longClass:
		p.indexed = longIndex
	case signed(index.kind):
		p.indexed = intIndex
	default:
		p.indexed = uintIndex
	}
	return p
}

// movePointer adds an index to a pointer.
func (b *builder) movePointer(p int32, index integerValue, size int) int32 {
	n, kind := index.reg, index.kind
	switch {
	case size <= maxElement && classOf(kind) == wordClass && signed(kind):
		return b.opImm(longClass, addPointerWord[int32], int64(size), p, n)
	case size <= maxElement && classOf(kind) == wordClass:
		return b.opImm(longClass, addPointerWord[uint32], int64(size), p, n)
	}
	return b.opImm(longClass, addPointerLong, int64(size), p, b.convertLeaf(n, kind, tree.Long))
}

// swizzled returns the place of one or several elements of a vector.
func (b *builder) swizzled(e *tree.Swizzle) place {
	base := b.lvalue(e.X)
	elem := e.X.Type().Elem
	if len(e.Elems) == 1 {
		return base.element(e.Type(), e.Elems[0]*elem.Size, e.Elems[0])
	}
	if base.memory {
		q := base
		q.typ, q.elements = e.Type(), nil
		for _, n := range e.Elems {
			offset := n * elem.Size
			if base.elements != nil {
				offset = base.elements[n]
			}
			q.elements = append(q.elements, offset)
		}
		return q
	}
	q := base
	q.typ, q.regs = e.Type(), nil
	if base.chooser >= 0 {
		q.regs = base.ofParts(e.Elems)
		return q
	}
	for _, n := range e.Elems {
		q.regs = append(q.regs, base.regs[n])
	}
	return q
}
