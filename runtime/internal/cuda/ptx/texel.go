package ptx

import (
	"fmt"
	"strings"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/template"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// Conversions between the bits of a component and a number, as package pixel has them.

// decode makes a register the component of a texel, one of whose words it is in.
func (c *textureCall) decode(to string, f *pixel.Field, word string) {
	signed := f.Encoding == pixel.Snorm || f.Encoding == pixel.Sint
	code := word
	if f.Bits < 32 {
		code = c.make(wordClass, map[bool]string{true: "bfe.s32", false: "bfe.u32"}[signed], word, fmt.Sprint(f.Shift),
			fmt.Sprint(f.Bits))
	}
	top := float64(int64(1)<<f.Bits - 1)
	switch f.Encoding {
	case pixel.Unorm:
		c.op("div.rn.f32 %s, %s, %s;", to, c.make(floatClass, "cvt.rn.f32.u32", code), template.Float(top))
	case pixel.Snorm:
		part := c.make(floatClass, "div.rn.f32", c.make(floatClass, "cvt.rn.f32.s32", code), template.Float((top-1)/2))
		c.op("max.f32 %s, %s, %s;", to, part, template.Float(-1))
	case pixel.Uint, pixel.Sint:
		c.op("mov.b32 %s, %s;", to, code)
	case pixel.Float:
		if f.Bits == 32 {
			c.op("mov.b32 %s, %s;", to, code)
			return
		}
		if f.Bits < 16 { // without a sign and the last digits
			code = c.make(wordClass, "shl.b32", code, fmt.Sprint(15-f.Bits))
		}
		c.op("cvt.f32.f16 %s, %s;", to, c.make(halfClass, "cvt.u16.u32", code))
	case pixel.SRGB:
		at := c.make(longClass, "mov.u64", c.curve("srgb"))
		at = c.make(longClass, "mad.wide.u32", code, "4", at)
		c.op("ld.global.f32 %s, [%s];", to, at)
	default:
		c.unsupported(c.Position(c.in), "the pixel format "+c.of.Format.String())
	}
}

// loadShared makes registers the components of a texel with one exponent for all.
func (c *textureCall) loadShared(registers []string, word string) {
	exponent := c.make(wordClass, "shr.u32", word, "27")
	exponent = c.make(wordClass, "add.u32", exponent, fmt.Sprint(127-15-9))
	scale := c.make(floatClass, "mov.b32", c.make(wordClass, "shl.b32", exponent, "23"))
	for i := range min(3, len(registers)) {
		code := c.make(wordClass, "bfe.u32", word, fmt.Sprint(9*i), "9")
		c.op("mul.rn.f32 %s, %s, %s;", registers[i], c.make(floatClass, "cvt.rn.f32.u32", code), scale)
	}
}

// encoded returns the bits of a component.
func (c *textureCall) encoded(f *pixel.Field, value string) string {
	top := int64(1)<<f.Bits - 1
	limit := func(n int64) string { return fmt.Sprint(n) }
	switch f.Encoding {
	case pixel.Unorm:
		return c.nearest(value, top)
	case pixel.Snorm:
		size := c.nearest(c.make(floatClass, "abs.f32", value), top/2)
		minus := c.make(wordClass, "neg.s32", size)
		minus = c.make(wordClass, "and.b32", minus, limit(top))
		return c.make(wordClass, "selp.b32", minus, size, c.test("lt.f32", value, template.Float(0)))
	case pixel.Uint:
		if f.Bits == 32 {
			return value
		}
		return c.make(wordClass, "min.u32", value, limit(top))
	case pixel.Sint:
		if f.Bits == 32 {
			return value
		}
		r := c.make(wordClass, "max.s32", value, limit(-top/2-1))
		r = c.make(wordClass, "min.s32", r, limit(top/2))
		return c.make(wordClass, "and.b32", r, limit(top))
	case pixel.Float:
		switch f.Bits {
		case 32:
			return c.make(wordClass, "mov.b32", value)
		case 16:
			return c.make(wordClass, "cvt.u32.u16", c.make(halfClass, "cvt.rn.f16.f32", value))
		}
	case pixel.SRGB:
		return c.onCurve(value)
	}
	c.unsupported(c.Position(c.in), "writing the pixel format "+c.of.Format.String())
	return ""
}

// nearest returns the integer nearest to a number, ties to even; top is its whole part. It is 0 for a NaN.
func (c *textureCall) nearest(value string, top int64) string {
	x := c.make(doubleClass, "cvt.f64.f32", value)
	x = c.make(doubleClass, "mul.rn.f64", x, template.Double(float64(top)))
	x = c.make(doubleClass, "selp.f64", x, template.Double(0), c.test("gt.f64", x, template.Double(0)))
	x = c.make(doubleClass, "min.f64", x, template.Double(float64(top)))
	x = c.make(doubleClass, "add.rn.f64", x, template.Double(0x1p52))
	return c.make(wordClass, "cvt.u32.u64", c.make(longClass, "mov.b64", x))
}

// onCurve returns how many of the numbers at which the codes of sRGB change a number reaches.
func (c *textureCall) onCurve(value string) string {
	from := c.make(longClass, "mov.u64", c.curve("srgbSteps"))
	low := c.make(wordClass, "mov.u32", "0")
	for step := 128; step > 0; step /= 2 {
		at := c.make(wordClass, "add.u32", low, fmt.Sprint(step-1))
		address, least := c.make(longClass, "mad.wide.u32", at, "4", from), c.fresh(floatClass)
		c.op("ld.global.f32 %s, [%s];", least, address)
		more := c.make(wordClass, "add.u32", low, fmt.Sprint(step))
		low = c.make(wordClass, "selp.b32", more, low, c.test("ge.f32", value, least))
	}
	return low
}

// curve returns the name of a table of the curve of sRGB.
func (e *emitter) curve(name string) string {
	if e.symbols[name] {
		return name
	}
	e.symbols[name] = true
	linear, steps := pixel.Curve()
	var numbers []string
	if name == "srgb" {
		for _, bits := range linear {
			numbers = append(numbers, immediate(ir.F32, uint64(bits)))
		}
	} else {
		for _, x := range steps {
			numbers = append(numbers, template.Float(float64(x)))
		}
	}
	e.declare(".global .align 16 .f32 %s[%d] = {%s};", name, len(numbers), strings.Join(numbers, ", "))
	return name
}
