package runtime

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Buffer is a run of elements in memory that the program and the device share. It is a small value, like a slice
// header: copies, slices and casts refer to the same memory. The memory lives until Free or [Device.Close].
//
// The zero Buffer has no memory. A call with it fails, unless the argument is optional or its stated shape comes to 0
// elements for the call.
type Buffer[T any] struct {
	mem    *allocation
	offset int // in bytes
	length int // in elements
}

// NewBuffer returns a buffer of n elements, which may be 0, with zeros in it. T must have a size and must not hold Go
// pointers, and so no strings, slices or maps, which would mean nothing to the device. NewBuffer fails if n is
// negative, if the device allows fewer bytes in one buffer, and if it has no memory left.
func NewBuffer[T any](dev *Device, n int) (Buffer[T], error) {
	return newBuffer[T](dev, n, driver.StorageShared)
}

// NewPrivateBuffer is [NewBuffer] for memory that only the device touches: Data is nil, and [Copy] copies values into
// it and out of it. A GPU with memory of its own keeps the buffer there. The CPU device hides the memory as well, so
// that tests fail where a GPU would.
func NewPrivateBuffer[T any](dev *Device, n int) (Buffer[T], error) {
	return newBuffer[T](dev, n, driver.StoragePrivate)
}

func newBuffer[T any](dev *Device, n int, storage driver.Storage) (Buffer[T], error) {
	return newFilledBuffer[T](dev, n, storage, nil)
}

// newFilledBuffer returns a buffer with a copy of the first elements in it.
func newFilledBuffer[T any](dev *Device, n int, storage driver.Storage, first []T) (Buffer[T], error) {
	if len(referencesIn(reflect.TypeFor[T]())) > 0 {
		storage |= driver.StorageApart
	}
	if n > 0 && len(first) == n {
		storage |= driver.StorageOverwritten
	}
	a := newAllocation()
	err := a.make(dev, reflect.TypeFor[T](), n, func(d driver.Device, size int) (driver.Memory, error) {
		m, err := d.NewMemory(max(size, 1), storage) // a device has no empty memory
		if err == nil && size > 0 && len(first) > 0 {
			copy(m.Bytes(), unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(first))), size))
		}
		return m, err
	})
	if err != nil {
		return Buffer[T]{}, fmt.Errorf("NewBuffer of %d elements of %v: %w", n, reflect.TypeFor[T](), err)
	}
	return Buffer[T]{mem: a, length: n}, nil
}

var errNilDevice = fmt.Errorf("%w: the *Device is nil", ErrNoDevice)

// make makes the memory of the allocation, for n elements.
func (a *allocation) make(
	dev *Device, elem reflect.Type, n int, make func(d driver.Device, size int) (driver.Memory, error),
) error {
	if dev == nil {
		return errNilDevice
	}
	if err := checkElement(elem); err != nil {
		return err
	}
	if n < 0 {
		return errors.New("negative length")
	}
	size := bind.Mul(n, int(elem.Size()))
	if size > dev.limits.BufferLength && a.wrapped == nil {
		return fmt.Errorf("the device allows at most %d bytes in one buffer", dev.limits.BufferLength)
	}
	a.size = size
	return dev.add(&a.resource, func(d driver.Device) (_ freer, err error) {
		if a.mem, err = make(d, size); err == nil {
			if bytes := a.mem.Bytes(); bytes != nil {
				a.host.Store(&bytes)
			}
		}
		return a.mem, err
	})
}

// Upload returns a buffer with a copy of s in it. It fails as [NewBuffer] does, and if T has a [Pointer]: use
// [UploadArguments] for such elements.
func Upload[T any](dev *Device, s []T) (Buffer[T], error) {
	if t := reflect.TypeFor[T](); len(referencesIn(t)) > 0 {
		return Buffer[T]{}, fmt.Errorf(
			"Upload of %d elements of %v: the type has pointers to device memory; use UploadArguments",
			len(s), t)
	}
	return newFilledBuffer(dev, len(s), driver.StorageShared, s)
}

// Data returns the elements of the buffer, in the device's own memory and not a copy: kernels read what the program
// writes there, and when a batch is done the results are there. Do not touch the elements while a submitted batch uses
// them.
//
// The slice does not keep the memory alive: do not touch it after Free or [Device.Close]. Data returns nil for a freed,
// private or zero Buffer.
func (b Buffer[T]) Data() []T {
	if b.mem == nil || b.mem.mistake != nil || b.mem.freed.Load() {
		return nil
	}
	host := b.mem.host.Load()
	if host == nil {
		return nil
	}
	all := *host
	if b.length == 0 { // there may be no room for a T where it begins, to which a pointer would be wrong
		none := all[b.offset:b.offset:b.offset]
		return *(*[]T)(unsafe.Pointer(&none))
	}
	end := b.offset + b.length*sizeof[T]()
	bytes := all[b.offset:end:end]
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(bytes))), b.length)
}

// Len returns the number of elements.
func (b Buffer[T]) Len() int { return b.length }

// String returns, say, "buffer of 8192 elements of float32".
func (b Buffer[T]) String() string {
	what := fmt.Sprintf("buffer of %d elements of %v", b.length, reflect.TypeFor[T]())
	switch {
	case b.mem == nil:
		return fmt.Sprintf("zero buffer of %v", reflect.TypeFor[T]())
	case b.mem.mistake != nil:
		return "mistaken " + what + ": " + b.mem.mistake.Error()
	case b.mem.freed.Load():
		return "freed " + what
	case b.mem.mem.Bytes() == nil:
		return "private " + what
	}
	return what
}

// Equal reports whether b and c are the same elements of the same memory, like ==.
func (b Buffer[T]) Equal(c Buffer[T]) bool { return b == c }

// Slice returns elements i up to but not including j, in the same memory.
//
// Slice does not panic. If i or j is out of range it returns a buffer of length 0, and a call that uses it fails with a
// [*SliceError].
func (b Buffer[T]) Slice(i, j int) Buffer[T] {
	if b.mem != nil && b.mem.mistake != nil {
		return b // the first mistake is the one to report
	}
	if i < 0 || j < i || j > b.length {
		return Buffer[T]{mem: mistaken(&SliceError{I: i, J: j, Len: b.length})}
	}
	b.offset += i * sizeof[T]()
	b.length = j - i
	return b
}

// Cast returns the bytes of b as elements of U, in the same memory.
//
// Cast does not panic. If the bytes are not a whole number of elements, or are misaligned for U, or if U has no size or
// holds Go pointers, it returns a buffer of length 0, and a call that uses it fails with a [*CastError].
func Cast[U, T any](b Buffer[T]) Buffer[U] {
	if b.mem == nil || b.mem.mistake != nil {
		return Buffer[U]{mem: b.mem}
	}
	bytes := b.length * sizeof[T]()
	if err := checkCast(reflect.TypeFor[U](), b.offset, bytes); err != nil {
		return Buffer[U]{mem: mistaken(err)}
	}
	return Buffer[U]{mem: b.mem, offset: b.offset, length: bytes / sizeof[U]()}
}

func checkCast(to reflect.Type, offset, bytes int) error {
	if err := checkElement(to); err != nil {
		return &CastError{Type: to.String(), Offset: offset, Length: bytes, Reason: err.Error()}
	}
	if size := int(to.Size()); bytes%size != 0 {
		return &CastError{to.String(), offset, bytes, fmt.Sprintf("the length is not a multiple of %d", size)}
	}
	if align := to.Align(); offset%align != 0 {
		return &CastError{to.String(), offset, bytes, fmt.Sprintf("the offset is not a multiple of %d", align)}
	}
	return nil
}

// View returns b without its element type, as generated code passes it on.
func (b Buffer[T]) View() bind.View {
	return bind.View{Memory: b.mem.memory(), Offset: b.offset, Length: b.length, Size: sizeof[T]()}
}

// Free releases the memory of b, which is also that of all its slices and casts and of the buffer that it was made
// from. Batches that were recorded with it can still run: the memory is released when they are done. Calls recorded
// after Free fail with [ErrFreed]. Freeing twice, or freeing the zero Buffer, does nothing.
func (b Buffer[T]) Free() {
	if b.mem != nil && b.mem.mistake == nil {
		b.mem.free()
	}
}

func sizeof[T any]() int {
	var zero T
	return int(unsafe.Sizeof(zero))
}
