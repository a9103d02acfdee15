package native

import "github.com/metalgen/metalgen/runtime/internal/cpu/asm"

// Functions of a whole simd-group: reductions over the active lanes, values of other lanes, votes.

// reduction joins the active lanes.
type reduction struct {
	neutral uint32 // joined with what inactive lanes count as, a value stays as it is
	join    compute
}

// quietNaN has the bits of what is no number, and counts for nothing in a minimum or maximum.
const quietNaN = 0x7fc00000

// joining is the reduction by one instruction.
func joining(op asm.VVX, neutral uint32) reduction {
	return reduction{neutral, func(e *emitter, _ *Instruction, d, a, b, _ asm.V) { e.vvx(op, d, a, b) }}
}

// reduced returns what writes a reduction: lanes are joined with those 16 behind them, then 8, and so on, as
// the interpreter does, since sums of floats depend on the order.
func reduced(r reduction) func(*emitter, *Instruction) {
	return func(e *emitter, in *Instruction) {
		a, x := &e.asm, e.fetch(in.A)
		const value, other = asm.Z6, asm.Z7
		for i, v := range [...]asm.V{value, other} {
			a.VX(asm.VPBROADCASTD, v, a.Uint32(r.neutral))
			a.VX(asm.Mask(asm.VMOVDQU32, activePart(i)), v, x[i])
		}
		join := func() {
			r.join(e, in, asm.Z8, value, other, 0)
			a.VX(asm.VMOVDQU32, value, asm.Z8)
		}
		join()
		a.XVI(asm.VEXTRACTI64X4, other, value, 1)
		join()
		e.short = true
		a.XVI(asm.Len256(asm.VEXTRACTI32X4), other, value, 1)
		join()
		const upperPair, neighbour = 0x4e, 0xb1
		for _, from := range [...]uint8{upperPair, neighbour} {
			e.vxi(asm.VPSHUFD, other, value, from)
			join()
		}
		e.short = false
		e.finish(in, value)
	}
}

// shuffle says which lane a lane reads.
type shuffle struct {
	combine asm.VVX // its number with the operand, or 0: the operand is the number
	stays   bool    // where there is no such lane it reads itself; else lanes are counted modulo 32
}

// shuffled returns what writes a shuffle.
func shuffled(s shuffle) func(*emitter, *Instruction) {
	return func(e *emitter, in *Instruction) {
		made, _ := e.result(in)
		if made.form == uniform && e.kind(in.A).form == uniform {
			e.loadScalar(asm.Z3, in.A)
			e.finish(in, asm.Z3)
			return
		}
		x, by := e.fetch(in.A), e.fetch(in.B)
		u := e.take(2)
		d := vectorsOf(u)
		for i := range 2 {
			self := countLow + asm.V(i)
			if s.combine == 0 {
				e.asm.VX(asm.VMOVDQU32, d[i], by[i])
			} else {
				e.vvx(asm.VPANDD, d[i], by[i], e.word32(1<<16-1))
				e.vvx(s.combine, d[i], self, d[i])
			}
			if s.stays {
				e.kvxi(asm.VPCMPUD, asm.K3, d[i], e.word32(width-1), asm.IntNLE)
				e.vx(asm.Mask(asm.VMOVDQU32, asm.K3), d[i], self)
			}
			e.vvx(asm.VPERMI2D, d[i], x[0], x[1])
		}
		if made.form == uniform {
			e.finish(in, d[0])
			return
		}
		e.assign(in, u)
	}
}

// moves is the rule of shuffles, and broadcasts that of those where all lanes may read the same.
func moves(x *analysis, s *state, in *Instruction) kind {
	if x.kindOf(s, in.A).form == uniform {
		return kind{form: uniform}
	}
	return kind{form: varying}
}

func broadcasts(x *analysis, s *state, in *Instruction) kind {
	if x.kindOf(s, in.B).form == uniform {
		return kind{form: uniform}
	}
	return moves(x, s, in)
}

// firstWord is what the first active lane holds.
func firstWord(e *emitter, in *Instruction) {
	x := e.fetch(in.A)
	e.asm.GR(asm.TZCNTL, asm.RAX, active)
	e.asm.VG(asm.VPBROADCASTD_G, asm.Z3, asm.RAX)
	e.asm.VVX(asm.VPERMI2D, asm.Z3, x[0], x[1])
	e.finish(in, asm.Z3)
}

// anyMask and allMask hold in all lanes, or in none.
func anyMask(e *emitter, in *Instruction) {
	e.asm.GR(asm.MOVL, asm.RAX, memoryAt(in.A))
	e.asm.GR(asm.ANDL, asm.RAX, active)
	e.asm.RO(asm.NEGL, asm.RAX) // carries unless it is 0
	e.asm.GR(asm.SBBQ, asm.RAX, asm.RAX)
}

func allMask(e *emitter, in *Instruction) {
	e.asm.GR(asm.MOVL, asm.RAX, memoryAt(in.A))
	e.asm.GGR(asm.ANDNL, asm.RAX, asm.RAX, active)
	e.asm.RI(asm.CMPL_I, asm.RAX, 1) // carries if it is 0
	e.asm.GR(asm.SBBQ, asm.RAX, asm.RAX)
}

// ballot has the bits of the active lanes where a mask holds.
func ballot(e *emitter, in *Instruction) {
	e.asm.GR(asm.MOVL, asm.RAX, memoryAt(in.A))
	e.asm.GR(asm.ANDL, asm.RAX, active)
	e.asm.VR(asm.VMOVD, asm.Z3, asm.RAX)
	e.finish(in, asm.Z3)
}
