package pixel

import (
	"encoding/binary"
	"math"
)

// MSL, section 8.7.5. Its lower bound of the shared exponent is misprinted; that of the OpenGL extension
// EXT_texture_shared_exponent, where the rule comes from, is 0.

const (
	sharedMantissa = 9
	sharedTop      = float64(1<<sharedMantissa-1) / (1 << sharedMantissa) * (1 << (exponentTop - exponentBias))
)

func decodeSharedExponent(texel []byte) Texel {
	w := binary.LittleEndian.Uint32(texel)
	scale := math.Ldexp(1, int(w>>27)-exponentBias-sharedMantissa)
	t := Texel{alpha: oneFloat}
	for c := range t[:alpha] {
		t[c] = math.Float32bits(float32(float64(w>>(c*sharedMantissa)&(1<<sharedMantissa-1)) * scale))
	}
	return t
}

func encodeSharedExponent(texel []byte, t *Texel) {
	var rgb [3]float64
	largest := 0.0
	for c := range rgb {
		if x := float64(math.Float32frombits(t[c])); x > 0 { // NaN is zero
			rgb[c] = min(x, sharedTop)
		}
		largest = max(largest, rgb[c])
	}
	// Frexp has its fraction below 1, where the rule has it below 2: floor(log2(x)) + 1.
	exponent := 0
	if largest > 0 {
		_, e := math.Frexp(largest)
		exponent = max(e+exponentBias, 0)
	}
	mantissa := func(x float64) uint32 {
		return uint32(math.Ldexp(x, sharedMantissa+exponentBias-exponent) + 0.5)
	}
	if mantissa(largest) == 1<<sharedMantissa {
		exponent++
	}
	w := uint32(exponent) << 27
	for c, x := range rgb {
		w |= mantissa(x) << (c * sharedMantissa)
	}
	binary.LittleEndian.PutUint32(texel, w)
}
