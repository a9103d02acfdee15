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
	return st.Align < t.Align || f.Offset%t.Align != 0
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
	c := classOf(wide)
	r := acc.constantOf(c, 0)
	for i := range sizes[l.kind] {
		part := acc.loadLeaf(leaf{kind: tree.UChar}, p, offset+int64(i))
		part = acc.convertLeaf(part, tree.UChar, wide)
		part = acc.op(c, arithmeticOps[tree.Shl][operandOf(wide)], part, acc.word(uint32(8*i)))
		r = acc.op(c, arithmeticOps[tree.Or][operandOf(wide)], r, part)
	}
	u := unsignedOf[sizes[l.kind]]
	return sameBits(acc.assembler, acc.convertLeaf(r, wide, u), u, l.kind)
}

// storeBytes stores a scalar byte by byte.
func (acc *accesses) storeBytes(l leaf, p place, offset int64, v int32) {
	wide, u := wideOf(l), unsignedOf[sizes[l.kind]]
	v = acc.convertLeaf(sameBits(acc.assembler, v, l.kind, u), u, wide)
	for i := range sizes[l.kind] {
		part := acc.op(classOf(wide), arithmeticOps[tree.Shr][operandOf(wide)], v, acc.word(uint32(8*i)))
		acc.storeLeaf(leaf{kind: tree.UChar}, p, offset+int64(i), acc.convertLeaf(part, wide, tree.UChar))
	}
}
