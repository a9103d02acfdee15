package interp

import (
	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// Fused operations do in one loop over the lanes what the source writes as two or
// three operators. The results are the same to the last bit: each operator rounds as
// it would alone.

// mulAdd is a*b + c, where the product is rounded first: the conversions keep
// Go from fusing the two.
func mulAdd(f *Frame, in *program.Instruction) {
	a, b, c, d := At[float32](f, in.A), At[float32](f, in.B), At[float32](f, in.C), At[float32](f, in.D)
	if a.Linear && b.Linear && c.Linear {
		d.Set(float32(a.Base*b.Base) + c.Base)
		return
	}
	x, y, z := a.Lanes(), b.Lanes(), c.Lanes()
	lanes.MulAdd(d.vector(), x, y, z)
}

// mulSub is a*b - c.
func mulSub(f *Frame, in *program.Instruction) {
	a, b, c, d := At[float32](f, in.A), At[float32](f, in.B), At[float32](f, in.C), At[float32](f, in.D)
	if a.Linear && b.Linear && c.Linear {
		d.Set(float32(a.Base*b.Base) - c.Base)
		return
	}
	x, y, z := a.Lanes(), b.Lanes(), c.Lanes()
	lanes.MulSub(d.vector(), x, y, z)
}

// subMul is c - a*b.
func subMul(f *Frame, in *program.Instruction) {
	a, b, c, d := At[float32](f, in.A), At[float32](f, in.B), At[float32](f, in.C), At[float32](f, in.D)
	if a.Linear && b.Linear && c.Linear {
		d.Set(c.Base - float32(a.Base*b.Base))
		return
	}
	x, y, z := a.Lanes(), b.Lanes(), c.Lanes()
	lanes.SubMul(d.vector(), x, y, z)
}

func fieldToFloat[T int32 | uint32](f *Frame, in *program.Instruction) {
	a, b, d := At[T](f, in.A), At[uint32](f, in.B), At[float32](f, in.D)
	mask := T(in.Imm)
	if a.uniform() && b.uniform() {
		d.Set(float32(int32(a.Base >> (b.Base & 31) & mask)))
		return
	}
	x, n := a.Lanes(), b.Lanes()
	lanes.Field(d.vector(), x, n, mask)
}

func fmaFloat(f *Frame, in *program.Instruction) {
	a, b, c, d := At[float32](f, in.A), At[float32](f, in.B), At[float32](f, in.C), At[float32](f, in.D)
	if a.Linear && b.Linear && c.Linear {
		d.Set(fmath.Fma(a.Base, b.Base, c.Base))
		return
	}
	x, y, z := a.Lanes(), b.Lanes(), c.Lanes()
	fmath.FmaLanes(d.vector(), x, y, z)
}
