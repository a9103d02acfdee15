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
// and the device may use the last page to its end. Mapped memory is like that; use
// the whole mapping and [Buffer.Slice] what is needed of it. The memory must stay
// mapped until Free, or the device's Close, and until the batches that use it are
// done. WrapBuffer fails where there are no elements, and else as [NewBuffer] does.
func WrapBuffer[T any](dev *Device, data []T, access Access) (Buffer[T], error) {
	a, err := newAllocation(dev, reflect.TypeFor[T](), len(data), func(d driver.Device, size int) (driver.Memory, error) {
		start := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
		switch page := dev.limits.PageSize; {
		case size == 0:
			return nil, errors.New("there are no elements")
		case access&^ReadWrite != 0 || access&Read == 0:
			return nil, fmt.Errorf("the access is %v: want Read or ReadWrite", access)
		case start%uintptr(page) != 0:
			return nil, fmt.Errorf("%w: it begins %d bytes into a page of %d", ErrNotPageAligned, start%uintptr(page), page)
		}
		return d.WrapMemory(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), size))
	})
	if err != nil {
		return Buffer[T]{}, fmt.Errorf("metalgen: wrap %d elements of %v: %w", len(data), reflect.TypeFor[T](), err)
	}
	a.readOnly, a.wrapped = access&Write == 0, data
	return Buffer[T]{mem: a, length: len(data)}, nil
}
