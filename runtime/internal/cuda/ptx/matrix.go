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

// matrices writes what is done with matrices.
type matrices struct {
	*text.Writer
	e *emitter
}

// row and column return where the first element of a lane is.

func (mx *matrices) row() string {
	high := mx.Computed("and.b32", mx.Computed("shr.u32", mx.e.grid.lane(), 2), 4)
	return mx.Computed("add.u32", high, mx.Computed("and.b32", mx.Computed("shr.u32", mx.e.grid.lane(), 1), 3))
}

func (mx *matrices) column() string {
	high := mx.Computed("shr.u32", mx.Computed("and.b32", mx.e.grid.lane(), 8), 1)
	return mx.Computed("add.u32", high, mx.Computed("shl.b32", mx.Computed("and.b32", mx.e.grid.lane(), 1), 1))
}

// laneOf returns the lane that has an element, with the column rounded down to an even one.
func laneOf(row, column int) int { return row&4<<2 | row&3<<1 | column&4<<1 | column>>1&1 }

// multiply writes x * y + w. To w come the products of a row's first element, then of the second, and so on, each
// rounded by itself.
func (mx *matrices) multiply(in *ir.Instr) {
	if mx.e.tensor {
		mx.tensorProduct(in)
		return
	}
	sums := []string{mx.Fresh(text.Float), mx.Fresh(text.Float)}
	for i, s := range sums {
		w := "0f00000000"
		if len(in.Args) > 4+i && in.Args[4+i] != 0 {
			w = mx.e.reg(in.Args[4+i])
		}
		mx.Op("mov.f32 %s, %s;", s, w)
	}
	x0, x1, y0, y1 := mx.e.reg(in.Args[0]), mx.e.reg(in.Args[1]), mx.e.reg(in.Args[2]), mx.e.reg(in.Args[3])
	// Lanes of a row are those with the bits of its number; those of a column likewise.
	row := mx.Computed("and.b32", mx.e.grid.lane(), laneOf(7, 0))
	column := mx.Computed("and.b32", mx.e.grid.lane(), laneOf(0, 7))
	for k := range side {
		from := x0
		if k&1 != 0 {
			from = x1
		}
		x := mx.e.lanes.read(ir.F32, from, mx.Computed("or.b32", row, laneOf(0, k)))
		with := mx.Computed("or.b32", column, laneOf(k, 0))
		for i, y := range []string{mx.e.lanes.read(ir.F32, y0, with), mx.e.lanes.read(ir.F32, y1, with)} {
			product := mx.Fresh(text.Float)
			mx.Op("mul.rn.f32 %s, %s, %s;", product, x, y)
			mx.Op("add.rn.f32 %s, %s, %s;", sums[i], sums[i], product)
		}
	}
	for i, s := range sums {
		mx.Op("mov.f32 %s, %s;", mx.e.reg(in.Results[i]), s)
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
func (mx *matrices) matrixAccessOf(in *ir.Instr) (m matrixAccess, ok bool) {
	m.size = int64(in.Aux.(*ir.MatrixAccess).Kind.Bytes())
	if in.Op == ir.OpMatrixStore {
		m.layout = mx.e.Layouts[in.Args[5]]
	} else {
		m.layout = mx.e.Layouts[in.Results[0]]
	}
	var numbers [4]int64 // stride, column and row of the first element, and whether it is transposed
	for i := range numbers {
		n, constant := mx.e.Bits(in.Args[1+i])
		if numbers[i] = int64(n); !constant || numbers[i] < 0 || numbers[i] > 1<<20 {
			return m, false
		}
	}
	if mx.e.Origins[in.Args[0]] == facts.Unknown || numbers[3] != 0 {
		return m, false
	}
	m.stride = numbers[0]
	m.root, m.fixed = mx.e.RootOf(in.Args[0])
	m.fixed += (numbers[2]*m.stride + numbers[1]) * m.size
	m.step = m.size
	if m.layout == facts.ColumnLayout {
		m.step *= m.stride
	}
	return m, true
}

// lane returns where the first element of a lane is, in bytes from the first of the matrix.
func (mx *matrices) laneIn(m *matrixAccess) string {
	return mx.Once(fmt.Sprintln("matrix", m.layout, m.stride, m.size), text.Long, func(r string) {
		row, column := mx.placeIn(m.layout)
		mx.First("mul.wide.u32 %s, %s, %d;", r, mx.Computed("mad.lo.u32", row, m.stride, column), m.size)
	})
}

// placeIn returns the row and the column of the first element of a lane.
func (mx *matrices) placeIn(l facts.Layout) (row, column string) {
	if l == facts.AppleLayout {
		return mx.row(), mx.column()
	}
	row = mx.Computed("shr.u32", mx.e.grid.lane(), 2)
	column = mx.Computed("shl.b32", mx.Computed("and.b32", mx.e.grid.lane(), 3), 1)
	if l == facts.ColumnLayout {
		return column, row
	}
	return row, column
}

// elements returns the checked places of the two elements of a lane.
func (mx *matrices) elements(in *ir.Instr, store bool) []place {
	m, ok := mx.matrixAccessOf(in)
	if !ok {
		return mx.anyElements(in, store, m.layout)
	}
	p := mx.e.places.placeOf(in.Args[0])
	mx.e.accesses.readOnly(&p, in, store)
	p.fixed = m.fixed
	p.zeros, p.low = min(p.zeros, trailing(int(m.size))), min(p.low, trailing(int(m.size)))
	lane := mx.laneIn(&m)
	if p.at == "" {
		p.at = lane
	} else {
		p.at = mx.Make(text.Long, "add.s64", p.at, lane)
	}
	places := []place{p, p}
	places[1].fixed += m.step
	s := abi.Site{Object: p.object, Scalar: in.Aux.(*ir.MatrixAccess).Kind, Count: 1, Store: store}
	t := mx.e.together[in]
	t.left--
	if mx.e.Unchecked || mx.isMatrixWithin(t, &m, &p) {
		return places
	}
	site := mx.e.faults.siteAt(in, s)
	mx.e.accesses.checkTogether(t, &p, member{site, p.fixed, m.size}, member{site, p.fixed + m.step, m.size})
	if low := 1 << min(mx.e.Zeros[in.Args[0]], mx.e.places.baseZeros(p.object)); low < int(m.size) {
		at := mx.Make(text.Long, "add.s64", p.at, fmt.Sprint(p.fixed))
		bits := mx.Make(text.Long, "and.b64", mx.e.places.address(&p, at), fmt.Sprint(m.size-1))
		mx.e.faults.faultIf(mx.Test("ne.s64", bits, "0"), site, at, "")
	}
	return places
}

// isMatrixWithin reports whether a matrix, and those that are checked with it, are within their object whatever a
// thread computes.
func (mx *matrices) isMatrixWithin(t *together, m *matrixAccess, p *place) bool {
	n, known := mx.e.places.sizeOf(p.object)
	last := t.high - m.step - m.size // where the last matrix begins
	return known && p.within && t.low >= 0 && p.zeros >= trailing(int(m.size)) &&
		p.from+uint64(last+((side-1)*m.stride+side)*m.size) <= uint64(n)
}

// anyElements is elements where little is known.
func (mx *matrices) anyElements(in *ir.Instr, store bool, l facts.Layout) []place {
	a := in.Aux.(*ir.MatrixAccess)
	p := mx.e.places.placeOf(in.Args[0])
	mx.e.accesses.readOnly(&p, in, store)
	size := a.Kind.Bytes()
	stride, x, y, transposed := mx.e.reg(in.Args[1]), mx.e.reg(in.Args[2]), mx.e.reg(in.Args[3]), mx.e.reg(in.Args[4])
	row, column := mx.Fresh(text.Long), mx.Fresh(text.Long)
	rowOf, columnOf := mx.placeIn(l)
	mx.Op("cvt.u64.u32 %s, %s;", row, rowOf)
	mx.Op("cvt.u64.u32 %s, %s;", column, columnOf)
	places := make([]place, 2)
	for i := range places {
		at := mx.Fresh(text.Long)
		next := column // the second element has the next one
		if l == facts.ColumnLayout {
			next = row
		}
		moved := mx.Make(text.Long, "add.s64", next, fmt.Sprint(i))
		y0, x0 := row, moved
		if l == facts.ColumnLayout {
			y0, x0 = moved, column
		}
		mx.Expand(fmt.Sprintf(`selp.b64 {l2}, %s, %s, {c};
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
			sum := mx.Fresh(text.Long)
			mx.Op("add.s64 %s, %s, %s;", sum, p.at, at)
			at = sum
		}
		q.at, q.low = at, 0
		q.zeros = min(p.zeros, mx.baseZeros2(p), trailing(size))
		mx.e.accesses.check(&q, in, abi.Site{Scalar: a.Kind, Count: 1, Store: store}, int64(size), size)
		places[i] = q
	}
	return places
}

func (mx *matrices) baseZeros2(p place) int {
	if p.object == facts.Unknown {
		return 0
	}
	return mx.e.places.baseZeros(p.object)
}

func trailing(size int) int {
	n := 0
	for size>>n > 1 {
		n++
	}
	return n
}

func (mx *matrices) matrixLoad(in *ir.Instr) {
	a := in.Aux.(*ir.MatrixAccess)
	m := typesInMemory[a.Kind]
	raw := make([]string, 2)
	places := mx.elements(in, false)
	if mx.loadAtOnce(in) {
		return
	}
	for i, p := range places {
		raw[i] = mx.Fresh(m.class)
		if a.Kind == ir.Float32 {
			raw[i] = mx.e.reg(in.Results[i])
		}
		mx.Op("ld%s.%s %s, %s;", p.space, m.name, raw[i], mx.e.places.reached(&p)(0))
		mx.e.accesses.loaded(in.Results[i], a.Kind, raw[i])
	}
	switch {
	case mx.e.Layouts[in.Results[0]] == facts.AppleLayout:
	case a.Kind == ir.Half16: // as products take them
		mx.e.packs[in.Results[0]] = mx.Make(text.Word, "mov.b32", "{"+raw[0]+", "+raw[1]+"}")
	case a.Kind == ir.BFloat16:
		high := mx.Make(text.Word, "shl.b32", raw[1], "16")
		mx.e.packs[in.Results[0]] = mx.Make(text.Word, "or.b32", raw[0], high)
	}
}

// loadAtOnce loads a matrix of halves for a product from threadgroup memory with one instruction, where its rows begin
// at multiples of 16 bytes, and reports whether it does.
func (mx *matrices) loadAtOnce(in *ir.Instr) bool {
	m, ok := mx.matrixAccessOf(in)
	kind := in.Aux.(*ir.MatrixAccess).Kind
	if !ok || m.layout == facts.AppleLayout || kind != ir.Half16 && kind != ir.BFloat16 {
		return false
	}
	p := mx.e.places.placeOf(in.Args[0])
	aligned := min(mx.e.Zeros[in.Args[0]], mx.e.places.baseZeros(p.object)) >= 4
	if p.space != ".shared" || !aligned || m.stride*m.size%16 != 0 || m.fixed%16 != 0 {
		return false
	}
	row := mx.Once(fmt.Sprintln("row of a matrix", m.stride*m.size), text.Long, func(r string) {
		mx.First("mul.wide.u32 %s, %s, %d;", r, mx.Computed("and.b32", mx.e.grid.lane(), side-1), m.stride*m.size)
	})
	p.low = min(p.low, trailing(int(m.stride*m.size&-(m.stride*m.size))))
	if p.fixed = m.fixed; p.at == "" {
		p.at = row
	} else {
		p.at = mx.Make(text.Long, "add.s64", p.at, row)
	}
	order := map[facts.Layout]string{facts.ColumnLayout: ".trans"}[m.layout]
	both := mx.Fresh(text.Word)
	mx.Op("ldmatrix.sync.aligned.m8n8.x1%s.shared.b16 {%s}, %s;", order, both, mx.e.places.reached(&p)(0))
	mx.e.packs[in.Results[0]] = both
	if kind == ir.Half16 {
		low, high := mx.Fresh(text.Half), mx.Fresh(text.Half)
		mx.Op("mov.b32 {%s, %s}, %s;", low, high, both)
		mx.e.accesses.loaded(in.Results[0], kind, low)
		mx.e.accesses.loaded(in.Results[1], kind, high)
		return true
	}
	mx.e.accesses.loaded(in.Results[0], kind, mx.Make(text.Word, "and.b32", both, "65535"))
	mx.e.accesses.loaded(in.Results[1], kind, mx.Make(text.Word, "shr.u32", both, "16"))
	return true
}

func (mx *matrices) matrixStore(in *ir.Instr) {
	a := in.Aux.(*ir.MatrixAccess)
	m := typesInMemory[a.Kind]
	for i, p := range mx.elements(in, true) {
		if mx.e.accesses.isConstant(&p) {
			return // it has faulted
		}
		mx.Op("st%s.%s %s, %s;", p.space, m.name, mx.e.places.reached(&p)(0), mx.e.accesses.stored(in.Args[5+i], a.Kind))
	}
}

// diagonal writes the elements of a matrix that has a value on its diagonal.
func (mx *matrices) diagonal(in *ir.Instr) {
	is, at := mx.Fresh(text.Pred), mx.Fresh(text.Word)
	mx.Op("add.u32 %s, %s, %d;", at, mx.column(), in.Imm)
	mx.Op("setp.eq.u32 %s, %s, %s;", is, at, mx.row())
	mx.Op("selp.f32 %s, %s, 0f00000000, %s;", mx.e.reg(in.Result()), mx.e.reg(in.Args[0]), is)
}
