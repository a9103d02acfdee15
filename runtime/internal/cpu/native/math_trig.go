package native

import (
	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/runtime/internal/cpu/asm"
)

// sine makes Z4 the sine or cosine of Z4. It leaves Z8 and Z9 alone.
func (e *emitter) sine(f *fmath.Sine) {
	e.vvx(asm.VMULPD, asm.Z5, asm.Z4, e.double(f.InvPi))
	if f.Half != 0 {
		e.vvx(asm.VSUBPD, asm.Z5, asm.Z5, e.double(f.Half))
	}
	e.vvx(asm.VADDPD, asm.Z5, asm.Z5, e.double(roundMagic))
	e.vvx(asm.VPXORQ, asm.Z6, asm.Z5, e.word64(f.Flip))
	e.vxi(asm.VPSLLQ, asm.Z6, asm.Z6, 63)
	e.vvx(asm.VSUBPD, asm.Z5, asm.Z5, e.double(roundMagic))
	if f.Half != 0 {
		e.vvx(asm.VADDPD, asm.Z5, asm.Z5, e.double(f.Half))
	}
	e.vvx(asm.VMULPD, asm.Z7, asm.Z5, e.double(f.PiHigh))
	e.vvx(asm.VSUBPD, asm.Z4, asm.Z4, asm.Z7)
	e.vvx(asm.VMULPD, asm.Z7, asm.Z5, e.double(f.PiLow))
	e.vvx(asm.VSUBPD, asm.Z4, asm.Z4, asm.Z7)
	e.vvx(asm.VMULPD, asm.Z5, asm.Z4, asm.Z4)
	e.polynomial(asm.Z7, asm.Z5, f.P[:])
	e.vvx(asm.VMULPD, asm.Z4, asm.Z4, asm.Z7)
	e.vvx(asm.VPXORQ, asm.Z4, asm.Z4, asm.Z6)
}

// small leaves to the interpreter what is beyond the limit of the sine, and what is no number.
func (e *emitter) small(a asm.V) {
	e.magnitude(asm.Z4, a)
	e.kvxi(asm.VCMPPS, asm.K3, asm.Z4, e.float(float32(fmath.SinOf.Limit)), asm.FloatNLEU)
	e.rare(asm.K3)
}

// sine returns what writes a sine or cosine.
func sine(f *fmath.Sine) compute {
	return func(e *emitter, _ *Instruction, d, a, _, _ asm.V) {
		e.small(a)
		e.inDoubles(d, func(w widening) {
			w(asm.Z4, a)
			e.sine(f)
		})
	}
}

func tan(e *emitter, _ *Instruction, d, a, _, _ asm.V) {
	e.small(a)
	e.inDoubles(d, func(w widening) {
		w(asm.Z4, a)
		e.sine(&fmath.SinOf)
		e.vx(asm.VMOVUPD, asm.Z9, asm.Z4)
		w(asm.Z4, a)
		e.sine(&fmath.CosOf)
		e.vvx(asm.VDIVPD, asm.Z4, asm.Z9, asm.Z4)
	})
}
