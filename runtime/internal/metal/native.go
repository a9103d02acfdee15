package metal

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// Code that sends messages of its own gets the objects of the driver, and pieces of a batch that it encodes itself.

var (
	selDevice      = objc.Selector("device", "@")
	selStorageMode = objc.Selector("storageMode", "Q")
)

// sharedStorageMode is of buffers that the host sees as they are. It would have to say what it changes in managed ones.
// Apple: MTLStorageModeShared in MTLResource.h.
const sharedStorageMode = 0

// native is a device as such code sees it.
type native struct{ d *Device }

// Metal returns the objects of the device.
func (d *Device) Metal() driver.Metal { return native{d} }

func (n native) Device() uintptr            { return uintptr(n.d.id) }
func (n native) Queue() uintptr             { return uintptr(n.d.queue) }
func (n native) Offset(m driver.Memory) int { return m.(*memory).At() }
func (n native) Buffer(m driver.Memory) uintptr {
	own := m.(*memory)
	own.shown.Store(true)
	return own.Object()
}

// WrapBuffer counts the buffer among those that may overlap, because the same bytes may be wrapped elsewhere.
func (n native) WrapBuffer(buffer uintptr, readOnly bool) (m driver.Memory, size int, err error) {
	objc.WithPool(func() { m, size, err = n.wrap(objc.ID(buffer), readOnly) })
	return m, size, err
}

func (n native) wrap(id objc.ID, readOnly bool) (driver.Memory, int, error) {
	if id == 0 {
		return nil, 0, errors.New("the MTLBuffer is nil")
	}
	if device := objc.ID(id.Send(selDevice)); device != n.d.id {
		return nil, 0, fmt.Errorf("the MTLBuffer is of another device than %s", n.d.name)
	}
	size := int(id.Send(selLength))
	m := &memory{device: n.d, id: id.Retain(), views: []view{{id: id}}, readOnly: readOnly}
	if id.Send(selStorageMode) == sharedStorageMode {
		contents := id.Send(selContents)
		m.bytes = unsafe.Slice((*byte)(pointerTo(contents)), size)
		m.start, m.end = contents, contents+uintptr(size)
	} else {
		m.start, m.end = n.d.privates.add(id, uintptr(size))
	}
	if err := n.d.addWrapped(m); err != nil {
		n.d.privates.remove(id)
		id.Release()
		return nil, 0, err
	}
	return m, size, nil
}

// Metal returns the recorder, which has what recorders of Metal have besides.
func (r *recorder) Metal() driver.MetalRecorder { return r }

// Encode makes a piece of what encode sends.
func (r *recorder) Encode(encode func(encoder uintptr)) {
	if !r.isEmpty() {
		r.begin()
	}
	r.encodes = encode
	r.calls++
	r.first, r.last = r.calls, r.calls
}
