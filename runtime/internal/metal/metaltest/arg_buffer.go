//go:build linux && (amd64 || arm64)

package metaltest

import (
	"slices"
	"structs"
	"unsafe"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

var bufferKind = argKind{
	number: 0,
	takes:  func(p *tree.Param) bool { return p.Kind == tree.BufferParam },
	access: bufferAccess,
	read: func(d *Dispatch, r *argRecord) {
		d.Buffers = append(d.Buffers, Buffer{
			Index: int(r.index), Bytes: unsafe.Slice(r.address, r.length), Buffer: int(r.number), memory: r.memory(),
			writes: r.writes != 0,
		})
	},
	bind: func(to *driver.Dispatch, from *Dispatch) {
		for _, b := range from.Buffers {
			to.Buffers = append(to.Buffers, driver.Buffer{
				Arg: &driver.Arg{Index: b.Index, Writes: b.writes}, Memory: b.memory, Offset: b.memory.offsetOf(b.Bytes),
				Length: len(b.Bytes),
			})
		}
	},
	announce: announceBuffers,
}

// Buffer is what is bound to an argument: bytes from the offset to the end of the
// buffer, or of the view that was announced ([View]).
type Buffer struct {
	Index  int
	Bytes  []byte
	Buffer int // n of MTLBuffer#n, 0 for setBytes

	memory *memory // all of the buffer
	writes bool    // the kernel may write it
}

// memory is what a Metal buffer holds, and where the GPU has it.
type memory struct {
	bytes   []byte
	address uint64
}

func (m *memory) Bytes() []byte   { return m.bytes }
func (m *memory) Address() uint64 { return m.address }
func (m *memory) Free()           {}

// offsetOf returns where in the memory a piece of it begins.
func (m *memory) offsetOf(piece []byte) int {
	return int(uintptr(unsafe.Pointer(unsafe.SliceData(piece))) - uintptr(unsafe.Pointer(unsafe.SliceData(m.bytes))))
}

// bufferNumbers are those of fake.h.
type bufferNumbers struct {
	_       structs.HostLayout
	address uint64
	start   *byte
	length  uint64
}

// memory returns all of the buffer of an argument, or the bytes of setBytes.
func (r *argRecord) memory() *memory {
	if r.numbers == nil {
		return &memory{bytes: unsafe.Slice(r.address, r.length)}
	}
	n := (*bufferNumbers)(r.numbers)
	return &memory{bytes: unsafe.Slice(n.start, n.length), address: n.address}
}

// bufferAccess returns 0 for a parameter that is only read, 2 for one that is only
// written, and 1 for both.
func bufferAccess(s *source, k *tree.Kernel, p *tree.Param) uint64 {
	a := s.program.AccessOf(k, p)
	switch {
	case p.Space == "constant" || !a.Write:
		return 0
	case a.Read:
		return 1
	}
	return 2
}

func announceBuffers(d *driver.Dispatch, to *views) {
	for i := range d.Buffers {
		to.add(&d.Buffers[i], d.Kernel.Name, d.Buffers[i].Arg.Index)
	}
	for _, a := range d.Kernel.Buffers {
		if !slices.ContainsFunc(d.Buffers, func(b driver.Buffer) bool { return b.Arg.Index == a.Index && b.Length > 0 }) {
			LeftOut(d.Kernel.Name, a.Index)
		}
	}
}
