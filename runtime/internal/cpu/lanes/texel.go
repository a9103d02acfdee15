package lanes

import (
	"encoding/binary"
	"math"

	"github.com/metalgen/metalgen/internal/fmath"
)

// Texels are operations on texels of four components, which lie side by side, one for each lane.
type Texels struct {
	// FromUnorm and ToUnorm convert fractions, of a byte for each component. NaN is written as 0.
	FromUnorm func(x, y, z, w *[Width]float32, texels *[4 * Width]byte)
	ToUnorm   func(texels *[4 * Width]byte, x, y, z, w *[Width]float32)
	// FromHalf and ToHalf convert halves.
	FromHalf func(x, y, z, w *[Width]float32, texels *[8 * Width]byte)
	ToHalf   func(texels *[8 * Width]byte, x, y, z, w *[Width]float32)
	// FromWords and ToWords move words.
	FromWords func(x, y, z, w *[Width]uint32, texels *[16 * Width]byte)
	ToWords   func(texels *[16 * Width]byte, x, y, z, w *[Width]uint32)
	// Weigh adds up four numbers by their weights, in that order. Those of a come first.
	Weigh func(z, a, b, c, d *[Width]float32, weights *[4 * Width]float64)
	// Blend is the number between four of two rows: those of left and right, which are indexes from first on modulo
	// Width. x and y are the parts of the right ones and of the lower row. The destination is no operand.
	Blend func(z, upper, lower *[Width]float32, left, right *[Width]int32, first int32, x *[Width]float64, y float64)
	// BlendWide is Blend for rows of twice as many.
	BlendWide func(z *[Width]float32, upper, lower *[2 * Width]float32, left, right *[Width]int32, first int32,
		x *[Width]float64, y float64)
	// Locate splits x*scale - shift into texels, offset by some, and parts. It returns the least and the last texel,
	// and the most that the bits of a coordinate's magnitude are.
	Locate func(texel *[Width]int32, part *[Width]float64, x *[Width]float32, scale, shift float64, offset int32) (
		least, last int32, reach uint32)
	// Reach returns the most that the bits of a number's magnitude are.
	Reach func(x *[Width]float32) uint32
}

// Texel are the operations, in Go until package texelcode replaces them.
var Texel = Texels{
	FromUnorm: fromUnorm, ToUnorm: toUnorm, FromHalf: fromHalf, ToHalf: toHalf,
	FromWords: fromWords, ToWords: toWords, Weigh: weigh, Blend: blend, BlendWide: blendWide,
	Locate: locate, Reach: reach,
}

var fractions = func() (f [256]float32) {
	for b := range f {
		f[b] = float32(b) / 255
	}
	return f
}()

func fromUnorm(x, y, z, w *[Width]float32, texels *[4 * Width]byte) {
	for l := range Width {
		t := binary.LittleEndian.Uint32(texels[4*l : 4*l+4])
		x[l], y[l], z[l], w[l] = fractions[byte(t)], fractions[byte(t>>8)], fractions[byte(t>>16)], fractions[t>>24]
	}
}

func toUnorm(texels *[4 * Width]byte, x, y, z, w *[Width]float32) {
	for l := range Width {
		t := unormByte(x[l]) | unormByte(y[l])<<8 | unormByte(z[l])<<16 | unormByte(w[l])<<24
		binary.LittleEndian.PutUint32(texels[4*l:4*l+4], t)
	}
}

func unormByte(x float32) uint32 {
	switch {
	case x >= 1:
		return 255
	case x > 0:
		// A float64 of 2^52 has no bits for fractions, so the addition rounds.
		return uint32(math.Float64bits(float64(x)*255 + 0x1p52))
	}
	return 0
}

func fromHalf(x, y, z, w *[Width]float32, texels *[8 * Width]byte) {
	for l := range Width {
		t := binary.LittleEndian.Uint64(texels[8*l : 8*l+8])
		x[l], y[l] = fmath.HalfFromBits(uint16(t)), fmath.HalfFromBits(uint16(t>>16))
		z[l], w[l] = fmath.HalfFromBits(uint16(t>>32)), fmath.HalfFromBits(uint16(t>>48))
	}
}

func toHalf(texels *[8 * Width]byte, x, y, z, w *[Width]float32) {
	for l := range Width {
		t := uint64(fmath.HalfBits(x[l])) | uint64(fmath.HalfBits(y[l]))<<16 |
			uint64(fmath.HalfBits(z[l]))<<32 | uint64(fmath.HalfBits(w[l]))<<48
		binary.LittleEndian.PutUint64(texels[8*l:8*l+8], t)
	}
}

func fromWords(x, y, z, w *[Width]uint32, texels *[16 * Width]byte) {
	for l := range Width {
		t := texels[16*l : 16*l+16]
		x[l], y[l] = binary.LittleEndian.Uint32(t), binary.LittleEndian.Uint32(t[4:])
		z[l], w[l] = binary.LittleEndian.Uint32(t[8:]), binary.LittleEndian.Uint32(t[12:])
	}
}

func toWords(texels *[16 * Width]byte, x, y, z, w *[Width]uint32) {
	for l := range Width {
		t := texels[16*l : 16*l+16]
		binary.LittleEndian.PutUint32(t, x[l])
		binary.LittleEndian.PutUint32(t[4:], y[l])
		binary.LittleEndian.PutUint32(t[8:], z[l])
		binary.LittleEndian.PutUint32(t[12:], w[l])
	}
}

func weigh(z, a, b, c, d *[Width]float32, weights *[4 * Width]float64) {
	for l := range z {
		sum := 0 + float64(weights[l]*float64(a[l]))
		sum += float64(weights[Width+l] * float64(b[l]))
		sum += float64(weights[2*Width+l] * float64(c[l]))
		sum += float64(weights[3*Width+l] * float64(d[l]))
		z[l] = float32(sum)
	}
}

func blend(z, upper, lower *[Width]float32, left, right *[Width]int32, first int32, x *[Width]float64, y float64) {
	blendOf(z, upper[:], lower[:], left, right, first, x, y)
}

func blendWide(
	z *[Width]float32, upper, lower *[2 * Width]float32, left, right *[Width]int32, first int32,
	x *[Width]float64, y float64,
) {
	blendOf(z, upper[:], lower[:], left, right, first, x, y)
}

func blendOf(
	z *[Width]float32, upper, lower []float32, left, right *[Width]int32, first int32, x *[Width]float64, y float64,
) {
	most := int32(len(upper) - 1)
	for l := range z {
		i, j, px := (left[l]-first)&most, (right[l]-first)&most, x[l]
		sum := 0 + float64((1-px)*(1-y)*float64(upper[i]))
		sum += float64(px * (1 - y) * float64(upper[j]))
		sum += float64((1 - px) * y * float64(lower[i]))
		sum += float64(px * y * float64(lower[j]))
		z[l] = float32(sum)
	}
}

func locate(
	texel *[Width]int32, part *[Width]float64, x *[Width]float32, scale, shift float64, offset int32,
) (least, last int32, reach uint32) {
	least, last = math.MaxInt32, math.MinInt32
	for l, c := range x {
		u := float64(float64(c)*scale) - shift
		floor := math.Floor(u)
		i := int32(floor) + offset
		texel[l], part[l] = i, u-floor
		least, last, reach = min(least, i), max(last, i), max(reach, math.Float32bits(c)&math.MaxInt32)
	}
	return least, last, reach
}

func reach(x *[Width]float32) (reach uint32) {
	for _, v := range x {
		reach = max(reach, math.Float32bits(v)&math.MaxInt32)
	}
	return reach
}
