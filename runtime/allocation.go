package runtime

import (
	"sync/atomic"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// allocation is the memory behind a buffer and all its slices and casts.
type allocation struct {
	dev    *Device
	mem    driver.Memory
	size   int         // in bytes
	handle bind.Memory // by which views refer to the allocation

	// refs counts the owner, until Free, and each use in a batch that is recorded or runs.
	refs  atomic.Int64
	freed atomic.Bool

	readOnly bool // wrapped memory that kernels must not write
	wrapped  any  // the caller's slice, kept reachable, or nil where the memory is the device's own

	// mistake is set instead of all of the above in what a Slice or Cast out of range returns.
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

// free drops the owner's reference, once.
func (a *allocation) free() {
	if !a.freed.Swap(true) {
		a.release()
	}
}

// retain adds a reference, or reports false when the memory was freed.
func (a *allocation) retain() bool {
	for !a.freed.Load() {
		// Not Add: a Free in between may have let the last reference go.
		if n := a.refs.Load(); n > 0 && a.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
	return false
}

// release drops a reference, and the memory with the last one.
func (a *allocation) release() {
	if a.refs.Add(-1) == 0 {
		a.dev.release(a)
	}
}
