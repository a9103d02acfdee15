package native

import (
	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/runtime/internal/cpu/asm"
)

// roundMagic leaves the nearest integer in the lowest bits of a double that it is added to.
const roundMagic = 0x1.8p52

// within brings the doubles of Z4 to -limit at least and to limit at most.
func (e *emitter) within(limit float64) {
	e.vvx(asm.VMINPD, asm.Z4, asm.Z4, e.double(limit))
	e.vvx(asm.VMAXPD, asm.Z4, asm.Z4, e.double(-limit))
}

// split makes Z5 2^(k/32) of the integer k next to Z4, and Z7 the rest of Z4.
func (e *emitter) split() {
	e.vvx(asm.VADDPD, asm.Z6, asm.Z4, e.double(roundMagic))
	e.vvx(asm.VSUBPD, asm.Z7, asm.Z6, e.double(roundMagic))
	e.vvx(asm.VSUBPD, asm.Z7, asm.Z4, asm.Z7)
	e.lookUp(asm.Z5, asm.Z6, &fmath.Exp2Table)
	e.vxi(asm.VPSLLQ, asm.Z6, asm.Z6, 47)
	e.vvx(asm.VPADDQ, asm.Z5, asm.Z5, asm.Z6)
}

// exponential makes Z4 a power of Z4.
func (e *emitter) exponential(f *fmath.Exponential) {
	e.within(f.Limit)
	e.vvx(asm.VMULPD, asm.Z4, asm.Z4, e.double(f.Scale))
	e.split()
	e.polynomial(asm.Z4, asm.Z7, f.P[:])
	e.vvx(asm.VMULPD, asm.Z7, asm.Z5, asm.Z7)
	e.vvx(asm.VMULPD, asm.Z7, asm.Z7, asm.Z4)
	e.vvx(asm.VADDPD, asm.Z4, asm.Z5, asm.Z7)
}

// exponential returns what writes an exponential function.
func exponential(f *fmath.Exponential) compute {
	return func(e *emitter, _ *Instruction, d, a, _, _ asm.V) {
		e.inDoubles(d, func(w widening) {
			w(asm.Z4, a)
			e.exponential(f)
		})
		e.notNumber(asm.K3, a)
		e.vvx(asm.Mask(asm.VADDPS, asm.K3), d, a, a)
	}
}

func tanh(e *emitter, _ *Instruction, d, a, _, _ asm.V) {
	f := &fmath.TanhOf
	e.inDoubles(d, func(w widening) {
		w(asm.Z4, a)
		e.within(f.Limit)
		e.vvx(asm.VMULPD, asm.Z4, asm.Z4, e.double(f.Scale))
		e.split()
		e.polynomial(asm.Z4, asm.Z7, f.P[:])
		e.vvx(asm.VMULPD, asm.Z7, asm.Z5, asm.Z7)
		e.vvx(asm.VMULPD, asm.Z7, asm.Z7, asm.Z4)
		e.vvx(asm.VSUBPD, asm.Z5, asm.Z5, e.double(1))
		e.vvx(asm.VADDPD, asm.Z5, asm.Z5, asm.Z7)
		e.vvx(asm.VADDPD, asm.Z7, asm.Z5, e.double(2))
		e.vvx(asm.VDIVPD, asm.Z4, asm.Z5, asm.Z7)
	})
	e.magnitude(asm.Z4, a)
	e.kvxi(asm.VCMPPS, asm.K3, asm.Z4, e.float(float32(f.Tiny)), asm.FloatLTO)
	e.vx(asm.Mask(asm.VMOVUPS, asm.K3), d, a)
	e.notNumber(asm.K3, a)
	e.vvx(asm.Mask(asm.VADDPS, asm.K3), d, a, a)
}
