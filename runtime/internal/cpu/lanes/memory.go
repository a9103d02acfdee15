package lanes

import (
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/fmath"
)

// Memories are the operations that reach memory, which the caller has checked. The race detector sees
// none of it: see op_bytes.go of package cpu.
type Memories struct {
	// From and to elements side by side.
	LoadChar, LoadShort    func(z *[Width]int32, p *byte)
	LoadUchar, LoadUshort  func(z *[Width]uint32, p *byte)
	LoadHalf, LoadBFloat   func(z *[Width]float32, p *byte)
	StoreByte, StoreShort  func(p *byte, x *[Width]uint32)
	StoreHalf, StoreBFloat func(p *byte, x *[Width]float32)

	// From offsets from p, which are x - number. It reports false, and loads nothing, where one of them is not less than
	// limit, or where it is, plus skew, no multiple of the size.
	GatherChar, GatherShort               func(z *[Width]int32, p *byte, x *[Width]uint64, number, limit, skew uint64) bool
	GatherUchar, GatherUshort, GatherWord func(z *[Width]uint32, p *byte, x *[Width]uint64, number, limit, skew uint64) bool
}

func memoryInGo() Memories {
	return Memories{
		LoadChar: load[int8, int32], LoadShort: load[int16, int32],
		LoadUchar: load[uint8, uint32], LoadUshort: load[uint16, uint32],
		LoadHalf: loadFloat(fmath.HalfFromBits), LoadBFloat: loadFloat(fmath.BFloatFromBits),
		StoreByte: store[uint8], StoreShort: store[uint16],
		StoreHalf: storeFloat(fmath.HalfBits), StoreBFloat: storeFloat(fmath.BFloatBits),
		GatherChar: gather[int8, int32], GatherShort: gather[int16, int32],
		GatherUchar: gather[uint8, uint32], GatherUshort: gather[uint16, uint32], GatherWord: gather[uint32, uint32],
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

func load[M int8 | uint8 | int16 | uint16, T int32 | uint32](z *[Width]T, p *byte) {
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
