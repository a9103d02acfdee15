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
	at := e.Make(text.Long, "mul.wide.u32", level, fmt.Sprint(abi.LevelSize))
	base := e.Make(text.Long, "mov.u64", "args")
	at = e.Make(text.Long, "add.s64", base, at)
	r := e.Fresh(class)
	e.Op("ld.param.%s %s, [%s+%d];", typ, r, at, e.fieldAt[fieldKey{abi.TextureField, p.object}]+abi.FirstLevel+offset)
	return r
}

// texture writes a call of a method of a texture.
func (e *emitter) texture(in *ir.Instr) {
	aux := in.Aux.(*ir.TextureCall)
	if aux.Elem.Bytes() == 8 {
		e.unsupported(e.Position(in), "textures of "+aux.Elem.String())
	}
	typ := tree.TextureOf(aux.Texture, aux.Elem).String()
	isSize := aux.Method >= tree.TextureWidth && aux.Method <= tree.TextureSamples
	e.eachOf(in, ir.TextureHandleAt, shown{
		kind: ir.TextureArgument, typ: typ, orNull: isSize,
		do: func(object int) {
			switch t, bound := e.Textures[object]; {
			case !bound: // there is nothing in it
				e.clearResults(in)
			case !suits(aux, t):
				e.fault(e.siteAt(in, abi.Site{Kind: abi.HandleSite, Object: object, Msg: typ}))
			default:
				e.textureCall(in, t, passed{e, object})
			}
		},
		found: func(number, other, done string) {
			if !e.resources.shows {
				return
			}
			row := e.resources.rowOf(number, other)
			class, field := e.resources.foundAt(row)
			for i, t := range e.Found {
				if suits(aux, t) || isSize {
					next := e.Label()
					e.Op("@%s bra %s;", e.Test("ne.s32", class, fmt.Sprint(i+1)), next)
					e.textureCall(in, t, foundTexture{e.Writer, field})
					e.Op("bra %s;", done)
					e.Place(next)
				}
			}
		},
	})
}

// clearResults makes the results of a call 0.
func (e *emitter) clearResults(in *ir.Instr) {
	for _, v := range in.Results {
		c := text.ClassOf(e.Type(v))
		e.Op("mov.%s %s, %s;", c.Type(), e.reg(v), text.Immediate(e.Type(v), 0))
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
func (e *emitter) textureCall(in *ir.Instr, of abi.Texture, from texel.Source) {
	c := &texel.Call{Writer: e.Writer, TextureCall: in.Aux.(*ir.TextureCall), Of: of, From: from, Results: len(in.Results)}
	c.Arg = func(at int) string { return e.textureOperand(in, at) }
	write := func() {
		registers := c.Write()
		for i, v := range in.Results {
			e.Op("mov.%s %s, %s;", text.ClassOf(e.Type(v)).Type(), e.reg(v), registers[i])
		}
	}
	if !samples(c.Method) {
		write()
		return
	}
	e.eachOf(in, ir.TextureSampler, shown{
		kind: ir.SamplerArgument, typ: tree.SamplerType.String(),
		do: func(object int) {
			c.Sampler = e.samplerOf(object)
			write()
		},
		found: func(number, _, done string) {
			for i, s := range e.FoundSamplers {
				next := e.Label()
				e.Op("@%s bra %s;", e.Test("ne.s64", number, fmt.Sprint(abi.FirstSampler+i)), next)
				c.Sampler = s
				write()
				e.Op("bra %s;", done)
				e.Place(next)
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
func (e *emitter) textureOperand(in *ir.Instr, at int) string {
	if at >= len(in.Args) || in.Args[at] == 0 {
		return ""
	}
	if n, ok := e.Bits(in.Args[at]); ok && n == 0 && at == ir.TextureLevel &&
		!samples(in.Aux.(*ir.TextureCall).Method) {
		return ""
	}
	return e.reg(in.Args[at])
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
func (e *emitter) eachOf(in *ir.Instr, operand int, s shown) {
	handle := in.Args[operand]
	if o := e.Origins[handle]; o != facts.Unknown {
		if !s.is(e.Objects[o]) {
			e.fault(e.siteAt(in, abi.Site{Kind: abi.HandleSite, Object: o, Msg: s.typ}))
			return
		}
		s.do(o)
		return
	}
	number, offset := e.numberOf(e.reg(handle))
	done, other := e.Label(), e.Label()
	count := 0
	for i, o := range e.Objects {
		if o == nil || !s.is(o) {
			continue
		}
		if count++; count > maxTextures {
			e.unsupported(e.Position(in), fmt.Sprintf("arrays of more than %d textures or samplers", maxTextures))
		}
		next := e.Label()
		e.Op("@%s bra %s;", e.Test("ne.s64", number, fmt.Sprint(i)), next)
		s.do(i)
		e.Op("bra %s;", done)
		e.Place(next)
	}
	if s.orNull {
		next := e.Label()
		e.Op("@%s bra %s;", e.Test("ne.s64", number, "0"), next)
		e.clearResults(in)
		e.Op("bra %s;", done)
		e.Place(next)
	}
	if s.found(number, other, done); len(e.Found) > maxTextures || len(e.FoundSamplers) > abi.MaxSamplers {
		e.unsupported(e.Position(in), fmt.Sprintf("finding textures of more than %d kinds, or one of more than %d samplers",
			maxTextures, abi.MaxSamplers))
	}
	e.Place(other)
	site := e.siteAt(in, abi.Site{Kind: abi.HandleSite, Msg: s.typ})
	e.Op("bra %s;", e.faultLabel(site, offset, number))
	e.Place(done)
}

// samplerOf returns a sampler of the call, or one that the source makes.
func (e *emitter) samplerOf(object int) bind.Sampler {
	if from := e.Objects[object].Sampler; from != nil {
		return SamplerOf(from)
	}
	return e.Samplers[object]
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
func (e *emitter) isNull(in *ir.Instr) {
	d := e.reg(in.Result())
	isLeftOut := func(object int) bool {
		_, bound := e.Textures[object]
		return !bound
	}
	if o := e.Origins[in.Args[0]]; o != facts.Unknown {
		e.Op("mov.pred %s, %d;", d, map[bool]int{true: 1}[isLeftOut(o)])
		return
	}
	number, _ := e.numberOf(e.reg(in.Args[0]))
	is := e.Test("eq.s64", number, "0")
	for i, o := range e.Objects {
		if o != nil && o.Kind == ir.TextureArgument && isLeftOut(i) {
			is = e.Either(is, e.Test("eq.s64", number, fmt.Sprint(i)))
		}
	}
	e.Op("mov.pred %s, %s;", d, is)
}
