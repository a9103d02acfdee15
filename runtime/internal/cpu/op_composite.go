package cpu

import (
	"math/bits"

	"github.com/metalgen/metalgen/runtime/internal/cpu/fmath"
)

var (
	madSatLong = map3(func(a, b, c int64) int64 {
		high, low := bits.Mul64(uint64(a), uint64(b))
		high += uint64(-(a >> 63 & b)) + uint64(-(b >> 63 & a))
		low, carry := bits.Add64(low, uint64(c), 0)
		high += uint64(c>>63) + carry
		if high == uint64(int64(low)>>63) {
			return int64(low)
		}
		return int64(high)>>63 ^ (1<<63 - 1)
	})
	madSatUlong = map3(func(a, b, c uint64) uint64 {
		high, low := bits.Mul64(a, b)
		low, carry := bits.Add64(low, c, 0)
		if high+carry != 0 {
			return 1<<64 - 1
		}
		return low
	})
)

func extractUint(f *frame, in *instruction) {
	extract(f, in, unsignedBits)
}

func extractInt(f *frame, in *instruction) {
	extract(f, in, signedBits)
}

// unsignedBits and signedBits return the lowest n bits as an integer.
func unsignedBits(v uint64, n uint32) uint64 { return v << (64 - n) >> (64 - n) }

func signedBits(v uint64, n uint32) uint64 { return uint64(int64(v<<(64-n)) >> (64 - n)) }

// extract takes n bits from offset on; with n = 0 none.
func extract(f *frame, in *instruction, take func(v uint64, n uint32) uint64) {
	x, offset, n := at[uint64](f, in.a).lanes(), at[uint32](f, in.b).lanes(), at[uint32](f, in.c).lanes()
	z := at[uint64](f, in.d).vector()
	for i := range z {
		z[i] = extracted(x[i], offset[i], n[i], take)
	}
}

func extracted(x uint64, offset, n uint32, take func(v uint64, n uint32) uint64) uint64 {
	if n == 0 {
		return 0
	}
	return take(x>>min(offset, 64), min(n, 64))
}

func ldexp(f *frame, in *instruction) {
	x, n := at[float32](f, in.a).lanes(), at[int32](f, in.b).lanes()
	z := at[float32](f, in.d).vector()
	for i := range z {
		z[i] = fmath.Ldexp(x[i], n[i])
	}
}

func ilogb(f *frame, in *instruction) {
	x := at[float32](f, in.a).lanes()
	z := at[int32](f, in.d).vector()
	for i := range z {
		z[i] = int32(fmath.Ilogb(x[i]))
	}
}

var (
	modfWhole     = map1(func(v float32) float32 { _, whole := fmath.Modf(v); return whole })
	modfFraction  = map1(func(v float32) float32 { fraction, _ := fmath.Modf(v); return fraction })
	frexpFraction = map1(func(v float32) float32 { m, _ := fmath.Frexp(v); return m })
)

func frexpExponent(f *frame, in *instruction) {
	x := at[float32](f, in.a).lanes()
	z := at[int32](f, in.d).vector()
	for i := range z {
		_, n := fmath.Frexp(x[i])
		z[i] = int32(n)
	}
}
