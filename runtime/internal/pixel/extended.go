package pixel

import (
	"math"
	"sync"
)

// The formats of extended range are those of Apple's documentation of MTLPixelFormat: a number is (code - 384) / 510.
// It does not say how numbers are rounded, nor what NaN becomes: here, as for unorm, to nearest even, and zero.

const (
	extendedTop   = 1023
	extendedZero  = 384
	extendedScale = 510
)

var (
	extended = conversion{
		decode: func(b uint32) uint32 { return math.Float32bits(fromExtended(b)) },
		encode: func(v uint32) uint32 { return toExtended(math.Float32frombits(v)) },
	}

	// Alpha stays between 0 and 1.
	extendedAlpha = conversion{
		decode: func(b uint32) uint32 { return math.Float32bits(min(max(fromExtended(b), 0), 1)) },
		encode: func(v uint32) uint32 { return toExtended(min(max(math.Float32frombits(v), 0), 1)) },
	}

	extendedCurve = sync.OnceValue(func() *curve { return newCurve(extendedTop, extendedZero, extendedScale) })
	extendedSRGB  = conversionOn(extendedCurve)
)

func fromExtended(code uint32) float32 { return float32(int32(code)-extendedZero) / extendedScale }

func toExtended(x float32) uint32 {
	if x != x {
		return extendedZero
	}
	return nearest(float64(x)*extendedScale+extendedZero, extendedTop)
}
