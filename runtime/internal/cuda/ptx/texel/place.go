package texel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// place is that of a texel: registers or numbers, "" for 0.
type place struct {
	coord  [3]string
	face   string
	layer  string
	sample string
	level  string // a register, or "" for the first
}

// named returns the texel that the operands of a call name.
func (c *Call) named() place {
	p := place{layer: c.Arg(ir.TextureLayer), sample: c.Arg(ir.TextureSample), level: c.Arg(ir.TextureLevel)}
	for i := range c.Of.Type.Dimensions() {
		p.coord[i] = c.Arg(ir.TextureCoord + i)
	}
	if c.isCube() {
		p.face = c.Arg(ir.TextureFace)
	}
	return p
}

// inside returns whether a texel is in the texture: "" if it always is.
func (c *Call) inside(p *place) (is string) {
	if p.level != "" {
		is = c.Test("lt.u32", p.level, fmt.Sprint(c.Of.Levels))
		p.level = c.Make(text.Word, "min.u32", p.level, fmt.Sprint(c.Of.Levels-1))
	}
	for i, x := range p.coord {
		if x != "" {
			is = c.Both(is, c.Test("lt.u32", x, c.size(p.level, i)))
		}
	}
	if p.face != "" {
		is = c.Both(is, c.Test("lt.u32", p.face, fmt.Sprint(c.Of.Type.Faces())))
	}
	for at, x := range []string{abi.LayersAt / 4: p.layer, abi.SamplesAt / 4: p.sample} {
		if x != "" {
			is = c.Both(is, c.Test("lt.u32", x, c.From.Fact(4*at, "u32")))
		}
	}
	return is
}

// address returns where a texel is that is in the texture.
func (c *Call) address(p *place) string {
	at := c.ofLevel(p.level, abi.AddressAt, "u64")
	slice := p.coord[2]
	if p.layer != "" {
		slice = p.layer
	}
	if c.isCube() {
		slice = c.slice(p)
	}
	if slice != "" {
		wide := c.Make(text.Long, "cvt.u64.u32", slice)
		at = c.Make(text.Long, "mad.lo.s64", wide, c.ofLevel(p.level, abi.SliceAt, "u64"), at)
	}
	if y := p.coord[1]; y != "" {
		at = c.Make(text.Long, "mad.wide.u32", y, c.ofLevel(p.level, abi.RowAt, "u32"), at)
	}
	x := p.coord[0]
	if p.sample != "" {
		x = c.Make(text.Word, "mad.lo.u32", x, c.From.Fact(abi.SamplesAt, "u32"), p.sample)
	}
	if x == "" {
		return at
	}
	return c.Make(text.Long, "mad.wide.u32", x, fmt.Sprint(c.info.Size), at)
}

// slice returns the number of the image that is a face of a layer.
func (c *Call) slice(p *place) string {
	switch {
	case p.layer == "":
		return p.face
	case p.face == "":
		return c.Make(text.Word, "mul.lo.u32", p.layer, fmt.Sprint(c.Of.Type.Faces()))
	}
	return c.Make(text.Word, "mad.lo.u32", p.layer, fmt.Sprint(c.Of.Type.Faces()), p.face)
}

// ifInside writes what is done if a texel is in the texture, and returns the predicate of that.
func (c *Call) ifInside(p *place, do func()) (is string) {
	is, skip := c.inside(p), c.Label()
	if is != "" {
		c.Op("@!%s bra %s;", is, skip)
	}
	do()
	c.Place(skip)
	return is
}

// read returns the components of a texel: those of the format's zero outside of the texture.
func (c *Call) read() []string {
	results := c.components(c.Results)
	p := c.named()
	c.set(results, c.info.Zero)
	c.ifInside(&p, func() { c.load(results, c.address(&p)) })
	return results
}

// store writes a texel, where it is in the texture.
func (c *Call) store() {
	p := c.named()
	c.ifInside(&p, func() {
		words := c.encode()
		c.Op("st.global%s [%s], %s;", typesOfTexels[c.info.Size], c.address(&p), list(words))
	})
}

// typesOfTexels are how instructions name a texel by its bytes.
var typesOfTexels = map[int]string{1: ".u8", 2: ".u16", 4: ".b32", 8: ".v2.b32", 16: ".v4.b32"}

func list(registers []string) string {
	if len(registers) == 1 {
		return registers[0]
	}
	return "{" + strings.Join(registers, ", ") + "}"
}

// words returns registers or "" for the words of a texel.
func words(i *pixel.Info) []string { return make([]string, max(i.Size/4, 1)) }

// load makes registers the components of the texel at an address. What the format lacks stays what it was.
func (c *Call) load(registers []string, at string) {
	words := words(c.info)
	for i := range words {
		words[i] = c.Fresh(text.Word)
	}
	c.Op("ld.global%s %s, [%s];", typesOfTexels[c.info.Size], list(words), at)
	if c.info.Encoding == pixel.SharedExponent {
		c.convert.decodeShared(registers, words[0])
		return
	}
	for _, f := range c.info.Fields() {
		if f.To < len(registers) {
			c.convert.decode(registers[f.To], &f, words[f.Word])
		}
	}
}

// encode returns the words of the texel that a call writes.
func (c *Call) encode() []string {
	words := words(c.info)
	if c.info.Encoding == pixel.SharedExponent {
		var values [3]string
		for i := range values {
			values[i] = c.Arg(ir.TextureTexel + i)
		}
		words[0] = c.convert.encodeShared(values)
		return words
	}
	for _, f := range c.info.Fields() {
		value := c.Arg(ir.TextureTexel + f.To)
		if value == "" {
			continue
		}
		code := c.convert.encoded(&f, value)
		if f.Shift > 0 {
			code = c.Make(text.Word, "shl.b32", code, fmt.Sprint(f.Shift))
		}
		if words[f.Word] != "" {
			code = c.Make(text.Word, "or.b32", words[f.Word], code)
		}
		words[f.Word] = code
	}
	if i := slices.Index(words, ""); i >= 0 {
		words[i] = c.Make(text.Word, "mov.u32", "0")
	}
	return words
}
