package runtime

import (
	"fmt"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// TextureForm is one of the forms of textures, such as that of [Texture2D]. Only this package has such types.
type TextureForm interface{ form() textureForm }

// AnyTexture is a [Texture] of any form: T itself.
type AnyTexture[T any] interface {
	form() textureForm
	of(*texture) T
}

func (Texture[F]) form() textureForm {
	var form F
	return form.form()
}

func (Texture[F]) of(t *texture) Texture[F] { return Texture[F]{t} }

// The types of textures, by the names of MSL. A kernel takes a texture2d_array<half> as a Texture2DArray, and a depth2d
// as a Depth2D.
type (
	Texture1D        = Texture[form1D]
	Texture1DArray   = Texture[form1DArray]
	Texture2D        = Texture[form2D]
	Texture2DArray   = Texture[form2DArray]
	Texture2DMS      = Texture[form2DMS]
	Texture2DMSArray = Texture[form2DMSArray]
	Texture3D        = Texture[form3D]
	TextureCube      = Texture[formCube]
	TextureCubeArray = Texture[formCubeArray]
	TextureBuffer    = Texture[formBuffer]
	Depth2D          = Texture[formDepth2D]
	Depth2DArray     = Texture[formDepth2DArray]
	Depth2DMS        = Texture[formDepth2DMS]
	Depth2DMSArray   = Texture[formDepth2DMSArray]
	DepthCube        = Texture[formDepthCube]
	DepthCubeArray   = Texture[formDepthCubeArray]
)

// textureForm is what is particular to a form.
type textureForm struct {
	dims     bind.TextureType
	depth    bool // holds depths
	writable bool // kernels may write it, where its format lets them
	most     size // the largest one. Apple: Metal feature set tables, "Implementation limits by family", since Apple7
}

const (
	mostTexels = 16384 // of a dimension
	mostDeep   = 2048  // of a dimension of a 3D texture
	mostLayers = 2048  // of an array
	mostBuffer = 256 << 20
	mostSample = 8
)

type (
	form1D             struct{}
	form1DArray        struct{}
	form2D             struct{}
	form2DArray        struct{}
	form2DMS           struct{}
	form2DMSArray      struct{}
	form3D             struct{}
	formCube           struct{}
	formCubeArray      struct{}
	formBuffer         struct{}
	formDepth2D        struct{}
	formDepth2DArray   struct{}
	formDepth2DMS      struct{}
	formDepth2DMSArray struct{}
	formDepthCube      struct{}
	formDepthCubeArray struct{}
)

func (form1D) form() textureForm {
	return textureForm{dims: bind.Texture1D, writable: true, most: size{mostTexels, 1, 1, 1, 1}}
}

func (form1DArray) form() textureForm {
	return textureForm{dims: bind.Texture1DArray, writable: true, most: size{mostTexels, 1, 1, mostLayers, 1}}
}

func (form2D) form() textureForm {
	return textureForm{dims: bind.Texture2D, writable: true, most: size{mostTexels, mostTexels, 1, 1, 1}}
}

func (form2DArray) form() textureForm {
	return textureForm{dims: bind.Texture2DArray, writable: true,
		most: size{mostTexels, mostTexels, 1, mostLayers, 1}}
}

func (form2DMS) form() textureForm {
	return textureForm{dims: bind.Texture2DMS, most: size{mostTexels, mostTexels, 1, 1, mostSample}}
}

func (form2DMSArray) form() textureForm {
	return textureForm{dims: bind.Texture2DMSArray, most: size{mostTexels, mostTexels, 1, mostLayers, mostSample}}
}

func (form3D) form() textureForm {
	return textureForm{dims: bind.Texture3D, writable: true, most: size{mostDeep, mostDeep, mostDeep, 1, 1}}
}

func (formCube) form() textureForm {
	return textureForm{dims: bind.TextureCube, writable: true, most: size{mostTexels, mostTexels, 1, 1, 1}}
}

func (formCubeArray) form() textureForm {
	return textureForm{dims: bind.TextureCubeArray, writable: true,
		most: size{mostTexels, mostTexels, 1, mostLayers / 6, 1}}
}

func (formBuffer) form() textureForm {
	return textureForm{dims: bind.TextureBuffer, writable: true, most: size{mostBuffer, 1, 1, 1, 1}}
}

func (formDepth2D) form() textureForm        { return ofDepth(form2D{}) }
func (formDepth2DArray) form() textureForm   { return ofDepth(form2DArray{}) }
func (formDepth2DMS) form() textureForm      { return ofDepth(form2DMS{}) }
func (formDepth2DMSArray) form() textureForm { return ofDepth(form2DMSArray{}) }
func (formDepthCube) form() textureForm      { return ofDepth(formCube{}) }
func (formDepthCubeArray) form() textureForm { return ofDepth(formCubeArray{}) }

// ofDepth returns the form of depth textures with the dimensions of another one.
func ofDepth(f TextureForm) textureForm {
	form := f.form()
	form.depth, form.writable = true, false
	return form
}

// String returns "2D", or "depth 2D".
func (f textureForm) String() string {
	if f.depth {
		return "depth " + f.dims.String()
	}
	return f.dims.String()
}

// checkExtent finds a size that textures of the form cannot have.
func checkExtent(s *driver.TextureSpec, form textureForm) error {
	for _, d := range []struct {
		name       string
		have, most int
	}{
		{"a width", s.Width, form.most.width}, {"a height", s.Height, form.most.height},
		{"a depth", s.Depth, form.most.depth}, {"a length", s.Length, form.most.length},
	} {
		if d.have < 1 || d.have > d.most {
			return fmt.Errorf("want %s of 1 to %d", d.name, d.most)
		}
	}
	if n := s.Samples; form.most.samples > 1 && (n < 2 || n > form.most.samples || n&(n-1) != 0) {
		return fmt.Errorf("want 2, 4 or 8 samples, have %d", n)
	}
	return nil
}

// checkLevels finds mip levels that a texture cannot have, and replaces 0 and AllLevels.
func checkLevels(s *driver.TextureSpec) error {
	most := s.MostLevels()
	switch s.Levels {
	case 0:
		s.Levels = 1
	case AllLevels:
		s.Levels = most
	}
	if s.Levels < 1 || s.Levels > most {
		return fmt.Errorf("want 1 to %d mip levels, have %d", most, s.Levels)
	}
	return nil
}

// NewTexture1D returns a texture of width texels. Like the other functions that make textures it fails where Metal has
// no such texture on some Apple GPU since the M1, and when the device has no memory left. All texels are zero.
func NewTexture1D(dev *Device, width int, format PixelFormat, o TextureOptions) (Texture1D, error) {
	return newTexture[form1D](dev, size{width, 1, 1, 1, 1}, format, o)
}

// NewTexture1DArray returns an array of length textures.
func NewTexture1DArray(dev *Device, width, length int, format PixelFormat, o TextureOptions) (Texture1DArray, error) {
	return newTexture[form1DArray](dev, size{width, 1, 1, length, 1}, format, o)
}

// NewTexture2D returns a texture of width times height texels.
func NewTexture2D(dev *Device, width, height int, format PixelFormat, o TextureOptions) (Texture2D, error) {
	return newTexture[form2D](dev, size{width, height, 1, 1, 1}, format, o)
}

// NewTexture2DArray returns an array of length textures.
func NewTexture2DArray(
	dev *Device, width, height, length int, format PixelFormat, o TextureOptions,
) (Texture2DArray, error) {
	return newTexture[form2DArray](dev, size{width, height, 1, length, 1}, format, o)
}

// NewTexture2DMS returns a texture of 2, 4 or 8 samples for each texel. Kernels can only read it.
func NewTexture2DMS(
	dev *Device, width, height, samples int, format PixelFormat, o TextureOptions,
) (Texture2DMS, error) {
	return newTexture[form2DMS](dev, size{width, height, 1, 1, samples}, format, o)
}

// NewTexture2DMSArray returns an array of length multisampled textures.
func NewTexture2DMSArray(
	dev *Device, width, height, length, samples int, format PixelFormat, o TextureOptions,
) (Texture2DMSArray, error) {
	return newTexture[form2DMSArray](dev, size{width, height, 1, length, samples}, format, o)
}

// NewTexture3D returns a texture of width times height times depth texels.
func NewTexture3D(dev *Device, width, height, depth int, format PixelFormat, o TextureOptions) (Texture3D, error) {
	return newTexture[form3D](dev, size{width, height, depth, 1, 1}, format, o)
}

// NewTextureCube returns a cube of six faces of width times width texels.
func NewTextureCube(dev *Device, width int, format PixelFormat, o TextureOptions) (TextureCube, error) {
	return newTexture[formCube](dev, size{width, width, 1, 1, 1}, format, o)
}

// NewTextureCubeArray returns an array of length cubes.
func NewTextureCubeArray(
	dev *Device, width, length int, format PixelFormat, o TextureOptions,
) (TextureCubeArray, error) {
	return newTexture[formCubeArray](dev, size{width, width, 1, length, 1}, format, o)
}

// NewTextureBuffer returns a texture of width texels in a row, which may be longer than a [Texture1D] and cannot be
// sampled.
func NewTextureBuffer(dev *Device, width int, format PixelFormat, o TextureOptions) (TextureBuffer, error) {
	return newTexture[formBuffer](dev, size{width, 1, 1, 1, 1}, format, o)
}

// NewDepth2D returns a texture of width times height depths, of format Depth16Unorm or Depth32Float. Like all depth
// textures it is one that kernels only read.
func NewDepth2D(dev *Device, width, height int, format PixelFormat, o TextureOptions) (Depth2D, error) {
	return newTexture[formDepth2D](dev, size{width, height, 1, 1, 1}, format, o)
}

// NewDepth2DArray returns an array of length depth textures.
func NewDepth2DArray(
	dev *Device, width, height, length int, format PixelFormat, o TextureOptions,
) (Depth2DArray, error) {
	return newTexture[formDepth2DArray](dev, size{width, height, 1, length, 1}, format, o)
}

// NewDepth2DMS returns a depth texture of 2, 4 or 8 samples for each texel.
func NewDepth2DMS(dev *Device, width, height, samples int, format PixelFormat, o TextureOptions) (Depth2DMS, error) {
	return newTexture[formDepth2DMS](dev, size{width, height, 1, 1, samples}, format, o)
}

// NewDepth2DMSArray returns an array of length multisampled depth textures.
func NewDepth2DMSArray(
	dev *Device, width, height, length, samples int, format PixelFormat, o TextureOptions,
) (Depth2DMSArray, error) {
	return newTexture[formDepth2DMSArray](dev, size{width, height, 1, length, samples}, format, o)
}

// NewDepthCube returns a cube of depths, of six faces of width times width texels.
func NewDepthCube(dev *Device, width int, format PixelFormat, o TextureOptions) (DepthCube, error) {
	return newTexture[formDepthCube](dev, size{width, width, 1, 1, 1}, format, o)
}

// NewDepthCubeArray returns an array of length cubes of depths.
func NewDepthCubeArray(dev *Device, width, length int, format PixelFormat, o TextureOptions) (DepthCubeArray, error) {
	return newTexture[formDepthCubeArray](dev, size{width, width, 1, length, 1}, format, o)
}
