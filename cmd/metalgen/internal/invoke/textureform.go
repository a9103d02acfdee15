package invoke

import (
	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

// textureForm is what is particular to a type of textures.
type textureForm struct {
	bind.TextureType
	dims []dimension // of a file, before its channels
	make maker       // nil for what cannot be filled
}

// dimension is one of a texture, by the method that returns it. A cube has six faces, which no method returns.
type dimension string

const (
	width  dimension = "Width"
	height dimension = "Height"
	depth  dimension = "Depth"
	length dimension = "Length"
	faces  dimension = "Faces"
)

// newTexture is a texture to be made.
type newTexture struct {
	*runtime.Device
	size map[dimension]int
	runtime.PixelFormat
	runtime.TextureOptions
}

type maker func(*newTexture) (deviceTexture, error)

// deviceTexture is a texture of any type on a device.
type deviceTexture interface {
	Handle() bind.Texture
	Write(runtime.Region, []byte) error
	Read(runtime.Region, []byte) error
	Free()
}

// textureForms are the types of textures, by their names in Go.
var textureForms = map[string]textureForm{
	"Texture1D":      {bind.Texture1D, []dimension{width}, one(runtime.NewTexture1D)},
	"Texture1DArray": {bind.Texture1DArray, []dimension{length, width}, two(runtime.NewTexture1DArray, length)},
	"Texture2D":      {bind.Texture2D, []dimension{height, width}, two(runtime.NewTexture2D, height)},
	"Texture2DArray": {
		bind.Texture2DArray, []dimension{length, height, width}, three(runtime.NewTexture2DArray, length),
	},
	"Texture3D":   {bind.Texture3D, []dimension{depth, height, width}, three(runtime.NewTexture3D, depth)},
	"TextureCube": {bind.TextureCube, []dimension{faces, height, width}, one(runtime.NewTextureCube)},
	"TextureCubeArray": {
		bind.TextureCubeArray, []dimension{length, faces, height, width}, two(runtime.NewTextureCubeArray, length),
	},
	"TextureBuffer": {bind.TextureBuffer, []dimension{width}, one(runtime.NewTextureBuffer)},
	"Depth2D":       {bind.Texture2D, []dimension{height, width}, two(runtime.NewDepth2D, height)},
	"Depth2DArray": {
		bind.Texture2DArray, []dimension{length, height, width}, three(runtime.NewDepth2DArray, length),
	},
	"DepthCube": {bind.TextureCube, []dimension{faces, height, width}, one(runtime.NewDepthCube)},
	"DepthCubeArray": {
		bind.TextureCubeArray, []dimension{length, faces, height, width}, two(runtime.NewDepthCubeArray, length),
	},
	"Texture2DMS":      {TextureType: bind.Texture2DMS},
	"Texture2DMSArray": {TextureType: bind.Texture2DMSArray},
	"Depth2DMS":        {TextureType: bind.Texture2DMS},
	"Depth2DMSArray":   {TextureType: bind.Texture2DMSArray},
}

// one returns the maker of a texture that takes a width.
func one[T deviceTexture](
	f func(d *runtime.Device, width int, format runtime.PixelFormat, o runtime.TextureOptions) (T, error),
) maker {
	return func(n *newTexture) (deviceTexture, error) {
		return f(n.Device, n.size[width], n.PixelFormat, n.TextureOptions)
	}
}

// two returns the maker of a texture that takes a width and another dimension.
func two[T deviceTexture](
	f func(d *runtime.Device, width, b int, format runtime.PixelFormat, o runtime.TextureOptions) (T, error), b dimension,
) maker {
	return func(n *newTexture) (deviceTexture, error) {
		return f(n.Device, n.size[width], n.size[b], n.PixelFormat, n.TextureOptions)
	}
}

// three returns the maker of a texture that takes a width, a height and another dimension.
func three[T deviceTexture](
	f func(d *runtime.Device, width, height, c int, format runtime.PixelFormat, o runtime.TextureOptions) (T, error),
	c dimension,
) maker {
	return func(n *newTexture) (deviceTexture, error) {
		return f(n.Device, n.size[width], n.size[height], n.size[c], n.PixelFormat, n.TextureOptions)
	}
}

// formOf returns the type of a texture argument, or of the elements of an array of them.
func formOf(a *binding.Arg) textureForm {
	t := a.GoType
	if array, ok := t.(binding.Array); ok {
		t = array.Elem
	}
	return textureForms[t.(*binding.Basic).Name]
}
