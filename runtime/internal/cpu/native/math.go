package native

import (
	"math"

	"github.com/metalgen/metalgen/runtime/internal/cpu/asm"
)

// The functions of the library compute as package fmath does, step by step, so that their results
// are the same bits. What they compute in doubles is in Z4, eight lanes at a time.

// compute writes an operation on one vector register of each operand. It may use Z4 to Z9 and K3 to K7.
type compute func(e *emitter, in *Instruction, d, a, b, c asm.V)

// widening makes d the doubles of eight lanes of floats.
type widening func(d, x asm.V)

// inDoubles computes the floats of d from doubles: compute leaves them in Z4, and may use Z5 to Z9.
func (e *emitter) inDoubles(d asm.V, compute func(w widening)) {
	if e.short {
		compute(func(d, x asm.V) { e.vx(asm.VCVTPS2PD, d, x) })
		e.vx(asm.VCVTPD2PS, d, asm.Z4)
		return
	}
	compute(func(d, x asm.V) { e.asm.VX(asm.VCVTPS2PD, d, x) })
	e.asm.VX(asm.VCVTPD2PS, asm.Z3, asm.Z4)
	compute(func(d, x asm.V) {
		e.asm.XVI(asm.VEXTRACTF64X4, d, x, 1)
		e.asm.VX(asm.VCVTPS2PD, d, d)
	})
	e.asm.VX(asm.VCVTPD2PS, asm.Z4, asm.Z4)
	e.asm.VVXI(asm.VINSERTF64X4, d, asm.Z3, asm.Z4, 1)
}

// double returns a double for all elements, and float a float.
func (e *emitter) double(v float64) asm.Broadcast { return e.word64(math.Float64bits(v)) }
func (e *emitter) float(v float32) asm.Broadcast  { return e.word32(math.Float32bits(v)) }

// rare leaves the instruction to the interpreter if an active lane is in a mask register, which it
// changes.
func (e *emitter) rare(k asm.K) {
	if e.short {
		e.asm.GK(asm.KMOVW_TOG, asm.RAX, k)
		e.asm.RI(asm.TESTL_I, asm.RAX, 1)
	} else {
		e.asm.KKK(asm.KANDW, k, k, activePart(e.part))
		e.asm.KK(asm.KORTESTW, k, k)
	}
	e.asm.Jump(asm.NotEqual, e.bail())
}

// polynomial makes d c[0] + x*(c[1] + x*(c[2] + ...)). Each step is rounded.
func (e *emitter) polynomial(d, x asm.V, c []float64) {
	last := len(c) - 1
	e.vvx(asm.VMULPD, d, x, e.double(c[last]))
	for i := last - 1; i > 0; i-- {
		e.vvx(asm.VADDPD, d, d, e.double(c[i]))
		e.vvx(asm.VMULPD, d, d, x)
	}
	e.vvx(asm.VADDPD, d, d, e.double(c[0]))
}

// lookUp makes d the entries of a table that the lowest five bits of index name. It uses Z8, Z9 and K5.
func (e *emitter) lookUp(d, index asm.V, table *[32]uint64) {
	a := &e.asm
	var part [4]asm.Mem
	for i := range part {
		var words [16]uint32
		for j, v := range table[8*i : 8*i+8] {
			words[2*j], words[2*j+1] = uint32(v), uint32(v>>32)
		}
		part[i] = a.Vector(&words)
	}
	a.VX(asm.VMOVDQU64, asm.Z9, index)
	a.VX(asm.VMOVDQU64, asm.Z8, part[2])
	a.VVX(asm.VPERMI2PD, asm.Z9, asm.Z8, part[3])
	a.KVX(asm.VPTESTMQ, asm.K5, index, e.word64(16))
	if d != index {
		a.VX(asm.VMOVDQU64, d, index)
	}
	a.VX(asm.VMOVDQU64, asm.Z8, part[0])
	a.VVX(asm.VPERMI2PD, d, asm.Z8, part[1])
	a.VVX(asm.Mask(asm.VPBLENDMQ, asm.K5), d, d, asm.Z9)
}

// doubles returns the bits of a table.
func doubles(table *[32]float64) *[32]uint64 {
	bits := new([32]uint64)
	for i, v := range table {
		bits[i] = math.Float64bits(v)
	}
	return bits
}

// notNumber makes mask register d the lanes of x that hold no number.
func (e *emitter) notNumber(d asm.K, x asm.V) { e.kvxi(asm.VCMPPS, d, x, x, asm.FloatUNO) }

// magnitude makes d the magnitude of the floats of x.
func (e *emitter) magnitude(d, x asm.V) { e.vvx(asm.VPANDD, d, x, e.word32(signBit-1)) }
