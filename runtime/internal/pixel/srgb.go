package pixel

import (
	"math"
	"sync"
)

// MSL, section 8.7.7. It allows either conversion an error; these are correctly rounded.

// curve is the curve of sRGB, for codes that are equally spaced on it.
type curve struct {
	linear    []uint32  // what a code decodes to
	threshold []float32 // the least numbers that encode to 1, 2 and so on
	zero      uint32    // the code of zero, and so of NaN
}

// newCurve returns the curve for the codes up to top. A code is scale*y + zero, where y is on the curve.
func newCurve(top, zero int, scale float64) *curve {
	c := &curve{make([]uint32, top+1), make([]float32, top), uint32(zero)}
	for code := range c.linear {
		c.linear[code] = math.Float32bits(float32(fromSRGB(float64(code-zero) / scale)))
	}
	for i := range c.threshold {
		x := fromSRGB((float64(i-zero) + 0.5) / scale)
		t := float32(x)
		if float64(t) < x {
			t = math.Nextafter32(t, math.MaxFloat32)
		}
		c.threshold[i] = t
	}
	return c
}

// fromSRGB returns the linear number of a number on the curve, which is continued below zero as its mirror image.
// The formulas for the two directions place the end of the straight part at numbers that differ in the eighth digit.
// No code and no middle of two codes is between them.
func fromSRGB(y float64) float64 {
	switch {
	case y < 0:
		return -fromSRGB(-y)
	case y <= 0.04045:
		return y / 12.92
	}
	return math.Pow((y+0.055)/1.055, 2.4)
}

func (c *curve) encode(value uint32) uint32 {
	x := math.Float32frombits(value)
	if x != x {
		return c.zero
	}
	// The number of thresholds that x reaches.
	low, high := 0, len(c.threshold)
	for low < high {
		if middle := (low + high) / 2; x >= c.threshold[middle] {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return uint32(low)
}

// conversionOn returns the conversion on a curve, which is computed when it is first used.
func conversionOn(get func() *curve) conversion {
	return conversion{
		decode: func(b uint32) uint32 { return get().linear[b] },
		encode: func(v uint32) uint32 { return get().encode(v) },
	}
}

var srgb = conversionOn(sync.OnceValue(func() *curve { return newCurve(255, 0, 255) }))
