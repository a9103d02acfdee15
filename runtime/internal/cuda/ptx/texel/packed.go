package texel

import (
	"fmt"

	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/template"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// Formats whose components are less than bytes: floats of 11 and 10 bits, those with one exponent, extended range.

// A float of 32 bits with the exponent 0 has bias there, and one of 16, 11 or 10 bits smallBias.
const (
	bias      = 127
	smallBias = 15
	smallTop  = 31 // the exponent of infinity
)

// encodedSmall returns the nearest float without a sign that has 5 bits of exponent, ties to even.
func (c conversions) encodedSmall(f *pixel.Field, value string) string {
	mantissa := f.Bits - 5
	infinity := int64(smallTop) << mantissa
	least := bias - smallBias + 1 // exponents below it are those of numbers without a leading bit
	exponent := c.Make(text.Word, "shr.u32", c.Make(text.Word, "mov.b32", value), "23")
	exponent = c.Make(text.Word, "max.u32", exponent, fmt.Sprint(least))
	scale := c.Make(text.Word, "sub.u32", fmt.Sprint(2*bias+mantissa), exponent)
	scaled := c.Make(text.Float, "mov.b32", c.Make(text.Word, "shl.b32", scale, "23"))
	scaled = c.Make(text.Float, "cvt.rni.f32.f32", c.Make(text.Float, "mul.rn.f32", value, scaled))
	code := c.Make(text.Word, "shl.b32", c.Make(text.Word, "sub.u32", exponent, fmt.Sprint(least)), fmt.Sprint(mantissa))
	code = c.Make(text.Word, "add.u32", code, c.Make(text.Word, "cvt.rzi.u32.f32", scaled))
	code = c.Make(text.Word, "min.u32", code, fmt.Sprint(infinity-1))
	code = c.Make(text.Word, "selp.b32", fmt.Sprint(infinity), code, c.Test("eq.f32", value, "0f7F800000"))
	code = c.Make(text.Word, "selp.b32", code, "0", c.Test("gt.f32", value, template.Float(0)))
	nan := fmt.Sprint(infinity | 1<<(mantissa-1))
	return c.Make(text.Word, "selp.b32", nan, code, c.Test("nan.f32", value, value))
}

// Of texels with one exponent for all, each component has sharedBits, and sharedMost is the greatest.
const (
	sharedBits = 9
	sharedMost = float64(1<<sharedBits-1) / (1 << sharedBits) * (1 << (smallTop - smallBias))
)

// decodeShared makes registers the components of such a texel.
func (c conversions) decodeShared(registers []string, word string) {
	exponent := c.Make(text.Word, "shr.u32", word, fmt.Sprint(3*sharedBits))
	exponent = c.Make(text.Word, "add.u32", exponent, fmt.Sprint(bias-smallBias-sharedBits))
	scale := c.Make(text.Float, "mov.b32", c.Make(text.Word, "shl.b32", exponent, "23"))
	for i := range min(3, len(registers)) {
		code := c.Make(text.Word, "bfe.u32", word, fmt.Sprint(sharedBits*i), fmt.Sprint(sharedBits))
		c.Op("mul.rn.f32 %s, %s, %s;", registers[i], c.Make(text.Float, "cvt.rn.f32.u32", code), scale)
	}
}

// encodeShared returns such a texel of some components.
func (c conversions) encodeShared(values [3]string) string {
	var rgb [3]string
	largest := template.Float(0)
	for i := range rgb { // what is no number is 0
		x := c.Make(text.Float, "max.f32", values[i], template.Float(0))
		rgb[i] = c.Make(text.Float, "min.f32", x, template.Float(sharedMost))
		largest = c.Make(text.Float, "max.f32", rgb[i], largest)
	}
	// That of a number is one greater than its own, so that the leading bit is the highest of the component.
	exponent := c.Make(text.Word, "shr.u32", c.Make(text.Word, "mov.b32", largest), "23")
	exponent = c.Make(text.Word, "sub.u32", c.Make(text.Word, "max.u32", exponent, fmt.Sprint(bias-smallBias-1)),
		fmt.Sprint(bias-smallBias-1))
	over := c.Test("eq.s32", c.sharedMantissa(largest, exponent), fmt.Sprint(1<<sharedBits)) // it was rounded up
	exponent = c.Make(text.Word, "selp.b32", c.Make(text.Word, "add.u32", exponent, "1"), exponent, over)
	word := c.Make(text.Word, "shl.b32", exponent, fmt.Sprint(3*sharedBits))
	for i, x := range rgb {
		code := c.Make(text.Word, "shl.b32", c.sharedMantissa(x, exponent), fmt.Sprint(sharedBits*i))
		word = c.Make(text.Word, "or.b32", word, code)
	}
	return word
}

// sharedMantissa returns a component with the exponent of a texel, rounded half up.
func (c conversions) sharedMantissa(x, exponent string) string {
	const doubleBias = 1023
	scale := c.Make(text.Word, "sub.u32", fmt.Sprint(doubleBias+sharedBits+smallBias), exponent)
	wide := c.Make(text.Long, "shl.b64", c.Make(text.Long, "cvt.u64.u32", scale), "52")
	y := c.Make(text.Double, "mul.rn.f64", c.Make(text.Double, "cvt.f64.f32", x), c.Make(text.Double, "mov.b64", wide))
	return c.Make(text.Word, "cvt.rzi.s32.f64", c.Make(text.Double, "add.rn.f64", y, template.Double(0.5)))
}

// Of extended range a number is (code - extendedZero) / extendedScale.
const (
	extendedZero  = 384
	extendedScale = 510
	extendedTop   = 1023
)

// decodeExtended makes a register the component of a code.
func (c conversions) decodeExtended(to, code string, f *pixel.Field) {
	x := c.Make(text.Float, "cvt.rn.f32.s32", c.Make(text.Word, "sub.s32", code, fmt.Sprint(extendedZero)))
	if f.To == alpha {
		x = c.unit(c.Make(text.Float, "div.rn.f32", x, template.Float(extendedScale)))
		c.Op("mov.f32 %s, %s;", to, x)
		return
	}
	c.Op("div.rn.f32 %s, %s, %s;", to, x, template.Float(extendedScale))
}

// alpha is the number of the component that stays between 0 and 1.
const alpha = 3

// unit returns a number between 0 and 1.
func (c conversions) unit(x string) string {
	return c.Make(text.Float, "min.f32", c.Make(text.Float, "max.f32", x, template.Float(0)), template.Float(1))
}

// encodedExtended returns the code of a component.
func (c conversions) encodedExtended(f *pixel.Field, value string) string {
	x := value
	if f.To == alpha {
		x = c.unit(x)
	}
	y := c.Make(text.Double, "mul.rn.f64", c.Make(text.Double, "cvt.f64.f32", x), template.Double(extendedScale))
	y = c.Make(text.Double, "add.rn.f64", y, template.Double(extendedZero))
	return c.orZeroCode(value, c.whole(y, extendedTop))
}

// orZeroCode returns a code, or that of 0 for what is no number.
func (c conversions) orZeroCode(value, code string) string {
	return c.Make(text.Word, "selp.b32", fmt.Sprint(extendedZero), code, c.Test("nan.f32", value, value))
}
