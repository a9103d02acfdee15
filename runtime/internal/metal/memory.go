package metal

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// memory is a shared MTLBuffer.
type memory struct {
	id    objc.ID
	bytes []byte
}

const storageShared = 0 // MTLResourceStorageModeShared

// NewMemory returns a zeroed buffer.
func (d *Device) NewMemory(size int, storage driver.Storage) (driver.Memory, error) {
	m, err := d.newMemory(size)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// WrapMemory is not there yet.
func (d *Device) WrapMemory(bytes []byte) (driver.Memory, error) { return nil, errors.ErrUnsupported }

func (d *Device) newMemory(size int) (m *memory, err error) {
	objc.WithPool(func() {
		id := objc.ID(d.id.Send(selNewBuffer, uintptr(size), storageShared))
		if id == 0 {
			err = fmt.Errorf("%s has no memory for a buffer of %d bytes", d.name, size)
			return
		}
		address := id.Send(selContents)
		m = &memory{id: id, bytes: unsafe.Slice((*byte)(pointerTo(address)), size)}
		clear(m.bytes)
	})
	return m, err
}

// pointerTo is the pointer of an address outside of Go's heap.
func pointerTo(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// Bytes is the content of the buffer.
func (m *memory) Bytes() []byte { return m.bytes }

// Free releases the buffer.
func (m *memory) Free() {
	objc.WithPool(m.id.Release)
	m.bytes = nil
}
