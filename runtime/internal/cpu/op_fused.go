package cpu

import (
	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
)

// Fused operations do in one loop over the lanes what the source writes as two or
// three operators. The results are the same to the last bit: each operator rounds as
// it would alone.

// mulAdd is a*b + c, of which the product is rounded first: the conversions keep
// Go from fusing the two.
func mulAdd(f *frame, in *instruction) {
	a, b, c, d := at[float32](f, in.a), at[float32](f, in.b), at[float32](f, in.c), at[float32](f, in.d)
	if a.linear && b.linear && c.linear {
		d.set(float32(a.base*b.base) + c.base)
		return
	}
	x, y, z := a.lanes(), b.lanes(), c.lanes()
	lanes.Float.MulAdd(d.vector(), x, y, z)
}

// mulSub is a*b - c.
func mulSub(f *frame, in *instruction) {
	a, b, c, d := at[float32](f, in.a), at[float32](f, in.b), at[float32](f, in.c), at[float32](f, in.d)
	if a.linear && b.linear && c.linear {
		d.set(float32(a.base*b.base) - c.base)
		return
	}
	x, y, z := a.lanes(), b.lanes(), c.lanes()
	lanes.Float.MulSub(d.vector(), x, y, z)
}

// subMul is c - a*b.
func subMul(f *frame, in *instruction) {
	a, b, c, d := at[float32](f, in.a), at[float32](f, in.b), at[float32](f, in.c), at[float32](f, in.d)
	if a.linear && b.linear && c.linear {
		d.set(c.base - float32(a.base*b.base))
		return
	}
	x, y, z := a.lanes(), b.lanes(), c.lanes()
	lanes.Float.SubMul(d.vector(), x, y, z)
}

func fieldToFloat[T int32 | uint32](f *frame, in *instruction) {
	a, b, d := at[T](f, in.a), at[uint32](f, in.b), at[float32](f, in.d)
	mask := T(in.imm)
	if a.uniform() && b.uniform() {
		d.set(float32(int32(a.base >> (b.base & 31) & mask)))
		return
	}
	x, n := a.lanes(), b.lanes()
	lanes.OnWords[T]().Field(d.vector(), x, n, mask)
}

func fmaFloat(f *frame, in *instruction) {
	a, b, c, d := at[float32](f, in.a), at[float32](f, in.b), at[float32](f, in.c), at[float32](f, in.d)
	if a.linear && b.linear && c.linear {
		d.set(fmath.Fma(a.base, b.base, c.base))
		return
	}
	x, y, z := a.lanes(), b.lanes(), c.lanes()
	lanes.Float.Fma(d.vector(), x, y, z)
}
