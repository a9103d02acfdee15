package native

import "github.com/metalgen/metalgen/runtime/internal/cpu/asm"

// width is the number of lanes of a simd-group.
const width = 32

// counted returns what writes an operation that is done on the base, and as well on the step, of
// registers that count, and on the lanes of others.
func counted(
	base func(e *emitter, in *Instruction, class class), lanes func(*emitter, *Instruction),
) func(*emitter, *Instruction) {
	return func(e *emitter, in *Instruction) {
		made, kept := e.result(in)
		if made.form == uniform || !kept.scalar() {
			lanes(e, in)
			return
		}
		e.drop(e.slotOf(in.D))
		base(e, in, e.slots[e.slotOf(in.D)].class)
	}
}

// general-purpose instructions for words and longs
type wide struct {
	move     asm.GR
	store    asm.MG
	add, sub asm.GR
	multiply asm.GR
	negate   asm.RO
	not      asm.RO
	shl      asm.RB
}

var wides = [...]wide{
	word: {asm.MOVL, asm.MOVL_ST, asm.ADDL, asm.SUBL, asm.IMULL, asm.NEGL, asm.NOTL, asm.SHLL_I},
	long: {asm.MOVQ, asm.MOVQ_ST, asm.ADDQ, asm.SUBQ, asm.IMULQ, asm.NEGQ, asm.NOTQ, asm.SHLQ_I},
}

// loadStep loads how much a register counts up from lane to lane.
func (e *emitter) loadStep(d asm.GP, at int32, c class) {
	k := e.kind(at)
	if step, ok := k.counts(); ok {
		if c == word {
			e.asm.Number(d, uint64(uint32(step)))
		} else {
			e.asm.Number(d, uint64(int64(step)))
		}
		return
	}
	e.asm.GR(wides[c].move, d, e.step(at))
}

// countedSum is a + b or a - b.
func countedSum(op func(w *wide) asm.GR) func(*emitter, *Instruction, class) {
	return func(e *emitter, in *Instruction, c class) {
		w := &wides[c]
		made, _ := e.result(in)
		if made.form == strided {
			e.loadStep(asm.RCX, in.A, c)
			e.loadStep(asm.RDX, in.B, c)
			e.asm.GR(op(w), asm.RCX, asm.RDX)
		}
		e.asm.GR(w.move, asm.RAX, e.base(in.A))
		e.asm.GR(op(w), asm.RAX, e.base(in.B))
		e.asm.MG(w.store, e.base(in.D), asm.RAX)
		if made.form == strided {
			e.asm.MG(w.store, e.step(in.D), asm.RCX)
		}
	}
}

// countedProduct is a * b, of which at least one is the same in all lanes.
func countedProduct(e *emitter, in *Instruction, c class) {
	w := &wides[c]
	a, b := in.A, in.B
	if e.kind(b).form != uniform {
		a, b = b, a
	}
	made, _ := e.result(in)
	if made.form == strided {
		e.loadStep(asm.RCX, a, c)
		e.asm.GR(w.multiply, asm.RCX, e.base(b))
	}
	e.asm.GR(w.move, asm.RAX, e.base(a))
	e.asm.GR(w.multiply, asm.RAX, e.base(b))
	e.asm.MG(w.store, e.base(in.D), asm.RAX)
	if made.form == strided {
		e.asm.MG(w.store, e.step(in.D), asm.RCX)
	}
}

// countedOne is a function of one linear register.
func countedOne(op func(w *wide) asm.RO) func(*emitter, *Instruction, class) {
	return func(e *emitter, in *Instruction, c class) {
		w := &wides[c]
		e.asm.GR(w.move, asm.RAX, e.base(in.A))
		e.asm.RO(op(w), asm.RAX)
		e.asm.MG(w.store, e.base(in.D), asm.RAX)
	}
}

// countedShift is a << b, with b known.
func countedShift(e *emitter, in *Instruction, c class) {
	w := &wides[c]
	e.asm.GR(w.move, asm.RAX, e.base(in.A))
	e.asm.RB(w.shl, asm.RAX, uint8(e.constant[in.B]&uint64(bitsOf(c)-1)))
	e.asm.MG(w.store, e.base(in.D), asm.RAX)
}

func bitsOf(c class) int {
	if c == long {
		return 64
	}
	return 32
}

// shift writes a shift of words by a count modulo 32.
func shift(by asm.VVX, fixed asm.VXI) func(*emitter, *Instruction) {
	return lanewise(func(e *emitter, in *Instruction, d, a, b, _ asm.V) {
		if n, ok := e.constant[in.B]; ok {
			e.vxi(fixed, d, a, uint8(n&31))
			return
		}
		e.vvx(asm.VPANDD, asm.Z4, b, e.word32(31))
		e.vvx(by, d, a, asm.Z4)
	})
}

// wrapped writes what brings a word into the range of a narrower integer: two shifts.
func wrapped(left, right asm.VXI, n uint8) func(*emitter, *Instruction) {
	return lanewise(func(e *emitter, in *Instruction, d, a, _, _ asm.V) {
		e.vxi(left, d, a, n)
		e.vxi(right, d, d, n)
	})
}

// field writes float(a >> b & Imm).
func field(by asm.VVX, fixed asm.VXI) func(*emitter, *Instruction) {
	return lanewise(func(e *emitter, in *Instruction, d, a, b, _ asm.V) {
		switch n, ok := e.constant[in.B]; {
		case ok && n&31 == 0:
			e.vvx(asm.VPANDD, d, a, e.word32(uint32(in.Imm)))
		case ok:
			e.vxi(fixed, asm.Z4, a, uint8(n&31))
			e.vvx(asm.VPANDD, d, asm.Z4, e.word32(uint32(in.Imm)))
		default:
			e.vvx(asm.VPANDD, asm.Z4, b, e.word32(31))
			e.vvx(by, asm.Z4, a, asm.Z4)
			e.vvx(asm.VPANDD, d, asm.Z4, e.word32(uint32(in.Imm)))
		}
		e.vx(asm.VCVTDQ2PS, d, d)
	})
}

// divided writes a division of words, or its remainder.
func divided(signed, remainder bool) func(*emitter, *Instruction) {
	return func(e *emitter, in *Instruction) {
		if made, _ := e.result(in); made.form == uniform {
			e.divideScalars(in, signed, remainder, word)
			return
		}
		e.divideLanes(in, signed, remainder)
	}
}

// dividedLong is divided for longs, of which only those that are the same in all lanes are
// divided here.
func dividedLong(signed, remainder bool) func(*emitter, *Instruction) {
	return func(e *emitter, in *Instruction) {
		if made, _ := e.result(in); made.form == uniform {
			e.divideScalars(in, signed, remainder, long)
			return
		}
		e.give(in)
	}
}

// give leaves an instruction to the interpreter.
func (e *emitter) give(in *Instruction) {
	e.asm.Jump(asm.Always, e.bail())
	if op := &operations[in.Op]; op.d > mask {
		made, n := op.results(in)
		for _, at := range made[:n] {
			e.drop(e.slotOf(at))
		}
	}
}

func (e *emitter) divideScalars(in *Instruction, signed, remainder bool, c class) {
	a, w := &e.asm, &wides[c]
	bail := e.bail()
	a.GR(w.move, asm.RCX, e.base(in.B))
	a.GR(asm.TESTQ, asm.RCX, asm.RCX)
	a.Jump(asm.Equal, bail)
	if signed { // the least number by -1 does not fit
		if c == word {
			a.RI(asm.CMPL_I, asm.RCX, -1)
		} else {
			a.RI(asm.CMPQ_I, asm.RCX, -1)
		}
		a.Jump(asm.Equal, bail)
	}
	a.GR(w.move, asm.RAX, e.base(in.A))
	switch {
	case signed && c == word:
		a.O(asm.CDQ)
		a.RO(asm.IDIVL, asm.RCX)
	case signed:
		a.O(asm.CQO)
		a.RO(asm.IDIVQ, asm.RCX)
	case c == word:
		a.GR(asm.XORL, asm.RDX, asm.RDX)
		a.RO(asm.DIVL, asm.RCX)
	default:
		a.GR(asm.XORL, asm.RDX, asm.RDX)
		a.RO(asm.DIVQ, asm.RCX)
	}
	r := asm.RAX
	if remainder {
		r = asm.RDX
	}
	if c == word {
		a.VR(asm.VMOVD, asm.Z3, r)
	} else {
		a.VR(asm.VMOVQ, asm.Z3, r)
	}
	e.finish(in, asm.Z3)
}

// divideLanes divides words as doubles, whose quotients of 32-bit integers truncate to the
// right ones.
func (e *emitter) divideLanes(in *Instruction, signed, remainder bool) {
	a := &e.asm
	x, y := e.fetch(in.A), e.fetch(in.B)
	bail := e.bail()
	for i := range 2 {
		a.KVX(asm.Mask(asm.VPTESTNMD, activePart(i)), asm.K3+asm.K(i), y[i], y[i])
	}
	a.KK(asm.KORTESTW, asm.K3, asm.K4)
	a.Jump(asm.NotEqual, bail)
	toDouble, toInt := asm.VCVTUDQ2PD, asm.VCVTTPD2UDQ
	if signed {
		toDouble, toInt = asm.VCVTDQ2PD, asm.VCVTTPD2DQ
	}
	u := e.take(2)
	d := vectorsOf(u)
	for i := range 2 {
		// Where an inactive lane divides by 0, what comes out does not matter.
		a.VX(toDouble, asm.Z0, x[i])
		a.VX(toDouble, asm.Z1, y[i])
		a.VVX(asm.VDIVPD, asm.Z0, asm.Z0, asm.Z1)
		a.VX(toInt, asm.Z0, asm.Z0)
		a.XVI(asm.VEXTRACTI64X4, asm.Z1, x[i], 1)
		a.XVI(asm.VEXTRACTI64X4, asm.Z2, y[i], 1)
		a.VX(toDouble, asm.Z1, asm.Z1)
		a.VX(toDouble, asm.Z2, asm.Z2)
		a.VVX(asm.VDIVPD, asm.Z1, asm.Z1, asm.Z2)
		a.VX(toInt, asm.Z1, asm.Z1)
		a.VVXI(asm.VINSERTI64X4, d[i], asm.Z0, asm.Z1, 1)
		if remainder {
			a.VVX(asm.VPMULLD, d[i], d[i], y[i])
			a.VVX(asm.VPSUBD, d[i], x[i], d[i])
		}
	}
	e.assign(in, u)
}

// shiftLongs writes a shift of longs by words, modulo 64.
func shiftLongs(by asm.VVX) func(*emitter, *Instruction) {
	return func(e *emitter, in *Instruction) {
		a := &e.asm
		if made, _ := e.result(in); made.form == uniform {
			e.loadScalar(asm.Z0, in.A)
			e.loadScalar(asm.Z1, in.B)
			e.short = true
			e.vvx(asm.VPANDD, asm.Z1, asm.Z1, e.word32(63))
			e.vvx(by, asm.Z3, asm.Z0, asm.Z1)
			e.short = false
			e.finish(in, asm.Z3)
			return
		}
		x, n := e.fetch(in.A), e.fetch(in.B)
		u := e.take(4)
		d := vectorsOf(u)
		for i := range 4 {
			a.XVI(asm.VEXTRACTI64X4, asm.Z4, n[i/2], uint8(i&1))
			a.VX(asm.VPMOVZXDQ, asm.Z4, asm.Z4)
			a.VVX(asm.VPANDQ, asm.Z4, asm.Z4, e.word64(63))
			a.VVX(by, d[i], x[i], asm.Z4)
		}
		e.assign(in, u)
	}
}
