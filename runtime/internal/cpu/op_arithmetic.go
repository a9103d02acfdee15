package cpu

import (
	"math/bits"

	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
)

// Integers add, subtract and multiply modulo their width, so signed and
// unsigned ones share an operation, and linear ones stay linear.

func addInt[T integer](f *frame, in *instruction) {
	a, b, d := at[T](f, in.a), at[T](f, in.b), at[T](f, in.d)
	if a.linear && b.linear {
		d.setLinear(a.base+b.base, a.step+b.step)
		return
	}
	x, y := a.lanes(), b.lanes()
	lanes.On[T]().Add(d.vector(), x, y)
}

func subInt[T integer](f *frame, in *instruction) {
	a, b, d := at[T](f, in.a), at[T](f, in.b), at[T](f, in.d)
	if a.linear && b.linear {
		d.setLinear(a.base-b.base, a.step-b.step)
		return
	}
	x, y := a.lanes(), b.lanes()
	lanes.On[T]().Sub(d.vector(), x, y)
}

func mulInt[T integer](f *frame, in *instruction) {
	a, b, d := at[T](f, in.a), at[T](f, in.b), at[T](f, in.d)
	if a.linear && b.linear && (a.step == 0 || b.step == 0) {
		d.setLinear(a.base*b.base, a.step*b.base+a.base*b.step)
		return
	}
	x, y := a.lanes(), b.lanes()
	lanes.On[T]().Mul(d.vector(), x, y)
}

func negInt[T integer](f *frame, in *instruction) {
	a, d := at[T](f, in.a), at[T](f, in.d)
	if a.linear {
		d.setLinear(-a.base, -a.step)
		return
	}
	x := a.lanes()
	lanes.On[T]().Neg(d.vector(), x)
}

func notInt[T integer](f *frame, in *instruction) {
	a, d := at[T](f, in.a), at[T](f, in.d)
	if a.linear {
		d.setLinear(^a.base, -a.step)
		return
	}
	x := a.lanes()
	lanes.OnIntegers[T]().Not(d.vector(), x)
}

func andInt[T integer](f *frame, in *instruction) {
	a, b, d := at[T](f, in.a), at[T](f, in.b), at[T](f, in.d)
	if a.linear && b.uniform() {
		if b.base > 0 && b.base&(b.base+1) == 0 && inOneBlock(a, b.base) { // x % 2^n
			d.setLinear(a.base&b.base, a.step)
			return
		}
		if a.step == 0 {
			d.set(a.base & b.base)
			return
		}
	}
	x, y := a.lanes(), b.lanes()
	lanes.OnIntegers[T]().And(d.vector(), x, y)
}

func orInt[T integer](f *frame, in *instruction) {
	a, b, d := at[T](f, in.a), at[T](f, in.b), at[T](f, in.d)
	if a.uniform() && b.uniform() {
		d.set(a.base | b.base)
		return
	}
	x, y := a.lanes(), b.lanes()
	lanes.OnIntegers[T]().Or(d.vector(), x, y)
}

func xorInt[T integer](f *frame, in *instruction) {
	a, b, d := at[T](f, in.a), at[T](f, in.b), at[T](f, in.d)
	if a.uniform() && b.uniform() {
		d.set(a.base ^ b.base)
		return
	}
	x, y := a.lanes(), b.lanes()
	lanes.OnIntegers[T]().Xor(d.vector(), x, y)
}

// bitsOf is the width of an integer.
func bitsOf[T integer]() uint {
	if T(1)<<31<<1 == 0 {
		return 32
	}
	return 64
}

// Shift counts are taken modulo the width (section 3.1). The count is 32 bits
// wide: of a 64-bit one the upper half does not matter.

func shlInt[T integer](f *frame, in *instruction) {
	a, b, d := at[T](f, in.a), at[uint32](f, in.b), at[T](f, in.d)
	if a.linear && b.uniform() {
		n := b.base & uint32(bitsOf[T]()-1)
		d.setLinear(a.base<<n, a.step<<n)
		return
	}
	x, y := a.lanes(), b.lanes()
	lanes.OnIntegers[T]().Shl(d.vector(), x, y)
}

func shrInt[T integer](f *frame, in *instruction) {
	a, b, d := at[T](f, in.a), at[uint32](f, in.b), at[T](f, in.d)
	if a.linear && b.uniform() {
		n := b.base & uint32(bitsOf[T]()-1)
		if a.step == 0 || n < 31 && inOneBlock(a, T(1)<<n-1) {
			d.set(a.base >> n)
			return
		}
	}
	x, y := a.lanes(), b.lanes()
	lanes.OnIntegers[T]().Shr(d.vector(), x, y)
}

// inOneBlock reports whether the values of a linear register, which count
// upwards, differ in the bits of low only: low is 2^n - 1.
func inOneBlock[T integer](a *register[T], low T) bool {
	last := a.base + (width-1)*a.step
	return a.step >= 0 && a.step < 1<<16 && last >= a.base && a.base&^low == last&^low
}

func divInt[T integer](f *frame, in *instruction) {
	a, b, d := at[T](f, in.a), at[T](f, in.b), at[T](f, in.d)
	if !b.uniform() {
		x, y := a.lanes(), b.lanes()
		z := d.vector()
		for i := range z {
			if y[i] == 0 {
				f.divisionByZero(in, i)
				z[i] = 0
				continue
			}
			z[i] = x[i] / y[i]
		}
		return
	}
	y := b.base
	if y == 0 {
		f.faultAt(in, errDivision)
	}
	if a.step == 0 && a.linear {
		d.set(a.base / y)
		return
	}
	if y > 0 && y&(y-1) == 0 && a.nonNegative() {
		n := bits.TrailingZeros64(uint64(y))
		if a.linear && inOneBlock(a, y-1) {
			d.set(a.base >> n)
			return
		}
		x, z := a.lanes(), d.vector()
		for i := range z {
			z[i] = x[i] >> n
		}
		return
	}
	if a.linear && a.nonNegative() && y > 0 && a.step >= 0 && a.step <= y {
		q, r := a.base/y, a.base%y
		z := d.vector()
		for i := range z {
			z[i] = q
			if r += a.step; r >= y {
				r -= y
				q++
			}
		}
		return
	}
	x, z := a.lanes(), d.vector()
	for i := range z {
		z[i] = x[i] / y
	}
}

func modInt[T integer](f *frame, in *instruction) {
	a, b, d := at[T](f, in.a), at[T](f, in.b), at[T](f, in.d)
	if !b.uniform() {
		x, y := a.lanes(), b.lanes()
		z := d.vector()
		for i := range z {
			if y[i] == 0 {
				f.divisionByZero(in, i)
				z[i] = 0
				continue
			}
			z[i] = x[i] % y[i]
		}
		return
	}
	y := b.base
	if y == 0 {
		f.faultAt(in, errDivision)
	}
	if a.step == 0 && a.linear {
		d.set(a.base % y)
		return
	}
	if a.linear && a.nonNegative() && y > 0 && a.step >= 0 && a.step <= y {
		r := a.base % y
		if last := r + (width-1)*a.step; last < y && last >= r && a.step < 1<<16 {
			d.setLinear(r, a.step)
			return
		}
		z := d.vector()
		for i := range z {
			z[i] = r
			if r += a.step; r >= y {
				r -= y
			}
		}
		return
	}
	x, z := a.lanes(), d.vector()
	for i := range z {
		z[i] = x[i] % y
	}
}

// divisionByZero faults if a lane is active; what the others hold does not matter.
func (f *frame) divisionByZero(in *instruction, lane int) {
	if f.mask>>lane&1 != 0 {
		f.faultLane(in, lane, errDivision, errDivision.Error())
	}
}

// nonNegative reports whether the register is known to hold no negative values
// and, where it is linear, not to wrap around.
func (r *register[T]) nonNegative() bool {
	if !r.linear {
		return T(0)-1 > 0 // unsigned
	}
	last := r.base + (width-1)*r.step
	return r.base >= 0 && last >= r.base && r.step >= 0 && r.step < 1<<16
}

func addFloat(f *frame, in *instruction) {
	a, b, d := at[float32](f, in.a), at[float32](f, in.b), at[float32](f, in.d)
	if a.linear && b.linear {
		d.set(a.base + b.base)
		return
	}
	x, y := a.lanes(), b.lanes()
	lanes.Float.Add(d.vector(), x, y)
}

func subFloat(f *frame, in *instruction) {
	a, b, d := at[float32](f, in.a), at[float32](f, in.b), at[float32](f, in.d)
	if a.linear && b.linear {
		d.set(a.base - b.base)
		return
	}
	x, y := a.lanes(), b.lanes()
	lanes.Float.Sub(d.vector(), x, y)
}

func mulFloat(f *frame, in *instruction) {
	a, b, d := at[float32](f, in.a), at[float32](f, in.b), at[float32](f, in.d)
	if a.linear && b.linear {
		d.set(a.base * b.base)
		return
	}
	x, y := a.lanes(), b.lanes()
	lanes.Float.Mul(d.vector(), x, y)
}

func divFloat(f *frame, in *instruction) {
	a, b, d := at[float32](f, in.a), at[float32](f, in.b), at[float32](f, in.d)
	if a.linear && b.linear {
		d.set(a.base / b.base)
		return
	}
	x, y := a.lanes(), b.lanes()
	lanes.Float.Div(d.vector(), x, y)
}

func negFloat(f *frame, in *instruction) {
	a, d := at[float32](f, in.a), at[float32](f, in.d)
	if a.linear {
		d.set(-a.base)
		return
	}
	x := a.lanes()
	lanes.Float.Neg(d.vector(), x)
}
