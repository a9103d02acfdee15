package runtime

import (
	"math"
	"strconv"
)

// BFloat16 is Metal's bfloat: the upper half of the bits of a float32.
type BFloat16 uint16

// NewBFloat16 returns the BFloat16 nearest to f, ties to even. Values beyond the largest finite one become infinities,
// and NaN stays NaN.
func NewBFloat16(f float32) BFloat16 {
	bits := math.Float32bits(f)
	if f != f {
		return BFloat16(bits>>16 | 0x40) // quiet, so that dropping bits cannot leave an infinity
	}
	// Adding just under a half of the last kept bit, and that bit itself,
	// carries into it exactly when rounding up is right.
	return BFloat16((bits + 0x7fff + bits>>16&1) >> 16)
}

// Float32 returns b, exactly.
func (b BFloat16) Float32() float32 { return math.Float32frombits(uint32(b) << 16) }

// String returns b as a float32 is formatted.
func (b BFloat16) String() string { return strconv.FormatFloat(float64(b.Float32()), 'g', -1, 32) }
