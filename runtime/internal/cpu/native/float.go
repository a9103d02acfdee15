package native

import (
	"math"

	"github.com/metalgen/metalgen/runtime/internal/cpu/asm"
)

const signBit = 1 << 31

func negatedFloat(e *emitter, _ *Instruction, d, a, _, _ asm.V) {
	e.vvx(asm.VPXORD, d, a, e.word32(signBit))
}

func absFloat(e *emitter, _ *Instruction, d, a, _, _ asm.V) {
	e.vvx(asm.VPANDD, d, a, e.word32(signBit-1))
}

// fused returns what computes with a product that is rounded first.
func fused(op asm.VVX, productFirst bool) func(e *emitter, in *Instruction, d, a, b, c asm.V) {
	return func(e *emitter, in *Instruction, d, a, b, c asm.V) {
		e.vvx(asm.VMULPS, asm.Z4, a, b)
		if productFirst {
			e.vvx(op, d, asm.Z4, c)
		} else {
			e.vvx(op, d, c, asm.Z4)
		}
	}
}

// fma is a*b + c, rounded once.
func fma(e *emitter, _ *Instruction, d, a, b, c asm.V) {
	e.vx(asm.VMOVUPS, asm.Z4, a)
	e.vvx(asm.VFMADD213PS, asm.Z4, b, c)
	e.vx(asm.VMOVUPS, d, asm.Z4)
}

// rsqrt is 1 / sqrt(a).
func rsqrt(e *emitter, _ *Instruction, d, a, _, _ asm.V) {
	e.inDoubles(d, func(w widening) {
		w(asm.Z4, a)
		e.vx(asm.VSQRTPD, asm.Z4, asm.Z4)
		e.vx(asm.VPBROADCASTQ, asm.Z5, e.asm.Uint64(math.Float64bits(1)))
		e.vvx(asm.VDIVPD, asm.Z4, asm.Z5, asm.Z4)
	})
}

// toInt converts to int: what is out of range becomes the nearest, and what is no number 0.
func toInt(e *emitter, _ *Instruction, d, a, _, _ asm.V) {
	e.kvxi(asm.VCMPPS, asm.K3, a, e.word32(0x4f000000), asm.FloatGEO)
	e.kvxi(asm.VCMPPS, asm.K4, a, a, asm.FloatUNO)
	e.vx(asm.VCVTTPS2DQ, asm.Z4, a)
	e.vvx(asm.Mask(asm.VPBLENDMD, asm.K3), asm.Z4, asm.Z4, e.word32(1<<31-1))
	e.vvx(asm.Mask(asm.VPXORD, asm.K4), asm.Z4, asm.Z4, asm.Z4)
	e.vx(asm.VMOVDQU32, d, asm.Z4)
}

// toUint converts to uint.
func toUint(e *emitter, _ *Instruction, d, a, _, _ asm.V) {
	e.vvx(asm.VPXORD, asm.Z4, asm.Z4, asm.Z4)
	e.vvx(asm.VMAXPS, asm.Z4, a, asm.Z4)
	e.vx(asm.VCVTTPS2UDQ, d, asm.Z4)
}

// minMax is the lesser or the greater of two numbers; of a number and what is none, the
// number. -0 is less than 0.
func minMax(op, zeros asm.VVX) func(e *emitter, in *Instruction, d, a, b, c asm.V) {
	return func(e *emitter, _ *Instruction, d, a, b, _ asm.V) {
		e.kvxi(asm.VCMPPS, asm.K3, b, b, asm.FloatUNO)
		e.kvxi(asm.VCMPPS, asm.K4, a, b, asm.FloatEQO)
		e.vvx(op, asm.Z4, a, b) // b where one is no number
		e.vvx(asm.Mask(zeros, asm.K4), asm.Z4, a, b)
		e.vvx(asm.Mask(asm.VPBLENDMD, asm.K3), d, asm.Z4, a)
	}
}
