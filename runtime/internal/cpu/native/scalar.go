package native

import (
	"math/bits"

	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// Operations on the bases of registers, in general-purpose registers.

type scalarFunc = func(l *lanes, in *wide.Instruction)

// pick returns the instruction for a class of D, of those for words and for longs.
func pick(l *lanes, at int32, words, longs vcode.Op) vcode.Op {
	if l.classOf(at) == wide.Long {
		return longs
	}
	return words
}

// onBoth is an operation on two bases.
func onBoth(words, longs vcode.Op) scalarFunc {
	return func(l *lanes, in *wide.Instruction) {
		l.setBase(in.D, binary(l, pick(l, in.D, words, longs), in.A, in.B))
	}
}

// binary computes on two bases. The second one may be a number.
func binary(l *lanes, op vcode.Op, a, b int32) reg {
	if bits, ok := l.x.Known[b]; ok {
		if l.classOf(b) == wide.Word {
			bits = uint64(uint32(bits))
		}
		return l.opI(op, l.base(a), int64(bits))
	}
	return l.op(op, l.base(a), l.base(b))
}

// counted is a sum or difference.
func counted(words, longs vcode.Op) scalarFunc {
	return func(l *lanes, in *wide.Instruction) {
		op := pick(l, in.D, words, longs)
		made := l.madeKind(&l.state, in)
		var step reg
		switch {
		case made.Form != wide.Strided:
		case l.kind(in.B).Form == wide.Uniform:
			step = l.step(in.A)
		default:
			step = l.keep(l.op(op, l.step(in.A), l.step(in.B)))
		}
		l.setCounting(in.D, made, binary(l, op, in.A, in.B), step)
	}
}

// countedProduct is a * b, where at least one is the same in all lanes.
func countedProduct(l *lanes, in *wide.Instruction) {
	op := pick(l, in.D, vcode.GMulW, vcode.GMul)
	made := l.madeKind(&l.state, in)
	a, b := in.A, in.B
	if l.kind(b).Form != wide.Uniform {
		a, b = b, a
	}
	var step reg
	if made.Form == wide.Strided {
		step = l.keep(l.op(op, l.step(a), l.base(b)))
	}
	l.setCounting(in.D, made, binary(l, op, a, b), step)
}

// countedNeg is -a, and countedNot ^a.
func countedNeg(l *lanes, in *wide.Instruction) {
	r := l.op(pick(l, in.D, vcode.GSubW, vcode.GSub), l.number(0), l.base(in.A))
	l.setCounting(in.D, l.madeKind(&l.state, in), r, 0)
}

func countedNot(l *lanes, in *wide.Instruction) {
	ones := int64(-1)
	if l.classOf(in.D) == wide.Word {
		ones = 1<<32 - 1
	}
	l.setCounting(in.D, l.madeKind(&l.state, in), l.opI(vcode.GXor, l.base(in.A), ones), 0)
}

// countedShift is a << b.
func countedShift(l *lanes, in *wide.Instruction) {
	r := binary(l, pick(l, in.D, vcode.GShlW, vcode.GShl), in.A, in.B)
	l.setCounting(in.D, l.madeKind(&l.state, in), r, 0)
}

// copied is a copy.
func copied(l *lanes, in *wide.Instruction) {
	made := l.madeKind(&l.state, in)
	if made.Form == wide.Uniform && l.vectors[l.slotOf(in.D)] {
		l.setSplat(in.D, l.splat(in.A, l.kind(in.A)))
		return
	}
	var step reg
	if made.Form == wide.Strided {
		step = l.step(in.A)
	}
	l.setCounting(in.D, made, l.base(in.A), step)
}

// selected is c ? a : b.
func selected(l *lanes, in *wide.Instruction) {
	a, b := l.base(in.A), l.base(in.B)
	l.setBase(in.D, l.op3(vcode.GPick, a, b, l.bits(in.C)))
}

// least is the one of two for which a comparison holds, of the first with the second.
func least(c vcode.Cond) scalarFunc {
	return func(l *lanes, in *wide.Instruction) {
		a, b := l.base(in.A), l.base(in.B)
		first := l.compare(pick(l, in.D, vcode.GSetW, vcode.GSet), c, a, b)
		l.setBase(in.D, l.op3(vcode.GPick, a, b, first))
	}
}

// comparedBases is a comparison, of words that count up by 1 as well.
func comparedBases(c vcode.Cond) scalarFunc {
	return func(l *lanes, in *wide.Instruction) {
		if l.kind(in.A).Form != wide.Uniform || l.kind(in.B).Form != wide.Uniform {
			l.setBits(in.D, lanesWhere(l, in, c))
			return
		}
		op := pick(l, in.A, vcode.GSetW, vcode.GSet)
		l.setBits(in.D, l.compare(op, c, l.base(in.A), l.base(in.B)))
	}
}

// lanesWhere compares words that count up with a number, or the other way round: then all but those lanes hold for
// which the opposite does.
func lanesWhere(l *lanes, in *wide.Instruction, c vcode.Cond) reg {
	where := vcode.Instr{Op: vcode.LanesWhere, A: l.base(in.A), B: l.base(in.B), Cond: c}
	if c == vcode.Ne {
		where.Cond, where.Imm = vcode.Eq, ones
	}
	if l.kind(in.A).Form == wide.Uniform {
		where.A, where.B = where.B, where.A
		if where.Cond != vcode.Eq {
			where.Cond, where.Imm = opposites[c], ones
		}
	}
	return l.make(where)
}

const ones = 1<<32 - 1

// opposites says what holds of b and a where a condition does not hold of a and b: b <= a where not a < b.
var opposites = map[vcode.Cond]vcode.Cond{
	vcode.LtS: vcode.LeS, vcode.LeS: vcode.LtS, vcode.LtU: vcode.LeU, vcode.LeU: vcode.LtU,
}

// comparesCounting reports whether an instruction compares words that count up by 1 with a number, and only the bits of
// that are read, as far as can be seen.
func comparesCounting(l *lanes, s *wide.State, in *wide.Instruction, pc int32) bool {
	op := &operations[in.Op]
	if op.D != wide.Mask || op.A != wide.Word || op.B != wide.Word || op.scalar == nil {
		return false
	}
	a, b := l.x.KindOf(s, in.A), l.x.KindOf(s, in.B)
	counts := func(k wide.Kind) bool { return k.Form == wide.Linear && k.Step == 1 }
	if !(counts(a) && b.Form == wide.Uniform) && !(counts(b) && a.Form == wide.Uniform) {
		return false
	}
	end := min(pc+maxAhead, int32(len(l.x.Code)))
	for pc++; pc < end && l.x.BlockAt[pc] == 0; pc++ {
		other := &l.x.Code[pc]
		op := &operations[other.Op]
		for o := range op.Operands(other) {
			if o.At == in.D && op.lane != nil {
				return false
			}
		}
		for o := range op.Results(other) {
			if o.At == in.D {
				return true
			}
		}
	}
	return true
}

// notZeroBase holds where a is not 0.
func notZeroBase(l *lanes, in *wide.Instruction) {
	l.setBits(in.D, l.make(vcode.Instr{Op: vcode.GSet, Cond: vcode.Ne, A: l.base(in.A)}))
}

// extended is a function of one base.
func extended(op vcode.Op) scalarFunc {
	return func(l *lanes, in *wide.Instruction) { l.setBase(in.D, l.op(op, l.base(in.A), 0)) }
}

// upperProduct is the upper half of a product of two bases.
func upperProduct(extend vcode.Op) scalarFunc {
	return func(l *lanes, in *wide.Instruction) {
		product := l.op(vcode.GMul, l.op(extend, l.base(in.A), 0), l.op(extend, l.base(in.B), 0))
		l.setBase(in.D, l.op(vcode.GExtU32, l.opI(vcode.GShr, product, 32), 0))
	}
}

// ofBoolBase is a number where a bool holds, and 0 elsewhere.
func ofBoolBase(one int64) scalarFunc {
	return func(l *lanes, in *wide.Instruction) { l.setBase(in.D, l.opI(vcode.GAnd, l.bits(in.A), one)) }
}

// widenedBase is a conversion of words to longs. Those that count must not wrap around on the way, which the
// interpreter sees to.
func widenedBase(index int32) scalarFunc {
	return func(l *lanes, in *wide.Instruction) {
		made := l.madeKind(&l.state, in)
		r := widened(l, in.A, index)
		var step reg
		if made.Form != wide.Uniform {
			step = l.op(vcode.GExtS32, l.step(in.A), 0)
			leaveIfWraps(l, in.A, r, index)
		}
		l.setCounting(in.D, made, r, step)
	}
}

// widened returns the base of an index as 64 bits.
func widened(l *lanes, at int32, index int32) reg {
	if bits, ok := l.x.Known[at]; ok {
		return l.number(uint64(wide.Indexed(index, bits)))
	}
	r := l.base(at)
	if index == wide.IntIndex {
		return l.keep(l.op(vcode.GExtS32, r, 0))
	}
	return r
}

// leaveIfWraps leaves words to the interpreter that wrap around on the way from the first lane to the last. Their base
// has been widened.
func leaveIfWraps(l *lanes, at int32, base reg, index int32) {
	c := l.cache.of(l.slotOf(at))
	if c.goes[index] {
		return
	}
	c.goes[index] = true
	var last reg
	if step, ok := l.kind(at).Counts(); ok {
		last = l.opI(vcode.GAdd, base, int64(step)*(width-1))
	} else {
		last = l.op(vcode.GAdd, l.opI(vcode.GMul, l.op(vcode.GExtS32, l.step(at), 0), width-1), base)
	}
	l.keep(last)
	extend := vcode.GExtU32
	if index == wide.IntIndex {
		extend = vcode.GExtS32
	}
	l.leaveIf(vcode.Ne, l.op(extend, last, 0), last)
}

// narrowed is a conversion of longs to words.
func narrowed(l *lanes, in *wide.Instruction) {
	made := l.madeKind(&l.state, in)
	r := l.op(vcode.GExtU32, l.base(in.A), 0)
	var step reg
	if made.Form == wide.Strided {
		l.keep(r)
		step = l.op(vcode.GExtU32, l.step(in.A), 0)
	}
	l.setCounting(in.D, made, r, step)
}

// countedQuotient is a >> b. What counts up must not wrap around, which the interpreter sees to.
func countedQuotient(op vcode.Op, index int32) scalarFunc {
	return func(l *lanes, in *wide.Instruction) {
		made := l.madeKind(&l.state, in)
		if made.Form != wide.Uniform {
			leaveIfWraps(l, in.A, l.keep(widened(l, in.A, index)), index)
		}
		l.setCounting(in.D, made, binary(l, op, in.A, in.B), 0)
	}
}

// divided is a division, or its remainder. What has none is the interpreter's.
func divided(words, longs vcode.Op, signed bool) scalarFunc {
	return func(l *lanes, in *wide.Instruction) {
		if op, by, ok := powerOfTwo(l, in); ok {
			made := l.madeKind(&l.state, in)
			if made.Form != wide.Uniform {
				leaveIfWraps(l, in.A, l.base(in.A), wide.UintIndex)
			}
			l.setCounting(in.D, made, l.opI(op, l.base(in.A), by), 0)
			return
		}
		a, b := l.keep(l.base(in.A)), l.keep(l.base(in.B))
		if made := l.madeKind(&l.state, in); made.Form != wide.Uniform {
			leaveIfWraps(l, in.A, a, wide.UintIndex)
			l.setCounting(in.D, made, l.op(words, a, b), 0)
			return
		}
		l.leaveIfI(vcode.Eq, b, 0)
		if signed { // the least number by -1 does not fit
			if l.classOf(in.D) == wide.Word {
				l.leaveIfI(vcode.Eq, b, 1<<32-1)
			} else {
				l.leaveIfI(vcode.Eq, b, -1)
			}
		}
		l.setBase(in.D, l.op(pick(l, in.D, words, longs), a, b))
	}
}

// powerOfTwo returns what a division of words by a power of 2 comes to: a shift, or the lowest bits.
func powerOfTwo(l *lanes, in *wide.Instruction) (op vcode.Op, by int64, ok bool) {
	n, known := l.x.Known[in.B]
	b := uint32(n)
	if !known || b == 0 || b&(b-1) != 0 {
		return 0, 0, false
	}
	switch in.Op {
	case wide.DivUint:
		return vcode.GShrW, int64(bits.TrailingZeros32(b)), true
	case wide.ModUint:
		return vcode.GAnd, int64(b - 1), true
	}
	return 0, 0, false
}

// Each of these makes the bits of a bool.

func noMask(l *lanes, in *wide.Instruction)   { l.setBits(in.D, l.number(0)) }
func copyMask(l *lanes, in *wide.Instruction) { l.setBits(in.D, l.bits(in.A)) }

func maskOp(op vcode.Op) scalarFunc {
	return func(l *lanes, in *wide.Instruction) { l.setBits(in.D, l.op(op, l.bits(in.A), l.bits(in.B))) }
}

func notMask(l *lanes, in *wide.Instruction) {
	l.setBits(in.D, l.opI(vcode.GXor, l.bits(in.A), 1<<32-1))
}

func equalMasks(l *lanes, in *wide.Instruction) {
	l.setBits(in.D, l.opI(vcode.GXor, l.op(vcode.GXor, l.bits(in.A), l.bits(in.B)), 1<<32-1))
}

// moveMask is A in the active lanes, and D in the others.
func moveMask(l *lanes, in *wide.Instruction) {
	l.setBits(in.D, blendBits(l, l.bits(in.A), l.bits(in.D), vcode.Active))
}

// selectMask is C ? A : B.
func selectMask(l *lanes, in *wide.Instruction) {
	l.setBits(in.D, blendBits(l, l.bits(in.A), l.bits(in.B), l.bits(in.C)))
}

// blendBits is a where k holds, and b elsewhere.
func blendBits(l *lanes, a, b, k reg) reg {
	return l.op(vcode.GOr, l.op(vcode.GAnd, a, k), l.op(vcode.GAndNot, b, k))
}
