package bind

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/texture"
)

// TextureArg is a texture, or an array of them, set by [Call.Texture].
const TextureArg ArgKind = 5

// Texture sets the texture argument at index. The elements of an array of textures have indexes of their own, from that
// of the array on, and are set one by one in their order.
func (c *Call[G]) Texture(index int, t Texture) {
	if s, element := c.element(TextureArg, index); s != nil {
		if element == 0 {
			s.Textures = reserve(&c.textures, max(c.kernel.Args[c.next-1].Count, 1))
		}
		s.Textures[element] = t
	}
}

// Texture is a texture of package runtime without its type. The method Handle of its textures returns it.
type Texture struct{ Image *Image }

// Image is a handle of a texture of package runtime, which alone knows what the Owner is.
type Image struct{ Owner any }

// TextureType says which dimensions a texture has. The numbers are those of Metal (MTLTextureType.h).
type TextureType = texture.Form

// The types of textures, including depth textures.
const (
	Texture1D        = texture.Form1D
	Texture1DArray   = texture.Form1DArray
	Texture2D        = texture.Form2D
	Texture2DArray   = texture.Form2DArray
	Texture2DMS      = texture.Form2DMS
	TextureCube      = texture.FormCube
	TextureCubeArray = texture.FormCubeArray
	Texture3D        = texture.Form3D
	Texture2DMSArray = texture.Form2DMSArray
	TextureBuffer    = texture.FormBuffer
)

// Texels is the type that the texels of a texture have in a kernel.
type Texels uint8

const (
	FloatTexels Texels = iota + 1 // float or half
	IntTexels                     // int or short
	UintTexels                    // uint or ushort
	DepthTexels                   // float, of a depth texture
)

var texelNames = [...]string{FloatTexels: "float", IntTexels: "int", UintTexels: "uint", DepthTexels: "depth"}

// String returns "float", "int", "uint" or "depth".
func (t Texels) String() string {
	if t == 0 || int(t) >= len(texelNames) {
		return fmt.Sprintf("Texels(%d)", uint8(t))
	}
	return texelNames[t]
}
