package metal

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// The same memory may be wrapped twice, in whole or in part: then two MTLBuffers
// are views of the same bytes, and Metal, which orders what command buffers do
// with one MTLBuffer, does not know that. Within a batch the
// addresses tell (hazard.go), and a barrier is for all buffers. From batch to batch
// a fence keeps the order, as long as there are two that overlap, one of which
// kernels may write: one for the device, which every batch waits for at its beginning
// and updates at its end. Batches that were on their way before that have not
// updated it, and so the wrap waits for them, with no lock that others need.
//
// Memory of the device's own is not to be wrapped once more: the runtime sees to it.

// wraps are the ranges that are wrapped.
type wraps struct {
	// mu is held for reading while a piece is encoded and committed, so that all that
	// have not asked for the fence are on their way when it is held for writing.
	mu    sync.RWMutex
	all   []*memory
	fence objc.ID // an MTLFence, once two have met
	pairs int     // that overlap and need it
	era   *era    // of the pieces that are committed now
}

// era is a time in which pieces are committed that are on their way: a new one begins where the fence is first needed,
// or needed again.
type era struct {
	sync.WaitGroup
	before atomic.Pointer[era] // nil once all of that has ended
}

// begin counts a piece.
func (e *era) begin() *era {
	e.Add(1)
	return e
}

// over waits for all pieces that were committed up to the end of the era.
func (e *era) over() {
	if before := e.before.Load(); before != nil {
		before.over()
		e.before.Store(nil)
	}
	e.Wait()
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
		if err = m.view(start, length); err == nil {
			err = d.addWrapped(m)
		}
		if err != nil {
			m.releaseViews()
		}
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// view makes the views of memory of whole pages.
func (m *memory) view(start unsafe.Pointer, length int) error {
	d := m.device
	s := objc.NewSender()
	defer s.Free()
	most, stride := d.viewLength(length)
	for from := 0; from == 0 || from+most-stride < length; from += stride {
		n := min(most, length-from)
		id := objc.ID(s.Send(d.id, selNewBufferNoCopy, s.Hold(unsafe.Add(start, from)), uintptr(n), storageShared, 0))
		m.views = append(m.views, view{id: id})
		if err := d.checkWrap(id, n); err != nil {
			return err
		}
	}
	m.id = m.views[0].id
	return nil
}

// addWrapped adds memory that is not the device's own to the ranges that may overlap.
func (d *Device) addWrapped(m *memory) error {
	m.free = func() { d.wraps.remove(m) }
	return d.wraps.add(d, m)
}

// checkWrap returns an error where no buffer was made, or one without the bytes: Metal on virtual Macs returns buffers
// of length 0.
func (d *Device) checkWrap(id objc.ID, length int) error {
	have := 0
	if id != 0 {
		have = int(id.Send(selLength))
	}
	if have < length {
		return fmt.Errorf("%s cannot wrap memory here: need a buffer of %d bytes, have one of %d: %w", d.name, length, have,
			errors.ErrUnsupported)
	}
	return nil
}

// add adds a range. Where it overlaps another one, it waits for what does not know the fence.
func (w *wraps) add(d *Device, m *memory) error {
	unfenced, err := w.insert(d, m)
	if unfenced != nil {
		unfenced.over()
	}
	return err
}

// insert adds a range, and returns the era that has to be over before anything uses it, or nil.
func (w *wraps) insert(d *Device, m *memory) (unfenced *era, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	pairs := w.pairsWith(m)
	if pairs > 0 && w.pairs == 0 {
		if w.fence == 0 {
			w.fence = objc.ID(d.id.Send(selNewFence))
		}
		if w.fence == 0 {
			return nil, errNoFence
		}
		last := w.era
		w.era = &era{}
		w.era.before.Store(last)
	}
	w.pairs += pairs
	w.all = append(w.all, m)
	if pairs == 0 {
		return nil, nil
	}
	return w.era.before.Load(), nil
}

// pairsWith counts the ranges that a range overlaps, except where kernels only read
// both.
func (w *wraps) pairsWith(m *memory) int {
	n := 0
	if len(m.views) > 1 && !m.readOnly {
		n = 1 // its views overlap each other
	}
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
