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
	selDevice       = objc.Selector("device", "@")
	selStorageMode  = objc.Selector("storageMode", "Q")
	selEncodeWait   = objc.Selector("encodeWaitForEvent:value:", "v@Q")
	selEncodeSignal = objc.Selector("encodeSignalEvent:value:", "v@Q")

	selSignaledValue    = objc.Selector("signaledValue", "Q")
	selSetSignaledValue = objc.Selector("setSignaledValue:", "vQ")
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

// WrapBuffer counts the buffer among those that may overlap: somebody may have wrapped the same bytes.
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

// eventValue is an MTLEvent and a value of it.
type eventValue struct {
	event objc.ID
	value uintptr
}

// WaitForEvent begins a piece that waits.
func (r *recorder) WaitForEvent(event uintptr, value uint64) {
	if !r.isEmpty() {
		r.begin()
	}
	r.waits = append(r.waits, eventValue{objc.ID(event), uintptr(value)})
}

// signalAll has the host signal the events of a piece that failed, as far as they are shared ones and the GPU has not:
// whoever waits for them goes on, and finds the error in the job.
func (p *piece) signalAll() {
	objc.WithPool(func() {
		for _, s := range p.signals {
			if s.event.Responds(selSetSignaledValue) && s.event.Send(selSignaledValue) < s.value {
				s.event.Send(selSetSignaledValue, s.value)
			}
		}
	})
}

// SignalEvent ends a piece.
func (r *recorder) SignalEvent(event uintptr, value uint64) {
	r.signals = append(r.signals, eventValue{objc.ID(event), uintptr(value)})
}
