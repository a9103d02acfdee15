package interp

import (
	"math"
	"math/bits"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// Integers add, subtract and multiply modulo their width, so signed and
// unsigned ones share an operation, and linear ones stay linear.

func addInt[T integer](f *Frame, in *program.Instruction) {
	a, b, d := At[T](f, in.A), At[T](f, in.B), At[T](f, in.D)
	if a.Linear && b.Linear {
		d.setLinear(a.Base+b.Base, a.Step+b.Step)
		return
	}
	x, y := a.Lanes(), b.Lanes()
	lanes.Add(d.vector(), x, y)
}

func subInt[T integer](f *Frame, in *program.Instruction) {
	a, b, d := At[T](f, in.A), At[T](f, in.B), At[T](f, in.D)
	if a.Linear && b.Linear {
		d.setLinear(a.Base-b.Base, a.Step-b.Step)
		return
	}
	x, y := a.Lanes(), b.Lanes()
	lanes.Sub(d.vector(), x, y)
}

func mulInt[T integer](f *Frame, in *program.Instruction) {
	a, b, d := At[T](f, in.A), At[T](f, in.B), At[T](f, in.D)
	if a.Linear && b.Linear && (a.Step == 0 || b.Step == 0) {
		d.setLinear(a.Base*b.Base, a.Step*b.Base+a.Base*b.Step)
		return
	}
	x, y := a.Lanes(), b.Lanes()
	lanes.Mul(d.vector(), x, y)
}

func negInt[T integer](f *Frame, in *program.Instruction) {
	a, d := At[T](f, in.A), At[T](f, in.D)
	if a.Linear {
		d.setLinear(-a.Base, -a.Step)
		return
	}
	x := a.Lanes()
	lanes.Neg(d.vector(), x)
}

func notInt[T integer](f *Frame, in *program.Instruction) {
	a, d := At[T](f, in.A), At[T](f, in.D)
	if a.Linear {
		d.setLinear(^a.Base, -a.Step)
		return
	}
	x := a.Lanes()
	lanes.Not(d.vector(), x)
}

func andInt[T integer](f *Frame, in *program.Instruction) {
	a, b, d := At[T](f, in.A), At[T](f, in.B), At[T](f, in.D)
	if a.Linear && b.uniform() {
		if b.Base > 0 && b.Base&(b.Base+1) == 0 && inOneBlock(a, b.Base) { // x % 2^n
			d.setLinear(a.Base&b.Base, a.Step)
			return
		}
		if a.Step == 0 {
			d.Set(a.Base & b.Base)
			return
		}
	}
	x, y := a.Lanes(), b.Lanes()
	lanes.And(d.vector(), x, y)
}

func orInt[T integer](f *Frame, in *program.Instruction) {
	a, b, d := At[T](f, in.A), At[T](f, in.B), At[T](f, in.D)
	if a.uniform() && b.uniform() {
		d.Set(a.Base | b.Base)
		return
	}
	x, y := a.Lanes(), b.Lanes()
	lanes.Or(d.vector(), x, y)
}

func xorInt[T integer](f *Frame, in *program.Instruction) {
	a, b, d := At[T](f, in.A), At[T](f, in.B), At[T](f, in.D)
	if a.uniform() && b.uniform() {
		d.Set(a.Base ^ b.Base)
		return
	}
	x, y := a.Lanes(), b.Lanes()
	lanes.Xor(d.vector(), x, y)
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

func shlInt[T integer](f *Frame, in *program.Instruction) {
	a, b, d := At[T](f, in.A), At[uint32](f, in.B), At[T](f, in.D)
	if a.Linear && b.uniform() {
		n := b.Base & uint32(bitsOf[T]()-1)
		d.setLinear(a.Base<<n, a.Step<<n)
		return
	}
	x, y := a.Lanes(), b.Lanes()
	lanes.Shl(d.vector(), x, y)
}

func shrInt[T integer](f *Frame, in *program.Instruction) {
	a, b, d := At[T](f, in.A), At[uint32](f, in.B), At[T](f, in.D)
	if a.Linear && b.uniform() {
		n := b.Base & uint32(bitsOf[T]()-1)
		if a.Step == 0 || n < 31 && inOneBlock(a, T(1)<<n-1) {
			d.Set(a.Base >> n)
			return
		}
	}
	x, y := a.Lanes(), b.Lanes()
	lanes.Shr(d.vector(), x, y)
}

// inOneBlock reports whether the values of a linear register, which count
// upwards, differ in the bits of low only: low is 2^n - 1.
func inOneBlock[T integer](a *Register[T], low T) bool {
	last := a.Base + (width-1)*a.Step
	return a.Step >= 0 && a.Step < 1<<16 && last >= a.Base && a.Base&^low == last&^low
}

func divInt[T integer](f *Frame, in *program.Instruction) {
	a, b, d := At[T](f, in.A), At[T](f, in.B), At[T](f, in.D)
	if !b.uniform() {
		x, y := a.Lanes(), b.Lanes()
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
	y := b.Base
	if y == 0 {
		f.faultAt(in, errDivision)
	}
	if a.Step == 0 && a.Linear {
		d.Set(a.Base / y)
		return
	}
	if y > 0 && y&(y-1) == 0 && a.nonNegative() {
		n := bits.TrailingZeros64(uint64(y))
		if a.Linear && inOneBlock(a, y-1) {
			d.Set(a.Base >> n)
			return
		}
		x, z := a.Lanes(), d.vector()
		for i := range z {
			z[i] = x[i] >> n
		}
		return
	}
	if a.Linear && a.nonNegative() && y > 0 && a.Step >= 0 && a.Step <= y {
		q, r := a.Base/y, a.Base%y
		z := d.vector()
		for i := range z {
			z[i] = q
			if r += a.Step; r >= y {
				r -= y
				q++
			}
		}
		return
	}
	x, z := a.Lanes(), d.vector()
	for i := range z {
		z[i] = x[i] / y
	}
}

func modInt[T integer](f *Frame, in *program.Instruction) {
	a, b, d := At[T](f, in.A), At[T](f, in.B), At[T](f, in.D)
	if !b.uniform() {
		x, y := a.Lanes(), b.Lanes()
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
	y := b.Base
	if y == 0 {
		f.faultAt(in, errDivision)
	}
	if a.Step == 0 && a.Linear {
		d.Set(a.Base % y)
		return
	}
	if a.Linear && a.nonNegative() && y > 0 && a.Step >= 0 && a.Step <= y {
		r := a.Base % y
		if last := r + (width-1)*a.Step; last < y && last >= r && a.Step < 1<<16 {
			d.setLinear(r, a.Step)
			return
		}
		z := d.vector()
		for i := range z {
			z[i] = r
			if r += a.Step; r >= y {
				r -= y
			}
		}
		return
	}
	x, z := a.Lanes(), d.vector()
	for i := range z {
		z[i] = x[i] % y
	}
}

// divisionByZero faults if a lane is active; what the others hold does not matter.
func (f *Frame) divisionByZero(in *program.Instruction, lane int) {
	if f.Mask>>lane&1 != 0 {
		f.faultLane(in, lane, errDivision, errDivision.Error())
	}
}

// nonNegative reports whether the register is known to hold no negative values
// and, where it is linear, not to wrap around.
func (r *Register[T]) nonNegative() bool {
	if !r.Linear {
		return T(0)-1 > 0 // unsigned
	}
	last := r.Base + (width-1)*r.Step
	return r.Base >= 0 && last >= r.Base && r.Step >= 0 && r.Step < 1<<16
}

func addFloat(f *Frame, in *program.Instruction) {
	a, b, d := At[float32](f, in.A), At[float32](f, in.B), At[float32](f, in.D)
	if a.Linear && b.Linear {
		d.Set(a.Base + b.Base)
		return
	}
	x, y := a.Lanes(), b.Lanes()
	lanes.Add(d.vector(), x, y)
}

func subFloat(f *Frame, in *program.Instruction) {
	a, b, d := At[float32](f, in.A), At[float32](f, in.B), At[float32](f, in.D)
	if a.Linear && b.Linear {
		d.Set(a.Base - b.Base)
		return
	}
	x, y := a.Lanes(), b.Lanes()
	lanes.Sub(d.vector(), x, y)
}

func mulFloat(f *Frame, in *program.Instruction) {
	a, b, d := At[float32](f, in.A), At[float32](f, in.B), At[float32](f, in.D)
	if a.Linear && b.Linear {
		d.Set(a.Base * b.Base)
		return
	}
	x, y := a.Lanes(), b.Lanes()
	lanes.Mul(d.vector(), x, y)
}

func divFloat(f *Frame, in *program.Instruction) {
	a, b, d := At[float32](f, in.A), At[float32](f, in.B), At[float32](f, in.D)
	if a.Linear && b.Linear {
		d.Set(a.Base / b.Base)
		return
	}
	x, y := a.Lanes(), b.Lanes()
	fmath.DivLanes(d.vector(), x, y)
}

// negFloat changes the sign, of a NaN too.
var negFloat = lanes1(func(v float32) float32 { return math.Float32frombits(math.Float32bits(v) ^ 1<<31) }, nil)
