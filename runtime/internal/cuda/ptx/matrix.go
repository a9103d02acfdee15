package ptx

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/facts"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// Matrices of 8 rows and 8 columns: each lane has two neighbours of a row, as Apple's GPUs arrange them:
// lane l has row (l/4 & 4) + l/2%4 and column (l/4 & 2)*2 + l%2*2.

const side = 8

// row and column return where the first element of a lane is.

func (e *emitter) row() string {
	high := e.Computed("and.b32", e.Computed("shr.u32", e.lane(), 2), 4)
	return e.Computed("add.u32", high, e.Computed("and.b32", e.Computed("shr.u32", e.lane(), 1), 3))
}

func (e *emitter) column() string {
	high := e.Computed("shr.u32", e.Computed("and.b32", e.lane(), 8), 1)
	return e.Computed("add.u32", high, e.Computed("shl.b32", e.Computed("and.b32", e.lane(), 1), 1))
}

// laneOf returns the lane that has an element, with the column rounded down to an even one.
func laneOf(row, column int) int { return row&4<<2 | row&3<<1 | column&4<<1 | column>>1&1 }

// multiply writes x * y + w. To w come the products of a row's first element, then of the second, and so on, each
// rounded by itself.
func (e *emitter) multiply(in *ir.Instr) {
	if e.tensor {
		e.tensorProduct(in)
		return
	}
	sums := []string{e.Fresh(text.Float), e.Fresh(text.Float)}
	for i, s := range sums {
		w := "0f00000000"
		if len(in.Args) > 4+i && in.Args[4+i] != 0 {
			w = e.reg(in.Args[4+i])
		}
		e.Op("mov.f32 %s, %s;", s, w)
	}
	x0, x1, y0, y1 := e.reg(in.Args[0]), e.reg(in.Args[1]), e.reg(in.Args[2]), e.reg(in.Args[3])
	// Lanes of a row are those with the bits of its number; those of a column likewise.
	row := e.Computed("and.b32", e.lane(), laneOf(7, 0))
	column := e.Computed("and.b32", e.lane(), laneOf(0, 7))
	for k := range side {
		from := x0
		if k&1 != 0 {
			from = x1
		}
		x := e.read(ir.F32, from, e.Computed("or.b32", row, laneOf(0, k)))
		with := e.Computed("or.b32", column, laneOf(k, 0))
		for i, y := range []string{e.read(ir.F32, y0, with), e.read(ir.F32, y1, with)} {
			product := e.Fresh(text.Float)
			e.Op("mul.rn.f32 %s, %s, %s;", product, x, y)
			e.Op("add.rn.f32 %s, %s, %s;", sums[i], sums[i], product)
		}
	}
	for i, s := range sums {
		e.Op("mov.f32 %s, %s;", e.reg(in.Results[i]), s)
	}
}

// matrixAccess is a load or a store of a matrix. All of it is constant but where its pointer leads.
type matrixAccess struct {
	layout facts.Layout
	root   ir.Value
	fixed  int64 // where the matrix begins, from the root on
	stride int64 // elements
	step   int64 // bytes between the two elements of a lane
	size   int64 // of an element
}

// matrixAccessOf returns what is known of a load or a store before the kernel runs.
func (e *emitter) matrixAccessOf(in *ir.Instr) (m matrixAccess, ok bool) {
	m.size = int64(in.Aux.(*ir.MatrixAccess).Kind.Bytes())
	if in.Op == ir.OpMatrixStore {
		m.layout = e.Layouts[in.Args[5]]
	} else {
		m.layout = e.Layouts[in.Results[0]]
	}
	var numbers [4]int64 // stride, column and row of the first element, and whether it is transposed
	for i := range numbers {
		n, constant := e.Bits(in.Args[1+i])
		if numbers[i] = int64(n); !constant || numbers[i] < 0 || numbers[i] > 1<<20 {
			return m, false
		}
	}
	if e.Origins[in.Args[0]] == facts.Unknown || numbers[3] != 0 {
		return m, false
	}
	m.stride = numbers[0]
	m.root, m.fixed = e.RootOf(in.Args[0])
	m.fixed += (numbers[2]*m.stride + numbers[1]) * m.size
	m.step = m.size
	if m.layout == facts.ColumnLayout {
		m.step *= m.stride
	}
	return m, true
}

// lane returns where the first element of a lane is, in bytes from the first of the matrix.
func (e *emitter) laneIn(m *matrixAccess) string {
	return e.Once(fmt.Sprintln("matrix", m.layout, m.stride, m.size), text.Long, func(r string) {
		row, column := e.placeIn(m.layout)
		e.First("mul.wide.u32 %s, %s, %d;", r, e.Computed("mad.lo.u32", row, m.stride, column), m.size)
	})
}

// placeIn returns the row and the column of the first element of a lane.
func (e *emitter) placeIn(l facts.Layout) (row, column string) {
	if l == facts.AppleLayout {
		return e.row(), e.column()
	}
	row = e.Computed("shr.u32", e.lane(), 2)
	column = e.Computed("shl.b32", e.Computed("and.b32", e.lane(), 3), 1)
	if l == facts.ColumnLayout {
		return column, row
	}
	return row, column
}

// elements returns the checked places of the two elements of a lane.
func (e *emitter) elements(in *ir.Instr, store bool) []place {
	m, ok := e.matrixAccessOf(in)
	if !ok {
		return e.anyElements(in, store, m.layout)
	}
	p := e.placeOf(in.Args[0])
	e.readOnly(&p, in, store)
	p.fixed = m.fixed
	p.zeros, p.low = min(p.zeros, trailing(int(m.size))), min(p.low, trailing(int(m.size)))
	lane := e.laneIn(&m)
	if p.at == "" {
		p.at = lane
	} else {
		p.at = e.Make(text.Long, "add.s64", p.at, lane)
	}
	places := []place{p, p}
	places[1].fixed += m.step
	s := abi.Site{Object: p.object, Scalar: in.Aux.(*ir.MatrixAccess).Kind, Count: 1, Store: store}
	t := e.together[in]
	t.left--
	if e.Unchecked || e.isMatrixWithin(t, &m, &p) {
		return places
	}
	site := e.siteAt(in, s)
	e.checkTogether(t, &p, member{site, p.fixed, m.size}, member{site, p.fixed + m.step, m.size})
	if low := 1 << min(e.Zeros[in.Args[0]], e.baseZeros(p.object)); low < int(m.size) {
		at := e.Make(text.Long, "add.s64", p.at, fmt.Sprint(p.fixed))
		bits := e.Make(text.Long, "and.b64", e.address(&p, at), fmt.Sprint(m.size-1))
		e.faultIf(e.Test("ne.s64", bits, "0"), site, at, "")
	}
	return places
}

// isMatrixWithin reports whether a matrix, and those that are checked with it, are within their object whatever a
// thread computes.
func (e *emitter) isMatrixWithin(t *together, m *matrixAccess, p *place) bool {
	n, known := e.sizeOf(p.object)
	last := t.high - m.step - m.size // where the last matrix begins
	return known && p.within && t.low >= 0 && p.zeros >= trailing(int(m.size)) &&
		p.from+uint64(last+((side-1)*m.stride+side)*m.size) <= uint64(n)
}

// anyElements is elements where little is known.
func (e *emitter) anyElements(in *ir.Instr, store bool, l facts.Layout) []place {
	a := in.Aux.(*ir.MatrixAccess)
	p := e.placeOf(in.Args[0])
	e.readOnly(&p, in, store)
	size := a.Kind.Bytes()
	stride, x, y, transposed := e.reg(in.Args[1]), e.reg(in.Args[2]), e.reg(in.Args[3]), e.reg(in.Args[4])
	row, column := e.Fresh(text.Long), e.Fresh(text.Long)
	rowOf, columnOf := e.placeIn(l)
	e.Op("cvt.u64.u32 %s, %s;", row, rowOf)
	e.Op("cvt.u64.u32 %s, %s;", column, columnOf)
	places := make([]place, 2)
	for i := range places {
		at := e.Fresh(text.Long)
		next := column // the second element has the next one
		if l == facts.ColumnLayout {
			next = row
		}
		moved := e.Make(text.Long, "add.s64", next, fmt.Sprint(i))
		y0, x0 := row, moved
		if l == facts.ColumnLayout {
			y0, x0 = moved, column
		}
		e.Expand(fmt.Sprintf(`selp.b64 {l2}, %s, %s, {c};
selp.b64 {l3}, %s, %s, {c};
add.s64 {l2}, {l2}, %s;
add.s64 {l3}, {l3}, %s;
max.s64 {l4}, {a}, -1099511627776;
min.s64 {l4}, {l4}, 1099511627776;
max.s64 {l2}, {l2}, -1048576;
min.s64 {l2}, {l2}, 1048576;
max.s64 {l3}, {l3}, -1099511627776;
min.s64 {l3}, {l3}, 1099511627776;
mad.lo.s64 {l5}, {l2}, {l4}, {l3};
mul.lo.s64 {d}, {l5}, {n};`, x0, y0, y0, x0, y, x), at, []string{stride, "", transposed}, int64(size))
		q := p
		if p.at != "" {
			sum := e.Fresh(text.Long)
			e.Op("add.s64 %s, %s, %s;", sum, p.at, at)
			at = sum
		}
		q.at, q.low = at, 0
		q.zeros = min(p.zeros, e.baseZeros2(p), trailing(size))
		e.check(&q, in, abi.Site{Scalar: a.Kind, Count: 1, Store: store}, int64(size), size)
		places[i] = q
	}
	return places
}

func (e *emitter) baseZeros2(p place) int {
	if p.object == facts.Unknown {
		return 0
	}
	return e.baseZeros(p.object)
}

func trailing(size int) int {
	n := 0
	for size>>n > 1 {
		n++
	}
	return n
}

func (e *emitter) matrixLoad(in *ir.Instr) {
	a := in.Aux.(*ir.MatrixAccess)
	m := typesInMemory[a.Kind]
	raw := make([]string, 2)
	places := e.elements(in, false)
	if e.loadAtOnce(in) {
		return
	}
	for i, p := range places {
		raw[i] = e.Fresh(m.class)
		if a.Kind == ir.Float32 {
			raw[i] = e.reg(in.Results[i])
		}
		e.Op("ld%s.%s %s, %s;", p.space, m.name, raw[i], e.reached(&p)(0))
		e.loaded(in.Results[i], a.Kind, raw[i])
	}
	switch {
	case e.Layouts[in.Results[0]] == facts.AppleLayout:
	case a.Kind == ir.Half16: // as products take them
		e.packs[in.Results[0]] = e.Make(text.Word, "mov.b32", "{"+raw[0]+", "+raw[1]+"}")
	case a.Kind == ir.BFloat16:
		high := e.Make(text.Word, "shl.b32", raw[1], "16")
		e.packs[in.Results[0]] = e.Make(text.Word, "or.b32", raw[0], high)
	}
}

// loadAtOnce loads a matrix of halves for a product from threadgroup memory with one instruction, where its rows begin
// at multiples of 16 bytes, and reports whether it does.
func (e *emitter) loadAtOnce(in *ir.Instr) bool {
	m, ok := e.matrixAccessOf(in)
	kind := in.Aux.(*ir.MatrixAccess).Kind
	if !ok || m.layout == facts.AppleLayout || kind != ir.Half16 && kind != ir.BFloat16 {
		return false
	}
	p := e.placeOf(in.Args[0])
	aligned := min(e.Zeros[in.Args[0]], e.baseZeros(p.object)) >= 4
	if p.space != ".shared" || !aligned || m.stride*m.size%16 != 0 || m.fixed%16 != 0 {
		return false
	}
	row := e.Once(fmt.Sprintln("row of a matrix", m.stride*m.size), text.Long, func(r string) {
		e.First("mul.wide.u32 %s, %s, %d;", r, e.Computed("and.b32", e.lane(), side-1), m.stride*m.size)
	})
	p.low = min(p.low, trailing(int(m.stride*m.size&-(m.stride*m.size))))
	if p.fixed = m.fixed; p.at == "" {
		p.at = row
	} else {
		p.at = e.Make(text.Long, "add.s64", p.at, row)
	}
	order := map[facts.Layout]string{facts.ColumnLayout: ".trans"}[m.layout]
	both := e.Fresh(text.Word)
	e.Op("ldmatrix.sync.aligned.m8n8.x1%s.shared.b16 {%s}, %s;", order, both, e.reached(&p)(0))
	e.packs[in.Results[0]] = both
	if kind == ir.Half16 {
		low, high := e.Fresh(text.Half), e.Fresh(text.Half)
		e.Op("mov.b32 {%s, %s}, %s;", low, high, both)
		e.loaded(in.Results[0], kind, low)
		e.loaded(in.Results[1], kind, high)
		return true
	}
	e.loaded(in.Results[0], kind, e.Make(text.Word, "and.b32", both, "65535"))
	e.loaded(in.Results[1], kind, e.Make(text.Word, "shr.u32", both, "16"))
	return true
}

func (e *emitter) matrixStore(in *ir.Instr) {
	a := in.Aux.(*ir.MatrixAccess)
	m := typesInMemory[a.Kind]
	for i, p := range e.elements(in, true) {
		if e.isConstant(&p) {
			return // it has faulted
		}
		e.Op("st%s.%s %s, %s;", p.space, m.name, e.reached(&p)(0), e.stored(in.Args[5+i], a.Kind))
	}
}

// diagonal writes the elements of a matrix that has a value on its diagonal.
func (e *emitter) diagonal(in *ir.Instr) {
	is, at := e.Fresh(text.Pred), e.Fresh(text.Word)
	e.Op("add.u32 %s, %s, %d;", at, e.column(), in.Imm)
	e.Op("setp.eq.u32 %s, %s, %s;", is, at, e.row())
	e.Op("selp.f32 %s, %s, 0f00000000, %s;", e.reg(in.Result()), e.reg(in.Args[0]), is)
}
