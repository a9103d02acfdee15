package runtime

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// WrapBuffer returns a buffer of memory that the caller has already, such as a mapped file of weights, without copying
// it. access is what kernels may do with it: [Read] or [ReadWrite]. After [Read], a call of a kernel that writes the
// buffer fails with [ErrReadOnly].
//
// data has to begin at a page of memory, or else the error wraps [ErrNotPageAligned]. The device may use its last page
// to the end. Metal takes memory of mmap or vm_allocate that lies in one region, not memory of Go's heap nor of malloc
// (Apple: newBufferWithBytesNoCopy:length:options:deallocator:). The CPU device takes memory of any origin. Wrap the
// whole mapping and use [Buffer.Slice] for parts of it.
//
// Wrapping reads nothing of data. If data is longer than the device allows in one buffer, the device sees it through
// views that overlap. A call then takes any slice of up to half of that length, or a longer one that lies within one
// view, and there are no pointers to the buffer.
//
// The memory must stay mapped until Free or [Device.Close], and until the batches that use it are done.
//
// The same memory may be wrapped more than once. Where two such buffers overlap and kernels may write one of them,
// WrapBuffer may wait for batches that run, and later batches wait for each other. It is an error to wrap a slice of no
// elements, or the device's own memory, which is the Data of a Buffer that was not wrapped. Otherwise WrapBuffer fails
// as [NewBuffer] does.
func WrapBuffer[T any](dev *Device, data []T, access Access) (Buffer[T], error) {
	readOnly := access&Write == 0
	a := newAllocation()
	a.readOnly, a.wrapped = readOnly, data
	err := a.make(dev, reflect.TypeFor[T](), len(data), func(d driver.Device, size int) (driver.Memory, error) {
		start := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
		if size == 0 {
			return nil, errors.New("there are no elements")
		}
		if err := checkWrapAccess(access); err != nil {
			return nil, err
		}
		if page := uintptr(dev.limits.PageSize); start%page != 0 {
			return nil, fmt.Errorf("%w: it begins %d bytes into a page of %d", ErrNotPageAligned, start%page, page)
		}
		bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), size)
		if dev.owns(bytes) {
			return nil, errors.New("the memory is a Buffer's of the device already: use that, or a slice or cast of it")
		}
		return d.WrapMemory(bytes, readOnly)
	})
	if err != nil {
		return Buffer[T]{}, fmt.Errorf("WrapBuffer of %d elements of %v: %w", len(data), reflect.TypeFor[T](), err)
	}
	return Buffer[T]{mem: a, length: len(data)}, nil
}

// checkWrapAccess returns an error for what cannot be the access to wrapped memory.
func checkWrapAccess(access Access) error {
	if access&^ReadWrite != 0 || access&Read == 0 {
		return fmt.Errorf("the access is %v: need Read or ReadWrite", access)
	}
	return nil
}

// owns reports whether some of the bytes are of memory that the device has made.
func (d *Device) owns(bytes []byte) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for r := range d.resources {
		if m, ok := r.made.(driver.Memory); ok && r.wrapped == nil && overlap(m.Bytes(), bytes) {
			return true
		}
	}
	return false
}

// overlap reports whether a and b share a byte.
func overlap(a, b []byte) bool {
	startA, startB := uintptr(unsafe.Pointer(unsafe.SliceData(a))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return startA < startB+uintptr(len(b)) && startB < startA+uintptr(len(a))
}
