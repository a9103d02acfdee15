package ptx

import (
	"fmt"
	"math"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/texel"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
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
	e.eachOf(in, in.Args[ir.TextureHandleAt], ir.TextureArgument, func(object int) {
		t, bound := e.Textures[object]
		if !bound { // there is nothing in it
			for _, v := range in.Results {
				c := text.ClassOf(e.Type(v))
				e.Op("mov.%s %s, %s;", c.Type(), e.reg(v), text.Immediate(e.Type(v), 0))
			}
			return
		}
		e.textureCall(in, t, passed{e, object})
	})
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
	e.eachOf(in, in.Args[ir.TextureSampler], ir.SamplerArgument, func(object int) {
		c.Sampler = e.samplerOf(object)
		write()
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

// eachOf writes code for each of the objects that a handle may lead to. A thread executes that of its own.
func (e *emitter) eachOf(in *ir.Instr, handle ir.Value, kind ir.ObjectKind, do func(object int)) {
	if o := e.origins[handle]; o != unknown {
		do(o)
		return
	}
	number, done := e.Make(text.Long, "add.s64", e.reg(handle), fmt.Sprint(int64(1)<<(offsetBits-1))), e.Label()
	number = e.Make(text.Long, "shr.u64", number, fmt.Sprint(offsetBits))
	count := 0
	for i, o := range e.Objects {
		if o == nil || o.Kind != kind {
			continue
		}
		if count++; count > maxTextures {
			e.unsupported(e.Position(in), fmt.Sprintf("arrays of more than %d textures or samplers", maxTextures))
		}
		other, next := e.Test("ne.s64", number, fmt.Sprint(i)), e.Label()
		e.Op("@%s bra %s;", other, next)
		do(i)
		e.Op("bra %s;", done)
		e.Place(next)
	}
	e.fault(e.siteAt(in, abi.Site{Kind: abi.FaultSite, Msg: "a texture or a sampler that the kernel does not have"}))
	e.Place(done)
}

// samplerOf returns a sampler of the call, or one that the source makes.
func (e *emitter) samplerOf(object int) bind.Sampler {
	from := e.Objects[object].Sampler
	if from == nil {
		return e.Samplers[object]
	}
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
	e.eachOf(in, in.Args[0], ir.TextureArgument, func(object int) {
		_, bound := e.Textures[object]
		e.Op("mov.pred %s, %d;", e.reg(in.Result()), map[bool]int{true: 0, false: 1}[bound])
	})
}
