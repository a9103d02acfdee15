package texel

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/template"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// filter samples one level.
func (c *Call) filter(to []string, level string, linear bool) {
	t := c.locate(level, linear)
	if !linear {
		c.fetch(to, &t, 0)
		c.compare(to)
		return
	}
	weights := c.weights(&t)
	sums := make([]string, len(to))
	for i := range sums {
		sums[i] = c.Make(text.Double, "mov.f64", template.Double(0))
	}
	for corner, weight := range weights {
		// A texel that has no part in the sum may be infinite.
		skip := c.Label()
		c.Op("@%s bra %s;", c.Test("eq.f64", weight, template.Double(0)), skip)
		one := c.components(len(to))
		c.fetch(one, &t, corner)
		c.compare(one)
		for i, sum := range sums {
			product := c.Make(text.Double, "mul.rn.f64", weight, c.Make(text.Double, "cvt.f64.f32", one[i]))
			c.Op("add.rn.f64 %s, %s, %s;", sum, sum, product)
		}
		c.Place(skip)
	}
	for i, r := range to {
		c.Op("cvt.rn.f32.f64 %s, %s;", r, sums[i])
	}
}

// weights returns the weight of each texel of a filter. Each coordinate splits those so far in two.
func (c *Call) weights(t *footprint) []string {
	var list []string
	for k := range c.Of.Type.Dimensions() {
		part := t.axes[k].part
		rest := c.Make(text.Double, "sub.rn.f64", template.Double(1), part)
		if k == 0 {
			list = []string{rest, part}
			continue
		}
		var far []string
		for i, w := range list {
			far = append(far, c.Make(text.Double, "mul.rn.f64", w, part))
			list[i] = c.Make(text.Double, "mul.rn.f64", w, rest)
		}
		list = append(list, far...)
	}
	if c.isCube() {
		c.shareCorner(list, t)
	}
	return list
}

// fetch makes registers one of the texels of a footprint. The bits of a corner choose between the two of each
// coordinate.
func (c *Call) fetch(to []string, t *footprint, corner int) {
	p := place{layer: t.layer, level: t.level}
	skip, outside := c.Label(), ""
	for k := range c.Of.Type.Dimensions() {
		p.coord[k] = t.axes[k].texel[corner>>k&1]
		if is := t.axes[k].outside[corner>>k&1]; is != "" {
			if outside != "" {
				is = c.Either(outside, is)
			}
			outside = is
		}
	}
	switch {
	case t.face != nil:
		c.overEdge(&p, t, outside)
	case outside != "":
		c.set(to, c.border())
		c.Op("@%s bra %s;", outside, skip)
	}
	c.set(to, c.info.Zero) // components stay that the format lacks
	c.load(to, c.address(&p))
	c.Place(skip)
}

// border returns what is outside of the texture for the addressing modes that have such a thing.
func (c *Call) border() pixel.Texel {
	modes := c.Sampler.Addresses()
	for _, mode := range modes[:c.Of.Type.Dimensions()] {
		if mode == bind.ClampToZero {
			return c.info.Zero
		}
	}
	one := c.info.One()
	switch c.Sampler.Border {
	case bind.OpaqueBlack:
		return pixel.Texel{3: one}
	case bind.OpaqueWhite:
		return pixel.Texel{one, one, one, one}
	}
	return pixel.Texel{}
}

// compare makes the first component of a texel what a comparison with the value of the call says of it.
func (c *Call) compare(texel []string) {
	value := c.Arg(ir.TextureCompare)
	if value == "" {
		return
	}
	if c.info.Encoding == pixel.Unorm { // depths are 0 to 1, and so is the value; what is no number stays none
		limited := c.Make(text.Float, "min.f32", c.Make(text.Float, "max.f32", value, template.Float(0)), template.Float(1))
		value = c.Make(text.Float, "selp.f32", value, limited, c.Test("nan.f32", value, value))
	}
	names := map[bind.CompareFunction]string{
		bind.CompareLess: "lt", bind.CompareEqual: "eq", bind.CompareLessEqual: "le", bind.CompareGreater: "gt",
		bind.CompareNotEqual: "neu", bind.CompareGreaterEqual: "ge",
	}
	name, tests := names[c.Sampler.Compare]
	if !tests {
		always := map[bool]float64{true: 1}[c.Sampler.Compare == bind.CompareAlways]
		c.Op("mov.f32 %s, %s;", texel[0], template.Float(always))
		return
	}
	c.Op("selp.f32 %s, %s, %s, %s;", texel[0], template.Float(1), template.Float(0), c.Test(name+".f32", value, texel[0]))
}

// gatherOrder has the corners in the order in which they are gathered: counterclockwise from the lower left, where the
// second coordinate grows downward.
var gatherOrder = [4]int{0b10, 0b11, 0b01, 0b00}

// gather writes one component of each of the four texels that a linear filter reads.
func (c *Call) gather() []string {
	t := c.locate("", true)
	results := make([]string, 4)
	for k, corner := range gatherOrder {
		one, skip := c.components(4), ""
		if t.face != nil {
			skip = c.Label()
			c.set(one, c.info.Zero)
			c.Op("@%s bra %s;", c.missing(&t, corner), skip)
		}
		c.fetch(one, &t, corner)
		c.compare(one)
		results[k] = one[c.Component]
		if skip != "" {
			c.Place(skip)
		}
	}
	if t.face != nil {
		return c.replaced(results, &t)
	}
	return results
}
