package metal

import (
	"fmt"
	"sync/atomic"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// Memory that is wrapped is seen through views: one MTLBuffer of all of it, or several where it is longer than a buffer
// may be. Each begins in the middle of the one before, so that whatever is no longer than half of a buffer is within
// one of them.
//
// A file of weights costs no page until a kernel reads it. So a view is made resident when a call uses it for the first
// time.

// view is an MTLBuffer over a part of wrapped memory.
type view struct {
	id    objc.ID
	wired atomic.Bool // it is in the residency set
}

// viewLength returns how long the views of so many bytes are, and how far apart they begin.
func (d *Device) viewLength(length int) (view, stride int) {
	page := d.limits.PageSize
	most := d.limits.BufferLength &^ (2*page - 1)
	if length <= d.limits.BufferLength || most == 0 {
		return length, length
	}
	return most, most / 2
}

// placeInView returns where Metal finds the bytes from an offset on.
func (m *memory) placeInView(offset int) (id, at uintptr) {
	_, stride := m.device.viewLength(m.length())
	i := min(offset/stride, len(m.views)-1)
	v := &m.views[i]
	if !v.wired.Load() && !v.wired.Swap(true) {
		m.device.wired.add(v.id)
	}
	return uintptr(v.id), uintptr(offset - i*stride)
}

// length returns how many bytes there are.
func (m *memory) length() int { return int(m.end - m.start) }

// inOneView returns an error where no view has all of a buffer, of memory that has several.
func inOneView(b *driver.Buffer) error {
	m := b.Memory.(*memory)
	length, stride := m.device.viewLength(m.length())
	i := min(b.Offset/stride, len(m.views)-1)
	if most := length - (b.Offset - i*stride); b.Length > most {
		return fmt.Errorf("the buffer is part of memory that is longer than the %d bytes of one buffer of the device, and "+
			"from its beginning a call gets %d bytes at most, have %d: pass a Slice", length, most, b.Length)
	}
	return nil
}

// releaseViews is called within a pool.
func (m *memory) releaseViews() {
	for i := range m.views {
		v := &m.views[i]
		if v.wired.Load() {
			m.device.wired.remove(v.id, mostRemoved)
		}
		m.device.privates.remove(v.id)
		v.id.Release()
	}
}
