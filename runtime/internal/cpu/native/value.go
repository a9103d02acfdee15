package native

import "github.com/metalgen/metalgen/runtime/internal/cpu/asm"

// What one instruction may use: Z0 to Z9, K3 to K7, RAX, RCX, RDX, RSI, RDI and R8 to R11.

// result returns what is known of what the instruction makes, before and after it is blended
// with what other lanes hold.
func (e *emitter) result(in *Instruction) (made, kept kind) {
	made = kind{form: varying}
	if r := operations[in.Op].rule; r != nil {
		made = r(e.analysis, &e.state, in)
	}
	if in.Masked && !e.plain[e.pc] {
		return made, kind{form: varying}
	}
	return made, made
}

// assign makes vector registers the lanes of what an instruction writes.
func (e *emitter) assign(in *Instruction, u [2]uint8) {
	if in.Masked && !e.plain[e.pc] {
		old, v := e.fetch(in.D), vectorsOf(u)
		if e.parts(in.D) == 2 {
			e.asm.VVX(asm.Mask(asm.VPBLENDMD, activeLow), v[0], old[0], v[0])
			e.asm.VVX(asm.Mask(asm.VPBLENDMD, activeHigh), v[1], old[1], v[1])
		} else {
			for i := range 4 {
				k := e.activeQuarter(i)
				e.asm.VVX(asm.Mask(asm.VPBLENDMQ, k), v[i], old[i], v[i])
			}
		}
	}
	e.hold(in.D, u, true)
}

// activeQuarter returns a mask register of the active ones of eight lanes.
func (e *emitter) activeQuarter(i int) asm.K {
	if i == 0 {
		return activeLow
	}
	e.asm.KKI(asm.KSHIFTRD, asm.K7, activeLow, uint8(8*i))
	return asm.K7
}

// activePart returns the mask register of the active ones of 16 lanes.
func activePart(i int) asm.K { return asm.K(uint8(activeLow) + uint8(i)) }

// loadScalar loads the base of a register.
func (e *emitter) loadScalar(v asm.V, at int32) {
	if e.slots[e.slotOf(at)].class == long {
		e.asm.VR(asm.VMOVQ, v, e.base(at))
		return
	}
	e.asm.VR(asm.VMOVD, v, e.base(at))
}

// storeScalar stores the base of a register.
func (e *emitter) storeScalar(at int32, v asm.V) {
	e.drop(e.slotOf(at))
	if e.slots[e.slotOf(at)].class == long {
		e.asm.RV(asm.VMOVQ_ST, e.base(at), v)
		return
	}
	e.asm.RV(asm.VMOVD_ST, e.base(at), v)
}

// fill makes vector registers those of one value in all lanes.
func (e *emitter) fill(u [2]uint8, parts int, x asm.V) {
	broadcast := asm.VPBROADCASTD
	if parts == 4 {
		broadcast = asm.VPBROADCASTQ
	}
	v := vectorsOf(u)
	for i := range parts {
		e.asm.VX(broadcast, v[i], x)
	}
}

// finish writes a value that is the same in all lanes.
func (e *emitter) finish(in *Instruction, x asm.V) {
	if _, kept := e.result(in); kept.scalar() {
		e.storeScalar(in.D, x)
		return
	}
	u := e.take(e.parts(in.D))
	e.fill(u, e.parts(in.D), x)
	e.assign(in, u)
}

// lanewise returns what writes an operation that does the same in each lane, on registers
// whose elements have one size. compute writes it for one part of them; it may use Z4 to Z9.
func lanewise(compute func(e *emitter, in *Instruction, d, a, b, c asm.V)) func(*emitter, *Instruction) {
	return func(e *emitter, in *Instruction) {
		operands := operations[in.Op].operands(in)
		made, _ := e.result(in)
		if made.form == uniform {
			for i, o := range operands {
				e.loadScalar(asm.V(i), o.at)
			}
			e.short = true
			compute(e, in, asm.Z3, asm.Z0, asm.Z1, asm.Z2)
			e.short = false
			e.finish(in, asm.Z3)
			return
		}
		var x [3]vectors
		for i, o := range operands {
			x[i] = e.fetch(o.at)
		}
		parts := e.parts(in.D)
		u := e.take(parts)
		d := vectorsOf(u)
		for i := range parts {
			e.part = i
			compute(e, in, d[i], x[0][i], x[1][i], x[2][i])
		}
		e.assign(in, u)
	}
}

// simple is lanewise for what one instruction does.
func simple(op asm.VVX) func(*emitter, *Instruction) {
	return lanewise(func(e *emitter, in *Instruction, d, a, b, _ asm.V) { e.vvx(op, d, a, b) })
}

// simple1 is simple for one operand.
func simple1(op asm.VX) func(*emitter, *Instruction) {
	return lanewise(func(e *emitter, in *Instruction, d, a, _, _ asm.V) { e.vx(op, d, a) })
}

// compared returns what writes a comparison.
func compared(compare func(e *emitter, d asm.K, a, b asm.V)) func(*emitter, *Instruction) {
	return func(e *emitter, in *Instruction) {
		operands := operations[in.Op].operands(in)
		if made, _ := e.result(in); made.form == uniform {
			for i, o := range operands {
				e.loadScalar(asm.V(i), o.at)
			}
			e.short = true
			compare(e, asm.K3, asm.Z0, asm.Z1)
			e.short = false
			e.asm.GK(asm.KMOVW_TOG, asm.RAX, asm.K3)
			e.asm.RI(asm.ANDL_I, asm.RAX, 1)
			e.asm.RO(asm.NEGL, asm.RAX)
			e.asm.MG(asm.MOVL_ST, memoryAt(in.D), asm.RAX)
			return
		}
		var x [2]vectors
		for i, o := range operands {
			x[i] = e.fetch(o.at)
		}
		parts := e.parts(operands[0].at)
		for i := range parts {
			compare(e, asm.K3+asm.K(i), x[0][i], x[1][i])
		}
		e.joinMask(asm.K3, parts)
		e.asm.MK(asm.KMOVD_ST, memoryAt(in.D), asm.K3)
	}
}

// joinMask makes mask register k one of all lanes, from as many as there are parts.
func (e *emitter) joinMask(k asm.K, parts int) {
	if parts == 2 {
		e.asm.KKK(asm.KUNPCKWD, k, k+1, k)
		return
	}
	e.asm.KKK(asm.KUNPCKBW, k, k+1, k)
	e.asm.KKK(asm.KUNPCKBW, k+2, k+3, k+2)
	e.asm.KKK(asm.KUNPCKWD, k, k+2, k)
}

// maskLogic writes an operation on masks, in RAX.
func maskLogic(compute func(e *emitter, in *Instruction)) func(*emitter, *Instruction) {
	return func(e *emitter, in *Instruction) {
		compute(e, in)
		e.asm.MG(asm.MOVL_ST, memoryAt(in.D), asm.RAX)
	}
}

// copied writes a copy.
func copied(e *emitter, in *Instruction) {
	made, kept := e.result(in)
	if kept.scalar() {
		e.drop(e.slotOf(in.D))
		moves := asm.MOVL
		store := asm.MOVL_ST
		if e.parts(in.D) == 4 {
			moves, store = asm.MOVQ, asm.MOVQ_ST
		}
		e.asm.GR(moves, asm.RAX, e.base(in.A))
		e.asm.MG(store, e.base(in.D), asm.RAX)
		if made.form == strided {
			e.asm.GR(moves, asm.RAX, e.step(in.A))
			e.asm.MG(store, e.step(in.D), asm.RAX)
		}
		return
	}
	x := e.fetch(in.A)
	parts := e.parts(in.D)
	u := e.take(parts)
	v := vectorsOf(u)
	for i := range parts {
		e.asm.VX(asm.VMOVDQU32, v[i], x[i])
	}
	e.assign(in, u)
}

// selected writes c ? a : b.
func selected(e *emitter, in *Instruction) {
	if made, _ := e.result(in); made.form == uniform {
		// The values are the same in all lanes, and so is the choice.
		e.loadScalar(asm.Z0, in.A)
		e.loadScalar(asm.Z1, in.B)
		e.asm.KW(asm.KMOVD, asm.K3, memoryAt(in.C))
		e.asm.VVX(asm.Mask(asm.VPBLENDMD, asm.K3), asm.Z3, asm.Z1, asm.Z0)
		e.finish(in, asm.Z3)
		return
	}
	parts := e.parts(in.D)
	x, y := e.fetch(in.A), e.fetch(in.B)
	u := e.take(parts)
	v := vectorsOf(u)
	e.asm.KW(asm.KMOVD, asm.K3, memoryAt(in.C))
	for i := range parts {
		k := asm.K3
		if i > 0 {
			k = asm.K4
			e.asm.KKI(asm.KSHIFTRD, k, asm.K3, uint8(i*width/parts))
		}
		blend := asm.VPBLENDMD
		if parts == 4 {
			blend = asm.VPBLENDMQ
		}
		e.asm.VVX(asm.Mask(blend, k), v[i], y[i], x[i])
	}
	e.assign(in, u)
}
