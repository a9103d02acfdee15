package lanes

import (
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/fmath"
)

// Memories are the operations that reach memory, which the caller has checked. The race detector sees
// none of it: see op_bytes.go of package cpu.
type Memories struct {
	Char, Short         Elements[int32]
	Uchar, Ushort, Word Elements[uint32]

	// From and to elements side by side.
	LoadHalf, LoadBFloat   func(z *[Width]float32, p *byte)
	StoreByte, StoreShort  func(p *byte, x *[Width]uint32)
	StoreHalf, StoreBFloat func(p *byte, x *[Width]float32)
}

// Elements load integers of one type.
type Elements[T int32 | uint32] struct {
	Load func(z *[Width]T, p *byte) // of elements side by side
	// Gather loads from offsets from p, which are x - number. It reports false, and loads nothing, where one
	// of them is not less than limit, or where it is, plus skew, no multiple of the size.
	Gather func(z *[Width]T, p *byte, x *[Width]uint64, number, limit, skew uint64) bool
}

func memoryInGo() Memories {
	return Memories{
		Char:     Elements[int32]{load[int8, int32], gather[int8, int32]},
		Short:    Elements[int32]{load[int16, int32], gather[int16, int32]},
		Uchar:    Elements[uint32]{load[uint8, uint32], gather[uint8, uint32]},
		Ushort:   Elements[uint32]{load[uint16, uint32], gather[uint16, uint32]},
		Word:     Elements[uint32]{load[uint32, uint32], gather[uint32, uint32]},
		LoadHalf: loadFloat(fmath.HalfFromBits), LoadBFloat: loadFloat(fmath.BFloatFromBits),
		StoreByte: store[uint8], StoreShort: store[uint16],
		StoreHalf: storeFloat(fmath.HalfBits), StoreBFloat: storeFloat(fmath.BFloatBits),
	}
}

// element is what memory has.
type element interface {
	uint8 | int8 | uint16 | int16 | uint32 | float32
}

//go:norace
func peek[M element](from unsafe.Pointer) M { return *(*M)(from) }

//go:norace
func poke[M element](to unsafe.Pointer, v M) { *(*M)(to) = v }

func load[M int8 | uint8 | int16 | uint16 | uint32, T int32 | uint32](z *[Width]T, p *byte) {
	for i := range z {
		z[i] = T(peek[M](unsafe.Add(unsafe.Pointer(p), i*int(unsafe.Sizeof(M(0))))))
	}
}

func loadFloat(convert func(uint16) float32) func(z *[Width]float32, p *byte) {
	return func(z *[Width]float32, p *byte) {
		for i := range z {
			z[i] = convert(peek[uint16](unsafe.Add(unsafe.Pointer(p), 2*i)))
		}
	}
}

func store[M uint8 | uint16](p *byte, x *[Width]uint32) {
	for i := range x {
		poke(unsafe.Add(unsafe.Pointer(p), i*int(unsafe.Sizeof(M(0)))), M(x[i]))
	}
}

func storeFloat(convert func(float32) uint16) func(p *byte, x *[Width]float32) {
	return func(p *byte, x *[Width]float32) {
		for i := range x {
			poke(unsafe.Add(unsafe.Pointer(p), 2*i), convert(x[i]))
		}
	}
}

func gather[M int8 | uint8 | int16 | uint16 | uint32, T int32 | uint32](
	z *[Width]T, p *byte, x *[Width]uint64, number, limit, skew uint64,
) bool {
	size := uint64(unsafe.Sizeof(M(0)))
	for i := range x {
		if offset := x[i] - number; offset >= limit || (offset+skew)&(size-1) != 0 {
			return false
		}
	}
	for i := range z {
		z[i] = T(peek[M](unsafe.Add(unsafe.Pointer(p), x[i]-number)))
	}
	return true
}
