package cpu

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// The fields of a union, and bit-fields, share bytes. As a value such a struct is
// its bytes, in words as wide as its alignment allows; its fields are in memory.

// inMemoryFor returns a place in memory that holds a struct whose fields share bytes:
// p, or a copy where that is in registers. Then it is a value, which is not stored to.
func (acc *accesses) inMemoryFor(p place, pos parser.Pos) place {
	if p.memory {
		return p
	}
	at := acc.newObject("", p.typ, pos)
	acc.store(at, acc.load(p, pos))
	return at
}

// loadBits reads a bit-field.
func (acc *accesses) loadBits(p place, l leaf) int32 {
	kind, wide := unsignedOf[sizes[l.kind]], tree.UInt
	shl, shr, bits := operation(shlInt[uint32]), operation(shrInt[uint32]), 32
	if classOf(kind) == longClass {
		wide, shl, shr, bits = tree.ULong, shlInt[uint64], shrInt[uint64], 64
	}
	switch {
	case signed(l.kind) && wide == tree.ULong:
		shr = shrInt[int64]
	case signed(l.kind):
		shr = shrInt[int32]
	}
	l.kind, kind = kind, l.kind
	at := p.offset + int64(l.offset)
	var r int32
	if p.packed {
		r = acc.packedBits(p, wide, at)
		p.shift = 0
	} else {
		r = acc.loadLeaf(l, p, at)
	}
	r = acc.op(classOf(wide), shl, r, acc.word(uint32(bits-p.bits-p.shift)))
	r = acc.op(classOf(wide), shr, r, acc.word(uint32(bits-p.bits)))
	if kind == tree.Bool {
		return acc.convertLeaf(r, wide, tree.Bool)
	}
	return r
}

// storeBits writes a bit-field and keeps the bits around it.
func (acc *accesses) storeBits(p place, l leaf, v int32) {
	from := l.kind
	l.kind = unsignedOf[sizes[l.kind]]
	wide, c := tree.UInt, classOf(l.kind)
	if c == longClass {
		wide = tree.ULong
	}
	at := p.offset + int64(l.offset)
	v = acc.convertLeaf(v, from, wide)
	if p.packed {
		acc.storePackedBits(p, wide, at, v)
		return
	}
	ones := ^uint64(0) >> (64 - p.bits)
	old := acc.combine(wide, tree.And, acc.loadLeaf(l, p, at), acc.constantOf(c, cut(c, ^(ones<<p.shift))))
	v = acc.combine(wide, tree.And, v, acc.constantOf(c, cut(c, ones)))
	v = acc.shifted(wide, v, p.shift)
	acc.storeLeaf(l, p, at, acc.combine(wide, tree.Or, old, v))
}

// cut cuts bits to a class of registers.
func cut(c class, bits uint64) uint64 {
	if c == wordClass {
		return uint64(uint32(bits))
	}
	return bits
}
