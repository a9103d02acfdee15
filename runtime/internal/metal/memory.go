package metal

import (
	"sync/atomic"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// memory is an MTLBuffer.
type memory struct {
	device *Device
	id     objc.ID
	at     uintptr // where it begins in the MTLBuffer
	block  block   // zero if the memory is wrapped
	shown  atomic.Bool
	views  []view // of wrapped memory: one, or several that overlap where it is longer than a buffer may be
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
	selGPUAddress      = objc.SelectorSince(13, "gpuAddress", "Q")
)

// Memory returns what Metal says of the memory of the device.
func (d *Device) Memory() driver.MemoryUse {
	return driver.MemoryUse{
		Recommended: int(d.id.Send(selRecommendedSize)), Allocated: int(d.id.Send(selAllocatedSize)),
		Reusable: d.reuse.bytes.get(),
	}
}

// NewMemory returns a buffer, of zeros unless the storage says that it is overwritten.
func (d *Device) NewMemory(size int, storage driver.Storage) (_ driver.Memory, err error) {
	var m *memory
	objc.WithPool(func() { m, err = d.make(size, storage) })
	if err != nil {
		return nil, err
	}
	return m, nil
}

// newMemory makes a shared buffer of the device's own.
func (d *Device) newMemory(size int) (*memory, error) { return d.newShared(size, 0) }

func (d *Device) newShared(size int, storage driver.Storage) (m *memory, err error) {
	objc.WithPool(func() { m, err = d.make(size, storage|driver.StorageApart) })
	return m, err
}

// make is called within a pool.
func (d *Device) make(size int, storage driver.Storage) (*memory, error) {
	private := storage&driver.StoragePrivate != 0
	b, err := d.take(size, private, storage&driver.StorageApart != 0)
	if err != nil {
		return nil, err
	}
	m := &memory{device: d, id: b.id, at: b.at, block: b, start: b.start}
	m.end = m.start + uintptr(size)
	if private {
		m.end = m.start + b.length
	}
	switch whole := b.bytes(int(bufferLength(size))); {
	case !private:
		m.bytes = whole[:size:size]
		if storage&driver.StorageOverwritten != 0 {
			whole = whole[size:]
		}
		clear(whole)
	case storage&driver.StorageOverwritten == 0:
		if err := d.zero(b.id, b.at, b.length); err != nil {
			d.give(b, false)
			return nil, err
		}
	}
	return m, nil
}

// bufferLength returns how long a buffer of so many bytes is made. Metal has no texture over the last bytes of one that
// ends where they end: it wants whole rows, of a multiple of 16 to 256 bytes by GPU and format. No buffer gets longer
// than Metal allows, which is a multiple as well.
func bufferLength(size int) uintptr { return (uintptr(size) + linearAlign - 1) &^ (linearAlign - 1) }

// linearAlign is the largest alignment of rows that a GPU asks for (Metal feature set tables).
const linearAlign = 256

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
	if !m.device.limits.Addresses || len(m.views) > 1 { // whose addresses do not follow each other
		return 0
	}
	return uint64(m.id.Send(selGPUAddress)) + uint64(m.at)
}

// Object returns the MTLBuffer, for tests that look at messages.
func (m *memory) Object() uintptr { return uintptr(m.id) }

// At returns where the memory begins in the MTLBuffer.
func (m *memory) At() int { return int(m.at) }

// Free releases the buffer, or keeps its block for another.
func (m *memory) Free() {
	d := m.device
	objc.WithPool(func() {
		if m.block.id == 0 {
			m.releaseViews()
		} else {
			d.give(m.block, m.shown.Load())
		}
	})
	if m.free != nil {
		m.free()
	}
	m.bytes = nil
}

// locate returns where Metal finds a buffer of the runtime.
func locate(b *driver.Buffer) (id, offset uintptr) {
	m := b.Memory.(*memory)
	if m.views != nil {
		return m.placeInView(b.Offset)
	}
	return uintptr(m.id), m.at + uintptr(b.Offset)
}
