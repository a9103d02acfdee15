package cpu

import (
	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/runtime/internal/cpu/fmath"
)

// Fused operations do in one loop over the lanes what the source writes as two or
// three operators. They give the very same results: each operator rounds as it
// would alone.

// product gives the factors of x * y, where x and y are float or vectors of them.
func product(e msl.Expr) (x, y msl.Expr, ok bool) {
	m, ok := e.(*msl.Binary)
	if !ok || m.Op != msl.Mul || m.Type().Scalar != msl.Float || m.Type().Kind != msl.Scalar && m.Type().Kind != msl.Vector {
		return nil, nil, false
	}
	t := m.Type()
	if m.X.Type().Kind != t.Kind || m.Y.Type().Kind != t.Kind {
		return nil, nil, false
	}
	return m.X, m.Y, true
}

// fusedSum lowers x * y + z and its like, or reports false.
func (b *builder) fusedSum(e *msl.Binary) (value, bool) {
	if e.Op != msl.Add && e.Op != msl.Sub {
		return nil, false
	}
	if x, y, ok := product(e.X); ok && e.Y.Type().Kind == e.X.Type().Kind {
		v := b.operands(x, y, e.Y)
		run := mulAdd
		if e.Op == msl.Sub {
			run = mulSub
		}
		return b.fusedEach(run, v[0], v[1], v[2]), true
	}
	if x, y, ok := product(e.Y); ok && e.Y.Type().Kind == e.X.Type().Kind {
		v := b.operands(e.X, x, y)
		return b.fusedEach(sumRun(e.Op), v[1], v[2], v[0]), true
	}
	return nil, false
}

// sumRun is z + x * y or z - x * y.
func sumRun(op msl.Op) operation {
	if op == msl.Sub {
		return subMul
	}
	return mulAdd
}

func (b *builder) fusedEach(run operation, x, y, z value) value {
	v := make(value, len(z))
	for i := range v {
		v[i] = b.op(wordClass, run, x[i], y[i], z[i])
	}
	return v
}

// mulAdd is a*b + c, of which the product is rounded first: the conversions keep
// Go from fusing the two.
func mulAdd(f *frame, in *instruction) {
	a, b, c, d := at[float32](f, in.a), at[float32](f, in.b), at[float32](f, in.c), at[float32](f, in.d)
	if b.linear {
		a, b = b, a
	}
	if a.linear {
		if b.linear && c.linear {
			d.set(float32(a.base*b.base) + c.base)
			return
		}
		x, y, z := a.base, b.lanes(), c.lanes()
		w := d.vector()
		for i := range w {
			w[i] = float32(x*y[i]) + z[i]
		}
		return
	}
	x, y, z := &a.lane, &b.lane, c.lanes()
	w := d.vector()
	for i := range w {
		w[i] = float32(x[i]*y[i]) + z[i]
	}
}

// mulSub is a*b - c.
func mulSub(f *frame, in *instruction) {
	a, b, c, d := at[float32](f, in.a), at[float32](f, in.b), at[float32](f, in.c), at[float32](f, in.d)
	if a.linear && b.linear && c.linear {
		d.set(float32(a.base*b.base) - c.base)
		return
	}
	x, y, z := a.lanes(), b.lanes(), c.lanes()
	w := d.vector()
	for i := range w {
		w[i] = float32(x[i]*y[i]) - z[i]
	}
}

// subMul is c - a*b.
func subMul(f *frame, in *instruction) {
	a, b, c, d := at[float32](f, in.a), at[float32](f, in.b), at[float32](f, in.c), at[float32](f, in.d)
	if a.linear && b.linear && c.linear {
		d.set(c.base - float32(a.base*b.base))
		return
	}
	x, y, z := a.lanes(), b.lanes(), c.lanes()
	w := d.vector()
	for i := range w {
		w[i] = z[i] - float32(x[i]*y[i])
	}
}

// bitField lowers float((x >> n) & mask), which every kernel for quantized
// weights is full of, or reports false.
func (b *builder) bitField(e *msl.Convert) (value, bool) {
	from := e.X.Type()
	if e.Type().Scalar != msl.Float || from.Scalar != msl.UInt && from.Scalar != msl.Int {
		return nil, false
	}
	and, ok := e.X.(*msl.Binary)
	if !ok || and.Op != msl.And {
		return nil, false
	}
	mask, ok := constantIndex(and.Y)
	if !ok || mask <= 0 || mask > 1<<24 {
		return nil, false
	}
	word, shift := and.X, value(nil)
	var x value
	if shr, ok := word.(*msl.Binary); ok && shr.Op == msl.Shr && classOf(shr.Y.Type().Scalar) == wordClass && shr.Type().Scalar == from.Scalar && !changes(shr.Y) {
		x, shift = b.value(shr.X), b.value(shr.Y)
	} else {
		x = b.value(word)
	}
	v := make(value, len(x))
	for i := range v {
		n := b.word(0)
		if shift != nil {
			n = shift[i]
		}
		run := operation(fieldToFloat[uint32])
		if from.Scalar == msl.Int {
			run = fieldToFloat[int32]
		}
		v[i] = b.opImm(wordClass, run, mask, x[i], n)
	}
	return v, true
}

func fieldToFloat[T int32 | uint32](f *frame, in *instruction) {
	a, b, d := at[T](f, in.a), at[uint32](f, in.b), at[float32](f, in.d)
	mask := T(in.imm)
	if b.uniform() {
		n := b.base & 31
		if a.uniform() {
			d.set(float32(int32(a.base >> n & mask)))
			return
		}
		x, z := a.lanes(), d.vector()
		for i := range z {
			z[i] = float32(int32(x[i] >> n & mask))
		}
		return
	}
	x, y, z := a.lanes(), b.lanes(), d.vector()
	for i := range z {
		z[i] = float32(int32(x[i] >> (y[i] & 31) & mask))
	}
}

func fmaFloat(f *frame, in *instruction) {
	a, b, c, d := at[float32](f, in.a), at[float32](f, in.b), at[float32](f, in.c), at[float32](f, in.d)
	if b.linear {
		a, b = b, a
	}
	if !a.linear {
		z := c.lanes() // before d, which may be c, is a vector
		fmath.FmaLanes(d.vector(), &a.lane, &b.lane, z)
		return
	}
	if b.linear && c.linear {
		d.set(fmath.Fma(a.base, b.base, c.base))
		return
	}
	x, y, z := a.base, b.lanes(), c.lanes()
	fmath.FmaLanesBy(d.vector(), x, y, z)
}
