package lanes

import "github.com/metalgen/metalgen/internal/fmath"

// Each makes an operation of a function of one lane.
func Each[T, R Word](f func(T) R) func(z *[Width]R, x *[Width]T) {
	return func(z *[Width]R, x *[Width]T) {
		for i := range z {
			z[i] = f(x[i])
		}
	}
}

// Each2 makes an operation of a function of two lanes.
func Each2[T Word](f func(x, y T) T) func(z, x, y *[Width]T) {
	return func(z, x, y *[Width]T) {
		for i := range z {
			z[i] = f(x[i], y[i])
		}
	}
}

// Each3 makes an operation of a function of three lanes.
func Each3[T Word](f func(x, y, w T) T) func(z, x, y, w *[Width]T) {
	return func(z, x, y, w *[Width]T) {
		for i := range z {
			z[i] = f(x[i], y[i], w[i])
		}
	}
}

// Add, Sub and Mul are of numbers: integers modulo their width.
func Add[T Word](z, x, y *[Width]T) {
	for i := range z {
		z[i] = x[i] + y[i]
	}
}

func Sub[T Word](z, x, y *[Width]T) {
	for i := range z {
		z[i] = x[i] - y[i]
	}
}

func Mul[T Word](z, x, y *[Width]T) {
	for i := range z {
		z[i] = x[i] * y[i]
	}
}

// Neg and Not are of integers.
func Neg[T Integer](z, x *[Width]T) {
	for i := range z {
		z[i] = -x[i]
	}
}

func Not[T Integer](z, x *[Width]T) {
	for i := range z {
		z[i] = ^x[i]
	}
}

// Convert is not for floats to integers: Go leaves undefined what is out of range.
func Convert[R, T Word](z *[Width]R, x *[Width]T) {
	for i := range z {
		z[i] = R(x[i])
	}
}

// Min, Max and Clamp are of integers.
func Min[T Integer](z, x, y *[Width]T) {
	for i := range z {
		z[i] = min(x[i], y[i])
	}
}

func Max[T Integer](z, x, y *[Width]T) {
	for i := range z {
		z[i] = max(x[i], y[i])
	}
}

func Clamp[T Integer](z, x, low, high *[Width]T) {
	for i := range z {
		z[i] = min(max(x[i], low[i]), high[i])
	}
}

// And, Or and Xor are of bits.
func And[T Integer](z, x, y *[Width]T) {
	for i := range z {
		z[i] = x[i] & y[i]
	}
}

func Or[T Integer](z, x, y *[Width]T) {
	for i := range z {
		z[i] = x[i] | y[i]
	}
}

func Xor[T Integer](z, x, y *[Width]T) {
	for i := range z {
		z[i] = x[i] ^ y[i]
	}
}

// Shl and Shr shift by n modulo the width of T, Shr with the sign of a signed T.
func Shl[T Integer](z, x *[Width]T, n *[Width]uint32) {
	for i := range z {
		z[i] = x[i] << (n[i] & lastBit[T]())
	}
}

func Shr[T Integer](z, x *[Width]T, n *[Width]uint32) {
	for i := range z {
		z[i] = x[i] >> (n[i] & lastBit[T]())
	}
}

// lastBit is the number of the uppermost bit of an integer.
func lastBit[T Integer]() uint32 {
	if T(1)<<31<<1 == 0 {
		return 31
	}
	return 63
}

// Equal, Less and LessEqual have a bit for each lane.
func Equal[T Word](x, y *[Width]T) uint32 {
	var m uint32
	for i := range x {
		m |= bit(x[i] == y[i]) << i
	}
	return m
}

func Less[T Word](x, y *[Width]T) uint32 {
	var m uint32
	for i := range x {
		m |= bit(x[i] < y[i]) << i
	}
	return m
}

func LessEqual[T Word](x, y *[Width]T) uint32 {
	var m uint32
	for i := range x {
		m |= bit(x[i] <= y[i]) << i
	}
	return m
}

func bit(v bool) uint32 {
	if v {
		return 1
	}
	return 0
}

// Fill sets the lanes to what counts up from base in steps. The step of floats is 0.
func Fill[T Word](z *[Width]T, base, step T) {
	if step == 0 {
		for i := range z {
			z[i] = base
		}
		return
	}
	for i := range z {
		z[i] = base
		base += step
	}
}

// Select takes x in the lanes of the mask, and y in the others.
func Select[T Word](z, x, y *[Width]T, mask uint32) {
	for i := range z {
		v := y[i]
		if mask>>i&1 != 0 {
			v = x[i]
		}
		z[i] = v
	}
}

// FromMask is one in the lanes of the mask, and 0 in the others.
func FromMask[T Word](z *[Width]T, mask uint32, one T) {
	for i := range z {
		z[i] = 0
		if mask>>i&1 != 0 {
			z[i] = one
		}
	}
}

// Permute takes lane n of x, modulo 32.
func Permute(z, x *[Width]uint32, n *[Width]uint32) {
	v := *x
	for i, from := range *n { // which z may be
		z[i] = v[from%Width]
	}
}

// Field is the float of x >> n & ones, where that is less than 2^31.
func Field[T int32 | uint32](z *[Width]float32, x *[Width]T, n *[Width]uint32, ones T) {
	for i := range z {
		z[i] = float32(int32(x[i] >> (n[i] & 31) & ones))
	}
}

// MulAdd is x*y + w, MulSub x*y - w, and SubMul w - x*y. The conversions around products keep the compiler from
// fusing them with a sum, which it does on some processors.
func MulAdd(z, x, y, w *[Width]float32) {
	for i := range z {
		z[i] = float32(x[i]*y[i]) + w[i]
	}
}

func MulSub(z, x, y, w *[Width]float32) {
	for i := range z {
		z[i] = float32(x[i]*y[i]) - w[i]
	}
}

func SubMul(z, x, y, w *[Width]float32) {
	for i := range z {
		z[i] = w[i] - float32(x[i]*y[i])
	}
}

// IntWithin converts to integers from low to high: truncated, the nearest one where that is out of range, 0 of a NaN.
func IntWithin(z *[Width]int32, x *[Width]float32, low, high int32) {
	for i := range z {
		z[i] = min(max(fmath.IntFromFloat(x[i]), low), high)
	}
}

// Index is x + n*size. It returns the bits that are 1 in any of the results plus reach.
func Index[T int32 | uint32](z, x *[Width]uint64, n *[Width]T, size, reach int64) uint64 {
	var all uint64
	for i := range z {
		z[i] = x[i] + uint64(int64(n[i])*size)
		all |= z[i] + uint64(reach)
	}
	return all
}

// Sum adds lanes in pairs, those 16 apart, then 8, and so on. It is of the lanes of the mask, with 0 for others.
func Sum(x *[Width]float32, mask uint32) float32 {
	v := *x
	for i := range v {
		if mask>>i&1 == 0 {
			v[i] = 0
		}
	}
	return total(&v)
}

var total = Join(func(x, y float32) float32 { return x + y })

// Join makes an operation that joins all lanes in pairs.
func Join(f func(x, y float32) float32) func(x *[Width]float32) float32 {
	return func(x *[Width]float32) float32 {
		v := *x
		for half := Width / 2; half > 0; half /= 2 {
			for i := range half {
				v[i] = f(v[i], v[i+half])
			}
		}
		return v[0]
	}
}

// The bits of 16-bit floats.
var (
	HalfBits       = Each(func(v float32) uint32 { return uint32(fmath.HalfBits(v)) })
	BFloatBits     = Each(func(v float32) uint32 { return uint32(fmath.BFloatBits(v)) })
	FromHalfBits   = Each(func(v uint32) float32 { return fmath.HalfFromBits(uint16(v)) })
	FromBFloatBits = Each(func(v uint32) float32 { return fmath.BFloatFromBits(uint16(v)) })
)
