package pixel

import (
	"strconv"
	"strings"
)

// Encoding is what the bits of the components mean.
type Encoding uint8

const (
	Unorm          Encoding = iota // a fraction, 0 to 1
	Snorm                          // a fraction, -1 to 1
	Uint                           // an unsigned integer
	Sint                           // a signed integer
	Float                          // a floating-point number of 32, 16, 11 or 10 bits
	SRGB                           // a fraction on the curve of sRGB; alpha is Unorm
	SharedExponent                 // a mantissa, with an exponent for all
	XR                             // extended range: 10 bits for -0.75 to 1.25
	XRSRGB                         // XR on the curve of sRGB; alpha is XR
)

// Linear returns the encoding without the curve of sRGB.
func (e Encoding) Linear() Encoding {
	switch e {
	case SRGB:
		return Unorm
	case XRSRGB:
		return XR
	}
	return e
}

// typ returns what a component of the encoding is to a kernel.
func (e Encoding) typ() Type {
	switch e {
	case Uint:
		return Unsigned
	case Sint:
		return Signed
	}
	return Floating
}

// component is one of a texel's components: its place in the texel's bytes and in a Texel, and its conversion.
type component struct {
	to    uint8 // red, green, blue or alpha
	word  uint8 // which 32 bits of the texel have it; no component is in two of them
	shift uint8
	bits  uint8
	conversion
}

// conversion converts between the bits of a component and a component of a Texel.
type conversion struct {
	decode func(bits uint32) uint32
	encode func(value uint32) uint32
}

// The components of a Texel.
const (
	red = iota
	green
	blue
	alpha
)

// parseLayout returns the components of a layout, and the bytes of a texel.
func parseLayout(layout string, e Encoding) (components []component, size int) {
	const names = "rgba"
	at := 0
	for field := range strings.FieldsSeq(layout) {
		name := field[0]
		bits, _ := strconv.Atoi(field[1:])
		if name == 'd' {
			name = 'r'
		}
		if to := strings.IndexByte(names, name); to >= 0 {
			components = append(components, component{
				to: uint8(to), word: uint8(at / 32), shift: uint8(at % 32), bits: uint8(bits),
				conversion: conversionOf(e, to, bits),
			})
		}
		at += bits
	}
	return components, at / 8
}

// conversionOf returns the conversion of a component of that many bits.
func conversionOf(e Encoding, to, bits int) conversion {
	switch {
	case e == SRGB && to == alpha:
		e = Unorm
	case e == XRSRGB && to == alpha:
		e = XR
	}
	switch e {
	case Unorm:
		return unorm(bits)
	case Snorm:
		return snorm(bits)
	case Uint:
		return unsigned(bits)
	case Sint:
		return signed(bits)
	case Float:
		return floating(bits)
	case SRGB:
		return srgb
	case XR:
		if to == alpha {
			return extendedAlpha
		}
		return extended
	case XRSRGB:
		return extendedSRGB
	}
	return conversion{} // SharedExponent has none for a single component
}
