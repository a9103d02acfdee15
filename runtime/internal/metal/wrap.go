package metal

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// Memory that the caller keeps may be wrapped twice, in whole or in part: then two
// MTLBuffers are views of the same bytes, and Metal, which orders what command
// buffers do with one MTLBuffer, knows nothing of that. Within a batch the
// addresses tell (hazard.go), and a barrier is for all buffers. From batch to batch
// a fence keeps the order from then on: one for the device, which every batch waits
// for at its beginning and updates at its end.
//
// Memory of the device's own is not to be wrapped once more.

// wraps are the ranges that are wrapped.
type wraps struct {
	mu    sync.Mutex
	all   []*memory
	fence objc.ID // an MTLFence, once two have met
}

// WrapMemory makes a buffer of memory that begins at a page.
func (d *Device) WrapMemory(bytes []byte) (driver.Memory, error) {
	page := d.limits.PageSize
	length := (len(bytes) + page - 1) &^ (page - 1)
	address := unsafe.Pointer(unsafe.SliceData(bytes))
	m := &memory{bytes: bytes, address: uintptr(address)}
	m.free = func() { d.wraps.remove(m) }
	var err error
	objc.WithPool(func() {
		s := objc.NewSender()
		defer s.Free()
		m.id = objc.ID(s.Send(d.id, selNewBufferNoCopy, s.Hold(address), uintptr(length), storageShared, 0))
		if m.id == 0 {
			err = d.noMemory(length)
			return
		}
		d.wraps.add(d, m)
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// add notes a range, and makes the fence where it meets another one.
func (w *wraps) add(d *Device, m *memory) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fence == 0 && slices.ContainsFunc(w.all, m.meets) {
		w.fence = objc.ID(d.id.Send(selNewFence))
	}
	w.all = append(w.all, m)
}

func (m *memory) meets(other *memory) bool {
	return m.address < other.address+uintptr(len(other.bytes)) && other.address < m.address+uintptr(len(m.bytes))
}

func (w *wraps) remove(m *memory) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.all, m)
	w.all = slices.Delete(w.all, i, i+1)
}

// order is the fence, or 0 where none is needed.
func (w *wraps) order() objc.ID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fence
}

// release is for the device's end.
func (w *wraps) release() {
	if w.fence != 0 {
		w.fence.Release()
	}
}
