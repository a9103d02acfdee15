package interp

import (
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// width is the number of lanes of a simd-group, as Apple's GPUs have it. A lane, 0 to
// 31, is the slot of one thread in the registers of its simd-group.
const width = lanes.Width

// full is the mask of a simd-group all of whose lanes are active.
const full = ^uint32(0)

// word is what a lane of a register can hold. Narrower integers are held
// sign- or zero-extended in 32 bits, half and bfloat as the float32 of the same
// value, pointers in 64 bits. A bool is no register but a mask: one bit a lane.
type word interface {
	int32 | uint32 | float32 | int64 | uint64
}

// integer is a word that is no float.
type integer interface {
	int32 | uint32 | int64 | uint64
}

// Register holds one value for each lane. While it is linear, the value of lane l
// is base + l*step, and the array lane is undefined unless filled. So a value that is
// the same in all lanes (a step of 0, the only one that floats have) or counts up
// with them costs one operation and not 32.
//
// Registers of the same size share their layout: a Register[float32] may be read
// as a Register[uint32]. The lanes come first, and registers begin at multiples of
// program.LineSize: vector instructions load them without crossing cache lines, from the address of
// the register, and all that is not lanes is in the line after them.
type Register[T word] struct {
	Lane       [width]T
	Base, Step T
	Linear     bool
	Filled     bool // lane holds the values of a linear register
}

// Registers have room in a frame.
var (
	_ [program.WordBytes - int32(unsafe.Sizeof(Register[uint32]{}))]byte
	_ [program.LongBytes - int32(unsafe.Sizeof(Register[uint64]{}))]byte
)

// Lanes returns the values of all lanes.
func (r *Register[T]) Lanes() *[width]T {
	if r.Linear && !r.Filled {
		r.fill()
	}
	return &r.Lane
}

func (r *Register[T]) fill() {
	r.Filled = true
	lanes.Fill(&r.Lane, r.Base, r.Step)
}

// uniform reports whether all lanes are known to hold the value base.
func (r *Register[T]) uniform() bool { return r.Linear && r.Step == 0 }

// Set sets all lanes to v.
func (r *Register[T]) Set(v T) { r.setLinear(v, 0) }

func (r *Register[T]) setLinear(base, step T) {
	r.Base, r.Step, r.Linear, r.Filled = base, step, true, false
}

// vector makes the register one that is not linear, and returns its lanes, which the
// caller writes.
func (r *Register[T]) vector() *[width]T {
	r.Linear = false
	return &r.Lane
}

// Value returns what lane l holds.
func (r *Register[T]) Value(l int) T {
	if r.Linear {
		return r.Base + T(l)*r.Step
	}
	return r.Lane[l]
}

// copyFrom copies s to r in all lanes.
func (r *Register[T]) copyFrom(s *Register[T]) {
	if s.Linear {
		r.setLinear(s.Base, s.Step)
		return
	}
	r.Linear = false
	r.Lane = s.Lane
}

// blend copies s to r in the lanes of mask.
func (r *Register[T]) blend(s *Register[T], mask uint32) {
	if r.Linear && s.Linear && r.Base == s.Base && r.Step == s.Step {
		return
	}
	d, v := r.Lanes(), s.Lanes()
	r.Linear = false
	lanes.Select(d, v, d, mask)
}
