package native

import (
	"math"

	"github.com/metalgen/metalgen/runtime/internal/cpu/asm"
	"github.com/metalgen/metalgen/runtime/internal/cpu/fmath"
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

// inDoubles computes with floats as doubles: compute changes those in Z4, and may use Z5 to Z9.
func inDoubles(compute func(e *emitter)) func(e *emitter, in *Instruction, d, a, b, c asm.V) {
	return func(e *emitter, in *Instruction, d, a, _, _ asm.V) {
		e.vx(asm.VCVTPS2PD, asm.Z4, a)
		compute(e)
		if e.short {
			e.vx(asm.VCVTPD2PS, d, asm.Z4)
			return
		}
		e.asm.VX(asm.VCVTPD2PS, asm.Z3, asm.Z4)
		e.asm.XVI(asm.VEXTRACTF64X4, asm.Z4, a, 1)
		e.asm.VX(asm.VCVTPS2PD, asm.Z4, asm.Z4)
		compute(e)
		e.asm.VX(asm.VCVTPD2PS, asm.Z4, asm.Z4)
		e.asm.VVXI(asm.VINSERTF64X4, d, asm.Z3, asm.Z4, 1)
	}
}

// rsqrt is 1 / sqrt(v).
func rsqrt(e *emitter) {
	e.vx(asm.VSQRTPD, asm.Z4, asm.Z4)
	e.vx(asm.VPBROADCASTQ, asm.Z5, e.asm.Uint64(0x3ff0000000000000))
	e.vvx(asm.VDIVPD, asm.Z4, asm.Z5, asm.Z4)
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

// exp is e^a as package fmath computes it: in doubles, by a table of 2^(i/32) and a polynomial.
func exp(e *emitter, in *Instruction, d, a, b, c asm.V) {
	inDoubles(func(e *emitter) {
		const limit = 106 // beyond it the result is no float32 or 0
		e.vvx(asm.VMINPD, asm.Z4, asm.Z4, e.double(limit))
		e.vvx(asm.VMAXPD, asm.Z4, asm.Z4, e.double(-limit))
		e.vvx(asm.VMULPD, asm.Z5, asm.Z4, e.double(fmath.ExpE.Scale))
		e.vvx(asm.VADDPD, asm.Z6, asm.Z5, e.double(roundMagic))
		e.vvx(asm.VSUBPD, asm.Z7, asm.Z6, e.double(roundMagic))
		e.vvx(asm.VSUBPD, asm.Z7, asm.Z5, asm.Z7)
		e.lookUp(asm.Z5, asm.Z6)
		e.vxi(asm.VPSLLQ, asm.Z6, asm.Z6, 47)
		e.vvx(asm.VPADDQ, asm.Z5, asm.Z5, asm.Z6)
		e.vvx(asm.VMULPD, asm.Z6, asm.Z7, e.double(fmath.ExpE.P[2]))
		e.vvx(asm.VADDPD, asm.Z6, asm.Z6, e.double(fmath.ExpE.P[1]))
		e.vvx(asm.VMULPD, asm.Z6, asm.Z6, asm.Z7)
		e.vvx(asm.VADDPD, asm.Z6, asm.Z6, e.double(fmath.ExpE.P[0]))
		e.vvx(asm.VMULPD, asm.Z7, asm.Z5, asm.Z7)
		e.vvx(asm.VMULPD, asm.Z7, asm.Z7, asm.Z6)
		e.vvx(asm.VADDPD, asm.Z4, asm.Z5, asm.Z7)
	})(e, in, d, a, b, c)
	e.kvxi(asm.VCMPPS, asm.K3, a, a, asm.FloatUNO)
	e.vvx(asm.Mask(asm.VADDPS, asm.K3), d, a, a)
}

// roundMagic, added to a number, pushes out the bits behind the point.
const roundMagic = 0x1.8p52

// double returns a double for all elements.
func (e *emitter) double(v float64) asm.Broadcast { return e.word64(math.Float64bits(v)) }

// lookUp makes d the entries of the table of 2^(i/32) that the lowest five bits of index name.
// It uses Z8 and Z9.
func (e *emitter) lookUp(d, index asm.V) {
	a := &e.asm
	var table [4]asm.Mem
	for i := range table {
		var words [16]uint32
		for j := range 8 {
			v := fmath.Exp2Table[8*i+j]
			words[2*j], words[2*j+1] = uint32(v), uint32(v>>32)
		}
		table[i] = a.Vector(&words)
	}
	a.VX(asm.VMOVDQU64, d, index)
	a.VX(asm.VMOVDQU64, asm.Z8, table[0])
	a.VVX(asm.VPERMI2PD, d, asm.Z8, table[1])
	a.VX(asm.VMOVDQU64, asm.Z9, index)
	a.VX(asm.VMOVDQU64, asm.Z8, table[2])
	a.VVX(asm.VPERMI2PD, asm.Z9, asm.Z8, table[3])
	a.KVX(asm.VPTESTMQ, asm.K5, index, e.word64(16))
	a.VVX(asm.Mask(asm.VPBLENDMQ, asm.K5), d, d, asm.Z9)
}
