package runtimetest

import (
	"unsafe"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Binding is the memory that a buffer argument was bound to.
type Binding struct {
	Index  int
	Name   string
	Access runtime.Access
	Memory int          // which allocation: 1 is the first that the device made
	Offset int          // in bytes
	Length int          // in bytes
	Fields []bind.Field // of an element that is a struct

	bytes []byte
}

// Bound reports whether b binds exactly the memory of buf. The memory has to
// exist still: after Free nothing is bound.
func Bound[T any](b Binding, buf runtime.Buffer[T]) bool {
	data := buf.Data()
	return data != nil &&
		len(data)*int(unsafe.Sizeof(*new(T))) == len(b.bytes) &&
		unsafe.Pointer(unsafe.SliceData(data)) == unsafe.Pointer(unsafe.SliceData(b.bytes))
}

func cloneBuffer(b *driver.Buffer) Binding {
	m := b.Memory.(*memory)
	end := b.Offset + b.Length
	return Binding{
		Index: b.Arg.Index, Name: b.Arg.Name, Access: access(b.Arg),
		Memory: m.id, Offset: b.Offset, Length: b.Length, Fields: b.Arg.Fields,
		bytes: m.bytes[b.Offset:end:end],
	}
}

// cloneIndirect returns the buffer that the size of the grid is read from, if there is one.
func cloneIndirect(g *driver.Grid) *Binding {
	if g.Indirect.Memory == nil {
		return nil
	}
	b := g.Indirect
	b.Arg = &driver.Arg{Name: "Grid.Indirect", Reads: true}
	binding := cloneBuffer(&b)
	return &binding
}

func access(a *driver.Arg) (access runtime.Access) {
	if a.Reads {
		access |= runtime.Read
	}
	if a.Writes {
		access |= runtime.Write
	}
	return access
}
