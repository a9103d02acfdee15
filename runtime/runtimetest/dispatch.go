package runtimetest

import (
	"unsafe"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

// Dispatch is one recorded kernel call. The arguments of each kind are in the
// order of the kernel's Args; optional ones that were not given are missing. A
// [runtime.Copy] is one of kernel "Copy", with the buffers dst and src.
type Dispatch struct {
	Kernel      string
	Buffers     []Binding
	Values      []Bytes
	Constants   []Bytes
	Threadgroup []Length
	Grid        runtime.Grid // without Indirect
	Indirect    *Binding     // of the Grid, or nil
}

// Binding is a range of memory bound to a buffer argument.
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

// Bytes are a scalar, an array, a params struct or a function constant.
type Bytes struct {
	Index  int
	Name   string
	Bytes  []byte
	Fields []bind.Field // of a params struct
}

// Length is the threadgroup memory of a threadgroup argument.
type Length struct {
	Index int
	Name  string
	Bytes int // a multiple of 16
}

// Value returns the value argument at index as a T. It reports false when there
// is none, or one of another size.
func Value[T any](d Dispatch, index int) (T, bool) { return find[T](d.Values, index) }

// Constant returns the function constant at index as a T. It reports false when
// there is none, or one of another size.
func Constant[T any](d Dispatch, index int) (T, bool) { return find[T](d.Constants, index) }

func find[T any](in []Bytes, index int) (v T, ok bool) {
	for _, b := range in {
		if b.Index == index && len(b.Bytes) == int(unsafe.Sizeof(v)) {
			copy(unsafe.Slice((*byte)(unsafe.Pointer(&v)), len(b.Bytes)), b.Bytes)
			return v, true
		}
	}
	return v, false
}

// Bound tells whether b binds exactly the memory of buf. It needs the memory to
// be there still: after Free nothing is bound.
func Bound[T any](b Binding, buf runtime.Buffer[T]) bool {
	data := buf.Data()
	return data != nil &&
		len(data)*int(unsafe.Sizeof(*new(T))) == len(b.bytes) &&
		unsafe.Pointer(unsafe.SliceData(data)) == unsafe.Pointer(unsafe.SliceData(b.bytes))
}
