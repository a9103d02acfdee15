package native

import "github.com/metalgen/metalgen/runtime/internal/cpu/asm"

// addPointer writes a pointer that is moved by a number of elements of Imm bytes. One that
// comes out too far from its object is for the interpreter.
func addPointer(index int32) func(*emitter, *Instruction) {
	return func(e *emitter, in *Instruction) {
		if _, kept := e.result(in); kept.scalar() {
			e.addScalarPointer(in, index)
			return
		}
		e.addVaryingPointer(in, index)
	}
}

func (e *emitter) addScalarPointer(in *Instruction, index int32) {
	a := &e.asm
	made, _ := e.result(in)
	c := word
	if index == LongIndex {
		c = long
	}
	k := e.kind(in.B)
	e.widened(asm.RAX, in.B, k, index)
	if made.form != uniform {
		e.loadStep(asm.RDX, in.B, c)
		if c == word {
			a.GR(asm.MOVSXD, asm.RDX, asm.RDX)
			if k.form != uniform {
				e.checkWraps(asm.RAX, asm.RDX, index)
			}
		}
		e.scaleWithinReach(asm.RDX, in.Imm)
		e.loadStep(asm.RCX, in.A, long)
		a.GR(asm.ADDQ, asm.RDX, asm.RCX)
		e.checkReach(asm.RDX)
	}
	e.scaleWithinReach(asm.RAX, in.Imm)
	a.GR(asm.MOVQ, asm.RSI, e.base(in.A))
	a.GR(asm.MOVQ, asm.RCX, asm.RSI)
	a.RB(asm.SHLQ_I, asm.RCX, 64-offsetBits)
	a.RB(asm.SARQ_I, asm.RCX, 64-offsetBits)
	a.GR(asm.ADDQ, asm.RCX, asm.RAX) // where it points to in its object
	e.checkReach(asm.RCX)
	if made.form != uniform {
		a.GRI(asm.IMULQ_I, asm.R8, asm.RDX, width-1)
		a.GR(asm.ADDQ, asm.RCX, asm.R8)
		e.checkReach(asm.RCX)
	}
	a.GR(asm.ADDQ, asm.RSI, asm.RAX)
	e.drop(e.slotOf(in.D))
	a.MG(asm.MOVQ_ST, e.base(in.D), asm.RSI)
	if made.form == strided {
		a.MG(asm.MOVQ_ST, e.step(in.D), asm.RDX)
	}
}

// scaleWithinReach multiplies a number of elements by their size.
func (e *emitter) scaleWithinReach(r asm.GP, size int64) {
	if size != int64(int32(size)) {
		e.asm.Jump(asm.Always, e.bail())
		return
	}
	e.asm.GRI(asm.IMULQ_I, r, r, int32(size))
	e.asm.Jump(asm.Overflow, e.bail())
	e.checkReach(r)
}

// checkReach leaves what is not from -reach to reach - 1 to the interpreter. It uses R9.
func (e *emitter) checkReach(r asm.GP) {
	a := &e.asm
	bail := e.bail()
	a.Number(asm.R9, 1<<reachBits)
	a.GR(asm.ADDQ, asm.R9, r)
	a.RB(asm.SHRQ_I, asm.R9, reachBits+1)
	a.Jump(asm.NotEqual, bail)
}

func (e *emitter) addVaryingPointer(in *Instruction, index int32) {
	a := &e.asm
	p, n := e.fetch(in.A), e.fetch(in.B)
	bail := e.bail()
	u := e.take(4)
	d := vectorsOf(u)
	for i := range 4 {
		k := e.activeQuarter(i)
		x := n[i]
		if index != LongIndex {
			x = asm.Z4
			a.XVI(asm.VEXTRACTI64X4, asm.Z4, n[i/2], uint8(i&1))
			widen := asm.VPMOVZXDQ
			if index == IntIndex {
				widen = asm.VPMOVSXDQ
			}
			a.VX(widen, asm.Z4, asm.Z4)
		}
		limit := uint64(1) << reachBits / uint64(max(in.Imm, 1))
		a.VVX(asm.VPADDQ, asm.Z5, x, e.word64(limit))
		e.tooFar(k, asm.Z5, 2*limit, bail)
		a.VVX(asm.VPMULLQ, asm.Z4, x, e.word64(uint64(in.Imm)))
		a.VXI(asm.VPSLLQ, asm.Z5, p[i], 64-offsetBits)
		a.VXI(asm.VPSRAQ, asm.Z5, asm.Z5, 64-offsetBits)
		a.VVX(asm.VPADDQ, asm.Z5, asm.Z5, asm.Z4)
		a.VVX(asm.VPADDQ, asm.Z5, asm.Z5, e.word64(1<<reachBits))
		e.tooFar(k, asm.Z5, 2<<reachBits, bail)
		a.VVX(asm.VPADDQ, d[i], p[i], asm.Z4)
	}
	e.assign(in, u)
}

// tooFar jumps where an active lane of v is limit or more.
func (e *emitter) tooFar(k asm.K, v asm.V, limit uint64, bail asm.Label) {
	e.asm.KVXI(asm.Mask(asm.VPCMPUQ, k), asm.K3, v, e.word64(limit), asm.IntNLT)
	e.asm.KK(asm.KORTESTB, asm.K3, asm.K3)
	e.asm.Jump(asm.NotEqual, bail)
}
