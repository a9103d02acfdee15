package ptx

import (
	"fmt"
	"math"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/facts"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/texel"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// Calls of textures. Package texel writes them, for one texture and one sampler at a time.

// maxTextures is how many textures a handle may be one of.
const maxTextures = 32

// passed is a texture that is an argument: what is said of it are parameters.
type passed struct {
	e      *emitter
	object int
}

func (p passed) Fact(offset int, typ string) string {
	return p.e.parameter(abi.TextureField, p.object, offset, typ)
}

func (p passed) OfLevel(level string, offset int, typ string) string {
	e := p.e
	class := text.Word
	if typ == "u64" {
		class = text.Long
	}
	at := e.out.Make(text.Long, "mul.wide.u32", level, fmt.Sprint(abi.LevelSize))
	base := e.out.Make(text.Long, "mov.u64", "args")
	at = e.out.Make(text.Long, "add.s64", base, at)
	r := e.out.Fresh(class)
	e.out.Op("ld.param.%s %s, [%s+%d];", typ, r, at, e.fieldAt[fieldKey{abi.TextureField, p.object}]+abi.FirstLevel+offset)
	return r
}

// textures writes calls of textures.
type textures struct {
	*text.Writer
	e *emitter
}

// texture writes a call of a method of a texture.
func (x *textures) texture(in *ir.Instr) {
	aux := in.Aux.(*ir.TextureCall)
	if aux.Elem.Bytes() == 8 {
		x.e.unsupported(x.e.Position(in), "textures of "+aux.Elem.String())
	}
	typ := tree.TextureOf(aux.Texture, aux.Elem).String()
	isSize := aux.Method >= tree.TextureWidth && aux.Method <= tree.TextureSamples
	x.eachOf(in, ir.TextureHandleAt, shown{
		kind: ir.TextureArgument, typ: typ, orNull: isSize,
		do: func(object int) {
			switch t, bound := x.e.Textures[object]; {
			case !bound: // there is nothing in it
				x.clearResults(in)
			case !suits(aux, t):
				x.e.faults.fault(x.e.faults.siteAt(in, abi.Site{Kind: abi.HandleSite, Object: object, Msg: typ}))
			default:
				x.textureCall(in, t, passed{x.e, object})
			}
		},
		found: func(number, other, done string) {
			if !x.e.resources.shows {
				return
			}
			row := x.e.resources.rowOf(number, other)
			class, field := x.e.resources.foundAt(row)
			for i, t := range x.e.Found {
				if suits(aux, t) || isSize {
					next := x.Label()
					x.Op("@%s bra %s;", x.Test("ne.s32", class, fmt.Sprint(i+1)), next)
					x.textureCall(in, t, foundTexture{x.Writer, field})
					x.Op("bra %s;", done)
					x.Place(next)
				}
			}
		},
	})
}

// clearResults makes the results of a call 0.
func (x *textures) clearResults(in *ir.Instr) {
	for _, v := range in.Results {
		c := text.ClassOf(x.e.Type(v))
		x.Op("mov.%s %s, %s;", c.Type(), x.e.reg(v), text.Immediate(x.e.Type(v), 0))
	}
}

// suits reports whether a method can be called of a texture: memory may have the ID of any.
func suits(c *ir.TextureCall, t abi.Texture) bool {
	sees := pixel.Unsigned
	switch {
	case c.Texture.Depth:
		sees = pixel.Depth
	case c.Elem.Floating():
		sees = pixel.Floating
	case c.Elem.Signed():
		sees = pixel.Signed
	}
	typ := t.Format.Info().Type
	made := true
	switch {
	case c.Method == tree.TextureWrite:
		made = t.Writes
	case c.Method == tree.TextureAtomic:
		made = t.Atomics || c.Atomic == "load" && t.Reads
	case c.Method == tree.TextureRead || samples(c.Method):
		made = t.Reads
	}
	seen := typ == sees || sees == pixel.Floating && typ == pixel.Depth
	return made && seen && t.Type == bind.TextureType(c.Texture.Form)
}

// textureCall writes a call for a texture, for each sampler that it may have.
func (x *textures) textureCall(in *ir.Instr, of abi.Texture, from texel.Source) {
	c := &texel.Call{Writer: x.Writer, TextureCall: in.Aux.(*ir.TextureCall), Of: of, From: from, Results: len(in.Results)}
	c.Arg = func(at int) string { return x.textureOperand(in, at) }
	write := func() {
		registers := c.Write()
		for i, v := range in.Results {
			x.Op("mov.%s %s, %s;", text.ClassOf(x.e.Type(v)).Type(), x.e.reg(v), registers[i])
		}
	}
	if !samples(c.Method) {
		write()
		return
	}
	x.eachOf(in, ir.TextureSampler, shown{
		kind: ir.SamplerArgument, typ: tree.SamplerType.String(),
		do: func(object int) {
			c.Sampler = x.samplerOf(object)
			write()
		},
		found: func(number, _, done string) {
			for i, s := range x.e.FoundSamplers {
				next := x.Label()
				x.Op("@%s bra %s;", x.Test("ne.s64", number, fmt.Sprint(abi.FirstSampler+i)), next)
				c.Sampler = s
				write()
				x.Op("bra %s;", done)
				x.Place(next)
			}
		},
	})
}

func samples(m tree.TextureMethod) bool {
	switch m {
	case tree.TextureSample, tree.TextureSampleCompare, tree.TextureGather, tree.TextureGatherCompare:
		return true
	}
	return false
}

// textureOperand returns the register of an operand of a call, "" where it has none.
func (x *textures) textureOperand(in *ir.Instr, at int) string {
	if at >= len(in.Args) || in.Args[at] == 0 {
		return ""
	}
	if n, ok := x.e.Bits(in.Args[at]); ok && n == 0 && at == ir.TextureLevel &&
		!samples(in.Aux.(*ir.TextureCall).Method) {
		return ""
	}
	return x.e.reg(in.Args[at])
}

// shown says what is written for the textures or samplers that a handle may lead to.
type shown struct {
	kind   ir.ObjectKind
	typ    string // that messages have
	orNull bool   // results are 0 where it leads to nothing
	do     func(object int)
	// found writes what is done for those that were found in memory. Then threads go to done.
	found func(number, other, done string)
}

// is reports whether an object is one of them.
func (s *shown) is(o *ir.Object) bool {
	return o.Kind == s.kind || o.Kind == ir.SamplerConstant && s.kind == ir.SamplerArgument
}

// eachOf writes code for each of the objects that a handle, which is an operand, may lead to. A thread executes that of
// its own.
func (x *textures) eachOf(in *ir.Instr, operand int, s shown) {
	handle := in.Args[operand]
	if o := x.e.Origins[handle]; o != facts.Unknown {
		if !s.is(x.e.Objects[o]) {
			x.e.faults.fault(x.e.faults.siteAt(in, abi.Site{Kind: abi.HandleSite, Object: o, Msg: s.typ}))
			return
		}
		s.do(o)
		return
	}
	number, offset := x.e.numberOf(x.e.reg(handle))
	done, other := x.Label(), x.Label()
	count := 0
	for i, o := range x.e.Objects {
		if o == nil || !s.is(o) {
			continue
		}
		if count++; count > maxTextures {
			x.e.unsupported(x.e.Position(in), fmt.Sprintf("arrays of more than %d textures or samplers", maxTextures))
		}
		next := x.Label()
		x.Op("@%s bra %s;", x.Test("ne.s64", number, fmt.Sprint(i)), next)
		s.do(i)
		x.Op("bra %s;", done)
		x.Place(next)
	}
	if s.orNull {
		next := x.Label()
		x.Op("@%s bra %s;", x.Test("ne.s64", number, "0"), next)
		x.clearResults(in)
		x.Op("bra %s;", done)
		x.Place(next)
	}
	if s.found(number, other, done); len(x.e.Found) > maxTextures || len(x.e.FoundSamplers) > abi.MaxSamplers {
		what := fmt.Sprintf("finding textures of more than %d kinds, or one of more than %d samplers", maxTextures,
			abi.MaxSamplers)
		x.e.unsupported(x.e.Position(in), what)
	}
	x.Place(other)
	site := x.e.faults.siteAt(in, abi.Site{Kind: abi.HandleSite, Msg: s.typ})
	x.Op("bra %s;", x.e.faults.faultLabel(site, offset, number))
	x.Place(done)
}

// samplerOf returns a sampler of the call, or one that the source makes.
func (x *textures) samplerOf(object int) bind.Sampler {
	if from := x.e.Objects[object].Sampler; from != nil {
		return SamplerOf(from)
	}
	return x.e.Samplers[object]
}

// SamplerOf returns a sampler that the source makes.
func SamplerOf(from *tree.SamplerState) bind.Sampler {
	return bind.Sampler{
		Min: bind.Filter(from.Min), Mag: bind.Filter(from.Mag), Mip: bind.MipFilter(from.Mip),
		AddressS: bind.AddressMode(from.Address[0]), AddressT: bind.AddressMode(from.Address[1]),
		AddressR: bind.AddressMode(from.Address[2]), Border: bind.BorderColor(from.Border), Pixel: !from.Normalized,
		Compare: bind.CompareFunction(from.Compare), LODMin: from.LODMin,
		LODMax: max(from.LODMax, math.SmallestNonzeroFloat32), // 0 would be no limit
	}
}

// isNull writes whether a texture is one that the call leaves out.
func (x *textures) isNull(in *ir.Instr) {
	d := x.e.reg(in.Result())
	isLeftOut := func(object int) bool {
		_, bound := x.e.Textures[object]
		return !bound
	}
	if o := x.e.Origins[in.Args[0]]; o != facts.Unknown {
		x.Op("mov.pred %s, %d;", d, map[bool]int{true: 1}[isLeftOut(o)])
		return
	}
	number, _ := x.e.numberOf(x.e.reg(in.Args[0]))
	is := x.Test("eq.s64", number, "0")
	for i, o := range x.e.Objects {
		if o != nil && o.Kind == ir.TextureArgument && isLeftOut(i) {
			is = x.Either(is, x.Test("eq.s64", number, fmt.Sprint(i)))
		}
	}
	x.Op("mov.pred %s, %s;", d, is)
}
