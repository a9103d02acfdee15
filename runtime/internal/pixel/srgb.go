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
	first     []uint16  // the code of the least number of each bucket, and of 1
}

// A bucket is the numbers whose upper bits are the same, from leastBucket to 1, so that few codes are in each.
const (
	bucketBits  = 17
	leastBucket = 0x1p-13
)

func bucketOf(x float32) uint32 {
	return (math.Float32bits(x) - math.Float32bits(leastBucket)) >> bucketBits
}

// newCurve returns the curve for the codes up to top. A code is scale*y + zero, where y is on the curve.
func newCurve(top, zero int, scale float64) *curve {
	c := &curve{linear: make([]uint32, top+1), threshold: make([]float32, top), zero: uint32(zero)}
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
	for bucket := range bucketOf(1) + 1 {
		least := math.Float32frombits(math.Float32bits(leastBucket) + bucket<<bucketBits)
		c.first = append(c.first, uint16(c.search(least, 0, len(c.threshold))))
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
	switch zero, last := int(c.zero), len(c.first)-1; {
	case x != x:
		return c.zero
	case x >= 1:
		return c.search(x, int(c.first[last]), len(c.threshold))
	case x >= leastBucket:
		b := bucketOf(x)
		return c.search(x, int(c.first[b]), int(c.first[b+1]))
	case x >= 0:
		return c.search(x, zero, int(c.first[0]))
	default:
		return c.search(x, 0, zero)
	}
}

// search returns the number of thresholds that x reaches, which is low to high.
func (c *curve) search(x float32, low, high int) uint32 {
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

var (
	srgbCurve = sync.OnceValue(func() *curve { return newCurve(255, 0, 255) })
	srgb      = conversionOn(srgbCurve)
)
