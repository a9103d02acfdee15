package runtimetest

import (
	"bytes"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Bytes is what a scalar, an array, a params struct or a function constant was set to.
type Bytes struct {
	Index  int
	Name   string
	Bytes  []byte
	Fields []bind.Field // of a params struct
}

// Value returns the value argument at index as a T. It reports false when there
// is none, or one of another size.
func Value[T any](d Dispatch, index int) (T, bool) { return find[T](d.Values, index) }

func find[T any](in []Bytes, index int) (v T, ok bool) {
	for _, b := range in {
		if b.Index == index && len(b.Bytes) == int(unsafe.Sizeof(v)) {
			copy(unsafe.Slice((*byte)(unsafe.Pointer(&v)), len(b.Bytes)), b.Bytes)
			return v, true
		}
	}
	return v, false
}

func cloneValue(v *driver.Value) Bytes {
	return Bytes{Index: v.Arg.Index, Name: v.Arg.Name, Bytes: bytes.Clone(v.Bytes), Fields: v.Arg.Fields}
}
