package program

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// TextureCall is a call of a method of a texture: the registers of what it takes, 0 for
// what it does not, and of its results.
type TextureCall struct {
	Type  *tree.Type // of the texture, and what follows from it
	Form  bind.TextureType
	Sees  uint8               // the types of texels, of package pixel, that it sees: 1 << pixel.Type
	Usage driver.TextureUsage // that the texture has to be made for

	Texture, Sampler                           int32
	Coord                                      [3]int32 // float where it samples, else uint
	Face, Layer, Sample, Level, Least, Compare int32
	Offset                                     [3]int32
	Gradient                                   [2][3]int32
	Component                                  int
	Texel                                      [4]int32 // that is written
	Results                                    [4]int32
	Writes                                     bool
}

// Suits reports whether a texture is of the type that the call is for, and may be used so. A usage of 0 says nothing.
func (c *TextureCall) Suits(form bind.TextureType, texels pixel.Type, usage driver.TextureUsage) bool {
	return form == c.Form && c.Sees&(1<<texels) != 0 && (usage == 0 || usage&c.Usage != 0)
}

// AddTextureCall returns the number of a call.
func (p *Program) AddTextureCall(c TextureCall) int64 {
	p.Textures = append(p.Textures, c)
	return int64(len(p.Textures) - 1)
}
