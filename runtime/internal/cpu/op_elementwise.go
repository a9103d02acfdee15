package cpu

import (
	"math"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
)

// lanes1, lanes2 and lanes3 make an operation of a function of one lane and one of all. They are
// not inlined for the reason of store.
//
//go:noinline
func lanes1[T word](one func(T) T, all *func(z, x *[width]T)) operation {
	return func(f *frame, in *instruction) {
		a, d := at[T](f, in.a), at[T](f, in.d)
		if a.uniform() {
			d.set(one(a.base))
			return
		}
		x := a.lanes()
		(*all)(d.vector(), x)
	}
}

//go:noinline
func lanes2[T word](one func(x, y T) T, all *func(z, x, y *[width]T)) operation {
	return func(f *frame, in *instruction) {
		a, b, d := at[T](f, in.a), at[T](f, in.b), at[T](f, in.d)
		if a.uniform() && b.uniform() {
			d.set(one(a.base, b.base))
			return
		}
		x, y := a.lanes(), b.lanes()
		(*all)(d.vector(), x, y)
	}
}

//go:noinline
func lanes3[T word](one func(x, y, w T) T, all *func(z, x, y, w *[width]T)) operation {
	return func(f *frame, in *instruction) {
		a, b, c, d := at[T](f, in.a), at[T](f, in.b), at[T](f, in.c), at[T](f, in.d)
		if a.uniform() && b.uniform() && c.uniform() {
			d.set(one(a.base, b.base, c.base))
			return
		}
		x, y, w := a.lanes(), b.lanes(), c.lanes()
		(*all)(d.vector(), x, y, w)
	}
}

// bound2 and bound3 are lanes2 and lanes3 for functions that keep their first operand between
// bounds: min, max and clamp. Where that counts up and the bounds are the same in all lanes, so
// that a function decides alike for the first lane and the last, it decides for those between.

//go:noinline
func bound2[T integer](one func(x, y T) T, all *func(z, x, y *[width]T)) operation {
	each := lanes2(one, all)
	return func(f *frame, in *instruction) {
		a, b := at[T](f, in.a), at[T](f, in.b)
		if a.uniform() {
			a, b = b, a
		}
		if first, last, ok := ends(a); ok && b.uniform() && at[T](f, in.d).bound(a, one(first, b.base), one(last, b.base)) {
			return
		}
		each(f, in)
	}
}

//go:noinline
func bound3[T integer](one func(x, y, w T) T, all *func(z, x, y, w *[width]T)) operation {
	each := lanes3(one, all)
	return func(f *frame, in *instruction) {
		a, b, c := at[T](f, in.a), at[T](f, in.b), at[T](f, in.c)
		if first, last, ok := ends(a); ok && b.uniform() && c.uniform() &&
			at[T](f, in.d).bound(a, one(first, b.base, c.base), one(last, b.base, c.base)) {
			return
		}
		each(f, in)
	}
}

// bound sets r to what counts up in a, if its ends stay as they are, or to one bound. It reports
// false where neither is so.
func (r *register[T]) bound(a *register[T], first, last T) bool {
	switch {
	case first == last:
		r.set(first)
	case first == a.base && last == a.base+(width-1)*a.step:
		r.setLinear(a.base, a.step)
	default:
		return false
	}
	return true
}

func test1(fn func(float32) bool) operations {
	return operations{asFloat: func(f *frame, in *instruction) {
		var m uint32
		for i, v := range at[float32](f, in.a).lanes() {
			if fn(v) {
				m |= 1 << i
			}
		}
		*maskAt(f, in.d) = m
	}}
}

var (
	maxFloat = lanes2(fmath.Fmax, &lanes.Float.Max)
	minFloat = lanes2(fmath.Fmin, &lanes.Float.Min)
)

func fabs(v float32) float32 { return math.Float32frombits(math.Float32bits(v) &^ (1 << 31)) }

func clampTo[T integer](v, low, high T) T { return min(max(v, low), high) }
