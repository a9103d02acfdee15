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
	bits := 32
	if classOf(kind) == longClass {
		wide, bits = tree.ULong, 64
	}
	extends := wide
	switch {
	case signed(l.kind) && wide == tree.ULong:
		extends = tree.Long
	case signed(l.kind):
		extends = tree.Int
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
	r = acc.operate(tree.Shl, wide, r, acc.word(uint32(bits-p.bits-p.shift)))
	r = acc.operate(tree.Shr, extends, r, acc.word(uint32(bits-p.bits)))
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
	old := acc.operate(tree.And, wide, acc.loadLeaf(l, p, at), acc.constantOf(c, cut(c, ^(ones<<p.shift))))
	v = acc.operate(tree.And, wide, v, acc.constantOf(c, cut(c, ones)))
	v = acc.shifted(wide, v, p.shift)
	acc.storeLeaf(l, p, at, acc.operate(tree.Or, wide, old, v))
}

// cut cuts bits to a class of registers.
func cut(c class, bits uint64) uint64 {
	if c == wordClass {
		return uint64(uint32(bits))
	}
	return bits
}
