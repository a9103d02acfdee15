package texel

import (
	"math"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/template"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// levelOfGradient returns the level on which neighbors are a texel apart: the logarithm of the longer one of two steps,
// in texels of the first level. dx is the first component of the first step.
func (c *Call) levelOfGradient(dx string) string {
	axes := c.Of.Type.Dimensions()
	if c.isCube() {
		axes = 3
	}
	longest, known := template.Double(0), ""
	for _, first := range []int{ir.TextureDX, ir.TextureDY} {
		var d [3]string
		for k := range axes {
			component := dx
			if first+k != ir.TextureDX {
				component = c.Arg(first + k)
			}
			d[k] = c.Make(text.Double, "cvt.f64.f32", component)
		}
		if c.isCube() {
			d = c.onFace(d)
		}
		square := c.square(d)
		known = c.Both(known, c.Test("eq.f64", square, square))
		longest = c.Make(text.Double, "max.f64", square, longest)
	}
	length := c.Make(text.Float, "cvt.rn.f32.f64", c.Make(text.Double, "sqrt.rn.f64", longest))
	level := c.Fresh(text.Float)
	c.Expand(template.Of(ir.OpLog2, ir.F32, 0, false), level, []string{length}, 0)
	none := template.Double(math.NaN())
	return c.cube.choose(text.Double, known, c.Make(text.Double, "cvt.f64.f32", level), none)
}

// square returns the square of the length of a step in texels.
func (c *Call) square(d [3]string) string {
	sum := template.Double(0)
	for k := range c.Of.Type.Dimensions() {
		x := d[k]
		if !c.Sampler.Pixel {
			x = c.Make(text.Double, "mul.rn.f64", x, c.Make(text.Double, "cvt.rn.f64.u32", c.size("", k)))
		}
		sum = c.Make(text.Double, "add.rn.f64", c.Make(text.Double, "mul.rn.f64", x, x), sum)
	}
	return sum
}

// onFace returns how the coordinates on the face of a cube, from 0 to 1, change where the direction changes by d.
func (c *Call) onFace(d [3]string) [3]string {
	r := c.direction()
	f := c.cube.faceOf(r, text.Double, "f64")
	major := c.cube.ofAxis(f, r, text.Double)
	distance := c.Make(text.Double, "abs.f64", major)
	none := c.Test("eq.f64", distance, template.Double(0))
	away := c.cube.ofAxis(f, d, text.Double)
	away = c.cube.signed(away, c.Test("lt.f64", major, template.Double(0)), text.Double, "f64")
	square := c.Make(text.Double, "mul.rn.f64", distance, distance)
	along := func(d, r string) string {
		x := c.Make(text.Double, "mul.rn.f64", distance, d)
		x = c.Make(text.Double, "sub.rn.f64", x, c.Make(text.Double, "mul.rn.f64", r, away))
		x = c.Make(text.Double, "div.rn.f64", c.Make(text.Double, "mul.rn.f64", template.Double(0.5), x), square)
		return c.cube.choose(text.Double, none, template.Double(0), x)
	}
	return [3]string{along(c.cube.ofS(f, d, text.Double), c.cube.ofS(f, r, text.Double)),
		along(c.cube.ofT(f, d, text.Double), c.cube.ofT(f, r, text.Double))}
}
