package bind

import "fmt"

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
type TextureType uint8

// The types of textures, including depth textures.
const (
	Texture1D        TextureType = 0
	Texture1DArray   TextureType = 1
	Texture2D        TextureType = 2
	Texture2DArray   TextureType = 3
	Texture2DMS      TextureType = 4
	TextureCube      TextureType = 5
	TextureCubeArray TextureType = 6
	Texture3D        TextureType = 7
	Texture2DMSArray TextureType = 8
	TextureBuffer    TextureType = 9
)

var textureTypes = [...]string{
	Texture1D: "1D", Texture1DArray: "1D array", Texture2D: "2D", Texture2DArray: "2D array",
	Texture2DMS: "2D multisample", TextureCube: "cube", TextureCubeArray: "cube array", Texture3D: "3D",
	Texture2DMSArray: "2D multisample array", TextureBuffer: "buffer",
}

// String returns "2D", "cube array" or "buffer".
func (t TextureType) String() string {
	if int(t) >= len(textureTypes) {
		return fmt.Sprintf("TextureType(%d)", uint8(t))
	}
	return textureTypes[t]
}

// Dimensions returns the number of coordinates of a texel: 2 for a cube, within one of its faces.
func (t TextureType) Dimensions() int {
	switch t {
	case Texture1D, Texture1DArray, TextureBuffer:
		return 1
	case Texture3D:
		return 3
	}
	return 2
}

// Faces returns the number of images of an element: 6 for a cube, otherwise 1.
func (t TextureType) Faces() int {
	if t == TextureCube || t == TextureCubeArray {
		return 6
	}
	return 1
}

// IsArray reports whether a texture of the type is an array.
func (t TextureType) IsArray() bool {
	return t == Texture1DArray || t == Texture2DArray || t == TextureCubeArray || t == Texture2DMSArray
}

// IsMultisampled reports whether a texel has several samples.
func (t TextureType) IsMultisampled() bool { return t == Texture2DMS || t == Texture2DMSArray }

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
