package native

import "github.com/metalgen/metalgen/runtime/internal/cpu/asm"

// scalarInMemory is how a number in memory becomes one of a register, and the other way round.
type scalarInMemory struct {
	size int32
	// row loads 16 of them that lie in a row.
	row asm.VX
	// shape changes what row or a gather, of 32 bits, has loaded.
	shape func(e *emitter, v asm.V)
	// one loads a single one to RAX, and shape does the rest.
	one asm.GR
	// narrow stores 16 of a vector, after unshape, which may use Z4, has changed it.
	narrow  asm.XV
	unshape func(e *emitter, d, v asm.V)
	// signed is set where what is gathered has a sign to be extended.
	signed bool
}

var (
	inWords  = scalarInMemory{size: 4, row: asm.VMOVUPS, one: asm.MOVL, narrow: asm.VMOVUPS_ST}
	inUint8  = scalarInMemory{size: 1, row: asm.VPMOVZXBD, one: asm.MOVZXB, narrow: asm.VPMOVDB}
	inInt8   = scalarInMemory{size: 1, row: asm.VPMOVSXBD, one: asm.MOVSXBL, signed: true}
	inUint16 = scalarInMemory{size: 2, row: asm.VPMOVZXWD, one: asm.MOVZXW, narrow: asm.VPMOVDW}
	inInt16  = scalarInMemory{size: 2, row: asm.VPMOVSXWD, one: asm.MOVSXWL, signed: true}
	inHalf   = scalarInMemory{
		size: 2, row: asm.VPMOVZXWD, one: asm.MOVZXW, shape: fromHalf, narrow: asm.VPMOVDW, unshape: toHalf,
	}
	inBFloat = scalarInMemory{
		size: 2, row: asm.VPMOVZXWD, one: asm.MOVZXW, shape: fromBFloat, narrow: asm.VPMOVDW, unshape: toBFloat,
	}
)

// fromHalf converts the halves in the lower bits of words.
func fromHalf(e *emitter, v asm.V) {
	if e.short {
		e.asm.VX(asm.Len128(asm.VCVTPH2PS), v, v)
		return
	}
	e.asm.XV(asm.VPMOVDW, v, v)
	e.asm.VX(asm.VCVTPH2PS, v, v)
}

func fromBFloat(e *emitter, v asm.V) { e.vxi(asm.VPSLLD, v, v, 16) }

func toHalf(e *emitter, d, v asm.V) {
	e.asm.XVI(asm.VCVTPS2PH, d, v, 0)
	e.asm.VX(asm.VPMOVZXWD, d, d)
}

// toBFloat rounds to the upper 16 bits, ties to even.
func toBFloat(e *emitter, d, v asm.V) {
	roundToBFloat(e, d, v)
	e.vxi(asm.VPSRLD, d, d, 16)
}

// load writes a load of words.
func load(m *scalarInMemory) func(*emitter, *Instruction) {
	return func(e *emitter, in *Instruction) {
		a := &e.asm
		t, ok := e.target(in, m.size)
		if !ok {
			e.give(in)
			return
		}
		if e.Objects[t.object].Striped {
			e.loadStriped(in, t, m)
			return
		}
		if t.form == uniform {
			e.locate(in, t)
			e.checkOne(t)
			a.GR(m.one, asm.RAX, asm.Mem{Base: asm.RAX})
			a.VR(asm.VMOVD, asm.Z0, asm.RAX)
			if m.shape != nil {
				e.short = true
				m.shape(e, asm.Z0)
				e.short = false
			}
			e.finish(in, asm.Z0)
			return
		}
		if t.form == linear && t.step == t.size {
			e.locate(in, t)
			u := e.take(2)
			d := vectorsOf(u)
			e.row(t, func(all bool) {
				for i := range 2 {
					row := m.row
					if !all {
						row = asm.Zero(row, activePart(i))
					}
					a.VX(row, d[i], asm.Mem{Base: asm.RAX, Disp: 16 * m.size * int32(i)})
				}
			})
			if m.shape != nil {
				m.shape(e, d[0])
				m.shape(e, d[1])
			}
			e.assign(in, u)
			return
		}
		index := e.indexes(in, t)
		u := e.take(2)
		d := vectorsOf(u)
		for i := range 2 {
			e.gather(m, d[i], index[i], i)
			if m.shape != nil {
				m.shape(e, d[i])
			}
		}
		e.assign(in, u)
	}
}

// loadUniform writes a load that goes to one address for all lanes, which load writes with that in RAX.
// Other loads are the interpreter's.
func loadUniform(size int32, load func(e *emitter, in *Instruction)) func(*emitter, *Instruction) {
	return func(e *emitter, in *Instruction) {
		t, ok := e.target(in, size)
		if !ok || t.form != uniform || e.Objects[t.object].Striped {
			e.give(in)
			return
		}
		e.locate(in, t)
		e.checkOne(t)
		load(e, in)
	}
}

func loadLong(e *emitter, in *Instruction) {
	e.asm.VR(asm.VMOVQ, asm.Z0, asm.Mem{Base: asm.RAX})
	e.finish(in, asm.Z0)
}

// loadBool holds in all lanes if the byte is not 0.
func loadBool(e *emitter, in *Instruction) {
	e.asm.GR(asm.MOVZXB, asm.RAX, asm.Mem{Base: asm.RAX})
	e.asm.RO(asm.NEGL, asm.RAX) // carries unless it is 0
	e.asm.GR(asm.SBBQ, asm.RAX, asm.RAX)
	e.asm.MG(asm.MOVL_ST, memoryAt(in.D), asm.RAX)
}

// indexes returns how many bytes from the address in R8 the lanes of an access are, which have
// been checked.
func (e *emitter) indexes(in *Instruction, t target) vectors {
	v := vectors{asm.Z0, asm.Z1}
	if t.form == varying {
		e.scatteredIndexes(in, t, v)
		return v
	}
	e.locate(in, t)
	e.checkEnds(t)
	e.gatherIndexes(t, v)
	e.asm.GR(asm.MOVQ, asm.R8, asm.RAX)
	e.asm.GR(asm.ADDQ, asm.R8, e.objectField(t.object, e.layout.Object.Base))
	return v
}

// gather loads the active ones of 16 lanes. What has fewer than 32 bits is cut out of the
// aligned word that it is in, so that no byte is read that is not on the same page.
func (e *emitter) gather(m *scalarInMemory, d, index asm.V, part int) {
	a := &e.asm
	a.KW(asm.KMOVW, asm.K3, activePart(part))
	e.clear(d)
	from := asm.Vectored{Base: asm.R8, Index: index, Scale: 1}
	if m.size == 4 {
		a.VN(asm.Mask(asm.VPGATHERDD, asm.K3), d, from)
		return
	}
	if part == 0 {
		a.GR(asm.MOVL, asm.RCX, asm.R8)
		a.RI(asm.ANDL_I, asm.RCX, 3)
		a.RI(asm.ANDQ_I, asm.R8, -4)
		a.VG(asm.VPBROADCASTD_G, asm.Z5, asm.RCX)
	}
	a.VVX(asm.VPADDD, index, index, asm.Z5)
	a.VVX(asm.VPANDD, asm.Z4, index, e.word32(3))
	a.VVX(asm.VPSUBD, index, index, asm.Z4)
	a.VXI(asm.VPSLLD, asm.Z4, asm.Z4, 3)
	a.VN(asm.Mask(asm.VPGATHERDD, asm.K3), d, from)
	a.VVX(asm.VPSRLVD, d, d, asm.Z4)
	bits := uint8(32 - 8*m.size)
	a.VXI(asm.VPSLLD, d, d, bits)
	if m.signed {
		a.VXI(asm.VPSRAD, d, d, bits)
	} else {
		a.VXI(asm.VPSRLD, d, d, bits)
	}
}

// store writes a store of words.
func store(m *scalarInMemory) func(*emitter, *Instruction) {
	return func(e *emitter, in *Instruction) {
		a := &e.asm
		t, ok := e.target(in, m.size)
		if !ok || e.Objects[t.object].Constant {
			e.give(in)
			return
		}
		v := e.fetch(in.D)
		if e.Objects[t.object].Striped {
			e.storeStriped(in, t, m, v)
			return
		}
		switch {
		case t.form == uniform: // the last active lane wins
			e.locate(in, t)
			e.checkOne(t)
			a.GR(asm.LZCNTL, asm.RCX, active)
			a.RO(asm.NEGQ, asm.RCX)
			a.RI(asm.ADDQ_I, asm.RCX, width-1)
			a.VG(asm.VPBROADCASTD_G, asm.Z4, asm.RCX)
			a.VX(asm.VMOVDQU32, asm.Z0, v[0])
			a.VVX(asm.VPERMT2D, asm.Z0, asm.Z4, v[1])
			if m.unshape != nil {
				m.unshape(e, asm.Z0, asm.Z0)
			}
			a.RV(asm.VMOVD_ST, asm.RCX, asm.Z0)
			a.MG(storesOf[m.size], asm.Mem{Base: asm.RAX}, asm.RCX)
		case t.form == linear && t.step == t.size:
			e.locate(in, t)
			if m.unshape != nil {
				for i := range 2 {
					m.unshape(e, asm.Z0+asm.V(i), v[i])
				}
				v = vectors{asm.Z0, asm.Z1}
			}
			e.row(t, func(all bool) {
				for i := range 2 {
					narrow := m.narrow
					if !all {
						narrow = asm.Mask(narrow, activePart(i))
					}
					a.XV(narrow, asm.Mem{Base: asm.RAX, Disp: 16 * m.size * int32(i)}, v[i])
				}
			})
		case m.size < 4:
			e.scatter(m, e.indexes(in, t), v)
		default:
			index := e.indexes(in, t)
			for i := range 2 {
				a.KW(asm.KMOVW, asm.K3, activePart(i))
				a.NV(asm.Mask(asm.VPSCATTERDD, asm.K3), asm.Vectored{Base: asm.R8, Index: index[i], Scale: 1}, v[i])
			}
		}
	}
}

// scatter stores the active lanes of what has fewer than 32 bits, the first lane first: where several store to one
// address, the last one wins.
func (e *emitter) scatter(m *scalarInMemory, index, v vectors) {
	a := &e.asm
	const offsets, values = 8, 8 + 4*width // in the scratch memory
	for i := range 2 {
		a.XV(asm.VMOVUPS_ST, asm.Mem{Base: asm.RSP, Disp: offsets + 64*int32(i)}, index[i])
		from := v[i]
		if m.unshape != nil {
			from = asm.Z2
			m.unshape(e, from, v[i])
		}
		a.XV(asm.VMOVUPS_ST, asm.Mem{Base: asm.RSP, Disp: values + 64*int32(i)}, from)
	}
	next := a.Label()
	a.GR(asm.MOVL, asm.RCX, active)
	a.Bind(next)
	a.GR(asm.TZCNTL, asm.RDX, asm.RCX)
	a.GR(asm.MOVSXD, asm.RSI, asm.Mem{Base: asm.RSP, Index: asm.RDX, Scale: 4, Disp: offsets})
	a.GR(asm.MOVL, asm.RDI, asm.Mem{Base: asm.RSP, Index: asm.RDX, Scale: 4, Disp: values})
	a.MG(storesOf[m.size], asm.Mem{Base: asm.R8, Index: asm.RSI, Scale: 1}, asm.RDI)
	a.DR(asm.BLSRL, asm.RCX, asm.RCX)
	a.Jump(asm.NotEqual, next)
}

var storesOf = [...]asm.MG{1: asm.MOVB_ST, 2: asm.MOVW_ST, 4: asm.MOVL_ST}

// stripes makes RAX the address of the words of all lanes, of thread memory, and returns false
// where those are not at one offset.
func (e *emitter) stripes(in *Instruction, t target) bool {
	if t.form != uniform || t.size != 4 {
		return false
	}
	a := &e.asm
	e.locate(in, t)
	e.room(asm.RCX, t, 4)
	a.GR(asm.CMPQ, asm.RAX, asm.RCX)
	a.Jump(asm.Above, e.bail())
	a.RI(asm.TESTL_I, asm.RAX, 3)
	a.Jump(asm.NotEqual, e.bail())
	a.RB(asm.SHLQ_I, asm.RAX, 5)
	a.GR(asm.ADDQ, asm.RAX, e.objectField(t.object, e.layout.Object.Base))
	return true
}

// loadStriped loads from thread memory, where the words of all lanes at one offset are side by
// side.
func (e *emitter) loadStriped(in *Instruction, t target, m *scalarInMemory) {
	a := &e.asm
	if m.size != 4 {
		e.give(in)
		return
	}
	if e.stripes(in, t) {
		u := e.take(2)
		d := vectorsOf(u)
		for i := range 2 {
			a.VX(asm.VMOVUPS, d[i], asm.Mem{Base: asm.RAX, Disp: 64 * int32(i)})
		}
		e.assign(in, u)
		return
	}
	if t.form != varying {
		e.give(in)
		return
	}
	index := e.stripedIndexes(in, t)
	u := e.take(2)
	d := vectorsOf(u)
	for i := range 2 {
		e.gather(m, d[i], index[i], i)
	}
	e.assign(in, u)
}

// stripedIndexes is indexes for words of thread memory.
func (e *emitter) stripedIndexes(in *Instruction, t target) vectors {
	v := vectors{asm.Z0, asm.Z1}
	e.scatteredIndexes(in, t, v)
	a := &e.asm
	bail := e.bail()
	a.GR(asm.MOVQ, asm.RCX, e.objectField(t.object, e.layout.Object.Base))
	a.GR(asm.SUBQ, asm.R8, asm.RCX)
	a.VG(asm.VPBROADCASTD_G, asm.Z4, asm.R8)
	a.GR(asm.MOVQ, asm.R8, asm.RCX)
	for i := range 2 {
		a.VVX(asm.VPADDD, v[i], v[i], asm.Z4)
		a.KVX(asm.Mask(asm.VPTESTMD, activePart(i)), asm.K3+asm.K(i), v[i], e.word32(3))
		a.VXI(asm.VPSLLD, v[i], v[i], 5)
		a.VXI(asm.VPSLLD, asm.Z5, countLow+asm.V(i), 2)
		a.VVX(asm.VPADDD, v[i], v[i], asm.Z5)
	}
	a.KK(asm.KORTESTW, asm.K3, asm.K4)
	a.Jump(asm.NotEqual, bail)
	return v
}

// storeStriped stores to thread memory.
func (e *emitter) storeStriped(in *Instruction, t target, m *scalarInMemory, v vectors) {
	a := &e.asm
	if m.size != 4 {
		e.give(in)
		return
	}
	if e.stripes(in, t) {
		for i := range 2 {
			a.XV(asm.Mask(asm.VMOVUPS_ST, activePart(i)), asm.Mem{Base: asm.RAX, Disp: 64 * int32(i)}, v[i])
		}
		return
	}
	if t.form != varying {
		e.give(in)
		return
	}
	index := e.stripedIndexes(in, t)
	for i := range 2 {
		a.KW(asm.KMOVW, asm.K3, activePart(i))
		a.NV(asm.Mask(asm.VPSCATTERDD, asm.K3), asm.Vectored{Base: asm.R8, Index: index[i], Scale: 1}, v[i])
	}
}
