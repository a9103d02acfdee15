package native

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/abi"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// Functions of a whole simd-group: reductions over the active lanes, values of other lanes, votes.

// quietNaN has the bits of what is no number, and counts for nothing in a minimum or maximum.
const quietNaN = 0x7fc00000

// reduced is a reduction by an operation, where inactive lanes count as neutral: lanes are joined with those 16 after
// them, then 8, and so on, as the interpreter does, since sums of floats depend on the order.
func reduced(op vcode.Op, neutral uint32) scalarFunc {
	return func(l *lanes, in *wide.Instruction) {
		parts := l.all(in.A)
		for i, v := range parts {
			parts[i] = l.keep(l.op3(vcode.VBlend, v, l.word32(neutral), l.active(i)))
		}
		for n := len(parts) / 2; n > 0; n /= 2 {
			for i := range n {
				parts[i] = l.keep(l.op(op, parts[i], parts[i+n]))
			}
		}
		v := parts[0]
		for n := l.t.Lanes / 2; n > 0; n /= 2 {
			v = l.keep(l.op(op, v, l.opI(vcode.VXorLanes, v, int64(n))))
		}
		l.setWhole(in, 0, v)
	}
}

// shuffle says which lane a lane reads.
type shuffle struct {
	combine vcode.Op // its number with the operand, or 0: the operand is the number
	stays   bool     // where there is no such lane it reads itself; else lanes are counted modulo 32
}

// shuffled returns what writes a shuffle.
func shuffled(s shuffle) scalarFunc {
	return func(l *lanes, in *wide.Instruction) {
		if l.kind(in.A).Form == wide.Uniform {
			l.setWhole(in, 0, l.splat(in.A, l.kind(in.A)))
			return
		}
		whole := l.madeKind(&l.state, in).Form == wide.Uniform
		index := make([]reg, l.parts)
		for i := range index {
			by := l.now(in.B, i)
			if s.combine != 0 {
				self := l.countingBy(i, 1, false)
				to := l.op(s.combine, self, l.op(vcode.VAnd, by, l.word32(1<<16-1)))
				if s.stays {
					to = l.op3(vcode.VBlend, self, to, l.compare(vcode.VCmp, vcode.GtU, to, l.word32(width-1)))
				}
				by = to
			}
			index[i] = l.keep(l.op(vcode.VAnd, by, l.word32(width-1)))
			if whole {
				break
			}
		}
		made := permuted(l, l.all(in.A), index, whole)
		if whole {
			l.setWhole(in, 0, made[0])
			return
		}
		old, blend := l.kind(in.D), l.blends(in)
		for i, v := range made {
			l.setPart(in, blend, old, i, v)
		}
		l.finishLanes(in)
	}
}

// permuted returns the elements of parts that index counts, of the first part alone where one is set.
func permuted(l *lanes, parts, index []reg, one bool) []reg {
	made := make([]reg, len(index))
	if mayPick(l.t) {
		for i := range made {
			made[i] = l.keep(picked(l, parts, index[i]))
			if one {
				break
			}
		}
		return made
	}
	at, ok := l.scratchRow(4 * width)
	if !ok {
		at = int64(abi.RunScratch)
	}
	for i, v := range parts {
		l.store(vcode.VStore, vcode.Run, at+int64(i)*int64(l.t.VectorBytes()), v)
	}
	from := l.keep(l.opI(vcode.GAdd, vcode.Run, at))
	all := l.number(1<<32 - 1)
	every := l.keep(l.op(vcode.PFromBits, all, 0))
	for i := range made {
		made[i] = l.keep(l.op3(vcode.VGather32, from, l.opI(vcode.VShlI, index[i], 2), every))
		if one {
			break
		}
	}
	return made
}

// firstWord is what the first active lane holds.
func firstWord(l *lanes, in *wide.Instruction) {
	if k := l.kind(in.A); k.Form == wide.Uniform {
		l.setWhole(in, 0, l.splat(in.A, k))
		return
	}
	l.setWhole(in, l.make(vcode.Instr{Op: vcode.LaneOf, Args: l.all(in.A), Imm: 4, Imm2: vcode.FirstActive}), 0)
}

// anyMask and allMask hold in all lanes, or in none.
func anyMask(l *lanes, in *wide.Instruction) {
	active := l.op(vcode.GAnd, l.bits(in.A), vcode.Active)
	l.setBits(in.D, l.make(vcode.Instr{Op: vcode.GSet, Cond: vcode.Ne, A: active}))
}

func allMask(l *lanes, in *wide.Instruction) {
	missing := l.op(vcode.GAndNot, vcode.Active, l.bits(in.A))
	l.setBits(in.D, l.make(vcode.Instr{Op: vcode.GSet, Cond: vcode.Eq, A: missing}))
}

func activeLanes(l *lanes, in *wide.Instruction) {
	l.setWhole(in, l.op(vcode.GMove, vcode.Active, 0), 0)
}

// ballot has the bits of the active lanes where a mask holds.
func ballot(l *lanes, in *wide.Instruction) {
	l.setWhole(in, l.op(vcode.GAnd, l.bits(in.A), vcode.Active), 0)
}
