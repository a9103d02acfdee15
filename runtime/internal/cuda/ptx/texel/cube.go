package texel

import (
	"math"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/template"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// face is that of a cube which a direction meets.
type face struct {
	number       string // in Metal's order: positive and negative x, y, z
	onX, onY     string // predicates: its axis is that; else it is z
	minus        string // it looks the negative way
	flipS, flipT string // its coordinates run against their axes
}

// cubes writes which face a direction meets.
type cubes struct{ *text.Writer }

// faceOf returns the face that a direction meets, whose numbers have a type. Where it meets an edge, z is before y, and
// y before x.
func (c cubes) faceOf(r [3]string, class text.Class, typ string) *face {
	var size [3]string
	for k, x := range r {
		size[k] = c.Make(class, "abs."+typ, x)
	}
	onZ := c.Both(c.Test("ge."+typ, size[2], size[0]), c.Test("ge."+typ, size[2], size[1]))
	axis := c.Make(text.Word, "selp.b32", "1", "0", c.Test("ge."+typ, size[1], size[0]))
	axis = c.Make(text.Word, "selp.b32", "2", axis, onZ)
	f := &face{onX: c.Test("eq.s32", axis, "0"), onY: c.Test("eq.s32", axis, "1")}
	f.minus = c.Test("lt."+typ, c.ofAxis(f, r, class), zero(class))
	f.number = c.Make(text.Word, "selp.b32", "1", "0", f.minus)
	f.number = c.Make(text.Word, "mad.lo.u32", axis, "2", f.number)
	f.flipS = c.Either(c.Test("eq.s32", f.number, "0"), c.Test("eq.s32", f.number, "5"))
	f.flipT = c.Test("ne.s32", f.number, "2")
	return f
}

func zero(class text.Class) string {
	if class == text.Double {
		return template.Double(0)
	}
	return "0"
}

// choose returns one of two registers, by a predicate.
func (c cubes) choose(class text.Class, is, a, b string) string {
	return c.Make(class, "selp."+class.Type(), a, b, is)
}

// ofAxis returns the component of a direction on the axis of a face, ofS and ofT those of its coordinates.
func (c cubes) ofAxis(f *face, r [3]string, class text.Class) string {
	return c.choose(class, f.onX, r[0], c.choose(class, f.onY, r[1], r[2]))
}

func (c cubes) ofS(f *face, r [3]string, class text.Class) string {
	return c.choose(class, f.onX, r[2], r[0])
}
func (c cubes) ofT(f *face, r [3]string, class text.Class) string {
	return c.choose(class, f.onY, r[2], r[1])
}

// signed returns a number, or its negative where a predicate holds.
func (c cubes) signed(x, flip string, class text.Class, typ string) string {
	return c.choose(class, flip, c.Make(class, "neg."+typ, x), x)
}

// direction returns the direction in which a call samples a cube, in doubles.
func (c *Call) direction() (r [3]string) {
	for k := range r {
		r[k] = c.Make(text.Double, "cvt.f64.f32", c.Arg(ir.TextureCoord+k))
	}
	return r
}

// locateOnCube finds the texels around the point of a cube that a direction meets.
func (c *Call) locateOnCube(t *footprint, linear bool) {
	r := c.direction()
	for k, x := range r {
		// With infinities there is no direction. These are the directions nearest to what was meant.
		limited := c.Make(text.Double, "max.f64", x, template.Double(-math.MaxFloat32))
		limited = c.Make(text.Double, "min.f64", limited, template.Double(math.MaxFloat32))
		r[k] = c.cube.choose(text.Double, c.Test("eq.f64", x, x), limited, template.Double(0))
	}
	f := c.cube.faceOf(r, text.Double, "f64")
	t.face = f
	distance := c.Make(text.Double, "abs.f64", c.cube.ofAxis(f, r, text.Double))
	none := c.Test("eq.f64", distance, template.Double(0))
	size := c.size(t.level, 0)
	wide := c.Make(text.Double, "cvt.rn.f64.u32", size)
	half := c.Make(text.Double, "mul.rn.f64", wide, template.Double(0.5))
	on := func(x, flip string) string {
		x = c.Make(text.Double, "div.rn.f64", c.cube.signed(x, flip, text.Double, "f64"), distance)
		x = c.Make(text.Double, "mul.rn.f64", c.Make(text.Double, "add.rn.f64", x, template.Double(1)), half)
		x = c.cube.choose(text.Double, none, half, x)
		if !linear { // the far edges of a face belong to its last texels
			x = c.Make(text.Double, "min.f64", x, c.Make(text.Double, "sub.rn.f64", wide, template.Double(0.5)))
		}
		return x
	}
	// What is beyond an edge is on another face.
	c.along(&t.axes[0], on(c.cube.ofS(f, r, text.Double), f.flipS), size, ir.TextureOffset, bind.ClampToZero, linear)
	c.along(&t.axes[1], on(c.cube.ofT(f, r, text.Double), f.flipT), size, ir.TextureOffset+1, bind.ClampToZero, linear)
}

// overEdge makes a place that of the texel on the face, or where a predicate holds, of that beyond its edge.
func (c *Call) overEdge(p *place, t *footprint, beyond string) {
	const class, typ = text.Word, "s32"
	f, skip := t.face, c.Label()
	i, j := c.Make(class, "mov.b32", p.coord[0]), c.Make(class, "mov.b32", p.coord[1])
	number := c.Make(class, "mov.b32", f.number)
	p.coord[0], p.coord[1], p.face = i, j, number
	c.Op("@!%s bra %s;", beyond, skip)
	// The direction of the middle of the texel, in the plane of the face, in units of half a texel.
	size := c.size(t.level, 0)
	middle := func(i, flip string) string {
		twice := c.Make(class, "mad.lo.s32", i, "2", "1")
		return c.cube.signed(c.Make(class, "sub.s32", twice, size), flip, class, typ)
	}
	s, v, m := middle(i, f.flipS), middle(j, f.flipT), c.cube.signed(size, f.minus, class, typ)
	r := [3]string{c.cube.choose(class, f.onX, m, s), c.cube.choose(class, f.onY, m, v),
		c.cube.choose(class, f.onX, s, c.cube.choose(class, f.onY, v, m))}
	to := c.cube.faceOf(r, class, typ)
	distance := c.Make(class, "add.s32", size, "1") // of the texel, along the axis of the face that it is on
	on := func(x, flip string) string {
		x = c.Make(class, "add.s32", distance, c.cube.signed(x, flip, class, typ))
		x = c.Make(class, "mul.lo.u32", x, size)
		return c.Make(class, "div.u32", x, c.Make(class, "shl.b32", distance, "1"))
	}
	c.Op("mov.b32 %s, %s;", i, on(c.cube.ofS(to, r, class), to.flipS))
	c.Op("mov.b32 %s, %s;", j, on(c.cube.ofT(to, r, class), to.flipT))
	c.Op("mov.b32 %s, %s;", number, to.number)
	c.Place(skip)
}

// missing reports whether a texel would be beyond a corner of the face: there is no such texel.
func (c *Call) missing(t *footprint, corner int) string {
	return c.Both(t.axes[0].outside[corner&1], t.axes[1].outside[corner>>1])
}

// shareCorner shares the weight of a texel that is missing among the three others.
func (c *Call) shareCorner(weights []string, t *footprint) {
	share := template.Double(0)
	missing := make([]string, len(weights))
	for corner, w := range weights {
		missing[corner] = c.missing(t, corner)
		third := c.Make(text.Double, "div.rn.f64", w, template.Double(3))
		share = c.cube.choose(text.Double, missing[corner], third, share)
	}
	for corner, w := range weights {
		sum := c.Make(text.Double, "add.rn.f64", w, share)
		weights[corner] = c.cube.choose(text.Double, missing[corner], template.Double(0), sum)
	}
}

// replaced returns the gathered components, with the mean of the others for one that is missing. Of integers it is the
// one across, which is the only one on the same face.
func (c *Call) replaced(results []string, t *footprint) []string {
	out := make([]string, len(results))
	for k, corner := range gatherOrder {
		across := results[(k+2)%4]
		if c.filters() {
			wide := func(i int) string { return c.Make(text.Double, "cvt.f64.f32", results[i%4]) }
			sum := c.Make(text.Double, "add.rn.f64", wide(k+1), wide(k+2))
			sum = c.Make(text.Double, "add.rn.f64", sum, wide(k+3))
			across = c.Make(text.Float, "cvt.rn.f32.f64", c.Make(text.Double, "div.rn.f64", sum, template.Double(3)))
		}
		out[k] = c.cube.choose(c.class(), c.missing(t, corner), across, results[k])
	}
	return out
}
