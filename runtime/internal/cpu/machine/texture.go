package machine

import (
	"slices"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/cpu/texel"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// The operations whose texels may be in the code.
const (
	readOp  = program.OpTextures + program.Opcode(tree.TextureRead)
	writeOp = program.OpTextures + program.Opcode(tree.TextureWrite)
)

var texelOps = map[program.Opcode]wide.Op{readOp: wide.ReadTexels, writeOp: wide.WriteTexels}

// Texture is what native code takes for granted about a texture, by its object: it reads and writes texels of this
// format.
type Texture struct {
	Object int32
	Form   bind.TextureType
	Format pixel.Format // 0 for textures that are not in the code
	Usage  driver.TextureUsage
}

// maxSlice bounds the bytes of a level whose texels the code finds by numbers of 32 bits with a sign.
const maxSlice = 1 << 31

// textureOf describes a texture of a dispatch.
func textureOf(f *interp.Frame, object int32) Texture {
	o := &f.Objects[object]
	t := o.Texture
	if t == nil || texel.Of(t.Spec.Format) == nil || o.Texels.Row*o.Texels.Height >= maxSlice {
		return Texture{Object: object}
	}
	return Texture{object, t.Spec.Type, t.Spec.Format, t.Spec.Usage}
}

// texturesOf returns the textures of a dispatch whose texels code may read or write.
func texturesOf(p *interp.Code, f *interp.Frame) []Texture {
	var list []Texture
	for i := range p.Code {
		if object := textureOfCall(p.Program, &p.Code[i]); object != 0 &&
			!slices.ContainsFunc(list, func(t Texture) bool { return t.Object == object }) {
			list = append(list, textureOf(f, object))
		}
	}
	return list
}

// textureOfCall returns the texture that an instruction reads or writes, or 0 where that is another instruction, or
// only the interpreter knows the texture or the place.
func textureOfCall(p *program.Program, in *program.Instruction) int32 {
	if in.Op != readOp && in.Op != writeOp {
		return 0
	}
	c := &p.Textures[in.Imm]
	if c.Form != bind.Texture1D && c.Form != bind.Texture2D || c.Sample != 0 || constantOf(p, c.Level) != 0 {
		return 0
	}
	object := constantOf(p, c.Texture) >> program.OffsetBits
	if object <= 0 || object >= int64(len(p.Objects)) || p.Objects[object].Source.Kind != program.FromTexture {
		return 0
	}
	return int32(object)
}

// constantOf returns the number in a register, 0 if there is no register, and -1 if it is not a constant.
func constantOf(p *program.Program, at int32) int64 {
	if at == 0 {
		return 0
	}
	for _, c := range p.Constants {
		if c.At == at {
			return int64(c.Bits)
		}
	}
	return -1
}

// texelsOf returns what an instruction does to a texture in the code, and what it reads and writes, or nil where it is
// for the interpreter.
func texelsOf(p *program.Program, in *program.Instruction, textures []Texture) (*wide.Texels, *wide.Operands) {
	object := textureOfCall(p, in)
	at := slices.IndexFunc(textures, func(t Texture) bool { return t.Object == object })
	if object == 0 || at < 0 {
		return nil, nil
	}
	c, t := &p.Textures[in.Imm], &textures[at]
	if t.Format == 0 || !c.Suits(t.Form, t.Format.Info().Type, t.Usage) {
		return nil, nil
	}
	out, regs := &wide.Texels{Object: object, Format: t.Format, X: c.Coord[0], Y: c.Coord[1]}, new(wide.Operands)
	operands{&regs.Reads}.add(ir.I32, c.Coord[:2]...)
	if in.Op == readOp {
		out.Components = c.Results
		operands{&regs.Writes}.add(ir.I32, c.Results[:]...)
	} else {
		out.Components = c.Texel
		operands{&regs.Reads}.add(ir.I32, c.Texel[:]...)
	}
	return out, regs
}
