package runtime

import (
	"sync/atomic"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// allocation is the memory behind a buffer and all its slices and casts.
type allocation struct {
	resource
	mem    driver.Memory
	size   int         // in bytes
	handle bind.Memory // by which views refer to the allocation

	arguments atomic.Pointer[arguments] // the pointers in it, nil where there are none

	readOnly bool // wrapped memory that kernels must not write

	// mistake is set instead of all of the above if a Slice or Cast was out of range.
	mistake error
}

func newAllocation() *allocation {
	a := &allocation{}
	a.handle.Owner = a
	return a
}

// mistaken returns an allocation that only carries err to the call that reports it.
func mistaken(err error) *allocation {
	a := newAllocation()
	a.mistake = err
	return a
}

// memory returns the handle of a, nil where a is nil.
func (a *allocation) memory() *bind.Memory {
	if a == nil {
		return nil
	}
	return &a.handle
}

// allocationOf returns the allocation behind a view, nil for that of the zero Buffer.
func allocationOf(v *bind.View) *allocation {
	if v.Memory == nil {
		return nil
	}
	a, _ := v.Memory.Owner.(*allocation)
	return a
}
