package metal

import (
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// memory is an MTLBuffer.
type memory struct {
	device *Device
	id     objc.ID
	bytes  []byte // nil where it is private

	// start and end are the addresses of the bytes, for hazards: those of the host, and
	// such that the host does not have where they are private.
	start, end uintptr
	free       func() // what else there is to do, or nil

	readOnly bool // wrapped, and kernels do not write it
}

// MTLResourceOptions. Apple: MTLResource.h.
const (
	storageShared  = 0 // MTLResourceStorageModeShared
	storagePrivate = 2 << 4
)

var (
	selRecommendedSize = objc.Selector("recommendedMaxWorkingSetSize", "Q")
	selAllocatedSize   = objc.Selector("currentAllocatedSize", "Q")
	selGPUAddress      = objc.Selector("gpuAddress", "Q")
)

// Memory returns what Metal says of the memory of the device.
func (d *Device) Memory() driver.MemoryUse {
	return driver.MemoryUse{
		Recommended: int(d.id.Send(selRecommendedSize)), Allocated: int(d.id.Send(selAllocatedSize)),
	}
}

// NewMemory returns a zeroed buffer.
func (d *Device) NewMemory(size int, storage driver.Storage) (driver.Memory, error) {
	newMemory := d.newMemory
	if storage == driver.StoragePrivate {
		newMemory = d.newPrivate
	}
	m, err := newMemory(size)
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (d *Device) newMemory(size int) (m *memory, err error) {
	objc.WithPool(func() {
		id := objc.ID(d.id.Send(selNewBuffer, uintptr(size), storageShared))
		if id == 0 {
			err = d.noMemory(size)
			return
		}
		start := id.Send(selContents)
		bytes := unsafe.Slice((*byte)(pointerTo(start)), size)
		clear(bytes)
		d.wired.add(id)
		m = &memory{device: d, id: id, bytes: bytes, start: start, end: start + uintptr(size)}
	})
	return m, err
}

// noMemory returns the error of a device that has no buffer.
func (d *Device) noMemory(size int) error {
	return &driver.MemoryError{Device: d.name, Need: size, Use: d.Memory()}
}

// pointerTo returns the pointer of an address outside of Go's heap.
func pointerTo(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// Bytes returns the content of the buffer, as far as the host may see it.
func (m *memory) Bytes() []byte { return m.bytes }

// Address returns where the GPU has the buffer.
func (m *memory) Address() uint64 {
	if !m.device.limits.Addresses {
		return 0
	}
	return uint64(m.id.Send(selGPUAddress))
}

// Object returns the MTLBuffer, for who looks at messages from outside.
func (m *memory) Object() uintptr { return uintptr(m.id) }

// Free releases the buffer.
func (m *memory) Free() {
	objc.WithPool(func() {
		m.device.wired.remove(m.id)
		m.device.privates.remove(m.id)
		m.id.Release()
	})
	if m.free != nil {
		m.free()
	}
	m.bytes = nil
}

// idOf returns the MTLBuffer of a buffer of the runtime.
func idOf(b *driver.Buffer) uintptr { return uintptr(b.Memory.(*memory).id) }
