package cpu

import "github.com/metalgen/metalgen/runtime/internal/cpu/fmath"

// Fused operations do in one loop over the lanes what the source writes as two or
// three operators. The results are the same to the last bit: each operator rounds as
// it would alone.

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
