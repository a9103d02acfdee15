package build

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// The fields of a union, and bit-fields, share bytes. As a value such a struct is its bytes, in words as
// wide as its alignment allows; its fields are in memory. The fields of a packed struct may lie at any byte,
// where memory does not load or store them whole: they are put together of their bytes.

// wideOf is the type in which the bits of a scalar are put together.
func wideOf(k tree.ScalarKind) tree.ScalarKind {
	if k.Bytes() == 8 {
		return tree.ULong
	}
	return tree.UInt
}

// loadBits reads a bit-field.
func (m *memory) loadBits(p place, l leaf) ir.Value {
	kind := l.kind
	wide := wideOf(kind)
	extends := wide
	switch {
	case kind.Signed() && wide == tree.ULong:
		extends = tree.Long
	case kind.Signed():
		extends = tree.Int
	}
	l.kind = unsignedOf(kind.Bytes())
	at := p.offset + int64(l.offset)
	var r ir.Value
	if p.packed {
		r = m.packedBits(p, wide, at)
		p.shift = 0
	} else {
		r = m.loadLeaf(l, p, at)
	}
	bits := 8 * wide.Bytes()
	r = m.num.operate(tree.Shl, wide, r, m.out.word(uint32(bits-p.bits-p.shift)))
	r = m.num.operate(tree.Shr, extends, r, m.out.word(uint32(bits-p.bits)))
	if kind == tree.Bool {
		return m.num.convert(r, wide, tree.Bool)
	}
	return r
}

// storeBits writes a bit-field and keeps the bits around it.
func (m *memory) storeBits(p place, l leaf, v ir.Value) {
	from := l.kind
	l.kind = unsignedOf(from.Bytes())
	wide := wideOf(from)
	at := p.offset + int64(l.offset)
	v = m.num.convert(v, from, wide)
	if p.packed {
		m.storePackedBits(p, wide, at, v)
		return
	}
	ones := ^uint64(0) >> (64 - p.bits)
	old := m.num.operate(tree.And, wide, m.loadLeaf(l, p, at), m.out.number(wide, ^(ones<<p.shift)))
	v = m.num.operate(tree.And, wide, v, m.out.number(wide, ones))
	v = m.num.shifted(wide, v, p.shift)
	m.storeLeaf(l, p, at, m.num.operate(tree.Or, wide, old, v))
}

// packedBits returns the bits of a bit-field as they lie in memory: from its first byte to its
// last, bit 0 being its lowest.
func (m *memory) packedBits(p place, wide tree.ScalarKind, offset int64) ir.Value {
	r := m.out.number(wide, 0)
	for i := range packedBytes(p) {
		part := m.num.convert(m.loadLeaf(leaf{kind: tree.UChar}, p, offset+int64(i)), tree.UChar, wide)
		r = m.num.operate(tree.Or, wide, r, m.num.shifted(wide, part, 8*i-p.shift))
	}
	return r
}

// storePackedBits stores the lowest bits of v to those of a bit-field.
func (m *memory) storePackedBits(p place, wide tree.ScalarKind, offset int64, v ir.Value) {
	for i := range packedBytes(p) {
		byteAt := leaf{kind: tree.UChar}
		ones := uint64(0xff) << max(0, p.shift-8*i) & (0xff >> max(0, 8*(i+1)-p.shift-p.bits))
		old := m.num.convert(m.loadLeaf(byteAt, p, offset+int64(i)), tree.UChar, wide)
		old = m.num.operate(tree.And, wide, old, m.out.number(wide, 0xff&^ones))
		part := m.num.operate(tree.And, wide, m.num.shifted(wide, v, p.shift-8*i), m.out.number(wide, ones))
		part = m.num.operate(tree.Or, wide, old, part)
		m.storeLeaf(byteAt, p, offset+int64(i), m.num.convert(part, wide, tree.UChar))
	}
}

// packedBytes returns how many bytes the bits of a packed bit-field are in.
func packedBytes(p place) int { return (p.shift + p.bits + 7) / 8 }

// shifted shifts v up by n bits, or down where n is negative.
func (num *numbers) shifted(wide tree.ScalarKind, v ir.Value, n int) ir.Value {
	op := tree.Shl
	if n < 0 {
		op, n = tree.Shr, -n
	}
	if n == 0 {
		return v
	}
	return num.operate(op, wide, v, num.out.word(uint32(n)))
}

// loadBytes loads a scalar byte by byte.
func (m *memory) loadBytes(l leaf, p place, offset int64) ir.Value {
	wide := wideOf(l.kind)
	r := m.out.number(wide, 0)
	for i := range l.kind.Bytes() {
		part := m.loadLeaf(leaf{kind: tree.UChar, packed: true}, p, offset+int64(i))
		part = m.num.convert(part, tree.UChar, wide)
		r = m.num.operate(tree.Or, wide, r, m.num.shifted(wide, part, 8*i))
	}
	u := unsignedOf(l.kind.Bytes())
	r = m.num.convert(r, wide, u)
	if l.isHandle() {
		return m.out.op(ir.OpBitsPtr, ir.Ptr, r)
	}
	return m.num.sameBits(r, u, l.kind)
}

// storeBytes stores a scalar byte by byte.
func (m *memory) storeBytes(l leaf, p place, offset int64, v ir.Value) {
	wide, u := wideOf(l.kind), unsignedOf(l.kind.Bytes())
	if l.isHandle() {
		v = m.out.op(ir.OpPtrBits, ir.Ptr, v)
	} else {
		v = m.num.sameBits(v, l.kind, u)
	}
	v = m.num.convert(v, u, wide)
	for i := range l.kind.Bytes() {
		part := m.num.shifted(wide, v, -8*i)
		m.storeLeaf(leaf{kind: tree.UChar, packed: true}, p, offset+int64(i), m.num.convert(part, wide, tree.UChar))
	}
}

// sameBits is as_type of one scalar into another of its size.
func (num *numbers) sameBits(r ir.Value, from, to tree.ScalarKind) ir.Value {
	if from == to {
		return r
	}
	switch from { // the bits as an unsigned integer
	case tree.Half:
		r = num.out.op(ir.OpHalfBits, ir.F32, r)
	case tree.BFloat:
		r = num.out.op(ir.OpBFloatBits, ir.F32, r)
	case tree.Float:
		r = num.out.op(ir.OpFloatBits, ir.F32, r)
	case tree.Char:
		r = num.fit(tree.UChar, r)
	case tree.Short:
		r = num.fit(tree.UShort, r)
	}
	switch to {
	case tree.Half:
		return num.out.op(ir.OpBitsHalf, ir.F32, r)
	case tree.BFloat:
		return num.out.op(ir.OpBitsBFloat, ir.F32, r)
	case tree.Float:
		return num.out.op(ir.OpBitsFloat, ir.F32, r)
	case tree.Char:
		return num.fit(tree.Char, r)
	case tree.Short:
		return num.fit(tree.Short, r)
	}
	return r
}

// bitcast reads the bits of a value as another type.
func (b *builder) bitcast(e *tree.Bitcast) value {
	from, to := b.out.leavesOf(e.X.Type(), e.Position()), b.out.leavesOf(e.Type(), e.Position())
	x := b.value(e.X)
	if len(from) == len(to) {
		v := b.out.newValue(len(x))
		for i := range v {
			v[i] = b.num.bitsAs(x[i], from[i], to[i])
		}
		return v
	}
	return b.num.regroup(x, from, to)
}

// bitsAs is sameBits, also of pointers.
func (num *numbers) bitsAs(r ir.Value, from, to leaf) ir.Value {
	switch {
	case from.isHandle() && to.isHandle():
		return r
	case from.isHandle():
		r, from.kind = num.out.op(ir.OpPtrBits, ir.Ptr, r), tree.ULong
	case to.isHandle():
		return num.toPointer(r, tree.ULong)
	}
	return num.sameBits(r, from.kind, to.kind)
}

// regroup is as_type between vectors whose elements differ in size: the bits
// are put together in 64-bit words and taken apart again.
func (num *numbers) regroup(x value, from, to []leaf) value {
	fromSize, toSize := from[0].kind.Bytes(), to[0].kind.Bytes()
	shift := func(r ir.Value, op tree.Op, bits int) ir.Value {
		if bits == 0 {
			return r
		}
		return num.operate(op, tree.ULong, r, num.out.word(uint32(bits)))
	}
	v := num.out.newValue(len(to))
	for k, l := range to {
		word := num.out.long(0)
		start := l.offset
		for i, f := range from {
			at := f.offset - start // where in the result
			if at+fromSize <= 0 || at >= toSize {
				continue
			}
			u := unsignedOf(fromSize)
			part := num.convert(num.sameBits(x[i], f.kind, u), u, tree.ULong)
			if at < 0 {
				part = shift(part, tree.Shr, -8*at)
			} else {
				part = shift(part, tree.Shl, 8*at)
			}
			word = num.operate(tree.Or, tree.ULong, word, part)
		}
		u := unsignedOf(toSize)
		v[k] = num.sameBits(num.convert(word, tree.ULong, u), u, l.kind)
	}
	return v
}
