package texel

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/template"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// sample writes a call that filters.
func (c *Call) sample() []string {
	lod, constant := c.levelOfDetail()
	results := c.components(max(c.Results, 1))
	s := &c.Sampler
	linear := func(f bind.Filter) bool { return f == bind.Linear && c.filters() }
	switch {
	case lod != "" && linear(s.Min) != linear(s.Mag):
		far, done := c.Label(), c.Label()
		c.Op("@%s bra %s;", c.Test("gt.f64", lod, template.Double(0)), far)
		c.levels(results, lod, 0, linear(s.Mag))
		c.Op("bra %s;", done)
		c.Place(far)
		c.levels(results, lod, 0, linear(s.Min))
		c.Place(done)
	case lod == "" && constant > 0:
		c.levels(results, lod, constant, linear(s.Min))
	default:
		c.levels(results, lod, constant, linear(s.Mag))
	}
	return results
}

// levelOfDetail returns which level a call asks for, as a register, or as a number with "".
func (c *Call) levelOfDetail() (lod string, constant float64) {
	s := &c.Sampler
	level, dx := c.Arg(ir.TextureLevel), c.Arg(ir.TextureDX)
	switch {
	case level != "":
		lod = c.Make(text.Double, "cvt.f64.f32", level)
	case dx != "":
		return c.atLeast(c.limited(c.levelOfGradient(dx))), 0
	default:
		constant = max(constant, float64(s.LODMin))
		if s.LODMax > 0 {
			constant = min(constant, float64(s.LODMax))
		}
	}
	if c.Arg(ir.TextureLeast) != "" {
		if lod == "" {
			lod = c.Make(text.Double, "mov.f64", template.Double(constant))
		}
		return c.atLeast(lod, lod), 0
	}
	return c.atLeast(lod, lod), constant
}

// limited applies lod_clamp to a level of detail.
func (c *Call) limited(lod string) (limited, exact string) {
	limited = c.Make(text.Double, "max.f64", lod, template.Double(float64(c.Sampler.LODMin)))
	if most := c.Sampler.LODMax; most > 0 {
		limited = c.Make(text.Double, "min.f64", limited, template.Double(float64(most)))
	}
	return limited, lod
}

// atLeast applies min_lod_clamp to a level of detail. It is 0 where something is no number.
func (c *Call) atLeast(lod, exact string) string {
	if lod == "" {
		return ""
	}
	least, known := c.Arg(ir.TextureLeast), c.Test("eq.f64", exact, exact)
	if least != "" {
		wide := c.Make(text.Double, "cvt.f64.f32", least)
		lod = c.Make(text.Double, "max.f64", lod, wide)
		known = c.Both(known, c.Test("eq.f64", wide, wide))
	}
	return c.Make(text.Double, "selp.f64", lod, template.Double(0), known)
}

// levels samples the level that a level of detail says, or mixes two.
func (c *Call) levels(to []string, lod string, constant float64, linear bool) {
	if c.Sampler.Mip == bind.MipNone || c.Of.Levels == 1 || lod == "" && constant == 0 {
		c.filter(to, "", linear)
		return
	}
	if lod == "" {
		lod = c.Make(text.Double, "mov.f64", template.Double(constant))
	}
	lod = c.Make(text.Double, "min.f64", lod, template.Double(float64(c.Of.Levels-1)))
	lod = c.Make(text.Double, "max.f64", lod, template.Double(0))
	if c.Sampler.Mip != bind.MipLinear || !c.filters() {
		// In the middle of two levels it is the larger image.
		near := c.Make(text.Double, "add.rn.f64", lod, template.Double(0.5))
		near = c.Make(text.Double, "cvt.rpi.f64.f64", near)
		near = c.Make(text.Double, "sub.rn.f64", near, template.Double(1))
		near = c.Make(text.Double, "max.f64", near, template.Double(0))
		c.filter(to, c.Make(text.Word, "cvt.rzi.s32.f64", near), linear)
		return
	}
	whole := c.Make(text.Double, "cvt.rmi.f64.f64", lod)
	part := c.Make(text.Float, "cvt.rn.f32.f64", c.Make(text.Double, "sub.rn.f64", lod, whole))
	near := c.Make(text.Word, "cvt.rzi.s32.f64", whole)
	c.filter(to, near, linear)
	done := c.Label()
	c.Op("@%s bra %s;", c.Test("eq.f64", lod, whole), done)
	far := c.components(len(to))
	c.filter(far, c.Make(text.Word, "add.u32", near, "1"), linear)
	wide := c.Make(text.Double, "cvt.f64.f32", part)
	rest := c.Make(text.Double, "sub.rn.f64", template.Double(1), wide)
	for i, r := range to {
		a := c.Make(text.Double, "mul.rn.f64", rest, c.Make(text.Double, "cvt.f64.f32", r))
		b := c.Make(text.Double, "mul.rn.f64", wide, c.Make(text.Double, "cvt.f64.f32", far[i]))
		c.Op("cvt.rn.f32.f64 %s, %s;", r, c.Make(text.Double, "add.rn.f64", a, b))
	}
	c.Place(done)
}
