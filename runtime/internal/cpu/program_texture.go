package cpu

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// textureCall is a call of a method of a texture: the registers of what it takes, 0 for
// what it does not, and of its results.
type textureCall struct {
	typ   *tree.Type // of the texture, and what follows from it
	form  bind.TextureType
	sees  uint8               // the types of texels, of package pixel, that it sees: 1 << pixel.Type
	usage driver.TextureUsage // that the texture has to be made for

	texture, sampler                           int32
	coord                                      [3]int32 // float where it samples, else uint
	face, layer, sample, level, least, compare int32
	offset                                     [3]int32
	gradient                                   [2][3]int32
	component                                  int
	texel                                      [4]int32 // that is written
	results                                    [4]int32
	writes                                     bool
}

// addTextureCall returns the number of a call.
func (p *program) addTextureCall(c textureCall) int64 {
	p.textures = append(p.textures, c)
	return int64(len(p.textures) - 1)
}
