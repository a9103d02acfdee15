package npy

import (
	"fmt"
	"strings"
)

// DType is the type of an array's elements.
type DType uint8

// The types of elements. Float64 is among them to be named in messages: no
// Metal kernel takes it.
const (
	Bool DType = iota
	Int8
	Uint8
	Int16
	Uint16
	Int32
	Uint32
	Int64
	Uint64
	Float16
	Float32
	Float64
)

var dtypes = [...]struct {
	name string // as NumPy calls it
	code string // as headers do, without the byte order
	size int
}{
	Bool: {"bool", "b1", 1},
	Int8: {"int8", "i1", 1}, Uint8: {"uint8", "u1", 1},
	Int16: {"int16", "i2", 2}, Uint16: {"uint16", "u2", 2},
	Int32: {"int32", "i4", 4}, Uint32: {"uint32", "u4", 4},
	Int64: {"int64", "i8", 8}, Uint64: {"uint64", "u8", 8},
	Float16: {"float16", "f2", 2}, Float32: {"float32", "f4", 4}, Float64: {"float64", "f8", 8},
}

// String returns NumPy's name of the type: "float32".
func (d DType) String() string { return dtypes[d].name }

// Size returns the number of bytes of an element.
func (d DType) Size() int { return dtypes[d].size }

// ByName returns the type that NumPy calls so, and reports whether there is one.
func ByName(name string) (DType, bool) {
	for d, info := range dtypes {
		if info.name == name {
			return DType(d), true
		}
	}
	return 0, false
}

// descr returns the type as a header writes it. Bytes have no order.
func (d DType) descr() string {
	if d.Size() == 1 {
		return "|" + dtypes[d].code
	}
	return "<" + dtypes[d].code
}

// parseDescr is the inverse of descr, for either order of bytes.
func parseDescr(s string) (d DType, bigEndian bool, err error) {
	code := strings.TrimLeft(s, "<>|=")
	for d, info := range dtypes {
		if info.code == code && len(s)-len(code) <= 1 {
			return DType(d), s[0] == '>', nil
		}
	}
	return 0, false, fmt.Errorf("elements of type %.40q, which no kernel takes", s)
}
