package cpu

import "github.com/metalgen/metalgen/internal/msl/tree"

// bitcast reads the bits of a value as another type.
func (b *builder) bitcast(e *tree.Bitcast) value {
	from, to := b.leaves(e.X.Type(), e.Position()), b.leaves(e.Type(), e.Position())
	x := b.value(e.X)
	if len(from) == len(to) && from[0].class() == to[0].class() {
		v := make(value, len(x))
		for i := range v {
			v[i] = sameBits(b.assembler, x[i], from[i].kind, to[i].kind)
		}
		return v
	}
	return regroup(b.assembler, x, from, to)
}

// sameBits is as_type of one scalar into another of its size.
func sameBits(asm *assembler, r int32, from, to tree.ScalarKind) int32 {
	if from == to {
		return r
	}
	switch { // the bits as an unsigned integer
	case from == tree.Half:
		r = asm.opBy(unsetUShort, wordClass, halfBits, 0, r)
	case from == tree.BFloat:
		r = asm.opBy(unsetUShort, wordClass, bfloatBits, 0, r)
	case from == tree.Char:
		r = asm.fit(tree.UChar, r)
	case from == tree.Short:
		r = asm.fit(tree.UShort, r)
	}
	switch {
	case to == tree.Half:
		return asm.opBy(unsetUShort, wordClass, halfFromBits, 0, r)
	case to == tree.BFloat:
		return asm.opBy(unsetUShort, wordClass, bfloatFromBits, 0, r)
	case to == tree.Float:
		return asm.opBy(unsetSame, wordClass, plainBits, 0, r)
	case to == tree.Char:
		return asm.fit(tree.Char, r)
	case to == tree.Short:
		return asm.fit(tree.Short, r)
	}
	return r
}

// regroup is as_type between vectors whose elements differ in size: the bits
// are put together in 64-bit words and taken apart again.
func regroup(asm *assembler, x value, from, to []leaf) value {
	fromSize, toSize := sizes[from[0].kind], sizes[to[0].kind]
	shift := func(r int32, op tree.Op, bits int) int32 {
		if bits == 0 {
			return r
		}
		return asm.operate(op, tree.ULong, r, asm.word(uint32(bits)))
	}
	var v value
	for _, l := range to {
		word := asm.long(0)
		start := l.offset
		for i, f := range from {
			at := f.offset - start // where in the result
			if at+fromSize <= 0 || at >= toSize {
				continue
			}
			part := asm.convertLeaf(sameBits(asm, x[i], f.kind, unsignedOf[fromSize]), unsignedOf[fromSize], tree.ULong)
			if at < 0 {
				part = shift(part, tree.Shr, -8*at)
			} else {
				part = shift(part, tree.Shl, 8*at)
			}
			word = asm.operate(tree.Or, tree.ULong, word, part)
		}
		u := unsignedOf[toSize]
		v = append(v, sameBits(asm, asm.convertLeaf(word, tree.ULong, u), u, l.kind))
	}
	return v
}
