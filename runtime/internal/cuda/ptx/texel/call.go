package texel

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// Source is where a kernel finds what it is told of a texture: a field as package abi lays it out.
type Source interface {
	// Fact returns a register with the number at an offset. The type is "u32" or "u64".
	Fact(offset int, typ string) string
	// OfLevel returns one with a number of a level, whose number is in a register.
	OfLevel(level string, offset int, typ string) string
}

// Call is a call of a method.
type Call struct {
	*text.Writer
	*ir.TextureCall
	Of   abi.Texture
	From Source
	// Arg returns the register of an operand, by its place in ir, or "" where the call has none. It is "" for a level that
	// is known to be the first as well, unless the method samples.
	Arg     func(at int) string
	Results int          // how many components it makes
	Sampler bind.Sampler // if it takes one

	info    *pixel.Info
	convert conversions
	cube    cubes
	place   coordinates
}

// Write writes the call, and returns the registers of its results.
func (c *Call) Write() []string {
	c.info, c.convert = c.Of.Format.Info(), conversions{c.Writer}
	c.cube, c.place = cubes{c.Writer}, coordinates{c.Writer}
	switch c.Method {
	case tree.TextureRead:
		return c.read()
	case tree.TextureWrite:
		c.store()
	case tree.TextureAtomic:
		return c.atomic()
	case tree.TextureSample, tree.TextureSampleCompare:
		return c.sample()
	case tree.TextureGather, tree.TextureGatherCompare:
		return c.gather()
	case tree.TextureWidth, tree.TextureHeight, tree.TextureDepth:
		n := c.From.Fact(abi.FirstLevel+abi.WidthAt+4*int(c.Method-tree.TextureWidth), "u32")
		if level := c.Arg(ir.TextureLevel); level != "" {
			n = c.Make(text.Word, "max.u32", c.Make(text.Word, "shr.u32", n, level), "1")
		}
		return []string{n}
	case tree.TextureArraySize:
		return []string{c.From.Fact(abi.LayersAt, "u32")}
	case tree.TextureSamples:
		return []string{c.From.Fact(abi.SamplesAt, "u32")}
	case tree.TextureLevels:
		return []string{fmt.Sprint(c.Of.Levels)}
	}
	return nil
}

// ofLevel returns what the source says of a level, where "" is the first.
func (c *Call) ofLevel(level string, offset int, typ string) string {
	if level == "" {
		return c.From.Fact(abi.FirstLevel+offset, typ)
	}
	return c.From.OfLevel(level, offset, typ)
}

// size returns the width, height or depth of a level.
func (c *Call) size(level string, axis int) string {
	return c.ofLevel(level, abi.WidthAt+4*axis, "u32")
}

// isCube reports whether the texture has faces.
func (c *Call) isCube() bool { return c.Of.Type.Faces() > 1 }

// filters reports whether there are numbers between those of texels.
func (c *Call) filters() bool { return c.class() == text.Float }

// class is that of the components of a texel.
func (c *Call) class() text.Class {
	if c.info.Type == pixel.Floating || c.info.Type == pixel.Depth {
		return text.Float
	}
	return text.Word
}

// components returns registers for so many components of a texel.
func (c *Call) components(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = c.Fresh(c.class())
	}
	return list
}

// set makes registers hold a texel.
func (c *Call) set(registers []string, t pixel.Texel) {
	class := c.class()
	typ := map[bool]ir.Type{true: ir.F32, false: ir.I32}[class == text.Float]
	for i, r := range registers {
		c.Op("mov.%s %s, %s;", class.Type(), r, text.Immediate(typ, uint64(t[i])))
	}
}
