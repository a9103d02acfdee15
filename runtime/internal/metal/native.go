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
)

const privateStorageMode = 2 // Apple: MTLStorageModePrivate in MTLResource.h

// native is a device as such code sees it.
type native struct{ d *Device }

// Metal returns the objects of the device.
func (d *Device) Metal() driver.Metal { return native{d} }

func (n native) Device() uintptr                { return uintptr(n.d.id) }
func (n native) Queue() uintptr                 { return uintptr(n.d.queue) }
func (n native) Buffer(m driver.Memory) uintptr { return m.(*memory).Object() }

// WrapBuffer counts the buffer among those that may overlap: somebody may have wrapped the same bytes.
func (n native) WrapBuffer(buffer uintptr, readOnly bool) (driver.Memory, int, error) {
	if buffer == 0 {
		return nil, 0, errors.New("the MTLBuffer is nil")
	}
	id := objc.ID(buffer)
	if device := objc.ID(id.Send(selDevice)); device != n.d.id {
		return nil, 0, fmt.Errorf("the MTLBuffer is of another device than %s", n.d.name)
	}
	size := int(id.Send(selLength))
	m := &memory{device: n.d, id: id.Retain(), readOnly: readOnly}
	if id.Send(selStorageMode) != privateStorageMode {
		contents := id.Send(selContents)
		m.bytes = unsafe.Slice((*byte)(pointerTo(contents)), size)
		m.start, m.end = contents, contents+uintptr(size)
	} else {
		m.start, m.end = privateRange(uintptr(size))
	}
	m.free = func() { n.d.wraps.remove(m) }
	if err := n.d.wraps.add(n.d, m); err != nil {
		id.Release()
		return nil, 0, err
	}
	n.d.wired.add(id)
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

// SignalEvent ends a piece.
func (r *recorder) SignalEvent(event uintptr, value uint64) {
	r.signals = append(r.signals, eventValue{objc.ID(event), uintptr(value)})
}
