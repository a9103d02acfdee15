package native

import "github.com/metalgen/metalgen/runtime/internal/cpu/asm"

// Of a matrix of 8 rows and 8 columns, lane 16a + 8b + 2c + d has the elements of row 4a + c in columns 4b + 2d, in
// the first register, and 4b + 2d + 1, in the second. So each of the four vectors of a matrix, one of two registers and
// one of two halves, has four rows and every other column.

// side is the number of rows and columns.
const side = 8

// matrixLane returns the row of a lane of a half, and its column in the first register.
func matrixLane(lane int) (row, column int) { return lane >> 1 & 3, lane>>3*4 + lane&1*2 }

// laneOf is the inverse of matrixLane, for either register.
func laneOf(row, column int) uint32 { return uint32(column>>2<<3 | row&3<<1 | column>>1&1) }

// permutation returns a vector of what index says for each lane.
func (e *emitter) permutation(index func(lane int) uint32) asm.Mem {
	var v [16]uint32
	for lane := range v {
		v[lane] = index(lane)
	}
	return e.asm.Vector(&v)
}

// checkAllActive leaves matrices of which some lanes are not active to the interpreter: those hold zeros then.
func (e *emitter) checkAllActive() {
	e.asm.RI(asm.CMPL_I, active, -1)
	e.asm.Jump(asm.NotEqual, e.bail())
}

// factors are what a product reads.
func factors(m *Matrices) []operand {
	list := []operand{{m.X[0], word}, {m.X[1], word}, {m.Y[0], word}, {m.Y[1], word}}
	if m.Adds {
		list = append(list, operand{m.W[0], word}, operand{m.W[1], word})
	}
	return list
}

// multiplyMatrices writes a product. To W come the products of a row's first element, then of the second, and so on.
func multiplyMatrices(e *emitter, in *Instruction) {
	a, m := &e.asm, in.Matrices
	e.checkAllActive()
	var x, y, z [2]vectors
	var u [2][2]uint8
	for i := range 2 {
		u[i] = e.take(2)
		z[i] = vectorsOf(u[i])
		var w vectors
		if m.Adds {
			w = e.fetch(m.W[i])
		}
		for half := range 2 {
			if m.Adds {
				a.VX(asm.VMOVUPS, z[i][half], w[half])
			} else {
				e.clear(z[i][half])
			}
		}
	}
	for i := range 2 {
		x[i], y[i] = e.fetch(m.X[i]), e.fetch(m.Y[i])
	}
	const (
		product, ofX = asm.Z4, asm.Z5
		ofY          = asm.Z6 // and three more
	)
	for r := range 4 { // row r of a half in all rows
		a.VX(asm.VMOVUPS, ofY+asm.V(r), e.permutation(func(lane int) uint32 {
			_, column := matrixLane(lane)
			return laneOf(r, column)
		}))
	}
	for k := range side {
		if k&1 == 0 { // column k in all columns
			a.VX(asm.VMOVUPS, ofX, e.permutation(func(lane int) uint32 {
				row, _ := matrixLane(lane)
				return laneOf(row, k)
			}))
		}
		for half := range 2 {
			a.VVX(asm.VPERMPS, asm.Z0+asm.V(half), ofX, x[k&1][half])
		}
		for i := range 2 {
			a.VVX(asm.VPERMPS, asm.Z2+asm.V(i), ofY+asm.V(k&3), y[i][k>>2])
			for half := range 2 {
				a.VVX(asm.VMULPS, product, asm.Z2+asm.V(i), asm.Z0+asm.V(half))
				a.VVX(asm.VADDPS, z[i][half], z[i][half], product)
			}
		}
	}
	e.hold(m.Z[0], u[0], true)
	e.hold(m.Z[1], u[1], true)
}

// whereMatrixIs is what a load reads.
func whereMatrixIs(m *Matrices) []operand {
	return []operand{{m.Pointer, long}, {m.Stride, long}, {m.Column, long}, {m.Row, long}, {m.Transpose, mask}}
}

// storedMatrix is what a store reads.
func storedMatrix(m *Matrices) []operand {
	return append(whereMatrixIs(m), operand{m.X[0], word}, operand{m.X[1], word})
}

// lines makes RAX the address of a matrix's first row, or column where it is transposed, and RDX the bytes from one to
// the next, R8 three times as many and R9 the address of the fifth. It reports false where only the interpreter knows.
func (e *emitter) lines(m *Matrices, size int32, writes bool) bool {
	a := &e.asm
	k := e.kind(m.Pointer)
	n := int(k.object)
	if n <= 0 || n >= len(e.Objects) || e.Objects[n].Striped || writes && e.Objects[n].Constant || k.form != uniform {
		return false
	}
	row, column := e.constantOf(m.Row), e.constantOf(m.Column)
	_, known := e.constant[m.Transpose]
	if row != 0 || column != 0 || !known || e.kind(m.Stride).form != uniform {
		return false
	}
	t := target{object: int32(n), form: uniform, size: size}
	bail := e.bail()
	a.GR(asm.MOVQ, asm.RDX, e.base(m.Stride))
	a.GR(asm.MOVQ, asm.RCX, asm.RDX)
	a.RB(asm.SHRQ_I, asm.RCX, 32)
	a.Jump(asm.NotEqual, bail) // negative, or beyond all buffers
	a.RB(asm.SHLQ_I, asm.RDX, uint8(size/2))
	e.displacement(asm.RAX, &Instruction{A: m.Pointer})
	a.GR(asm.TESTQ, asm.RAX, asm.RAX)
	a.Jump(asm.Negative, bail)
	e.room(asm.RCX, t, side*size)
	a.GRI(asm.IMULQ_I, asm.R8, asm.RDX, side-1)
	a.GR(asm.ADDQ, asm.R8, asm.RAX)
	a.GR(asm.CMPQ, asm.R8, asm.RCX)
	a.Jump(asm.Above, bail)
	e.checkAligned(t)
	a.GR(asm.ADDQ, asm.RAX, e.objectField(t.object, e.layout.Object.Base))
	a.GM(asm.LEAQ, asm.R8, asm.Mem{Base: asm.RDX, Index: asm.RDX, Scale: 2})
	a.GM(asm.LEAQ, asm.R9, asm.Mem{Base: asm.RAX, Index: asm.RDX, Scale: 4})
	return true
}

// constantOf returns the number in a register that never changes, or -1.
func (x *analysis) constantOf(at int32) int64 {
	if v, ok := x.constant[at]; ok {
		return int64(v)
	}
	return -1
}

// line returns the memory of a line, as lines has left the registers.
func line(n int) asm.Mem {
	from := asm.RAX
	if n >= 4 {
		from = asm.R9
	}
	return [...]asm.Mem{
		{Base: from}, {Base: from, Index: asm.RDX, Scale: 1}, {Base: from, Index: asm.RDX, Scale: 2},
		{Base: from, Index: asm.R8, Scale: 1},
	}[n&3]
}

// loadMatrix writes a load of a matrix.
func loadMatrix(s *scalarInMemory) func(*emitter, *Instruction) {
	return func(e *emitter, in *Instruction) {
		a, m := &e.asm, in.Matrices
		if !e.lines(m, s.size, false) {
			e.give(in)
			return
		}
		for i := range 4 { // two lines each
			v := asm.Z0 + asm.V(i)
			if s.size == 4 {
				a.VX(asm.Len256(asm.VMOVUPS), v, line(2*i))
				a.VVXI(asm.VINSERTF64X4, v, v, line(2*i+1), 1)
				continue
			}
			a.VX(asm.Len128(asm.VMOVUPS), v, line(2*i))
			a.VVXI(asm.Len256(asm.VINSERTF32X4), v, v, line(2*i+1), 1)
			a.VX(asm.VPMOVZXWD, v, v)
			s.shape(e, v)
		}
		for i := range 2 {
			u := e.take(2)
			z := vectorsOf(u)
			for half := range 2 {
				e.collect(z[half], m, half, i)
			}
			e.hold(m.Z[i], u, true)
		}
	}
}

// collect makes z a half of register i of the matrix whose lines are in Z0 to Z3. It uses Z4 and K3.
func (e *emitter) collect(z asm.V, m *Matrices, half, i int) {
	a := &e.asm
	if e.constant[m.Transpose] == 0 {
		a.VX(asm.VMOVUPS, z, e.permutation(func(lane int) uint32 {
			row, column := matrixLane(lane)
			return uint32(row*side + column + i)
		}))
		a.VVX(asm.VPERMI2PS, z, asm.Z0+2*asm.V(half), asm.Z1+2*asm.V(half))
		return
	}
	// Columns 0 to 3 are in the lower lanes.
	from := e.permutation(func(lane int) uint32 {
		row, column := matrixLane(lane)
		return uint32((column+i)&3*side + 4*half + row)
	})
	a.VX(asm.VMOVUPS, z, from)
	a.VX(asm.VMOVUPS, asm.Z4, from)
	a.VVX(asm.VPERMI2PS, z, asm.Z0, asm.Z1)
	a.VVX(asm.VPERMI2PS, asm.Z4, asm.Z2, asm.Z3)
	e.upper(z, asm.Z4)
}

// upper makes the upper half of z that of v. It uses K3 and RCX.
func (e *emitter) upper(z, v asm.V) {
	e.asm.Number(asm.RCX, 0xff00)
	e.asm.KG(asm.KMOVW_G, asm.K3, asm.RCX)
	e.asm.VX(asm.Mask(asm.VMOVUPS, asm.K3), z, v)
}

// storeMatrix writes a store of a matrix.
func storeMatrix(s *scalarInMemory) func(*emitter, *Instruction) {
	return func(e *emitter, in *Instruction) {
		a, m := &e.asm, in.Matrices
		e.checkAllActive()
		if !e.lines(m, s.size, true) {
			e.give(in)
			return
		}
		x := [2]vectors{e.fetch(m.X[0]), e.fetch(m.X[1])}
		for n := range 4 {
			e.distribute(asm.Z0, m, x, n)
			if s.size == 4 {
				a.XV(asm.Len256(asm.VMOVUPS_ST), line(2*n), asm.Z0)
				a.XVI(asm.VEXTRACTF64X4, line(2*n+1), asm.Z0, 1)
				continue
			}
			s.unshape(e, asm.Z1, asm.Z0)
			a.XV(asm.VPMOVDW, asm.Z1, asm.Z1)
			a.XV(asm.Len128(asm.VMOVUPS_ST), line(2*n), asm.Z1)
			a.XVI(asm.Len256(asm.VEXTRACTF32X4), line(2*n+1), asm.Z1, 1)
		}
	}
}

// distribute makes z lines 2n and 2n + 1 of the matrix whose elements are in x. It uses Z4 and K3.
func (e *emitter) distribute(z asm.V, m *Matrices, x [2]vectors, n int) {
	a := &e.asm
	if e.constant[m.Transpose] == 0 {
		a.VX(asm.VMOVUPS, z, e.permutation(func(lane int) uint32 {
			column := lane & 7
			return uint32(column&1*16) + laneOf(2*n+lane>>3, column)
		}))
		a.VVX(asm.VPERMI2PS, z, x[0][n>>1], x[1][n>>1])
		return
	}
	from := e.permutation(func(lane int) uint32 {
		row := lane & 7
		return uint32(row>>2*16) + laneOf(row, 2*n)
	})
	a.VX(asm.VMOVUPS, z, from)
	a.VX(asm.VMOVUPS, asm.Z4, from)
	a.VVX(asm.VPERMI2PS, z, x[0][0], x[0][1])
	a.VVX(asm.VPERMI2PS, asm.Z4, x[1][0], x[1][1])
	e.upper(z, asm.Z4)
}
