package cpu

import (
	"fmt"
	"runtime/debug"
	"unsafe"
)

// memory is a piece of the Go heap.
type memory struct{ bytes []byte }

// alignment of memory: a cache line.
const alignment = 64

// newMemory allocates; what the machine does not have is an error.
func newMemory(size int) (m *memory, err error) {
	if size > 1<<40 {
		return nil, fmt.Errorf("%d bytes are more than the CPU device allocates", size)
	}
	defer func() {
		if r := recover(); r != nil {
			m, err = nil, fmt.Errorf("no memory for %d bytes", size)
		}
	}()
	if limit := debug.SetMemoryLimit(-1); int64(size) > limit {
		return nil, fmt.Errorf("%d bytes are more than the memory limit of %d", size, limit)
	}
	bytes := make([]byte, size+alignment-1)
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(bytes)))) & (alignment - 1)
	return &memory{bytes[skip : skip+size : skip+size]}, nil
}

// Bytes is the whole allocation.
func (m *memory) Bytes() []byte { return m.bytes }

// Free leaves the memory to the garbage collector.
func (m *memory) Free() { m.bytes = nil }
