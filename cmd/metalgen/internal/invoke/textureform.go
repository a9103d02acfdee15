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
	"Texture1D":      {bind.Texture1D, []dimension{width}, makes[runtime.Texture1D]},
	"Texture1DArray": {bind.Texture1DArray, []dimension{length, width}, makes[runtime.Texture1DArray]},
	"Texture2D":      {bind.Texture2D, []dimension{height, width}, makes[runtime.Texture2D]},
	"Texture2DArray": {bind.Texture2DArray, []dimension{length, height, width}, makes[runtime.Texture2DArray]},
	"Texture3D":      {bind.Texture3D, []dimension{depth, height, width}, makes[runtime.Texture3D]},
	"TextureCube":    {bind.TextureCube, []dimension{faces, height, width}, makes[runtime.TextureCube]},
	"TextureCubeArray": {
		bind.TextureCubeArray, []dimension{length, faces, height, width}, makes[runtime.TextureCubeArray],
	},
	"TextureBuffer":    {bind.TextureBuffer, []dimension{width}, makes[runtime.TextureBuffer]},
	"Depth2D":          {bind.Texture2D, []dimension{height, width}, makes[runtime.Depth2D]},
	"Depth2DArray":     {bind.Texture2DArray, []dimension{length, height, width}, makes[runtime.Depth2DArray]},
	"DepthCube":        {bind.TextureCube, []dimension{faces, height, width}, makes[runtime.DepthCube]},
	"DepthCubeArray":   {bind.TextureCubeArray, []dimension{length, faces, height, width}, makes[runtime.DepthCubeArray]},
	"Texture2DMS":      {TextureType: bind.Texture2DMS},
	"Texture2DMSArray": {TextureType: bind.Texture2DMSArray},
	"Depth2DMS":        {TextureType: bind.Texture2DMS},
	"Depth2DMSArray":   {TextureType: bind.Texture2DMSArray},
}

// makes makes a texture of type T.
func makes[T interface {
	deviceTexture
	runtime.AnyTexture[T]
}](n *newTexture) (deviceTexture, error) {
	return runtime.NewTexture[T](n.Device, runtime.TextureSize{
		Width: n.size[width], Height: n.size[height], Depth: n.size[depth], Length: n.size[length],
	}, n.PixelFormat, n.TextureOptions)
}

// formOf returns the type of a texture argument, or of the elements of an array of them.
func formOf(a *binding.Arg) textureForm {
	t := a.GoType
	if array, ok := t.(binding.Array); ok {
		t = array.Elem
	}
	return textureForms[t.(*binding.Basic).Name]
}
