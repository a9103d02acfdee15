package lanes

import (
	"unsafe"

	"github.com/metalgen/metalgen/internal/fmath"
)

// Memories are the operations that reach memory. The race detector sees none of it: see op_bytes.go of
// package cpu.
type Memories struct {
	Char, Short         Elements[int32]
	Uchar, Ushort, Word Elements[uint32]

	LoadHalf, LoadBFloat func(z *[Width]float32, p *byte) // floats side by side, which the caller has checked
}

// Elements are the operations of integers of one type.
type Elements[T int32 | uint32] struct {
	// Load and Store are for elements side by side, which the caller has checked.
	Load  func(z *[Width]T, p *byte)
	Store func(p *byte, v *[Width]T)
	// Gather and Scatter have offsets from p, which are x - number. They report false, and do nothing, where one of
	// them is not less than limit, or where it is, plus skew, no multiple of the size. Of equal offsets the last
	// one is stored to last.
	Gather  func(z *[Width]T, p *byte, x *[Width]uint64, number, limit, skew uint64) bool
	Scatter func(p *byte, x *[Width]uint64, v *[Width]T, number, limit, skew uint64) bool
}

// Memory are the operations.
var Memory = Memories{
	Char: elements[int8, int32](), Short: elements[int16, int32](),
	Uchar: elements[uint8, uint32](), Ushort: elements[uint16, uint32](), Word: elements[uint32, uint32](),
	LoadHalf: loadFloat(fmath.HalfFromBits), LoadBFloat: loadFloat(fmath.BFloatFromBits),
}

func elements[M element, T int32 | uint32]() Elements[T] {
	return Elements[T]{load[M, T], store[M, T], gather[M, T], scatter[M, T]}
}

// element is what memory has.
type element interface {
	uint8 | int8 | uint16 | int16 | uint32
}

//go:norace
func peek[M element | float32](from unsafe.Pointer) M { return *(*M)(from) }

//go:norace
func poke[M element | float32](to unsafe.Pointer, v M) { *(*M)(to) = v }

func load[M element, T int32 | uint32](z *[Width]T, p *byte) {
	for i := range z {
		z[i] = T(peek[M](unsafe.Add(unsafe.Pointer(p), i*int(unsafe.Sizeof(M(0))))))
	}
}

func store[M element, T int32 | uint32](p *byte, v *[Width]T) {
	for i := range v {
		poke(unsafe.Add(unsafe.Pointer(p), i*int(unsafe.Sizeof(M(0)))), M(v[i]))
	}
}

func loadFloat(convert func(uint16) float32) func(z *[Width]float32, p *byte) {
	return func(z *[Width]float32, p *byte) {
		for i := range z {
			z[i] = convert(peek[uint16](unsafe.Add(unsafe.Pointer(p), 2*i)))
		}
	}
}

func gather[M element, T int32 | uint32](z *[Width]T, p *byte, x *[Width]uint64, number, limit, skew uint64) bool {
	if !inside[M](x, number, limit, skew) {
		return false
	}
	for i := range z {
		z[i] = T(peek[M](unsafe.Add(unsafe.Pointer(p), x[i]-number)))
	}
	return true
}

func scatter[M element, T int32 | uint32](p *byte, x *[Width]uint64, v *[Width]T, number, limit, skew uint64) bool {
	if !inside[M](x, number, limit, skew) {
		return false
	}
	for i := range v {
		poke(unsafe.Add(unsafe.Pointer(p), x[i]-number), M(v[i]))
	}
	return true
}

// inside reports whether all offsets are less than a limit and aligned.
func inside[M element](x *[Width]uint64, number, limit, skew uint64) bool {
	size := uint64(unsafe.Sizeof(M(0)))
	for i := range x {
		if offset := x[i] - number; offset >= limit || (offset+skew)&(size-1) != 0 {
			return false
		}
	}
	return true
}
