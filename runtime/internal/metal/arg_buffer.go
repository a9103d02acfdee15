package metal

import (
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

var bufferKind = argKind{
	args:        func(k *driver.Kernel) []*driver.Arg { return k.Buffers },
	binding:     bindingBuffer,
	describe:    describeBuffer,
	newRecorder: func(r *recorder) argRecorder { return &buffers{recorder: r} },
}

var (
	selBufferDataSize   = objc.Selector("bufferDataSize", "Q")
	selBufferDataType   = objc.Selector("bufferDataType", "Q")
	selBufferStructType = objc.Selector("bufferStructType", "@")
)

// describeBuffer reads an MTLBufferBinding, which values have too.
func describeBuffer(id objc.ID, b *binding) {
	b.size = int(id.Send(selBufferDataSize))
	b.dataType = dataType(id.Send(selBufferDataType))
	b.members = membersOf(objc.ID(id.Send(selBufferStructType)))
}

// buffers records buffers.
type buffers struct {
	idle
	recorder *recorder
}

func (b *buffers) spans(list []span, d *driver.Dispatch) []span {
	for i := range d.Buffers {
		list = append(list, spanOf(&d.Buffers[i]))
	}
	return list
}

// spanOf returns what a dispatch touches of a buffer. An indirect grid, which has no
// argument, is read.
func spanOf(b *driver.Buffer) span {
	start := b.Memory.(*memory).start + uintptr(b.Offset)
	return span{start: start, end: start + uintptr(b.Length), writes: b.Arg != nil && b.Arg.Writes}
}

// record leaves out a buffer of no bytes: it may lie at the end of its memory, where
// Metal lets nothing begin.
func (b *buffers) record(d *driver.Dispatch, _ *pipeline) error {
	for i := range d.Buffers {
		if from := &d.Buffers[i]; from.Length > 0 {
			id, offset := locate(from)
			b.recorder.table.set(from.Arg, id, offset)
		}
	}
	return nil
}
