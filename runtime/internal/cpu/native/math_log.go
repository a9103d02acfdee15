package native

import (
	"math"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/runtime/internal/cpu/asm"
)

// logarithm makes Z4 the logarithm of Z4, where that is positive and finite.
func (e *emitter) logarithm(f *fmath.Logarithm) {
	const lowest = 0x3fe6400000000000
	e.vvx(asm.VPSUBQ, asm.Z5, asm.Z4, e.word64(lowest))
	e.vvx(asm.VPANDQ, asm.Z6, asm.Z5, e.word64(0xfff<<52))
	e.vvx(asm.VPSUBQ, asm.Z4, asm.Z4, asm.Z6)
	e.vxi(asm.VPSRAQ, asm.Z6, asm.Z5, 52)
	e.vx(asm.VCVTQQ2PD, asm.Z6, asm.Z6)
	e.vxi(asm.VPSRLQ, asm.Z5, asm.Z5, 47)
	e.lookUp(asm.Z7, asm.Z5, doubles(&f.Inverse))
	e.vvx(asm.VMULPD, asm.Z4, asm.Z4, asm.Z7)
	e.vvx(asm.VSUBPD, asm.Z4, asm.Z4, e.double(1))
	e.lookUp(asm.Z5, asm.Z5, doubles(&f.Log))
	e.times(asm.Z6, f.Scale)
	e.vvx(asm.VADDPD, asm.Z6, asm.Z6, asm.Z5)
	e.polynomial(asm.Z7, asm.Z4, f.P[:])
	e.vvx(asm.VMULPD, asm.Z5, asm.Z4, asm.Z4)
	e.vvx(asm.VMULPD, asm.Z5, asm.Z5, asm.Z7)
	e.times(asm.Z4, f.Lead)
	e.vvx(asm.VADDPD, asm.Z4, asm.Z4, asm.Z5)
	e.vvx(asm.VADDPD, asm.Z4, asm.Z6, asm.Z4)
	e.times(asm.Z4, f.Times)
}

// times multiplies doubles by a number.
func (e *emitter) times(x asm.V, by float64) {
	if by != 1 {
		e.vvx(asm.VMULPD, x, x, e.double(by))
	}
}

// What VFIXUPIMM makes of an operand, by its class: a quiet and a signalling NaN, a zero, one, -Inf, Inf, other
// negative and other positive numbers. Each has four bits of a word.
const (
	fixKeep     = 0 // what the destination is
	fixOperand  = 1
	fixQuiet    = 2 // the operand, as a quiet NaN
	fixMinusInf = 4
	fixInf      = 5
	fixZero     = 8
	fixMinusOne = 9
	fixOne      = 10
)

// fixed returns the word.
func fixed(quiet, signalling, zero, one, minusInf, inf, negative, positive uint32) uint32 {
	return quiet | signalling<<4 | zero<<8 | one<<12 | minusInf<<16 | inf<<20 | negative<<24 | positive<<28
}

// logarithm returns what writes a logarithm.
func logarithm(f *fmath.Logarithm) compute {
	return func(e *emitter, _ *Instruction, d, a, _, _ asm.V) {
		e.inDoubles(d, func(w widening) {
			w(asm.Z4, a)
			e.logarithm(f)
		})
		special := fixed(fixQuiet, fixQuiet, fixMinusInf, fixKeep, fixKeep, fixInf, fixKeep, fixKeep)
		e.vvxi(asm.VFIXUPIMMPS, d, a, e.word32(special), 0)
		e.kvxi(asm.VCMPPS, asm.K3, a, e.float(0), asm.FloatLTO)
		e.vx(asm.Mask(asm.VBROADCASTSS, asm.K3), d, e.asm.Uint32(math.Float32bits(float32(math.NaN()))))
	}
}

// pow is a^b of a positive and finite and a finite number, and of 0 and a positive number. What else there is,
// the interpreter knows.
func pow(e *emitter, _ *Instruction, d, a, b, _ asm.V) {
	e.magnitude(asm.Z4, b)
	e.kvxi(asm.VCMPPS, asm.K3, a, e.float(0), asm.FloatGTO)
	e.kvxi(asm.Mask(asm.VCMPPS, asm.K3), asm.K3, a, e.word32(infinite), asm.FloatLTO)
	e.kvxi(asm.Mask(asm.VCMPPS, asm.K3), asm.K3, asm.Z4, e.word32(infinite), asm.FloatLTO)
	e.kvx(asm.VPTESTNMD, asm.K4, a, a)
	e.kvxi(asm.Mask(asm.VCMPPS, asm.K4), asm.K4, b, e.float(0), asm.FloatGTO)
	e.asm.KKK(asm.KXNORW, asm.K3, asm.K3, asm.K4) // neither, since not both
	e.rare(asm.K3)
	e.inDoubles(d, func(w widening) {
		w(asm.Z4, a)
		e.logarithm(fmath.LogTwo)
		w(asm.Z5, b)
		e.vvx(asm.VMULPD, asm.Z4, asm.Z5, asm.Z4)
		e.exponential(&fmath.ExpTwo)
	})
	e.vvx(asm.Mask(asm.VPXORD, asm.K4), d, d, d)
}

// infinite has the bits of an infinite float.
const infinite = 0x7f800000
