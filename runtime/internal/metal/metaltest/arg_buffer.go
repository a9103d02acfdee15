//go:build linux && (amd64 || arm64)

package metaltest

import (
	"slices"
	"unsafe"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

var bufferKind = argKind{
	number: 0,
	takes:  func(p *tree.Param) bool { return p.Kind == tree.BufferParam },
	access: bufferAccess,
	read: func(d *Dispatch, r *argRecord) {
		d.Buffers = append(d.Buffers, Buffer{int(r.index), unsafe.Slice(r.address, r.length), int(r.number)})
	},
	bind: func(to *driver.Dispatch, from *Dispatch) {
		for _, b := range from.Buffers {
			to.Buffers = append(to.Buffers,
				driver.Buffer{Arg: &driver.Arg{Index: b.Index}, Memory: memory(b.Bytes), Length: len(b.Bytes)})
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
}

// memory is what a Metal buffer holds.
type memory []byte

func (m memory) Bytes() []byte   { return m }
func (m memory) Address() uint64 { return 0 }
func (m memory) Free()           {}

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

func announceBuffers(d *driver.Dispatch) {
	for i := range d.Buffers {
		view(&d.Buffers[i], d.Kernel.Name, d.Buffers[i].Arg.Index)
	}
	for _, a := range d.Kernel.Buffers {
		if !slices.ContainsFunc(d.Buffers, func(b driver.Buffer) bool { return b.Arg.Index == a.Index && b.Length > 0 }) {
			LeftOut(d.Kernel.Name, a.Index)
		}
	}
}
