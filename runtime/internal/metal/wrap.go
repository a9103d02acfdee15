package metal

import (
	"fmt"
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
// a fence keeps the order, as long as there are two that overlap, one of which
// kernels may write: one for the device, which every batch waits for at its beginning
// and updates at its end. Batches that were on their way before that have not
// updated it, and so the wrap waits for them.
//
// Memory of the device's own is not to be wrapped once more: the runtime sees to it.

// wraps are the ranges that are wrapped.
type wraps struct {
	// mu is held for reading while a batch is encoded and committed, so that all
	// batches of which this has not asked for the fence are on their way when it is
	// held for writing.
	mu    sync.RWMutex
	all   []*memory
	fence objc.ID // an MTLFence, once two have met
	pairs int     // that overlap and need it
}

// WrapMemory makes a buffer of memory that begins at a page.
func (d *Device) WrapMemory(bytes []byte, readOnly bool) (driver.Memory, error) {
	page := d.limits.PageSize
	length := (len(bytes) + page - 1) &^ (page - 1)
	start := unsafe.Pointer(unsafe.SliceData(bytes))
	m := &memory{device: d, bytes: bytes, start: uintptr(start), readOnly: readOnly}
	m.end = m.start + uintptr(len(bytes))
	var err error
	objc.WithPool(func() {
		s := objc.NewSender()
		defer s.Free()
		m.id = objc.ID(s.Send(d.id, selNewBufferNoCopy, s.Hold(start), uintptr(length), storageShared, 0))
		if err = d.checkWrap(m.id, length); err != nil {
			m.id.Release()
			return
		}
		if err = d.addWrapped(m); err != nil {
			m.id.Release()
		}
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// addWrapped adds memory that somebody else has made too to that which may overlap, and keeps it resident.
func (d *Device) addWrapped(m *memory) error {
	m.free = func() { d.wraps.remove(m) }
	err := d.wraps.add(d, m)
	if err == nil {
		d.wired.add(m.id)
	}
	return err
}

// checkWrap returns an error where no buffer was made, or one without the bytes: Metal on virtual Macs returns buffers
// of length 0.
func (d *Device) checkWrap(id objc.ID, length int) error {
	have := 0
	if id != 0 {
		have = int(id.Send(selLength))
	}
	if have < length {
		return fmt.Errorf("%s cannot wrap memory here: need a buffer of %d bytes, have one of %d", d.name, length, have)
	}
	return nil
}

// add adds a range. Where it is the first that overlaps another one, it makes sure
// that whatever runs from now on knows the fence.
func (w *wraps) add(d *Device, m *memory) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	pairs := w.pairsWith(m)
	if pairs > 0 && w.pairs == 0 {
		if w.fence == 0 {
			w.fence = objc.ID(d.id.Send(selNewFence))
		}
		if w.fence == 0 {
			return errNoFence
		}
		d.drain()
	}
	w.pairs += pairs
	w.all = append(w.all, m)
	return nil
}

// pairsWith counts the ranges that a range overlaps, except where kernels only read
// both.
func (w *wraps) pairsWith(m *memory) int {
	n := 0
	for _, other := range w.all {
		if other != m && m.meets(other) && !(m.readOnly && other.readOnly) {
			n++
		}
	}
	return n
}

func (m *memory) meets(other *memory) bool {
	return m.start < other.end && other.start < m.end
}

// remove is for memory that no job uses any more.
func (w *wraps) remove(m *memory) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pairs -= w.pairsWith(m)
	i := slices.Index(w.all, m)
	w.all = slices.Delete(w.all, i, i+1)
}

// order returns the fence, or 0 where none is needed. Its caller holds mu.
func (w *wraps) order() objc.ID {
	if w.pairs == 0 {
		return 0
	}
	return w.fence
}

// release releases what the device has kept.
func (w *wraps) release() {
	if w.fence != 0 {
		w.fence.Release()
	}
}

// drain waits for all that runs: it takes all places, which their jobs have. Its
// caller keeps others from taking one.
func (d *Device) drain() {
	for range maxRunning {
		d.running <- struct{}{}
	}
	for range maxRunning {
		<-d.running
	}
}
