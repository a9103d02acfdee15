package cpu

import (
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// groupMemory is that of a threadgroup variable of the source.
type groupMemory struct {
	inThreadgroup
	size int
}

func (m groupMemory) bind(d *dispatch, o *object, _ *driver.Dispatch) { d.share(o, m.size) }

// threadMemory is that of a variable of a thread: size bytes for each lane, at an offset
// in the lane's own memory.
type threadMemory struct{ size, offset int }

func (m threadMemory) bind(_ *dispatch, o *object, _ *driver.Dispatch) { o.size = int64(m.size) }

func (m threadMemory) prepare(f *frame, o *object) {
	o.base = unsafe.Add(unsafe.Pointer(&f.private[0]), m.offset*width)
	if f.program.tracks {
		o.unset = unsafe.Add(unsafe.Pointer(&f.unset[0]), m.offset*width)
	}
	o.striped = true
}

// tableMemory is that of a constant of the source.
type tableMemory struct {
	bound
	bytes []byte
}

func (m tableMemory) bind(_ *dispatch, o *object, _ *driver.Dispatch) { o.hold(m.bytes) }
