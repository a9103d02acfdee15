package native

import "github.com/metalgen/metalgen/runtime/internal/cpu/asm"

// widen writes a conversion of words to longs. Those that count must not wrap around on the way,
// which the interpreter sees to.
func widen(index int32) func(*emitter, *Instruction) {
	extend := asm.VPMOVZXDQ
	if index == IntIndex {
		extend = asm.VPMOVSXDQ
	}
	return func(e *emitter, in *Instruction) {
		a := &e.asm
		made, kept := e.result(in)
		if kept.scalar() {
			e.widened(asm.RAX, in.A, made, index)
			if made.form != uniform {
				e.loadStep(asm.RDX, in.A, word)
				a.GR(asm.MOVSXD, asm.RDX, asm.RDX)
				e.checkWraps(asm.RAX, asm.RDX, index)
			}
			e.drop(e.slotOf(in.D))
			a.MG(asm.MOVQ_ST, e.base(in.D), asm.RAX)
			if made.form == strided {
				a.MG(asm.MOVQ_ST, e.step(in.D), asm.RDX)
			}
			return
		}
		x := e.fetch(in.A)
		u := e.take(4)
		d := vectorsOf(u)
		for i := range 4 {
			half := x[i/2]
			if i&1 != 0 {
				a.XVI(asm.VEXTRACTI64X4, asm.Z4, half, 1)
				half = asm.Z4
			}
			a.VX(extend, d[i], half)
		}
		e.assign(in, u)
	}
}

// narrow writes a conversion of longs to words.
func narrow(e *emitter, in *Instruction) {
	a := &e.asm
	made, kept := e.result(in)
	if kept.scalar() {
		a.GR(asm.MOVL, asm.RAX, e.base(in.A))
		e.drop(e.slotOf(in.D))
		a.MG(asm.MOVL_ST, e.base(in.D), asm.RAX)
		if made.form == strided {
			a.GR(asm.MOVL, asm.RAX, e.step(in.A))
			a.MG(asm.MOVL_ST, e.step(in.D), asm.RAX)
		}
		return
	}
	x := e.fetch(in.A)
	u := e.take(2)
	d := vectorsOf(u)
	for i := range 2 {
		a.XV(asm.VPMOVQD, d[i], x[2*i])
		a.XV(asm.VPMOVQD, asm.Z4, x[2*i+1])
		a.VVXI(asm.VINSERTI64X4, d[i], d[i], asm.Z4, 1)
	}
	e.assign(in, u)
}

// ofBool writes a conversion of a bool: one where it holds, and 0 elsewhere.
func ofBool(one uint64) func(*emitter, *Instruction) {
	return func(e *emitter, in *Instruction) {
		a := &e.asm
		parts := e.parts(in.D)
		u := e.take(parts)
		d := vectorsOf(u)
		a.KW(asm.KMOVD, asm.K3, memoryAt(in.A))
		for i := range parts {
			k := asm.K3
			if i > 0 {
				k = asm.K4
				a.KKI(asm.KSHIFTRD, k, asm.K3, uint8(i*width/parts))
			}
			if parts == 4 {
				a.VX(asm.Zero(asm.VPBROADCASTQ, k), d[i], a.Uint64(one))
			} else {
				a.VX(asm.Zero(asm.VPBROADCASTD, k), d[i], a.Uint32(uint32(one)))
			}
		}
		if made, _ := e.result(in); made.form == uniform {
			e.finish(in, d[0])
			return
		}
		e.assign(in, u)
	}
}

// roundToBFloat rounds to 16 bits, ties to even.
func roundToBFloat(e *emitter, d, v asm.V) {
	e.kvxi(asm.VCMPPS, asm.K3, v, v, asm.FloatUNO)
	e.vxi(asm.VPSRLD, asm.Z5, v, 16)
	e.vvx(asm.VPANDD, asm.Z5, asm.Z5, e.word32(1))
	e.vvx(asm.VPADDD, asm.Z5, asm.Z5, e.word32(0x7fff))
	e.vvx(asm.VPADDD, asm.Z5, asm.Z5, v)
	e.vvx(asm.Mask(asm.VPORD, asm.K3), asm.Z5, v, e.word32(1<<22))
	e.vvx(asm.VPANDD, d, asm.Z5, e.word32(0xffff0000))
}

func roundBFloat(e *emitter, _ *Instruction, d, a, _, _ asm.V) { roundToBFloat(e, d, a) }

func roundHalf(e *emitter, _ *Instruction, d, a, _, _ asm.V) {
	if e.short {
		e.asm.XVI(asm.Len128(asm.VCVTPS2PH), d, a, 0)
	} else {
		e.asm.XVI(asm.VCVTPS2PH, d, a, 0)
	}
	e.vx(asm.VCVTPH2PS, d, d)
}
