package ptx

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/ir"
)

// Matrices of 8 rows and 8 columns, of which each lane has two neighbours of a row, as Apple's GPUs arrange them:
// lane l has row (l/4 & 4) + l/2%4 and column (l/4 & 2)*2 + l%2*2.

const side = 8

// row and column return where the first element of a lane is.

func (e *emitter) row() string {
	high := e.computed("and.b32", e.computed("shr.u32", e.lane(), 2), 4)
	return e.computed("add.u32", high, e.computed("and.b32", e.computed("shr.u32", e.lane(), 1), 3))
}

func (e *emitter) column() string {
	high := e.computed("shr.u32", e.computed("and.b32", e.lane(), 8), 1)
	return e.computed("add.u32", high, e.computed("shl.b32", e.computed("and.b32", e.lane(), 1), 1))
}

// laneOf returns the lane that has an element, with the column rounded down to an even one.
func laneOf(row, column int) int { return row&4<<2 | row&3<<1 | column&4<<1 | column>>1&1 }

// multiply writes x * y + w. To w come the products of a row's first element, then of the second, and so on, each
// rounded by itself.
func (e *emitter) multiply(in *ir.Instr) {
	sums := []string{e.fresh(floatClass), e.fresh(floatClass)}
	for i, s := range sums {
		w := "0f00000000"
		if len(in.Args) > 4+i && in.Args[4+i] != 0 {
			w = e.reg(in.Args[4+i])
		}
		e.op("mov.f32 %s, %s;", s, w)
	}
	x0, x1, y0, y1 := e.reg(in.Args[0]), e.reg(in.Args[1]), e.reg(in.Args[2]), e.reg(in.Args[3])
	// Lanes of a row are those with the bits of its number; those of a column likewise.
	row := e.computed("and.b32", e.lane(), laneOf(7, 0))
	column := e.computed("and.b32", e.lane(), laneOf(0, 7))
	for k := range side {
		from := x0
		if k&1 != 0 {
			from = x1
		}
		x := e.read(ir.F32, from, e.computed("or.b32", row, laneOf(0, k)))
		with := e.computed("or.b32", column, laneOf(k, 0))
		for i, y := range []string{e.read(ir.F32, y0, with), e.read(ir.F32, y1, with)} {
			product := e.fresh(floatClass)
			e.op("mul.rn.f32 %s, %s, %s;", product, x, y)
			e.op("add.rn.f32 %s, %s, %s;", sums[i], sums[i], product)
		}
	}
	for i, s := range sums {
		e.op("mov.f32 %s, %s;", e.reg(in.Results[i]), s)
	}
}

// elements returns the checked places of the two elements of a lane.
func (e *emitter) elements(in *ir.Instr, store bool) []place {
	a := in.Aux.(*ir.MatrixAccess)
	p := e.placeOf(in.Args[0])
	e.readOnly(&p, in, store)
	size := a.Kind.Bytes()
	stride, x, y, transposed := e.reg(in.Args[1]), e.reg(in.Args[2]), e.reg(in.Args[3]), e.reg(in.Args[4])
	row, column := e.fresh(longClass), e.fresh(longClass)
	e.op("cvt.u64.u32 %s, %s;", row, e.row())
	e.op("cvt.u64.u32 %s, %s;", column, e.column())
	places := make([]place, 2)
	for i := range places {
		at := e.fresh(longClass)
		e.expand(fmt.Sprintf(`add.s64 {l1}, %s, %d;
selp.b64 {l2}, {l1}, %s, {c};
selp.b64 {l3}, %s, {l1}, {c};
add.s64 {l2}, {l2}, %s;
add.s64 {l3}, {l3}, %s;
max.s64 {l4}, {a}, -1099511627776;
min.s64 {l4}, {l4}, 1099511627776;
max.s64 {l2}, {l2}, -1048576;
min.s64 {l2}, {l2}, 1048576;
max.s64 {l3}, {l3}, -1099511627776;
min.s64 {l3}, {l3}, 1099511627776;
mad.lo.s64 {l5}, {l2}, {l4}, {l3};
mul.lo.s64 {d}, {l5}, {n};`, column, i, row, row, y, x), at, []string{stride, "", transposed}, int64(size))
		q := p
		if p.at != "" {
			sum := e.fresh(longClass)
			e.op("add.s64 %s, %s, %s;", sum, p.at, at)
			at = sum
		}
		q.at = at
		q.zeros = min(p.zeros, e.baseZeros2(p), trailing(size))
		e.check(&q, in, Site{Scalar: a.Kind, Count: 1, Store: store}, int64(size), size)
		places[i] = q
	}
	return places
}

func (e *emitter) baseZeros2(p place) int {
	if p.object == unknown {
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
	for i, p := range e.elements(in, false) {
		raw := e.fresh(m.class)
		if a.Kind == ir.Float32 {
			raw = e.reg(in.Results[i])
		}
		e.op("ld%s.%s %s, %s;", p.space, m.name, raw, e.reached(&p)(0))
		e.loaded(in.Results[i], a.Kind, raw)
	}
}

func (e *emitter) matrixStore(in *ir.Instr) {
	a := in.Aux.(*ir.MatrixAccess)
	m := typesInMemory[a.Kind]
	for i, p := range e.elements(in, true) {
		e.op("st%s.%s %s, %s;", p.space, m.name, e.reached(&p)(0), e.stored(in.Args[5+i], a.Kind))
	}
}

// diagonal writes the elements of a matrix that has a value on its diagonal.
func (e *emitter) diagonal(in *ir.Instr) {
	is, at := e.fresh(predClass), e.fresh(wordClass)
	e.op("add.u32 %s, %s, %d;", at, e.column(), in.Imm)
	e.op("setp.eq.u32 %s, %s, %s;", is, at, e.row())
	e.op("selp.f32 %s, %s, 0f00000000, %s;", e.reg(in.Result()), e.reg(in.Args[0]), is)
}
