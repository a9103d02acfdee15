package cpu

import (
	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/parser"
)

// The fields of a union, and bit-fields, share bytes. As a value such a struct is
// its bytes, in words as wide as its alignment allows; its fields are in memory.

// inMemoryFor gives a struct whose fields share bytes a place in memory where it
// is in registers: a value, which is not stored to.
func (b *builder) inMemoryFor(p place, pos parser.Pos) place {
	if p.memory {
		return p
	}
	at := b.newObject("", p.typ, pos)
	b.store(at, b.load(p, pos))
	return at
}

// overlapping makes a union, or a struct with bit-fields, of its fields.
func (b *builder) overlapping(e *msl.Construct) value {
	p := b.newObject("", e.Type(), e.Position())
	b.initialise(p, e)
	return b.load(p, e.Position())
}

// loadBits reads a bit-field.
func (b *builder) loadBits(p place, l leaf) int32 {
	kind, wide := unsignedOf[sizes[l.kind]], msl.UInt
	shl, shr, bits := operation(shlInt[uint32]), operation(shrInt[uint32]), 32
	if classOf(kind) == longClass {
		wide, shl, shr, bits = msl.ULong, shlInt[uint64], shrInt[uint64], 64
	}
	switch {
	case signed(l.kind) && wide == msl.ULong:
		shr = shrInt[int64]
	case signed(l.kind):
		shr = shrInt[int32]
	}
	l.kind, kind = kind, l.kind
	r := b.loadLeaf(l, p, p.offset+int64(l.offset))
	r = b.op(classOf(wide), shl, r, b.word(uint32(bits-p.bits-p.shift)))
	r = b.op(classOf(wide), shr, r, b.word(uint32(bits-p.bits)))
	if kind == msl.Bool {
		return b.convertLeaf(r, wide, msl.Bool)
	}
	return r
}

// storeBits writes a bit-field and keeps the bits around it.
func (b *builder) storeBits(p place, l leaf, v int32) {
	from := l.kind
	l.kind = unsignedOf[sizes[l.kind]]
	wide, c, shl, and, or := msl.UInt, wordClass, operation(shlInt[uint32]), operation(andInt[uint32]), operation(orInt[uint32])
	if classOf(l.kind) == longClass {
		wide, c, shl, and, or = msl.ULong, longClass, shlInt[uint64], andInt[uint64], orInt[uint64]
	}
	ones := uint64(1)<<p.bits - 1
	if p.bits == 64 {
		ones = 1<<64 - 1
	}
	at := p.offset + int64(l.offset)
	old := b.op(c, and, b.loadLeaf(l, p, at), b.constantOf(c, b.bitsOf(c, ^(ones<<p.shift))))
	v = b.op(c, and, b.convertLeaf(v, from, wide), b.constantOf(c, b.bitsOf(c, ones)))
	v = b.op(c, shl, v, b.word(uint32(p.shift)))
	b.storeLeaf(l, p, at, b.op(c, or, old, v))
}

// bitsOf cuts bits to a class of registers.
func (b *builder) bitsOf(c class, bits uint64) uint64 {
	if c == wordClass {
		return uint64(uint32(bits))
	}
	return bits
}
