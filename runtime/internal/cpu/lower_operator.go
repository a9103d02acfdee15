package cpu

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// arithmetic lowers a binary operator on scalars of one type.
func (asm *assembler) arithmetic(op tree.Op, k tree.ScalarKind, x, y int32) int32 {
	r := asm.operate(op, k, x, y)
	asm.watchNaN(k, r, x, y)
	return asm.fit(k, r)
}

// operate is arithmetic whose result is not yet brought into the range or precision of its type.
func (asm *assembler) operate(op tree.Op, k tree.ScalarKind, x, y int32) int32 {
	run := arithmeticOps[op][operandOf(k)]
	if divides := op == tree.Div || op == tree.Mod; divides && !floating(k) && asm.isKnown(y, 0) {
		return asm.op(classOf(k), run, x, y) // a fault, if it is executed
	}
	return asm.pure(ruleOf(op, k), classOf(k), run, 0, x, y)
}

// fit brings the result of 32-bit arithmetic into the range or precision of a
// type of fewer bits.
func (asm *assembler) fit(k tree.ScalarKind, r int32) int32 {
	if run := fits[k]; run != nil {
		return asm.pure(fitRules[k], wordClass, run, 0, r)
	}
	return r
}

// compare lowers a comparison of scalars of one type.
func (asm *assembler) compare(op tree.Op, k tree.ScalarKind, x, y int32) int32 {
	if m, ok := mirrored[op]; ok {
		op, x, y = m, y, x
	}
	return asm.pure(unsetAny, maskClass, compareOps[op][operandOf(k)], 0, x, y)
}

// convertLeaf converts a scalar.
func (asm *assembler) convertLeaf(r int32, from, to tree.ScalarKind) int32 {
	switch {
	case from == to:
		return r
	case from == tree.Bool:
		return asm.pure(unsetBit, classOf(to), fromBool[operandOf(to)], 0, r)
	case to == tree.Bool:
		return asm.pure(unsetAny, maskClass, toBool[operandOf(from)], 0, r)
	case floating(from) && floating(to):
		if to == tree.Float {
			return r
		}
		return asm.fit(to, r)
	case floating(from):
		// truncates; what is out of range becomes the nearest value that the type has
		if run := fromFloatNarrow[to]; run != nil {
			return asm.pure(unsetAny, wordClass, run, 0, r)
		}
		return asm.pure(unsetAny, classOf(to), fromFloat[operandOf(to)], 0, r)
	case floating(to):
		if to == tree.BFloat && sizes[from] >= 4 {
			// rounding to float first must not decide a tie
			r = asm.pure(unsetAny, classOf(from), roundOdd[operandOf(from)], 0, r)
		}
		return asm.fit(to, asm.pure(unsetAny, wordClass, toFloat[operandOf(from)], 0, r))
	}
	switch {
	case classOf(from) == classOf(to):
	case classOf(to) == longClass && signed(from):
		return asm.pure(unsetInt, longClass, widen[int32], 0, r)
	case classOf(to) == longClass:
		return asm.pure(unsetSame, longClass, widen[uint32], 0, r)
	default:
		r = asm.pure(unsetSame, wordClass, narrow, 0, r)
	}
	if holds(to, from) {
		return r
	}
	return asm.fit(to, r)
}

var narrowRanges = map[tree.ScalarKind]struct{ low, high int32 }{
	tree.Char: {-1 << 7, 1<<7 - 1}, tree.UChar: {0, 1<<8 - 1},
	tree.Short: {-1 << 15, 1<<15 - 1}, tree.UShort: {0, 1<<16 - 1},
}

// holds reports whether an integer type has all values of another one that is
// held in a register of the same size.
func holds(to, from tree.ScalarKind) bool {
	if classOf(to) == longClass || to == tree.Int || to == tree.UInt {
		return true
	}
	n, f := narrowRanges[to], narrowRanges[from]
	return f.high != 0 && n.low <= f.low && n.high >= f.high
}

// constantValue returns a register that holds a value known when compiling.
func (asm *assembler) constantValue(k tree.ScalarKind, v tree.Value) int32 {
	switch {
	case k == tree.Bool:
		return asm.truth(v.Bits != 0)
	case floating(k):
		return asm.float(float32(v.Float))
	case classOf(k) == longClass:
		return asm.long(v.Bits)
	}
	return asm.word(uint32(v.Bits))
}

// operator lowers a binary operator element by element.
func operator(asm *assembler, op tree.Op, tx, ty *tree.Type, x, y value, pos parser.Pos) value {
	leaves := asm.leaves(tx, pos)
	v := make(value, len(leaves))
	for i, l := range leaves {
		k := l.kind
		switch {
		case l.isHandle():
			v[i] = asm.compare(op, k, x[i], asm.op(longClass, besidePointer, x[i], y[i]))
		case op >= tree.Equal && op <= tree.GreaterEqual:
			v[i] = asm.compare(op, k, x[i], y[i])
		case op == tree.Shl || op == tree.Shr:
			n := asm.convertLeaf(y[i], asm.leaves(ty, pos)[i].kind, tree.UInt)
			if k := l.kind; narrowBits[k] != 0 {
				n = asm.operate(tree.And, tree.UInt, n, asm.word(narrowBits[k]-1))
			}
			v[i] = asm.fit(k, asm.operate(op, k, x[i], n))
		default:
			if arithmeticOps[op][operandOf(k)] == nil {
				unsupported(pos, "this operator on "+tx.String())
			}
			v[i] = asm.arithmetic(op, k, x[i], y[i])
		}
	}
	return v
}

// narrowBits are the widths of the types that are shifted in a wider register.
var narrowBits = map[tree.ScalarKind]uint32{tree.Char: 8, tree.UChar: 8, tree.Short: 16, tree.UShort: 16}
