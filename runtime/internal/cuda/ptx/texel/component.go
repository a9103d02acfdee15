package texel

import (
	"fmt"
	"strings"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/template"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// Conversions between the bits of a component and a number, as package pixel has them.

// conversions writes them.
type conversions struct{ *text.Writer }

// decode makes a register the component of a texel, one of whose words it is in.
func (c conversions) decode(to string, f *pixel.Field, word string) {
	signed := f.Encoding == pixel.Snorm || f.Encoding == pixel.Sint
	code := word
	if f.Bits < 32 {
		code = c.Make(text.Word, map[bool]string{true: "bfe.s32", false: "bfe.u32"}[signed], word, fmt.Sprint(f.Shift),
			fmt.Sprint(f.Bits))
	}
	top := float64(int64(1)<<f.Bits - 1)
	switch f.Encoding {
	case pixel.Unorm:
		c.Op("div.rn.f32 %s, %s, %s;", to, c.Make(text.Float, "cvt.rn.f32.u32", code), template.Float(top))
	case pixel.Snorm:
		part := c.Make(text.Float, "div.rn.f32", c.Make(text.Float, "cvt.rn.f32.s32", code), template.Float((top-1)/2))
		c.Op("max.f32 %s, %s, %s;", to, part, template.Float(-1))
	case pixel.Uint, pixel.Sint:
		c.Op("mov.b32 %s, %s;", to, code)
	case pixel.Float:
		if f.Bits == 32 {
			c.Op("mov.b32 %s, %s;", to, code)
			return
		}
		if f.Bits < 16 { // without a sign and the last digits
			code = c.Make(text.Word, "shl.b32", code, fmt.Sprint(15-f.Bits))
		}
		c.Op("cvt.f32.f16 %s, %s;", to, c.Make(text.Half, "cvt.u16.u32", code))
	case pixel.SRGB:
		c.onTable(to, "srgb", code)
	case pixel.XR:
		c.decodeExtended(to, code, f)
	case pixel.XRSRGB:
		c.onTable(to, "srgbExtended", code)
	}
}

// encoded returns the bits of a component.
func (c conversions) encoded(f *pixel.Field, value string) string {
	top := int64(1)<<f.Bits - 1
	limit := func(n int64) string { return fmt.Sprint(n) }
	switch f.Encoding {
	case pixel.Unorm:
		return c.nearest(value, top)
	case pixel.Snorm:
		size := c.nearest(c.Make(text.Float, "abs.f32", value), top/2)
		minus := c.Make(text.Word, "neg.s32", size)
		minus = c.Make(text.Word, "and.b32", minus, limit(top))
		return c.Make(text.Word, "selp.b32", minus, size, c.Test("lt.f32", value, template.Float(0)))
	case pixel.Uint:
		if f.Bits == 32 {
			return value
		}
		return c.Make(text.Word, "min.u32", value, limit(top))
	case pixel.Sint:
		if f.Bits == 32 {
			return value
		}
		r := c.Make(text.Word, "max.s32", value, limit(-top/2-1))
		r = c.Make(text.Word, "min.s32", r, limit(top/2))
		return c.Make(text.Word, "and.b32", r, limit(top))
	case pixel.Float:
		switch f.Bits {
		case 32:
			return c.Make(text.Word, "mov.b32", value)
		case 16:
			return c.Make(text.Word, "cvt.u32.u16", c.Make(text.Half, "cvt.rn.f16.f32", value))
		}
		return c.encodedSmall(f, value)
	case pixel.SRGB:
		return c.reached("srgbSteps", 8, value)
	case pixel.XR:
		return c.encodedExtended(f, value)
	case pixel.XRSRGB:
		return c.orZeroCode(value, c.reached("srgbExtendedSteps", 10, value))
	}
	return "0"
}

// nearest returns the integer nearest to so many times a number, ties to even, from 0 to so many. It is 0 for a NaN.
func (c conversions) nearest(value string, top int64) string {
	x := c.Make(text.Double, "cvt.f64.f32", value)
	return c.whole(c.Make(text.Double, "mul.rn.f64", x, template.Double(float64(top))), top)
}

// whole returns the integer nearest to a double in the same way.
func (c conversions) whole(x string, top int64) string {
	x = c.Make(text.Double, "selp.f64", x, template.Double(0), c.Test("gt.f64", x, template.Double(0)))
	x = c.Make(text.Double, "min.f64", x, template.Double(float64(top)))
	x = c.Make(text.Double, "add.rn.f64", x, template.Double(0x1p52))
	return c.Make(text.Word, "cvt.u32.u64", c.Make(text.Long, "mov.b64", x))
}

// onTable makes a register what a table has for a code.
func (c conversions) onTable(to, table, code string) {
	at := c.Make(text.Long, "mov.u64", c.table(table))
	at = c.Make(text.Long, "mad.wide.u32", code, "4", at)
	c.Op("ld.global.f32 %s, [%s];", to, at)
}

// reached returns how many numbers of a table another number reaches. The table has almost 1<<bits numbers: those at
// which codes of sRGB change.
func (c conversions) reached(table string, bits int, value string) string {
	from := c.Make(text.Long, "mov.u64", c.table(table))
	low := c.Make(text.Word, "mov.u32", "0")
	for step := 1 << bits >> 1; step > 0; step /= 2 {
		at := c.Make(text.Word, "add.u32", low, fmt.Sprint(step-1))
		address, least := c.Make(text.Long, "mad.wide.u32", at, "4", from), c.Fresh(text.Float)
		c.Op("ld.global.f32 %s, [%s];", least, address)
		more := c.Make(text.Word, "add.u32", low, fmt.Sprint(step))
		low = c.Make(text.Word, "selp.b32", more, low, c.Test("ge.f32", value, least))
	}
	return low
}

// table returns the name of a table of the curve of sRGB, which it declares the first time.
func (c conversions) table(name string) string {
	if !c.Begins(name) {
		return name
	}
	curve := pixel.Curve
	if strings.HasPrefix(name, "srgbExtended") {
		curve = pixel.ExtendedCurve
	}
	linear, steps := curve()
	var numbers []string
	if strings.HasSuffix(name, "Steps") {
		for _, x := range steps {
			numbers = append(numbers, template.Float(float64(x)))
		}
	} else {
		for _, bits := range linear {
			numbers = append(numbers, text.Immediate(ir.F32, uint64(bits)))
		}
	}
	c.Declare(".global .align 16 .f32 %s[%d] = {%s};", name, len(numbers), strings.Join(numbers, ", "))
	return name
}
