package texel

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/template"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// footprint is the texels of one level that a filter reads.
type footprint struct {
	axes         [3]axis
	layer, level string
	face         *face // of a cube; outside then means beyond an edge of it
}

// axis is one coordinate of these texels: the first one, or two and the part of the second.
type axis struct {
	texel   [2]string
	outside [2]string // predicates of texels that are not in the texture, "" where they are
	part    string    // a double
}

// locate finds the texels around a point.
func (c *Call) locate(level string, linear bool) (t footprint) {
	t.level = level
	if t.layer = c.Arg(ir.TextureLayer); t.layer != "" {
		last := c.Make(text.Word, "sub.u32", c.From.Fact(abi.LayersAt, "u32"), "1")
		t.layer = c.Make(text.Word, "min.u32", t.layer, last)
	}
	if c.isCube() {
		c.locateOnCube(&t, linear)
		return t
	}
	modes := c.Sampler.Addresses()
	for k := range c.Of.Type.Dimensions() {
		size := c.size(level, k)
		x := c.place.inTexels(c.Arg(ir.TextureCoord+k), size, c.Sampler.Pixel, modes[k])
		c.along(&t.axes[k], x, size, ir.TextureOffset+k, modes[k], linear)
	}
	return t
}

// along finds the texels around a coordinate.
func (c *Call) along(a *axis, x, size string, offset int, mode bind.AddressMode, linear bool) {
	if linear {
		x = c.Make(text.Double, "sub.rn.f64", x, template.Double(0.5))
	}
	floor := c.Make(text.Double, "cvt.rmi.f64.f64", x)
	first := c.Make(text.Word, "cvt.rzi.s32.f64", floor)
	if moved := c.Arg(offset); moved != "" {
		first = c.Make(text.Word, "add.s32", first, moved)
	}
	a.texel[0], a.outside[0] = c.place.addressed(first, size, mode)
	if linear {
		a.texel[1], a.outside[1] = c.place.addressed(c.Make(text.Word, "add.s32", first, "1"), size, mode)
		a.part = c.Make(text.Double, "sub.rn.f64", x, floor)
	}
}

// coordinates writes where a coordinate of a sampler leads.
type coordinates struct{ *text.Writer }

// Coordinates beyond nearby, of textures below largest, are moved to where there are the same texels: as indexes they
// would overflow.
const (
	nearby  = 16
	largest = 1 << 16
)

// inTexels returns a coordinate in texels, as a double.
func (c coordinates) inTexels(coordinate, size string, pixels bool, mode bind.AddressMode) string {
	u := c.Make(text.Double, "cvt.f64.f32", coordinate)
	limit := float64(nearby)
	if pixels {
		limit *= largest
	}
	moved := u
	switch mode {
	case bind.Repeat:
		moved = c.Make(text.Double, "sub.rn.f64", u, c.Make(text.Double, "cvt.rmi.f64.f64", u))
	case bind.MirrorRepeat:
		half := c.Make(text.Double, "mul.rn.f64", u, template.Double(0.5))
		half = c.Make(text.Double, "cvt.rmi.f64.f64", half)
		moved = c.Make(text.Double, "sub.rn.f64", u, c.Make(text.Double, "add.rn.f64", half, half))
	default:
		moved = c.Make(text.Double, "max.f64", u, template.Double(-limit))
		moved = c.Make(text.Double, "min.f64", moved, template.Double(limit))
	}
	near := c.Test("lt.f64", c.Make(text.Double, "abs.f64", u), template.Double(limit))
	u = c.Make(text.Double, "selp.f64", u, moved, near)
	known := c.Both(c.Test("eq.f32", coordinate, coordinate), c.Test("eq.f64", u, u))
	u = c.Make(text.Double, "selp.f64", u, template.Double(0), known)
	if !pixels {
		u = c.Make(text.Double, "mul.rn.f64", u, c.Make(text.Double, "cvt.rn.f64.u32", size))
	}
	return u
}

// addressed returns the texel that an addressing mode finds for an index, and reports whether it finds no texel.
func (c coordinates) addressed(i, size string, mode bind.AddressMode) (at, outside string) {
	last := c.Make(text.Word, "sub.s32", size, "1")
	modulo := func(i, n string) string {
		r := c.Make(text.Word, "rem.s32", i, n)
		return c.Make(text.Word, "selp.b32", c.Make(text.Word, "add.s32", r, n), r, c.Test("lt.s32", r, "0"))
	}
	mirrored := func(i string) string { // -1 - i where i is negative
		return c.Make(text.Word, "xor.b32", i, c.Make(text.Word, "shr.s32", i, "31"))
	}
	switch mode {
	case bind.ClampToEdge:
		return c.Make(text.Word, "min.s32", c.Make(text.Word, "max.s32", i, "0"), last), ""
	case bind.MirrorClampToEdge:
		return c.Make(text.Word, "min.s32", mirrored(i), last), ""
	case bind.Repeat:
		return modulo(i, size), ""
	case bind.MirrorRepeat:
		twice := c.Make(text.Word, "shl.b32", size, "1")
		r := c.Make(text.Word, "sub.s32", modulo(i, twice), size)
		return c.Make(text.Word, "sub.s32", last, mirrored(r)), ""
	}
	return i, c.Test("ge.u32", i, size)
}
