package runtime

import (
	"errors"
	"fmt"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// TextureForm is one of the forms of textures, such as that of [Texture2D]. Only this package implements it.
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
	depth    bool        // holds depths
	writable bool        // kernels may write it, where its format lets them
	most     TextureSize // Apple: Metal feature set tables, "Implementation limits by family", since Apple7
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
	return textureForm{dims: bind.Texture1D, writable: true, most: TextureSize{mostTexels, 1, 1, 1, 1}}
}

func (form1DArray) form() textureForm {
	return textureForm{dims: bind.Texture1DArray, writable: true, most: TextureSize{mostTexels, 1, 1, mostLayers, 1}}
}

func (form2D) form() textureForm {
	return textureForm{dims: bind.Texture2D, writable: true, most: TextureSize{mostTexels, mostTexels, 1, 1, 1}}
}

func (form2DArray) form() textureForm {
	return textureForm{dims: bind.Texture2DArray, writable: true,
		most: TextureSize{mostTexels, mostTexels, 1, mostLayers, 1}}
}

func (form2DMS) form() textureForm {
	return textureForm{dims: bind.Texture2DMS, most: TextureSize{mostTexels, mostTexels, 1, 1, mostSample}}
}

func (form2DMSArray) form() textureForm {
	return textureForm{dims: bind.Texture2DMSArray, most: TextureSize{mostTexels, mostTexels, 1, mostLayers, mostSample}}
}

func (form3D) form() textureForm {
	return textureForm{dims: bind.Texture3D, writable: true, most: TextureSize{mostDeep, mostDeep, mostDeep, 1, 1}}
}

func (formCube) form() textureForm {
	return textureForm{dims: bind.TextureCube, writable: true, most: TextureSize{mostTexels, mostTexels, 1, 1, 1}}
}

func (formCubeArray) form() textureForm {
	return textureForm{dims: bind.TextureCubeArray, writable: true,
		most: TextureSize{mostTexels, mostTexels, 1, mostLayers / 6, 1}}
}

func (formBuffer) form() textureForm {
	return textureForm{dims: bind.TextureBuffer, writable: true, most: TextureSize{mostBuffer, 1, 1, 1, 1}}
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
		{"a width", s.Width, form.most.Width}, {"a height", s.Height, form.most.Height},
		{"a depth", s.Depth, form.most.Depth}, {"a length", s.Length, form.most.Length},
	} {
		if d.have < 1 || d.have > d.most {
			return fmt.Errorf("need %s of 1 to %d", d.name, d.most)
		}
	}
	if (form.dims == bind.TextureCube || form.dims == bind.TextureCubeArray) && s.Width != s.Height {
		return errors.New("need faces as high as wide")
	}
	if n := s.Samples; form.most.Samples > 1 && (n < 2 || n > form.most.Samples || n&(n-1) != 0) {
		return fmt.Errorf("need 2, 4 or 8 samples, have %d", n)
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
		return fmt.Errorf("need 1 to %d mip levels, have %d", most, s.Levels)
	}
	return nil
}

// TextureSize is the size of a texture. A 0 means 1, except for the height of a cube, where it means the width.
type TextureSize struct {
	Width, Height, Depth int // texels of level 0
	Length               int // elements of an array; those of cubes have six faces each
	Samples              int // of a texel of a multisampled texture, which kernels only read: 2, 4 or 8
}

// NewTexture returns a texture of type T, whose texels are all zero:
//
//	lut, err := mtl.NewTexture[mtl.Texture1D](dev, mtl.TextureSize{Width: 256}, mtl.R32Float, o)
//	sky, err := mtl.NewTexture[mtl.TextureCube](dev, mtl.TextureSize{Width: 512}, mtl.RGBA8Unorm, o)
//
// Depth textures have the formats Depth16Unorm and Depth32Float, and kernels only read them. A [TextureBuffer] may be
// longer than a [Texture1D] and cannot be sampled. NewTexture fails if some Apple GPU since the M1 has no such texture,
// and if the device has no memory left.
func NewTexture[T AnyTexture[T]](dev *Device, size TextureSize, format PixelFormat, o TextureOptions) (T, error) {
	var zero T
	form := zero.form()
	if size.Height == 0 && (form.dims == bind.TextureCube || form.dims == bind.TextureCubeArray) {
		size.Height = size.Width
	}
	for _, n := range []*int{&size.Height, &size.Depth, &size.Length, &size.Samples} {
		if *n == 0 {
			*n = 1
		}
	}
	t, err := newTexture(dev, form, size, format, o)
	if err != nil {
		return zero, err
	}
	return zero.of(t), nil
}

// NewTexture2D is [NewTexture] of width times height texels.
func NewTexture2D(dev *Device, width, height int, format PixelFormat, o TextureOptions) (Texture2D, error) {
	t, err := newTexture(dev, form2D{}.form(), TextureSize{width, height, 1, 1, 1}, format, o)
	return Texture2D{t}, err
}

// NewTexture3D is [NewTexture] of width times height times depth texels.
func NewTexture3D(dev *Device, width, height, depth int, format PixelFormat, o TextureOptions) (Texture3D, error) {
	t, err := newTexture(dev, form3D{}.form(), TextureSize{width, height, depth, 1, 1}, format, o)
	return Texture3D{t}, err
}
