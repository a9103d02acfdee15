package native

import (
	"math"

	"github.com/metalgen/metalgen/runtime/internal/cpu/asm"
)

// How VRNDSCALE rounds to integers.
const (
	toEven  = 8 + iota // to the nearest, ties to even
	toFloor            // down
	toCeil             // up
	toTrunc            // to zero
)

// rounded returns what writes a function that rounds to integers.
func rounded(how uint8) compute {
	return func(e *emitter, _ *Instruction, d, a, _, _ asm.V) { e.vxi(asm.VRNDSCALEPS, d, a, how) }
}

// round rounds to the nearest integer, ties away from 0.
func round(e *emitter, _ *Instruction, d, a, _, _ asm.V) {
	e.inDoubles(d, func(w widening) {
		w(asm.Z4, a)
		e.vvx(asm.VPANDQ, asm.Z5, asm.Z4, e.word64(1<<63))
		e.vvx(asm.VPORQ, asm.Z5, asm.Z5, e.double(0.5))
		e.vvx(asm.VADDPD, asm.Z4, asm.Z4, asm.Z5)
		e.vxi(asm.VRNDSCALEPD, asm.Z4, asm.Z4, toTrunc)
	})
}

// fract is a - floor(a), but below 1, and 0 of what is infinite.
func fract(e *emitter, _ *Instruction, d, a, _, _ asm.V) {
	const below1 = 0x1.fffffep-1
	e.vxi(asm.VRNDSCALEPS, asm.Z4, a, toFloor)
	e.vvx(asm.VSUBPS, asm.Z4, a, asm.Z4)
	e.vx(asm.VBROADCASTSS, asm.Z5, e.asm.Uint32(math.Float32bits(below1)))
	e.vvx(asm.VMINPS, d, asm.Z5, asm.Z4) // the second where it is no number
	e.magnitude(asm.Z4, a)
	e.kvx(asm.VPCMPEQD, asm.K3, asm.Z4, e.word32(infinite))
	e.vvx(asm.Mask(asm.VPXORD, asm.K3), d, d, d)
}

// saturate is 0 of what is no number.
func saturate(e *emitter, _ *Instruction, d, a, _, _ asm.V) {
	e.vvx(asm.VMAXPS, asm.Z4, a, e.float(0))
	e.vvx(asm.VMINPS, d, asm.Z4, e.float(1))
}

func sign(e *emitter, _ *Instruction, d, a, _, _ asm.V) {
	e.vvxi(asm.VFIXUPIMMPS, d, a, e.word32(fixed(
		fixZero, fixZero, fixOperand, fixOne, fixMinusOne, fixOne, fixMinusOne, fixOne,
	)), 0)
}

// clampFloat is fmin(fmax(a, b), c).
func clampFloat(e *emitter, in *Instruction, d, a, b, c asm.V) {
	minMax(asm.VMAXPS, asm.VPANDD)(e, in, asm.Z5, a, b, c)
	minMax(asm.VMINPS, asm.VPORD)(e, in, d, asm.Z5, c, c)
}

// step is b < a ? 0 : 1.
func step(e *emitter, _ *Instruction, d, a, b, _ asm.V) {
	e.kvxi(asm.VCMPPS, asm.K3, b, a, asm.FloatNLTU)
	e.vx(asm.Zero(asm.VBROADCASTSS, asm.K3), d, e.asm.Uint32(math.Float32bits(1)))
}

// fdim is a <= b ? 0 : a - b.
func fdim(e *emitter, _ *Instruction, d, a, b, _ asm.V) {
	e.kvxi(asm.VCMPPS, asm.K3, a, b, asm.FloatNLEU)
	e.vvx(asm.Zero(asm.VSUBPS, asm.K3), d, a, b)
}

// copysign has the magnitude of a and the sign of b.
func copysign(e *emitter, _ *Instruction, d, a, b, _ asm.V) {
	e.magnitude(d, a)
	e.vvx(asm.VPANDD, asm.Z4, b, e.word32(signBit))
	e.vvx(asm.VPORD, d, d, asm.Z4)
}

// The classes of VFPCLASS.
const (
	classNaN      = 0x81
	classInf      = 0x18
	classNoFinite = classNaN | classInf
)

// ofClass returns what writes a test whether a float is of some classes.
func ofClass(classes uint8) func(e *emitter, d asm.K, a, b asm.V) {
	return func(e *emitter, d asm.K, a, _ asm.V) { e.kxi(asm.VFPCLASSPS, d, a, classes) }
}

func isFinite(e *emitter, d asm.K, a, _ asm.V) {
	e.kxi(asm.VFPCLASSPS, d, a, classNoFinite)
	e.asm.KK(asm.KNOTW, d, d)
}

func isNegative(e *emitter, d asm.K, a, _ asm.V) { e.kvx(asm.VPTESTMD, d, a, e.word32(signBit)) }
