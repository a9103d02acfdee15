package runtime

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// WrapBuffer makes a buffer of memory that the caller has already, such as a file
// of weights that is mapped into memory, without copying it. access says what
// kernels may do with it: where it is [Read], a call with an argument that the
// kernel writes fails with [ErrReadOnly].
//
// data has to begin at a page of memory, else the error wraps [ErrNotPageAligned],
// and the device may use the last page to its end. For Metal it has to come from
// mmap or vm_allocate, and to lie in one region of those: not from Go's heap, nor
// from malloc (Apple: newBufferWithBytesNoCopy:length:options:deallocator:). The CPU
// device takes any memory. Use the whole mapping and [Buffer.Slice] what is needed of
// it. The memory must stay mapped until Free, or the device's Close, and until the
// batches that use it are done.
//
// The same memory may be wrapped more than once. Where one wrap overlaps another and
// kernels may write one of them, WrapBuffer may wait for the batches that run, and
// later batches wait for each other. The device's own memory, the Data of a Buffer
// that was not wrapped, is not to be wrapped: that is an error.
//
// WrapBuffer fails where there are no elements, and else as [NewBuffer] does.
func WrapBuffer[T any](dev *Device, data []T, access Access) (Buffer[T], error) {
	readOnly := access&Write == 0
	a := newAllocation()
	a.readOnly, a.wrapped = readOnly, data
	err := a.make(dev, reflect.TypeFor[T](), len(data), func(d driver.Device, size int) (driver.Memory, error) {
		start := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
		switch page := dev.limits.PageSize; {
		case size == 0:
			return nil, errors.New("there are no elements")
		case access&^ReadWrite != 0 || access&Read == 0:
			return nil, fmt.Errorf("the access is %v: want Read or ReadWrite", access)
		case start%uintptr(page) != 0:
			return nil, fmt.Errorf("%w: it begins %d bytes into a page of %d", ErrNotPageAligned, start%uintptr(page), page)
		}
		bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), size)
		if dev.owns(bytes) {
			return nil, errors.New("the memory is a Buffer's of the device already: use that, or a slice or cast of it")
		}
		return d.WrapMemory(bytes, readOnly)
	})
	if err != nil {
		return Buffer[T]{}, fmt.Errorf("metalgen: wrap %d elements of %v: %w", len(data), reflect.TypeFor[T](), err)
	}
	return Buffer[T]{mem: a, length: len(data)}, nil
}

// owns tells whether some of the bytes are of memory that the device has made.
func (d *Device) owns(bytes []byte) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for a := range d.allocations {
		if a.wrapped == nil && overlap(a.mem.Bytes(), bytes) {
			return true
		}
	}
	return false
}

// overlap tells whether a byte of the host is in both a and b.
func overlap(a, b []byte) bool {
	startA, startB := uintptr(unsafe.Pointer(unsafe.SliceData(a))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return startA < startB+uintptr(len(b)) && startB < startA+uintptr(len(a))
}
