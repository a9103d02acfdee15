package ptx

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/template"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// axis is one coordinate of the texels that a filter reads: the first one, or two and the part of the second.
type axis struct {
	texel   [2]string
	outside [2]string // predicates of texels that are not in the texture, "" where they are
	part    string    // a double
}

// filters reports whether there are numbers between those of texels.
func (c *textureCall) filters() bool { return c.componentClass() == floatClass }

// sample writes a call that has a sampler.
func (c *textureCall) sample(s *bind.Sampler) {
	switch c.aux.Method {
	case tree.TextureGather, tree.TextureGatherCompare:
		c.gather(s)
		return
	}
	lod, constant := c.levelOfDetail(s)
	results := c.texelRegisters(max(len(c.in.Results), 1))
	linear := func(f bind.Filter) bool { return f == bind.Linear && c.filters() }
	switch {
	case lod != "" && linear(s.Min) != linear(s.Mag):
		far, done := c.label(), c.label()
		c.op("@%s bra %s;", c.test("gt.f64", lod, template.Double(0)), far)
		c.levels(results, s, lod, 0, linear(s.Mag))
		c.op("bra %s;", done)
		c.place(far)
		c.levels(results, s, lod, 0, linear(s.Min))
		c.place(done)
	case lod == "" && constant > 0:
		c.levels(results, s, lod, constant, linear(s.Min))
	default:
		c.levels(results, s, lod, constant, linear(s.Mag))
	}
	c.give(results)
}

// levelOfDetail returns which level a call asks for, as a register, or as a number with "".
func (c *textureCall) levelOfDetail(s *bind.Sampler) (lod string, constant float64) {
	if c.in.Args[ir.TextureDX] != 0 || c.in.Args[ir.TextureDY] != 0 {
		c.unsupported(c.Position(c.in), "gradients")
	}
	if level := c.arg(ir.TextureLevel); level != "" {
		lod = c.make(doubleClass, "cvt.f64.f32", level)
	} else {
		constant = max(constant, float64(s.LODMin))
		if s.LODMax > 0 {
			constant = min(constant, float64(s.LODMax))
		}
	}
	if least := c.arg(ir.TextureLeast); least != "" {
		if lod == "" {
			lod = c.make(doubleClass, "mov.f64", template.Double(constant))
		}
		lod = c.make(doubleClass, "max.f64", lod, c.make(doubleClass, "cvt.f64.f32", least))
	}
	if lod != "" { // what is no number is 0
		lod = c.make(doubleClass, "selp.f64", lod, template.Double(0), c.test("eq.f64", lod, lod))
	}
	return lod, constant
}

// levels samples the level that a level of detail says, or mixes two.
func (c *textureCall) levels(to []string, s *bind.Sampler, lod string, constant float64, linear bool) {
	if s.Mip == bind.MipNone || c.of.Levels == 1 || lod == "" && constant == 0 {
		c.filter(to, s, "", linear)
		return
	}
	if lod == "" {
		lod = c.make(doubleClass, "mov.f64", template.Double(constant))
	}
	lod = c.make(doubleClass, "min.f64", lod, template.Double(float64(c.of.Levels-1)))
	lod = c.make(doubleClass, "max.f64", lod, template.Double(0))
	if s.Mip != bind.MipLinear || !c.filters() {
		// In the middle of two levels it is the larger image.
		near := c.make(doubleClass, "add.rn.f64", lod, template.Double(0.5))
		near = c.make(doubleClass, "cvt.rpi.f64.f64", near)
		near = c.make(doubleClass, "sub.rn.f64", near, template.Double(1))
		near = c.make(doubleClass, "max.f64", near, template.Double(0))
		c.filter(to, s, c.make(wordClass, "cvt.rzi.s32.f64", near), linear)
		return
	}
	whole := c.make(doubleClass, "cvt.rmi.f64.f64", lod)
	part := c.make(floatClass, "cvt.rn.f32.f64", c.make(doubleClass, "sub.rn.f64", lod, whole))
	near := c.make(wordClass, "cvt.rzi.s32.f64", whole)
	c.filter(to, s, near, linear)
	done := c.label()
	c.op("@%s bra %s;", c.test("eq.f64", lod, whole), done)
	far := c.texelRegisters(len(to))
	c.filter(far, s, c.make(wordClass, "add.u32", near, "1"), linear)
	wide := c.make(doubleClass, "cvt.f64.f32", part)
	rest := c.make(doubleClass, "sub.rn.f64", template.Double(1), wide)
	for i, r := range to {
		a := c.make(doubleClass, "mul.rn.f64", rest, c.make(doubleClass, "cvt.f64.f32", r))
		b := c.make(doubleClass, "mul.rn.f64", wide, c.make(doubleClass, "cvt.f64.f32", far[i]))
		c.op("cvt.rn.f32.f64 %s, %s;", r, c.make(doubleClass, "add.rn.f64", a, b))
	}
	c.place(done)
}

// filter samples one level.
func (c *textureCall) filter(to []string, s *bind.Sampler, level string, linear bool) {
	axes, layer := c.locate(s, level, linear)
	border := c.border(s)
	if !linear {
		c.fetch(to, &axes, 0, layer, level, border)
		c.compare(to, s)
		return
	}
	weights := c.weights(&axes)
	sums := make([]string, len(to))
	for i := range sums {
		sums[i] = c.make(doubleClass, "mov.f64", template.Double(0))
	}
	for corner, weight := range weights {
		// A texel that has no part in the sum may be infinite.
		skip := c.label()
		c.op("@%s bra %s;", c.test("eq.f64", weight, template.Double(0)), skip)
		one := c.texelRegisters(len(to))
		c.fetch(one, &axes, corner, layer, level, border)
		c.compare(one, s)
		for i, sum := range sums {
			product := c.make(doubleClass, "mul.rn.f64", weight, c.make(doubleClass, "cvt.f64.f32", one[i]))
			c.op("add.rn.f64 %s, %s, %s;", sum, sum, product)
		}
		c.place(skip)
	}
	for i, r := range to {
		c.op("cvt.rn.f32.f64 %s, %s;", r, sums[i])
	}
}

// weights returns the weight of each texel of a filter. Each coordinate splits those so far in two.
func (c *textureCall) weights(axes *[3]axis) []string {
	var list []string
	for k := range c.of.Type.Dimensions() {
		part := axes[k].part
		rest := c.make(doubleClass, "sub.rn.f64", template.Double(1), part)
		if k == 0 {
			list = []string{rest, part}
			continue
		}
		var far []string
		for i, w := range list {
			far = append(far, c.make(doubleClass, "mul.rn.f64", w, part))
			list[i] = c.make(doubleClass, "mul.rn.f64", w, rest)
		}
		list = append(list, far...)
	}
	return list
}

// locate finds the texels around a point.
func (c *textureCall) locate(s *bind.Sampler, level string, linear bool) (axes [3]axis, layer string) {
	if layer = c.arg(ir.TextureLayer); layer != "" {
		last := c.make(wordClass, "sub.u32", c.fact(layersAt), "1")
		layer = c.make(wordClass, "min.u32", layer, last)
	}
	modes := s.Addresses()
	for k := range c.of.Type.Dimensions() {
		size := c.ofLevel(level, widthAt+4*k, "u32")
		x := c.inTexels(c.arg(ir.TextureCoord+k), size, s.Pixel, modes[k])
		a := &axes[k]
		if linear {
			x = c.make(doubleClass, "sub.rn.f64", x, template.Double(0.5))
		}
		floor := c.make(doubleClass, "cvt.rmi.f64.f64", x)
		first := c.make(wordClass, "cvt.rzi.s32.f64", floor)
		if offset := c.arg(ir.TextureOffset + k); offset != "" {
			first = c.make(wordClass, "add.s32", first, offset)
		}
		a.texel[0], a.outside[0] = c.addressed(first, size, modes[k])
		if linear {
			a.texel[1], a.outside[1] = c.addressed(c.make(wordClass, "add.s32", first, "1"), size, modes[k])
			a.part = c.make(doubleClass, "sub.rn.f64", x, floor)
		}
	}
	return axes, layer
}

// Coordinates beyond nearby, of textures below largest, are moved to where there are the same texels: as indexes they
// would overflow.
const (
	nearby  = 16
	largest = 1 << 16
)

// inTexels returns a coordinate in texels, as a double.
func (c *textureCall) inTexels(coordinate, size string, pixels bool, mode bind.AddressMode) string {
	u := c.make(doubleClass, "cvt.f64.f32", coordinate)
	limit := float64(nearby)
	if pixels {
		limit *= largest
	}
	moved := u
	switch mode {
	case bind.Repeat:
		moved = c.make(doubleClass, "sub.rn.f64", u, c.make(doubleClass, "cvt.rmi.f64.f64", u))
	case bind.MirrorRepeat:
		half := c.make(doubleClass, "mul.rn.f64", u, template.Double(0.5))
		half = c.make(doubleClass, "cvt.rmi.f64.f64", half)
		moved = c.make(doubleClass, "sub.rn.f64", u, c.make(doubleClass, "add.rn.f64", half, half))
	default:
		moved = c.make(doubleClass, "max.f64", u, template.Double(-limit))
		moved = c.make(doubleClass, "min.f64", moved, template.Double(limit))
	}
	near := c.test("lt.f64", c.make(doubleClass, "abs.f64", u), template.Double(limit))
	u = c.make(doubleClass, "selp.f64", u, moved, near)
	known := c.both(c.test("eq.f32", coordinate, coordinate), c.test("eq.f64", u, u))
	u = c.make(doubleClass, "selp.f64", u, template.Double(0), known)
	if !pixels {
		u = c.make(doubleClass, "mul.rn.f64", u, c.make(doubleClass, "cvt.rn.f64.u32", size))
	}
	return u
}

// addressed returns the texel that an addressing mode has for an index, and whether there is none.
func (c *textureCall) addressed(i, size string, mode bind.AddressMode) (at, outside string) {
	last := c.make(wordClass, "sub.s32", size, "1")
	modulo := func(i, n string) string {
		r := c.make(wordClass, "rem.s32", i, n)
		return c.make(wordClass, "selp.b32", c.make(wordClass, "add.s32", r, n), r, c.test("lt.s32", r, "0"))
	}
	mirrored := func(i string) string { // -1 - i where i is negative
		return c.make(wordClass, "xor.b32", i, c.make(wordClass, "shr.s32", i, "31"))
	}
	switch mode {
	case bind.ClampToEdge:
		return c.make(wordClass, "min.s32", c.make(wordClass, "max.s32", i, "0"), last), ""
	case bind.MirrorClampToEdge:
		return c.make(wordClass, "min.s32", mirrored(i), last), ""
	case bind.Repeat:
		return modulo(i, size), ""
	case bind.MirrorRepeat:
		twice := c.make(wordClass, "shl.b32", size, "1")
		r := c.make(wordClass, "sub.s32", modulo(i, twice), size)
		return c.make(wordClass, "sub.s32", last, mirrored(r)), ""
	}
	return i, c.test("ge.u32", i, size)
}

// border returns what is outside of the texture for the addressing modes that have such a thing.
func (c *textureCall) border(s *bind.Sampler) pixel.Texel {
	modes := s.Addresses()
	for _, mode := range modes[:c.of.Type.Dimensions()] {
		if mode == bind.ClampToZero {
			return c.info.Zero
		}
	}
	one := c.info.One()
	switch s.Border {
	case bind.OpaqueBlack:
		return pixel.Texel{3: one}
	case bind.OpaqueWhite:
		return pixel.Texel{one, one, one, one}
	}
	return pixel.Texel{}
}

// fetch makes registers one of the texels of a filter. The bits of a corner choose between the two of each coordinate.
func (c *textureCall) fetch(to []string, axes *[3]axis, corner int, layer, level string, border pixel.Texel) {
	t := texel{layer: layer, level: level}
	skip, outside := c.label(), ""
	for k := range c.of.Type.Dimensions() {
		t.coord[k] = axes[k].texel[corner>>k&1]
		if p := axes[k].outside[corner>>k&1]; p != "" {
			if outside != "" {
				p = c.make(predClass, "or.pred", outside, p)
			}
			outside = p
		}
	}
	if outside != "" {
		c.set(to, border)
		c.op("@%s bra %s;", outside, skip)
	}
	c.set(to, c.info.Zero) // components stay that the format lacks
	c.load(to, c.address(&t))
	c.place(skip)
}

// compare makes the first component of a texel what a comparison with the value of the call says of it.
func (c *textureCall) compare(texel []string, s *bind.Sampler) {
	value := c.arg(ir.TextureCompare)
	if value == "" {
		return
	}
	if c.info.Encoding == pixel.Unorm { // depths are 0 to 1, and so is the value; what is no number stays none
		limited := c.make(floatClass, "min.f32", c.make(floatClass, "max.f32", value, template.Float(0)), template.Float(1))
		value = c.make(floatClass, "selp.f32", value, limited, c.test("nan.f32", value, value))
	}
	names := map[bind.CompareFunction]string{
		bind.CompareLess: "lt", bind.CompareEqual: "eq", bind.CompareLessEqual: "le", bind.CompareGreater: "gt",
		bind.CompareNotEqual: "neu", bind.CompareGreaterEqual: "ge",
	}
	name, tests := names[s.Compare]
	if !tests {
		always := map[bool]float64{true: 1}[s.Compare == bind.CompareAlways]
		c.op("mov.f32 %s, %s;", texel[0], template.Float(always))
		return
	}
	c.op("selp.f32 %s, %s, %s, %s;", texel[0], template.Float(1), template.Float(0), c.test(name+".f32", value, texel[0]))
}

// gatherOrder has the corners in the order in which they are gathered: counterclockwise from the lower left, where the
// second coordinate grows downward.
var gatherOrder = [4]int{0b10, 0b11, 0b01, 0b00}

// gather writes one component of each of the four texels that a linear filter reads.
func (c *textureCall) gather(s *bind.Sampler) {
	axes, layer := c.locate(s, "", true)
	border := c.border(s)
	results := make([]string, 4)
	for k, corner := range gatherOrder {
		one := c.texelRegisters(4)
		c.fetch(one, &axes, corner, layer, "", border)
		c.compare(one, s)
		results[k] = one[c.aux.Component]
	}
	c.give(results)
}
