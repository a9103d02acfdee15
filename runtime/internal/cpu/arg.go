package cpu

import "github.com/metalgen/metalgen/runtime/internal/driver"

// source says where the memory of an object comes from.
type source interface {
	// bind finds the memory for a dispatch that is recorded.
	bind(d *dispatch, o *object, from *driver.Dispatch)

	// prepare does what is left to do for each simd-group before it executes the
	// dispatch: it finds memory of its threads or its threadgroup, or sets registers.
	prepare(f *frame, o *object)
}

// bound is embedded in sources of which bind has done everything.
type bound struct{}

func (bound) prepare(*frame, *object) {}
