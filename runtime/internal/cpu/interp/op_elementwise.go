package interp

import (
	"math"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// lanes1, lanes2 and lanes3 make an operation of a function of one lane and one of all, which lanes1 makes of the other
// where it is nil. They are not inlined for the reason of store.
//
//go:noinline
func lanes1[T word](one func(T) T, all func(z, x *[width]T)) Operation {
	if all == nil {
		all = lanes.Each(one)
	}
	return func(f *Frame, in *program.Instruction) {
		a, d := At[T](f, in.A), At[T](f, in.D)
		if a.uniform() {
			d.Set(one(a.Base))
			return
		}
		x := a.Lanes()
		all(d.vector(), x)
	}
}

//go:noinline
func lanes2[T word](one func(x, y T) T, all func(z, x, y *[width]T)) Operation {
	return func(f *Frame, in *program.Instruction) {
		a, b, d := At[T](f, in.A), At[T](f, in.B), At[T](f, in.D)
		if a.uniform() && b.uniform() {
			d.Set(one(a.Base, b.Base))
			return
		}
		x, y := a.Lanes(), b.Lanes()
		all(d.vector(), x, y)
	}
}

//go:noinline
func lanes3[T word](one func(x, y, w T) T, all func(z, x, y, w *[width]T)) Operation {
	return func(f *Frame, in *program.Instruction) {
		a, b, c, d := At[T](f, in.A), At[T](f, in.B), At[T](f, in.C), At[T](f, in.D)
		if a.uniform() && b.uniform() && c.uniform() {
			d.Set(one(a.Base, b.Base, c.Base))
			return
		}
		x, y, w := a.Lanes(), b.Lanes(), c.Lanes()
		all(d.vector(), x, y, w)
	}
}

// bound2 and bound3 are lanes2 and lanes3 for functions that keep their first operand between
// bounds: min, max and clamp. Where that counts up and the bounds are the same in all lanes, so
// that a function decides alike for the first lane and the last, it decides for those between.

//go:noinline
func bound2[T integer](one func(x, y T) T, all func(z, x, y *[width]T)) Operation {
	each := lanes2(one, all)
	return func(f *Frame, in *program.Instruction) {
		a, b := At[T](f, in.A), At[T](f, in.B)
		if a.uniform() {
			a, b = b, a
		}
		if first, last, ok := ends(a); ok && b.uniform() &&
			At[T](f, in.D).bound(a, one(first, b.Base), one(last, b.Base)) {
			return
		}
		each(f, in)
	}
}

//go:noinline
func bound3[T integer](one func(x, y, w T) T, all func(z, x, y, w *[width]T)) Operation {
	each := lanes3(one, all)
	return func(f *Frame, in *program.Instruction) {
		a, b, c := At[T](f, in.A), At[T](f, in.B), At[T](f, in.C)
		if first, last, ok := ends(a); ok && b.uniform() && c.uniform() &&
			At[T](f, in.D).bound(a, one(first, b.Base, c.Base), one(last, b.Base, c.Base)) {
			return
		}
		each(f, in)
	}
}

// bound sets r to what counts up in a, if its ends stay as they are, or to one bound. It reports
// false where neither is so.
func (r *Register[T]) bound(a *Register[T], first, last T) bool {
	switch {
	case first == last:
		r.Set(first)
	case first == a.Base && last == a.Base+(width-1)*a.Step:
		r.setLinear(a.Base, a.Step)
	default:
		return false
	}
	return true
}

func test1(fn func(float32) bool) operations {
	return operations{asFloat: func(f *Frame, in *program.Instruction) {
		var m uint32
		for i, v := range At[float32](f, in.A).Lanes() {
			if fn(v) {
				m |= 1 << i
			}
		}
		*MaskAt(f, in.D) = m
	}}
}

var (
	maxFloat = lanes2(fmath.Fmax, lanes.Each2(fmath.Fmax))
	minFloat = lanes2(fmath.Fmin, lanes.Each2(fmath.Fmin))
)

func fabs(v float32) float32 { return math.Float32frombits(math.Float32bits(v) &^ (1 << 31)) }

func clampTo[T integer](v, low, high T) T { return min(max(v, low), high) }
