package wide

import "slices"

// farRound is how many bytes the rows of two rounds of a loop are apart, at least, for simd-groups to go through it by
// turns: what lies between them is what the other simd-groups read.
const farRound = 512

// somewhere is how many bytes a register grows by in a round where no number says it.
const somewhere = 1 << 40

// maxTurned bounds the instructions of loops that simd-groups go through by turns.
const maxTurned = 64

// maxSteps bounds how far the growth of a register is traced.
const maxSteps = 8

// Turns reports whether simd-groups go through the loop by turns, some rounds each: where it stores nothing, has no
// loops in it and is in none, which would read the same again, each round reads rows far from those of the round
// before, and nobody can tell which simd-group leaves the loop first.
func (l *LoopBody) Turns() bool {
	return len(l.Far) > 0 && !l.ordered && !l.nests && l.Outer == nil && l.Loads == 0 && l.StoresNothing()
}

// ordered reports whether threads can tell which simd-group comes first: by an atomic, or by what the interpreter does
// for them, such as messages.
func (x *Analysis) ordered() bool {
	return slices.ContainsFunc(x.Code, func(in Instruction) bool {
		return Infos[in.Op].Foreign || in.Op >= AtomicSwap && in.Op <= AtomicCompare
	})
}

// strides reports whether an access reads rows that are far apart from round to round.
func (l *LoopBody) strides(x *Analysis, s *State, in *Instruction) bool {
	k := AccessKind(x, s, in)
	object := int(x.KindOf(s, in.A).Object)
	if k.Form != Linear || k.Step <= 0 || k.Step > 16 || object <= 0 || object >= len(x.Objects) ||
		x.Objects[object].Own || x.Objects[object].Striped {
		return false
	}
	by, ok := l.moves(x, in)
	return ok && max(by, -by) >= farRound
}

// GoesOn reports whether lanes read what follows what they have read in the round before.
func (l *LoopBody) GoesOn(x *Analysis, in *Instruction) bool {
	by, ok := l.moves(x, in)
	return ok && by > 0 && by <= 4
}

// moves returns how many bytes an access is after where it was in the round before.
func (l *LoopBody) moves(x *Analysis, in *Instruction) (by int64, ok bool) {
	pc := l.at(x, in)
	if pc < 0 || x.Blocks[l.Last].End-x.Blocks[l.First].First > maxTurned {
		return 0, false
	}
	by, ok = l.grows(x, in.A, pc, maxSteps)
	if in.C != NoIndex {
		n, known := l.grows(x, in.B, pc, maxSteps)
		by, ok = by+n*int64(in.Target), ok && known
	}
	return by, ok
}

// at returns where an instruction of the loop is, or -1.
func (l *LoopBody) at(x *Analysis, in *Instruction) int32 {
	for pc := x.Blocks[l.First].First; pc < x.Blocks[l.Last].End; pc++ {
		if &x.Code[pc] == in {
			return pc
		}
	}
	return -1
}

// made returns the last instruction that makes a register, of some, or -1.
func made(x *Analysis, at, from, to int32) int32 {
	for pc := to - 1; pc >= from; pc-- {
		for o := range Infos[x.Code[pc].Op].Results(&x.Code[pc]) {
			if o.At == at {
				return pc
			}
		}
	}
	return -1
}

// grows returns how much more a register is at an instruction than it was there in the round before. It reports false
// where that cannot be said.
func (l *LoopBody) grows(x *Analysis, at, pc int32, steps int) (by int64, ok bool) {
	from, to := x.Blocks[l.First].First, x.Blocks[l.Last].End
	if steps == 0 {
		return 0, false
	}
	if here := made(x, at, from, pc); here >= 0 {
		return combined(x, &x.Code[here], func(at int32) (int64, bool) { return l.grows(x, at, here, steps-1) })
	}
	if again := made(x, at, pc, to); again >= 0 {
		return l.adds(x, at, again, steps-1)
	}
	return 0, true
}

// adds returns how much an instruction adds to what a register was at the beginning of the round.
func (l *LoopBody) adds(x *Analysis, at, pc int32, steps int) (by int64, ok bool) {
	in := &x.Code[pc]
	switch in.Op {
	case AddWord, AddLong, SubWord, SubLong, CopyWord, CopyLong, AddPointerInt, AddPointerUint, AddPointerLong:
	default:
		return 0, false
	}
	return combined(x, in, func(of int32) (int64, bool) {
		here := made(x, of, x.Blocks[l.First].First, pc)
		switch c, known := x.Known[of]; {
		case known:
			return int64(int32(c)), true
		case of == at && here < 0:
			return 0, true
		case here >= 0 && steps > 0:
			return l.adds(x, at, here, steps-1)
		}
		return somewhere, here < 0
	})
}

// combined returns how much the result of an instruction grows in a round, where its operands grow by what of returns.
func combined(x *Analysis, in *Instruction, of func(at int32) (int64, bool)) (by int64, ok bool) {
	op := &Infos[in.Op]
	if op.A != Word && op.A != Long {
		return 0, false
	}
	a, ok := of(in.A)
	var b int64
	if ok && (op.B == Word || op.B == Long) {
		b, ok = of(in.B)
	}
	number, known := x.Known[in.B]
	switch factor := int64(int32(number)); in.Op {
	case CopyWord, CopyLong, WidenInt, WidenUint, Narrow:
		by = a
	case AddWord, AddLong:
		by = a + b
	case SubWord, SubLong:
		by = a - b
	case AddPointerInt, AddPointerUint, AddPointerLong:
		by = a + b*in.Imm
	case ShlWord, ShlLong:
		by = a << (number & 31)
		ok = ok && known
	case MulWord, MulLong:
		switch {
		case known:
			by = a * factor
		case a != 0 || b != 0:
			by = somewhere
		}
	default:
		ok = ok && a == 0 && b == 0
	}
	return max(min(by, somewhere), -somewhere), ok
}
