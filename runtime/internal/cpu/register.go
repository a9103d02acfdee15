package cpu

import (
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
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

// register holds one value for each lane. While it is linear, the value of lane l
// is base + l*step, and the array lane is undefined unless filled. So a value that is
// the same in all lanes (a step of 0, the only one that floats have) or counts up
// with them costs one operation and not 32.
//
// Registers of the same size share their layout: a register[float32] may be read
// as a register[uint32]. The lanes come first, and registers begin at multiples of
// lineSize: vector instructions load them without crossing cache lines, from the address of
// the register, and all that is not lanes is in the line behind them.
type register[T word] struct {
	lane       [width]T
	base, step T
	linear     bool
	filled     bool // lane holds the values of a linear register
}

// Registers have room in a frame.
var (
	_ [size32 - int32(unsafe.Sizeof(register[uint32]{}))]byte
	_ [size64 - int32(unsafe.Sizeof(register[uint64]{}))]byte
)

// lanes returns the values of all lanes.
func (r *register[T]) lanes() *[width]T {
	if r.linear && !r.filled {
		r.fill()
	}
	return &r.lane
}

func (r *register[T]) fill() {
	r.filled = true
	lanes.On[T]().Fill(&r.lane, r.base, r.step)
}

// uniform reports whether all lanes are known to hold the value base.
func (r *register[T]) uniform() bool { return r.linear && r.step == 0 }

// set sets all lanes to v.
func (r *register[T]) set(v T) { r.setLinear(v, 0) }

func (r *register[T]) setLinear(base, step T) {
	r.base, r.step, r.linear, r.filled = base, step, true, false
}

// vector makes the register one that is not linear, and returns its lanes, which the
// caller writes.
func (r *register[T]) vector() *[width]T {
	r.linear = false
	return &r.lane
}

// value returns what lane l holds.
func (r *register[T]) value(l int) T {
	if r.linear {
		return r.base + T(l)*r.step
	}
	return r.lane[l]
}

// copyFrom copies s to r in all lanes.
func (r *register[T]) copyFrom(s *register[T]) {
	if s.linear {
		r.setLinear(s.base, s.step)
		return
	}
	r.linear = false
	r.lane = s.lane
}

// blend copies s to r in the lanes of mask.
func (r *register[T]) blend(s *register[T], mask uint32) {
	if r.linear && s.linear && r.base == s.base && r.step == s.step {
		return
	}
	d, v := r.lanes(), s.lanes()
	r.linear = false
	lanes.On[T]().Select(d, v, d, mask)
}
