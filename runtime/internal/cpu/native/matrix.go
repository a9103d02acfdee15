package native

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// Of a matrix of 8 rows and 8 columns, lane 16a + 8b + 2c + d has the elements of row 4a + c in columns 4b + 2d, in
// the first register, and 4b + 2d + 1, in the second.

// side is the number of rows and columns.
const side = 8

// matrixLane returns the row of a lane, and its column in the first register.
func matrixLane(lane int) (row, column int) {
	return lane>>4*4 + lane>>1&3, lane>>3&1*4 + lane&1*2
}

// laneOf is the inverse of matrixLane, for either register.
func laneOf(row, column int) int { return row>>2*16 + column>>2*8 + row&3*2 + column>>1&1 }

// checkAllActive leaves matrices to the interpreter where lanes are not active: those hold zeros then.
func checkAllActive(l *lanes) {
	if l.cache.full {
		return
	}
	l.cache.full = true
	l.emit(vcode.Instr{Op: vcode.BranchW, Cond: vcode.Ne, A: vcode.Active, Imm: 1<<32 - 1, Exit: l.exit()})
}

// wordsByLane returns what index says for each lane of a vector.
func wordsByLane(l *lanes, part int, index func(lane int) uint32) []uint32 {
	v := make([]uint32, 16)
	for i := range l.t.Lanes {
		v[i] = index(part*l.t.Lanes + i)
	}
	return v
}

// multiplyMatrices writes a product. To W come the products of a row's first element, then of the second, and so on.
func multiplyMatrices(l *lanes, in *wide.Instruction) {
	m := in.Matrices
	checkAllActive(l)
	of := func(x [2]int32) [2][]reg { return [2][]reg{l.all(x[0]), l.all(x[1])} }
	x, y := of(m.X), of(m.Y)
	var z [2][]reg
	for i := range 2 {
		z[i] = make([]reg, l.parts)
		for part := range z[i] {
			if m.Adds {
				z[i][part] = l.now(m.W[i], part)
			} else {
				z[i][part] = l.word32(0)
			}
		}
	}
	// All lanes of a vector read from one vector of each matrix.
	permuted := func(v []reg, part int, from func(lane int) int) reg {
		source := from(part*l.t.Lanes) / l.t.Lanes
		words := wordsByLane(l, part, func(lane int) uint32 { return uint32(from(lane) % l.t.Lanes) })
		return l.keep(l.make(vcode.Instr{Op: vcode.VPermWords, A: v[source], Words: words}))
	}
	column := func(part, k int) reg { // column k in all columns
		return permuted(x[k&1], part, func(lane int) int {
			row, _ := matrixLane(lane)
			return laneOf(row, k)
		})
	}
	type place struct{ i, column, k int }
	rows := map[place]reg{}
	row := func(i, part, k int) reg { // row k in all rows, which vectors of the same columns share
		_, c := matrixLane(part * l.t.Lanes)
		key := place{i, c, k}
		r, ok := rows[key]
		if !ok || l.t.Lanes == 4 {
			r = permuted(y[i], part, func(lane int) int {
				_, column := matrixLane(lane)
				return laneOf(k, column)
			})
			rows[key] = r
		}
		return r
	}
	add := func(part, k int) {
		c := column(part, k)
		for i := range 2 {
			z[i][part] = l.keep(l.op(vcode.VAddF, z[i][part], l.op(vcode.VMulF, row(i, part, k), c)))
		}
	}
	for n := range l.parts * side {
		if l.t.Lanes == 16 { // there are registers for all sums
			add(n%l.parts, n/l.parts)
		} else {
			add(n/side, n%side)
		}
	}
	setMatrix(l, in, z)
}

// setMatrix makes vectors the elements of the matrix that an instruction makes.
func setMatrix(l *lanes, in *wide.Instruction, z [2][]reg) {
	for i := range 2 {
		n := l.slotOf(in.Matrices.Z[i])
		for part, v := range z[i] {
			l.move(l.units[n].lanes+reg(part), v)
		}
		l.cache.changed(n)
		l.forget(n, inLanes)
	}
}

// lines returns the address of a matrix's first row, or column where it is transposed, and the bytes from one to the
// next. It reports false where only the interpreter knows.
func lines(a *accesses, m *wide.Matrices, size int32, writes bool) (at, stride reg, ok bool) {
	k := a.lanes.kind(m.Pointer)
	n := int(k.Object)
	if n <= 0 || n >= len(a.x.Objects) || k.Form != wide.Uniform {
		return 0, 0, false
	}
	if o := &a.x.Objects[n]; o.Striped || writes && o.Constant {
		return 0, 0, false
	}
	row, column := a.x.ConstantOf(m.Row), a.x.ConstantOf(m.Column)
	_, known := a.x.Known[m.Transpose]
	if row != 0 || column != 0 || !known || a.lanes.kind(m.Stride).Form != wide.Uniform {
		return 0, 0, false
	}
	t := target{object: int32(n), form: wide.Uniform, size: size}
	stride = a.keep(a.lanes.base(m.Stride))
	a.leaveIfI(vcode.Ne, a.opI(vcode.GShr, stride, 26), 0) // negative, or beyond what indexes count
	stride = a.keep(scaled(a.lanes, stride, int64(size)))
	t.offset = a.keep(displacement(a.lanes, m.Pointer, 0))
	a.leaveIfI(vcode.LtS, t.offset, 0)
	last := a.op(vcode.GAdd, a.opI(vcode.GMul, stride, side-1), t.offset)
	a.leaveIf(vcode.GtS, last, a.room(&t, side*size))
	a.checkAligned(&t)
	return a.keep(a.op(vcode.GAdd, t.offset, a.field(t.object, a.layout.Base))), stride, true
}

// elements returns how many bytes the elements of register i of a matrix are from its first one.
func elements(l *lanes, m *wide.Matrices, stride reg, size int32, i int) []reg {
	list := make([]reg, l.parts)
	by := l.keep(l.op(vcode.VSplat32, stride, 0))
	transposed := l.x.Known[m.Transpose] != 0
	for part := range list {
		line := func(lane int) (line, at uint32) {
			row, column := matrixLane(lane)
			column += i
			if transposed {
				row, column = column, row
			}
			return uint32(row), uint32(column) * uint32(size)
		}
		counts := func(of func(line, at uint32) uint32) reg {
			words := wordsByLane(l, part, func(lane int) uint32 { return of(line(lane)) })
			return l.make(vcode.Instr{Op: vcode.VWords, Words: words})
		}
		lines := counts(func(line, _ uint32) uint32 { return line })
		inLine := counts(func(_, at uint32) uint32 { return at })
		list[part] = l.keep(l.op(vcode.VAdd, l.op(vcode.VMul, lines, by), inLine))
	}
	return list
}

// loadMatrix writes a load of a matrix.
func loadMatrix(s *scalarInMemory) accessFunc {
	return func(a *accesses, in *wide.Instruction) {
		m := in.Matrices
		at, stride, ok := lines(a, m, s.size, false)
		if !ok {
			give1(a.lanes, in)
			return
		}
		if !a.t.Lacks[vcode.VPermute] && !a.t.Lacks[vcode.VLoadLow] {
			setMatrix(a.lanes, in, collected(a.lanes, m, linePairs(a.lanes, at, stride, s)))
			return
		}
		every := a.keep(a.op(vcode.PFromBits, a.number(1<<32-1), 0))
		var z [2][]reg
		for i := range 2 {
			z[i] = make([]reg, a.parts)
			for part, index := range elements(a.lanes, m, stride, s.size, i) {
				v := a.op3(s.each, at, index, every)
				if s.shape != nil {
					v = s.shape(a.lanes, v)
				}
				z[i][part] = a.keep(v)
			}
		}
		setMatrix(a.lanes, in, z)
	}
}

// linePairs loads the lines of a matrix, two a vector of 16 elements.
func linePairs(l *lanes, at, stride reg, s *scalarInMemory) (pairs [side / 2]reg) {
	low, high := vcode.VLoadLow, vcode.VLoadHigh
	if s.size == 2 {
		low, high = vcode.VLoadLow16, vcode.VLoadHigh16
	}
	line := at
	for i := range pairs {
		v := l.keep(l.op(low, line, 0))
		line = l.keep(l.op(vcode.GAdd, line, stride))
		v = l.op(high, line, v)
		if i+1 < len(pairs) {
			line = l.keep(l.op(vcode.GAdd, line, stride))
		}
		if s.shape != nil {
			v = s.shape(l, v)
		}
		pairs[i] = l.keep(v)
	}
	return pairs
}

// collected returns the registers of a matrix whose lines are in pairs.
func collected(l *lanes, m *wide.Matrices, pairs [side / 2]reg) (z [2][]reg) {
	pick := func(half int, from func(row, column int) uint32, x, y reg) reg {
		words := wordsByLane(l, half, func(lane int) uint32 {
			row, column := matrixLane(lane)
			return from(row, column)
		})
		index := l.keep(l.make(vcode.Instr{Op: vcode.VWords, Words: words}))
		return l.keep(l.make(vcode.Instr{Op: vcode.VPermute, B: index, Args: []reg{x, y}}))
	}
	transposed := l.x.Known[m.Transpose] != 0
	var upper reg // lanes of columns 4 to 7
	if transposed {
		upper = l.keep(l.op(vcode.PFromBits, l.number(0xff00), 0))
	}
	for i := range z {
		z[i] = make([]reg, l.parts)
		for half := range z[i] {
			if !transposed {
				inPair := func(row, column int) uint32 { return uint32(row&3*side + column + i) }
				z[i][half] = pick(half, inPair, pairs[2*half], pairs[2*half+1])
				continue
			}
			inPair := func(row, column int) uint32 { return uint32((column+i)&3*side + row) }
			x, y := pick(half, inPair, pairs[0], pairs[1]), pick(half, inPair, pairs[2], pairs[3])
			z[i][half] = l.keep(l.op3(vcode.VBlend, y, x, upper))
		}
	}
	return z
}

// storeMatrix writes a store of a matrix.
func storeMatrix(s *scalarInMemory) accessFunc {
	return func(a *accesses, in *wide.Instruction) {
		m := in.Matrices
		checkAllActive(a.lanes)
		at, stride, ok := lines(a, m, s.size, true)
		if !ok {
			a.give()
			return
		}
		for i := range 2 {
			values := a.lanes.all(m.X[i])
			for part, v := range values {
				if s.unshape != nil {
					values[part] = a.keep(s.unshape(a.lanes, v))
				}
			}
			scatter(a.lanes, at, elements(a.lanes, m, stride, s.size, i), values, s.size)
		}
	}
}
