package cpu

import "github.com/metalgen/metalgen/internal/msl/tree"

// The fields of a packed struct may lie at any byte, where memory does not load or store
// them whole: they are put together of their bytes.

// isPacked reports whether a field may lie where its scalars are not aligned.
func isPacked(st *tree.Struct, f *tree.Field) bool {
	t := f.Type
	for t.Kind == tree.Array || t.Kind == tree.Vector || t.Kind == tree.PackedVector || t.Kind == tree.Matrix {
		t = t.Elem
	}
	return st.Align < t.Align || f.Offset%t.Align != 0 || f.Shift+f.Bits > 8*f.Type.Size
}

// packedBits returns the bits of a bit-field as they lie in memory: from its first byte to its
// last, bit 0 being its lowest.
func (acc *accesses) packedBits(p place, wide tree.ScalarKind, offset int64) int32 {
	r := acc.constantOf(classOf(wide), 0)
	for i := range packedBytes(p) {
		part := acc.convertLeaf(acc.loadLeaf(leaf{kind: tree.UChar}, p, offset+int64(i)), tree.UChar, wide)
		r = acc.operate(tree.Or, wide, r, acc.shifted(wide, part, 8*i-p.shift))
	}
	return r
}

// storePackedBits stores the lowest bits of v to those of a bit-field.
func (acc *accesses) storePackedBits(p place, wide tree.ScalarKind, offset int64, v int32) {
	for i := range packedBytes(p) {
		byteAt := leaf{kind: tree.UChar}
		ones := uint64(0xff) << max(0, p.shift-8*i) & (0xff >> max(0, 8*(i+1)-p.shift-p.bits))
		old := acc.convertLeaf(acc.loadLeaf(byteAt, p, offset+int64(i)), tree.UChar, wide)
		old = acc.operate(tree.And, wide, old, acc.constantOf(classOf(wide), 0xff&^ones))
		part := acc.operate(tree.And, wide, acc.shifted(wide, v, p.shift-8*i), acc.constantOf(classOf(wide), ones))
		part = acc.operate(tree.Or, wide, old, part)
		acc.storeLeaf(byteAt, p, offset+int64(i), acc.convertLeaf(part, wide, tree.UChar))
	}
}

// packedBytes returns how many bytes the bits of a packed bit-field are in.
func packedBytes(p place) int { return (p.shift + p.bits + 7) / 8 }

// shifted shifts v up by n bits, or down where n is negative.
func (acc *accesses) shifted(wide tree.ScalarKind, v int32, n int) int32 {
	op := tree.Shl
	if n < 0 {
		op, n = tree.Shr, -n
	}
	return acc.operate(op, wide, v, acc.word(uint32(n)))
}

// wideOf is the type in which the bytes of a scalar are put together.
func wideOf(l leaf) tree.ScalarKind {
	if l.class() == longClass {
		return tree.ULong
	}
	return tree.UInt
}

// loadBytes loads a scalar byte by byte.
func (acc *accesses) loadBytes(l leaf, p place, offset int64) int32 {
	wide := wideOf(l)
	r := acc.constantOf(classOf(wide), 0)
	for i := range sizes[l.kind] {
		part := acc.loadLeaf(leaf{kind: tree.UChar}, p, offset+int64(i))
		part = acc.convertLeaf(part, tree.UChar, wide)
		r = acc.operate(tree.Or, wide, r, acc.shifted(wide, part, 8*i))
	}
	u := unsignedOf[sizes[l.kind]]
	return sameBits(acc.assembler, acc.convertLeaf(r, wide, u), u, l.kind)
}

// storeBytes stores a scalar byte by byte.
func (acc *accesses) storeBytes(l leaf, p place, offset int64, v int32) {
	wide, u := wideOf(l), unsignedOf[sizes[l.kind]]
	v = acc.convertLeaf(sameBits(acc.assembler, v, l.kind, u), u, wide)
	for i := range sizes[l.kind] {
		part := acc.shifted(wide, v, -8*i)
		acc.storeLeaf(leaf{kind: tree.UChar}, p, offset+int64(i), acc.convertLeaf(part, wide, tree.UChar))
	}
}
