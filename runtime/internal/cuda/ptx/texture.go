package ptx

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// Textures are memory, in which arithmetic finds texels and filters them by the rules of package sample: NVIDIA's own
// filter has 8 bits for the place between two texels, and knows few of Metal's formats. The text is for textures of one
// format each, so that conversions are a few instructions. texel.go has these, texture_sample.go filters.

// Texture is what the text knows of a texture.
type Texture struct {
	Type   bind.TextureType
	Format pixel.Format
	Levels int
}

// Level is where a level of a texture is.
type Level struct {
	Address uint64
	Slice   uint64 // bytes from a layer or plane to the next one
	Size    [3]uint32
	Row     uint32 // bytes from a row to the next one
}

// The block of parameters says of a texture how many layers and samples it has, and then of each level what a Level is.
const (
	layersAt    = 0
	samplesAt   = 4
	firstLevel  = 8
	addressAt   = 0
	sliceAt     = 8
	widthAt     = 16 // width, height and depth
	rowAt       = 28
	levelSize   = 32
	maxTextures = 32 // that a handle may be one of
)

// textureSize returns how many bytes the field of a texture has.
func textureSize(t Texture) int { return firstLevel + t.Levels*levelSize }

// PutTexture fills the field of a texture.
func PutTexture(to []byte, layers, samples int, levels []Level) {
	little := binary.LittleEndian
	little.PutUint32(to[layersAt:], uint32(layers))
	little.PutUint32(to[samplesAt:], uint32(samples))
	for n, l := range levels {
		at := to[firstLevel+n*levelSize:]
		little.PutUint64(at[addressAt:], l.Address)
		little.PutUint64(at[sliceAt:], l.Slice)
		for i, size := range l.Size {
			little.PutUint32(at[widthAt+4*i:], size)
		}
		little.PutUint32(at[rowAt:], l.Row)
	}
}

// texel is a place in a texture: registers or numbers, "" for 0.
type texel struct {
	coord  [3]string
	layer  string
	sample string
	level  string // a register, or "" for the first
}

// textureCall is a call of a method while it is written, for one of the textures that it may be about.
type textureCall struct {
	*emitter
	in     *ir.Instr
	aux    *ir.TextureCall
	object int
	of     Texture
	info   *pixel.Info
	fields []pixel.Field
}

// texture writes a call of a method of a texture.
func (e *emitter) texture(in *ir.Instr) {
	aux := in.Aux.(*ir.TextureCall)
	switch {
	case aux.Method == tree.TextureAtomic:
		e.unsupported(e.Position(in), "atomic functions of textures")
	case bind.TextureType(aux.Texture.Form).Faces() > 1:
		e.unsupported(e.Position(in), "cubes")
	}
	e.eachOf(in, in.Args[ir.TextureHandleAt], ir.TextureArgument, func(object int) {
		t, bound := e.Textures[object]
		if !bound { // there is nothing in it
			for _, v := range in.Results {
				e.op("mov.%s %s, %s;", classTypes[classOf(e.Type(v))], e.reg(v), immediate(e.Type(v), 0))
			}
			return
		}
		c := &textureCall{emitter: e, in: in, aux: aux, object: object, of: t, info: t.Format.Info()}
		c.fields = c.info.Fields()
		c.write()
	})
}

// eachOf writes code for each of the objects that a handle may lead to. A thread executes that of its own.
func (e *emitter) eachOf(in *ir.Instr, handle ir.Value, kind ir.ObjectKind, do func(object int)) {
	if o := e.origins[handle]; o != unknown {
		do(o)
		return
	}
	number, done := e.make(longClass, "add.s64", e.reg(handle), fmt.Sprint(int64(1)<<(offsetBits-1))), e.label()
	number = e.make(longClass, "shr.u64", number, fmt.Sprint(offsetBits))
	count := 0
	for i, o := range e.Objects {
		if o == nil || o.Kind != kind {
			continue
		}
		if count++; count > maxTextures {
			e.unsupported(e.Position(in), fmt.Sprintf("arrays of more than %d textures or samplers", maxTextures))
		}
		other, next := e.test("ne.s64", number, fmt.Sprint(i)), e.label()
		e.op("@%s bra %s;", other, next)
		do(i)
		e.op("bra %s;", done)
		e.place(next)
	}
	e.fault(e.siteAt(in, Site{Kind: FaultSite, Msg: "a texture or a sampler that the kernel does not have"}))
	e.place(done)
}

// make writes an instruction, and returns the register of its result.
func (e *emitter) make(c class, op string, operands ...string) string {
	r := e.fresh(c)
	line := op + " " + r
	for _, o := range operands {
		line += ", " + o
	}
	e.op("%s;", line)
	return r
}

// test writes a comparison.
func (e *emitter) test(op, a, b string) string { return e.make(predClass, "setp."+op, a, b) }

// both joins predicates, where "" holds always.
func (e *emitter) both(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return e.make(predClass, "and.pred", a, b)
}

// fact returns a number that the parameters have of the texture.
func (c *textureCall) fact(offset int) string {
	return c.parameter(TextureField, c.object, offset, "u32")
}

// ofLevel returns what the parameters have of a level.
func (c *textureCall) ofLevel(level string, offset int, typ string) string {
	if level == "" {
		return c.parameter(TextureField, c.object, firstLevel+offset, typ)
	}
	class := wordClass
	if typ == "u64" {
		class = longClass
	}
	at := c.make(longClass, "mul.wide.u32", level, fmt.Sprint(levelSize))
	base := c.make(longClass, "mov.u64", "args")
	at = c.make(longClass, "add.s64", base, at)
	r := c.fresh(class)
	c.op("ld.param.%s %s, [%s+%d];", typ, r, at, c.fieldAt[fieldKey{TextureField, c.object}]+firstLevel+offset)
	return r
}

// arg returns the register of an operand, "" where the call has none.
func (c *textureCall) arg(at int) string {
	if c.in.Args[at] == 0 {
		return ""
	}
	return c.reg(c.in.Args[at])
}

// levelArg returns the level that a call names, "" for the first.
func (c *textureCall) levelArg() string {
	if v := c.in.Args[ir.TextureLevel]; v != 0 {
		if n, ok := c.Bits(v); !ok || n != 0 {
			return c.reg(v)
		}
	}
	return ""
}

func (c *textureCall) write() {
	switch c.aux.Method {
	case tree.TextureRead:
		c.read()
	case tree.TextureWrite:
		c.store()
	case tree.TextureSample, tree.TextureSampleCompare, tree.TextureGather, tree.TextureGatherCompare:
		c.eachOf(c.in, c.in.Args[ir.TextureSampler], ir.SamplerArgument, func(object int) {
			s, ok := c.samplerOf(object)
			if !ok {
				s = bind.Sampler{}
			}
			c.sample(&s)
		})
	case tree.TextureWidth, tree.TextureHeight, tree.TextureDepth:
		n := c.fact(firstLevel + widthAt + 4*int(c.aux.Method-tree.TextureWidth))
		if level := c.levelArg(); level != "" {
			n = c.make(wordClass, "max.u32", c.make(wordClass, "shr.u32", n, level), "1")
		}
		c.result(c.in, n)
	case tree.TextureArraySize:
		c.result(c.in, c.fact(layersAt))
	case tree.TextureSamples:
		c.result(c.in, c.fact(samplesAt))
	case tree.TextureLevels:
		c.result(c.in, fmt.Sprint(c.of.Levels))
	}
}

// samplerOf returns a sampler of the call, or one that the source makes.
func (e *emitter) samplerOf(object int) (bind.Sampler, bool) {
	from := e.Objects[object].Sampler
	if from == nil {
		s, ok := e.Samplers[object]
		return s, ok
	}
	return bind.Sampler{
		Min: bind.Filter(from.Min), Mag: bind.Filter(from.Mag), Mip: bind.MipFilter(from.Mip),
		AddressS: bind.AddressMode(from.Address[0]), AddressT: bind.AddressMode(from.Address[1]),
		AddressR: bind.AddressMode(from.Address[2]), Border: bind.BorderColor(from.Border), Pixel: !from.Normalized,
		Compare: bind.CompareFunction(from.Compare), LODMin: from.LODMin,
		LODMax: max(from.LODMax, math.SmallestNonzeroFloat32), // 0 would be no limit
	}, true
}

// named returns the texel that the operands of a read or a write name.
func (c *textureCall) named() texel {
	t := texel{layer: c.arg(ir.TextureLayer), sample: c.arg(ir.TextureSample), level: c.levelArg()}
	for i := range c.of.Type.Dimensions() {
		t.coord[i] = c.arg(ir.TextureCoord + i)
	}
	return t
}

// inside returns whether a texel is in the texture.
func (c *textureCall) inside(t *texel) (p string) {
	if t.level != "" {
		p = c.test("lt.u32", t.level, fmt.Sprint(c.of.Levels))
		t.level = c.make(wordClass, "min.u32", t.level, fmt.Sprint(c.of.Levels-1))
	}
	for i, x := range t.coord {
		if x != "" {
			p = c.both(p, c.test("lt.u32", x, c.ofLevel(t.level, widthAt+4*i, "u32")))
		}
	}
	for at, x := range []string{layersAt / 4: t.layer, samplesAt / 4: t.sample} {
		if x != "" {
			p = c.both(p, c.test("lt.u32", x, c.fact(4*at)))
		}
	}
	return p
}

// address returns where a texel is that is in the texture.
func (c *textureCall) address(t *texel) string {
	at := c.ofLevel(t.level, addressAt, "u64")
	slice := t.coord[2]
	if t.layer != "" {
		slice = t.layer
	}
	if slice != "" {
		wide := c.make(longClass, "cvt.u64.u32", slice)
		at = c.make(longClass, "mad.lo.s64", wide, c.ofLevel(t.level, sliceAt, "u64"), at)
	}
	if y := t.coord[1]; y != "" {
		at = c.make(longClass, "mad.wide.u32", y, c.ofLevel(t.level, rowAt, "u32"), at)
	}
	x := t.coord[0]
	if t.sample != "" {
		x = c.make(wordClass, "mad.lo.u32", x, c.fact(samplesAt), t.sample)
	}
	if x == "" {
		return at
	}
	return c.make(longClass, "mad.wide.u32", x, fmt.Sprint(c.info.Size), at)
}

// read writes the components of a texel to the results: those of the format's zero outside of the texture.
func (c *textureCall) read() {
	results := c.texelRegisters(len(c.in.Results))
	t := c.named()
	c.set(results, c.info.Zero)
	p, skip := c.inside(&t), c.label()
	if p != "" {
		c.op("@!%s bra %s;", p, skip)
	}
	c.load(results, c.address(&t))
	c.place(skip)
	c.give(results)
}

// texelRegisters returns registers for so many components of a texel.
func (c *textureCall) texelRegisters(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = c.fresh(c.componentClass())
	}
	return list
}

// componentClass is the class of the components of a texel.
func (c *textureCall) componentClass() class {
	if c.info.Type == pixel.Floating || c.info.Type == pixel.Depth {
		return floatClass
	}
	return wordClass
}

// set makes registers hold a texel.
func (c *textureCall) set(registers []string, t pixel.Texel) {
	class := c.componentClass()
	typ := map[bool]ir.Type{true: ir.F32, false: ir.I32}[class == floatClass]
	for i, r := range registers {
		c.op("mov.%s %s, %s;", classTypes[class], r, immediate(typ, uint64(t[i])))
	}
}

// give makes the results what registers hold.
func (c *textureCall) give(registers []string) {
	for i, v := range c.in.Results {
		c.op("mov.%s %s, %s;", classTypes[classOf(c.Type(v))], c.reg(v), registers[i])
	}
}

// store writes a texel, where it is in the texture.
func (c *textureCall) store() {
	t := c.named()
	values := c.in.Args[ir.TextureTexel:]
	p, skip := c.inside(&t), c.label()
	if p != "" {
		c.op("@!%s bra %s;", p, skip)
	}
	words := make([]string, max(c.info.Size/4, 1))
	for _, f := range c.fields {
		if f.To >= len(values) {
			continue
		}
		code := c.encoded(&f, c.reg(values[f.To]))
		if f.Shift > 0 {
			code = c.make(wordClass, "shl.b32", code, fmt.Sprint(f.Shift))
		}
		if words[f.Word] != "" {
			code = c.make(wordClass, "or.b32", words[f.Word], code)
		}
		words[f.Word] = code
	}
	if i := slices.Index(words, ""); i >= 0 {
		words[i] = c.make(wordClass, "mov.u32", "0")
	}
	c.op("st.global%s [%s], %s;", texelTypes[c.info.Size], c.address(&t), list(words))
	c.place(skip)
}

// texelTypes are how instructions name a texel by its bytes.
var texelTypes = map[int]string{1: ".u8", 2: ".u16", 4: ".b32", 8: ".v2.b32", 16: ".v4.b32"}

// load makes registers the components of the texel at an address. What the format lacks stays what it was.
func (c *textureCall) load(registers []string, at string) {
	words := make([]string, max(c.info.Size/4, 1))
	for i := range words {
		words[i] = c.fresh(wordClass)
	}
	c.op("ld.global%s %s, [%s];", texelTypes[c.info.Size], list(words), at)
	if c.info.Encoding == pixel.SharedExponent {
		c.loadShared(registers, words[0])
		return
	}
	for _, f := range c.fields {
		if f.To < len(registers) {
			c.decode(registers[f.To], &f, words[f.Word])
		}
	}
}

// isNull writes whether a texture is one that the call leaves out.
func (e *emitter) isNull(in *ir.Instr) {
	e.eachOf(in, in.Args[0], ir.TextureArgument, func(object int) {
		_, bound := e.Textures[object]
		e.op("mov.pred %s, %d;", e.reg(in.Result()), map[bool]int{true: 0, false: 1}[bound])
	})
}
