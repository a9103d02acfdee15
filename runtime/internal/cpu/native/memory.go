package native

import "github.com/metalgen/metalgen/runtime/internal/cpu/asm"

// objectBits are those of a pointer that say where in its object it points to; the others are
// the number of the object. Pointers point no farther than reach from the beginning.
const (
	offsetBits = 48
	reachBits  = 46
)

// objectOf returns the number of the object that a pointer points into, which may be in front of its first byte.
func objectOf(p uint64) int16 { return int16((p + 1<<(offsetBits-1)) >> offsetBits) }

// target is where the lanes of an access are: at RAX bytes into an object, and from lane to lane
// step bytes further on, or RSI where the step is not known.
type target struct {
	object int32
	form   form
	step   int32
	size   int32 // bytes of an access
}

// objectField returns the memory of a field of an object.
func (e *emitter) objectField(n, field int32) asm.Mem {
	return asm.Mem{Base: objects, Disp: n*e.layout.Object.Size + field}
}

// target finds where an access goes. It reports false where only the interpreter knows.
func (e *emitter) target(in *Instruction, size int32) (t target, ok bool) {
	p := e.kind(in.A)
	n := int32(p.object)
	if n <= 0 || int(n) >= len(e.Objects) {
		return t, false
	}
	t = target{object: n, size: size, form: p.form}
	index := kind{form: uniform}
	if in.C != NoIndex {
		index = e.kind(in.B)
	}
	k := sum(p, index, int64(in.Target))
	t.form, t.step = k.form, k.step
	return t, true
}

// locate makes RAX the offset of the first lane in its object, and RSI the step where that is
// not known. The pointer and the index count.
func (e *emitter) locate(in *Instruction, t target) {
	a := &e.asm
	bail := e.bail()
	e.displacement(asm.RAX, in)
	if t.form == strided {
		e.loadStep(asm.RSI, in.A, long)
	}
	if in.C == NoIndex {
		return
	}
	c := word
	if in.C == LongIndex {
		c = long
	}
	k := e.kind(in.B)
	e.widened(asm.RCX, in.B, k, in.C)
	if k.form != uniform {
		e.loadStep(asm.RDX, in.B, c)
		if c == word {
			a.GR(asm.MOVSXD, asm.RDX, asm.RDX)
		}
		if c == word {
			e.checkWraps(asm.RCX, asm.RDX, in.C)
		}
		if t.form == strided {
			a.GRI(asm.IMULQ_I, asm.RDX, asm.RDX, in.Target)
			a.Jump(asm.Overflow, bail)
			a.GR(asm.ADDQ, asm.RSI, asm.RDX)
			a.Jump(asm.Overflow, bail)
		}
	}
	a.GRI(asm.IMULQ_I, asm.RCX, asm.RCX, in.Target)
	if c == long {
		a.Jump(asm.Overflow, bail)
	}
	a.GR(asm.ADDQ, asm.RAX, asm.RCX)
}

// displacement makes d where the pointer of an access points to in its object, and Imm bytes more.
func (e *emitter) displacement(d asm.GP, in *Instruction) {
	a := &e.asm
	if bits, ok := e.constant[in.A]; ok {
		a.Number(d, uint64(int64(bits<<(64-offsetBits))>>(64-offsetBits)+in.Imm))
		return
	}
	a.GR(asm.MOVQ, d, e.base(in.A))
	a.RB(asm.SHLQ_I, d, 64-offsetBits)
	a.RB(asm.SARQ_I, d, 64-offsetBits)
	if in.Imm != 0 {
		a.Number(asm.RCX, uint64(in.Imm))
		a.GR(asm.ADDQ, d, asm.RCX)
	}
}

// widened loads the base of an index as 64 bits.
func (e *emitter) widened(d asm.GP, at int32, k kind, index int32) {
	switch index {
	case IntIndex:
		e.asm.GR(asm.MOVSXD, d, e.base(at))
	case UintIndex:
		e.asm.GR(asm.MOVL, d, e.base(at))
	default:
		e.asm.GR(asm.MOVQ, d, e.base(at))
	}
}

// checkWraps leaves words to the interpreter that wrap around on the way from the first lane to
// the last. It uses R8 and R9.
func (e *emitter) checkWraps(base, step asm.GP, index int32) {
	a := &e.asm
	bail := e.bail()
	a.GRI(asm.IMULQ_I, asm.R8, step, width-1)
	a.GR(asm.ADDQ, asm.R8, base)
	if index == IntIndex {
		a.GR(asm.MOVSXD, asm.R9, asm.R8)
	} else {
		a.GR(asm.MOVL, asm.R9, asm.R8)
	}
	a.GR(asm.CMPQ, asm.R9, asm.R8)
	a.Jump(asm.NotEqual, bail)
}

// checkOne leaves an access to the interpreter where the offset in RAX is not inside, or not
// aligned, and makes RAX its address. It uses RCX.
func (e *emitter) checkOne(t target) {
	a, o := &e.asm, &e.layout.Object
	bail := e.bail()
	e.room(asm.RCX, t, t.size)
	a.GR(asm.CMPQ, asm.RAX, asm.RCX)
	a.Jump(asm.Above, bail)
	e.checkAligned(t)
	a.GR(asm.ADDQ, asm.RAX, e.objectField(t.object, o.Base))
}

// room makes d the greatest offset at which n bytes are inside.
func (e *emitter) room(d asm.GP, t target, n int32) {
	e.asm.GR(asm.MOVQ, d, e.objectField(t.object, e.layout.Object.Bytes))
	e.asm.RI(asm.SUBQ_I, d, n)
	e.asm.Jump(asm.Less, e.bail())
}

// checkAligned leaves an access to the interpreter where the offset in RAX is not aligned.
func (e *emitter) checkAligned(t target) {
	if t.size == 1 {
		return
	}
	e.asm.GR(asm.MOVL, asm.RCX, e.objectField(t.object, e.layout.Object.Skew))
	e.asm.GR(asm.ADDL, asm.RCX, asm.RAX)
	e.asm.RI(asm.TESTL_I, asm.RCX, t.size-1)
	e.asm.Jump(asm.NotEqual, e.bail())
}

// checkEnds leaves an access to the interpreter where the first or the last active lane is not
// inside, or any is not aligned. Those between them are inside too. The step is known, or in
// RSI. It uses RCX, RDX, R8 and R9.
func (e *emitter) checkEnds(t target) {
	a := &e.asm
	bail := e.bail()
	e.room(asm.RCX, t, t.size)
	a.GR(asm.TZCNTL, asm.R8, active)
	a.GR(asm.LZCNTL, asm.R9, active)
	a.RO(asm.NEGQ, asm.R9)
	a.RI(asm.ADDQ_I, asm.R9, width-1)
	for _, lane := range []asm.GP{asm.R8, asm.R9} {
		if t.form == strided {
			a.GR(asm.IMULQ, lane, asm.RSI)
		} else {
			a.GRI(asm.IMULQ_I, lane, lane, t.step)
		}
		a.GR(asm.ADDQ, lane, asm.RAX)
		a.GR(asm.CMPQ, lane, asm.RCX)
		a.Jump(asm.Above, bail)
	}
	e.checkAligned(t)
	if t.form == strided && t.size > 1 {
		a.RI(asm.TESTL_I, asm.RSI, t.size-1)
		a.Jump(asm.NotEqual, bail)
	} else if t.step&(t.size-1) != 0 {
		a.Jump(asm.Always, bail)
	}
}

// row writes what an access does where all lanes are next to each other, the step is the size, and
// those that are active are inside: access, with the address of the first lane in RAX, for all
// lanes, and behind all other code for some.
func (e *emitter) row(t target, access func(all bool)) {
	a, pc := &e.asm, e.pc
	bail, change := e.bail(), e.cache.change
	some, done := a.Label(), a.Label()
	a.RI(asm.CMPL_I, active, -1)
	a.Jump(asm.NotEqual, some)
	e.room(asm.RCX, t, width*t.size)
	a.GR(asm.CMPQ, asm.RAX, asm.RCX)
	a.Jump(asm.Above, bail)
	e.checkAligned(t)
	a.GR(asm.ADDQ, asm.RAX, e.objectField(t.object, e.layout.Object.Base))
	access(true)
	a.Bind(done)
	e.postpone(0, func() {
		e.pc, e.exits.last, e.exits.lastPC, e.exits.lastChange, e.cache.change = pc, bail, pc, change, change
		a.Bind(some)
		e.checkEnds(t)
		a.GR(asm.ADDQ, asm.RAX, e.objectField(t.object, e.layout.Object.Base))
		access(false)
		a.Jump(asm.Always, done)
	})
}

// gatherIndexes makes vectors v the bytes from the address in RAX to those of the lanes, where
// the step is known or in RSI.
func (e *emitter) gatherIndexes(t target, v vectors) {
	a := &e.asm
	by := asm.X(e.word32(uint32(t.step)))
	if t.form != strided && (t.step > 1<<25 || t.step < -1<<25) {
		a.Jump(asm.Always, e.bail())
	}
	if t.form == strided {
		bail := e.bail()
		a.GRI(asm.IMULQ_I, asm.R8, asm.RSI, width)
		a.Jump(asm.Overflow, bail)
		a.GR(asm.MOVSXD, asm.R9, asm.R8)
		a.GR(asm.CMPQ, asm.R8, asm.R9)
		a.Jump(asm.NotEqual, bail)
		a.VG(asm.VPBROADCASTD_G, v[1], asm.RSI)
		by = v[1]
	}
	a.VVX(asm.VPMULLD, v[0], countLow, by)
	a.VVX(asm.VPMULLD, v[1], countHigh, by)
}

// scatteredIndexes makes vectors v the offsets of the lanes in their object, and R8 the address
// of that, where all active lanes are inside and aligned. It uses Z4 to Z9.
func (e *emitter) scatteredIndexes(in *Instruction, t target, v vectors) {
	a := &e.asm
	if p := e.kind(in.A); in.C != LongIndex && in.C != NoIndex && p.form == uniform {
		e.scatteredWords(in, t, v)
		return
	}
	// Offsets of 64 bits, which are checked and then have 32.
	pointer := e.fetch(in.A)
	var longs, words vectors
	switch in.C {
	case LongIndex:
		longs = e.fetch(in.B)
	case IntIndex, UintIndex:
		words = e.fetch(in.B)
	}
	bail := e.bail()
	e.room(asm.RCX, t, t.size)
	a.Number(asm.RDX, 1<<31-1)
	a.GR(asm.CMPQ, asm.RCX, asm.RDX)
	a.Move(asm.Above, asm.RCX, asm.RDX)
	a.VG(asm.VPBROADCASTQ_G, asm.Z9, asm.RCX)
	a.GR(asm.MOVL, asm.RDX, e.objectField(t.object, e.layout.Object.Skew))
	a.VG(asm.VPBROADCASTQ_G, asm.Z8, asm.RDX)
	for i := range 4 {
		a.VXI(asm.VPSLLQ, asm.Z4, pointer[i], 64-offsetBits)
		a.VXI(asm.VPSRAQ, asm.Z4, asm.Z4, 64-offsetBits)
		if in.Imm != 0 {
			a.VVX(asm.VPADDQ, asm.Z4, asm.Z4, e.word64(uint64(in.Imm)))
		}
		k := e.activeQuarter(i)
		if in.C != NoIndex {
			index := longs[i]
			if in.C != LongIndex {
				index = asm.Z5
				a.XVI(asm.VEXTRACTI64X4, asm.Z5, words[i/2], uint8(i&1))
				widen := asm.VPMOVZXDQ
				if in.C == IntIndex {
					widen = asm.VPMOVSXDQ
				}
				a.VX(widen, asm.Z5, asm.Z5)
			} else { // no index may come round
				a.VVX(asm.VPADDQ, asm.Z5, index, e.word64(1<<reachBits))
				a.KVXI(asm.Mask(asm.VPCMPUQ, k), asm.K3, asm.Z5, e.word64(2<<reachBits), asm.IntNLT)
				a.KK(asm.KORTESTB, asm.K3, asm.K3)
				a.Jump(asm.NotEqual, bail)
			}
			a.VVX(asm.VPMULLQ, asm.Z5, index, e.word64(uint64(in.Target)))
			a.VVX(asm.VPADDQ, asm.Z4, asm.Z4, asm.Z5)
		}
		a.KVXI(asm.Mask(asm.VPCMPUQ, k), asm.K3, asm.Z4, asm.Z9, asm.IntNLE)
		a.KK(asm.KORTESTB, asm.K3, asm.K3)
		a.Jump(asm.NotEqual, bail)
		if t.size > 1 {
			a.VVX(asm.VPADDQ, asm.Z5, asm.Z4, asm.Z8)
			a.KVX(asm.Mask(asm.VPTESTMQ, k), asm.K3, asm.Z5, e.word64(uint64(t.size-1)))
			a.KK(asm.KORTESTB, asm.K3, asm.K3)
			a.Jump(asm.NotEqual, bail)
		}
		if i&1 == 0 {
			a.XV(asm.VPMOVQD, v[i/2], asm.Z4)
		} else {
			a.XV(asm.VPMOVQD, asm.Z4, asm.Z4)
			a.VVXI(asm.VINSERTI64X4, v[i/2], v[i/2], asm.Z4, 1)
		}
	}
	a.GR(asm.MOVQ, asm.R8, e.objectField(t.object, e.layout.Object.Base))
}

// scatteredWords is scatteredIndexes for words that index from a pointer that is the same in
// all lanes.
func (e *emitter) scatteredWords(in *Instruction, t target, v vectors) {
	a, o := &e.asm, &e.layout.Object
	index := e.fetch(in.B)
	bail := e.bail()
	e.displacement(asm.RAX, in)
	a.GR(asm.TESTQ, asm.RAX, asm.RAX)
	a.Jump(asm.Negative, bail)
	e.room(asm.RCX, t, t.size)
	a.GR(asm.SUBQ, asm.RCX, asm.RAX)
	a.Jump(asm.Less, bail)
	e.checkAlignedWith(t, in.Target)
	// The greatest index that is inside.
	if in.Target&(in.Target-1) == 0 {
		for n := in.Target; n > 1; n /= 2 {
			a.RB(asm.SHRQ_I, asm.RCX, 1)
		}
	} else {
		a.GR(asm.MOVQ, asm.R9, asm.RAX)
		a.GR(asm.MOVQ, asm.RAX, asm.RCX)
		a.GR(asm.XORL, asm.RDX, asm.RDX)
		a.Number(asm.RCX, uint64(in.Target))
		a.RO(asm.DIVQ, asm.RCX)
		a.GR(asm.MOVQ, asm.RCX, asm.RAX)
		a.GR(asm.MOVQ, asm.RAX, asm.R9)
	}
	a.Number(asm.RDX, uint64((1<<31-1)/in.Target))
	a.GR(asm.CMPQ, asm.RCX, asm.RDX)
	a.Move(asm.Above, asm.RCX, asm.RDX)
	a.VG(asm.VPBROADCASTD_G, asm.Z9, asm.RCX)
	for i := range 2 {
		a.KVXI(asm.Mask(asm.VPCMPUD, activePart(i)), asm.K3+asm.K(i), index[i], asm.Z9, asm.IntNLE)
	}
	a.KK(asm.KORTESTW, asm.K3, asm.K4)
	a.Jump(asm.NotEqual, bail)
	for i := range 2 {
		if in.Target == 1 {
			a.VX(asm.VMOVDQU32, v[i], index[i])
		} else {
			a.VVX(asm.VPMULLD, v[i], index[i], e.word32(uint32(in.Target)))
		}
	}
	a.GR(asm.MOVQ, asm.R8, e.objectField(t.object, o.Base))
	a.GR(asm.ADDQ, asm.R8, asm.RAX)
}

// checkAlignedWith is checkAligned for lanes that are multiples of so many bytes away. It keeps RCX.
func (e *emitter) checkAlignedWith(t target, scale int32) {
	if t.size == 1 {
		return
	}
	bail := e.bail()
	if scale&(t.size-1) != 0 {
		e.asm.Jump(asm.Always, bail)
		return
	}
	e.asm.GR(asm.MOVL, asm.RDX, e.objectField(t.object, e.layout.Object.Skew))
	e.asm.GR(asm.ADDL, asm.RDX, asm.RAX)
	e.asm.RI(asm.TESTL_I, asm.RDX, t.size-1)
	e.asm.Jump(asm.NotEqual, bail)
}
