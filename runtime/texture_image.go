package runtime

import (
	"errors"
	"fmt"
	"image"
	"reflect"

	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// UploadImage returns a texture with the pixels of an image. Their values are those of the image: they are multiplied
// by alpha only where the image has them so, and stay on the curve of sRGB, which most images are on. A view of the
// texture as RGBA8Unorm_sRGB shows them in linear light. The formats are
//
//	image.NRGBA              RGBA8Unorm
//	image.RGBA               RGBA8Unorm, colors multiplied by alpha
//	image.NRGBA64            RGBA16Unorm
//	image.RGBA64             RGBA16Unorm, colors multiplied by alpha
//	image.Gray, image.Gray16 R8Unorm, R16Unorm
//	image.Alpha              A8Unorm
//	any other                RGBA8Unorm, converted to image.NRGBA
//
// It fails as [NewTexture2D] does, for a nil image, and for an image with fewer pixels than its bounds have.
func UploadImage(dev *Device, img image.Image) (Texture2D, error) {
	if v := reflect.ValueOf(img); img == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return Texture2D{}, errors.New("UploadImage: the image is nil")
	}
	pix, stride, format := pixels(img)
	converted := format == 0
	if converted {
		format = RGBA8Unorm
	}
	// The texture is made first: there are images without an end, such as image.Uniform.
	size := img.Bounds().Size()
	t, err := NewTexture2D(dev, size.X, size.Y, format, TextureOptions{})
	if err != nil {
		return Texture2D{}, err
	}
	if converted {
		pix, stride, _ = pixels(toNRGBA(img))
	}
	texels, err := texelsOf(pix, stride, size, format)
	if err == nil {
		err = t.Write(Region{}, texels)
	}
	if err != nil {
		t.Free()
		return Texture2D{}, err
	}
	return t, nil
}

// texelsOf returns the texels that a texture has for the pixels of an image.
func texelsOf(pix []byte, stride int, size image.Point, format PixelFormat) ([]byte, error) {
	row := size.X * format.BytesPerTexel()
	if stride < row || len(pix) < (size.Y-1)*stride+row {
		return nil, fmt.Errorf("UploadImage of %d x %d pixels: need rows of %d bytes, %d in all, "+
			"have rows of %d, %d in all", size.X, size.Y, row, row*size.Y, stride, len(pix))
	}
	texels := make([]byte, row*size.Y)
	for y := range size.Y {
		copy(texels[y*row:][:row], pix[y*stride:])
	}
	swapWide(texels, format)
	return texels, nil
}

// toNRGBA converts an image. Package draw would multiply colors by alpha, and back.
func toNRGBA(img image.Image) *image.NRGBA {
	n := image.NewNRGBA(img.Bounds())
	for y := n.Rect.Min.Y; y < n.Rect.Max.Y; y++ {
		for x := n.Rect.Min.X; x < n.Rect.Max.X; x++ {
			n.Set(x, y, img.At(x, y))
		}
	}
	return n
}

// pixels returns the pixels of an image, in rows of stride bytes, and the format that they have; 0 where they have
// none.
func pixels(img image.Image) (pix []byte, stride int, format PixelFormat) {
	switch i := img.(type) {
	case *image.NRGBA:
		return i.Pix, i.Stride, RGBA8Unorm
	case *image.RGBA:
		return i.Pix, i.Stride, RGBA8Unorm
	case *image.NRGBA64:
		return i.Pix, i.Stride, RGBA16Unorm
	case *image.RGBA64:
		return i.Pix, i.Stride, RGBA16Unorm
	case *image.Gray:
		return i.Pix, i.Stride, R8Unorm
	case *image.Gray16:
		return i.Pix, i.Stride, R16Unorm
	case *image.Alpha:
		return i.Pix, i.Stride, A8Unorm
	}
	return nil, 0, 0
}

// swapWide turns the bytes of 16-bit components around: package image has the first one on top.
func swapWide(texels []byte, format PixelFormat) {
	if format == RGBA16Unorm || format == R16Unorm {
		for i := 0; i < len(texels); i += 2 {
			texels[i], texels[i+1] = texels[i+1], texels[i]
		}
	}
}

// Image returns level 0 of the texture as an image, and only the first of several slices or planes. It is the image
// that [UploadImage] takes for the format: an image.NRGBA, image.NRGBA64, image.Gray, image.Gray16 or image.Alpha.
// Texels of other formats are converted to an image.NRGBA64, with values from 0 to 1; those of integers and depths are
// not.
//
// The texture does not know whether colors are multiplied by alpha. If they are, use the Pix of the image.NRGBA as that
// of an image.RGBA.
func (t Texture[F]) Image() (image.Image, error) {
	if t.t == nil {
		return nil, fmt.Errorf("Image of a texture: %w", ErrNilTexture)
	}
	r := image.Rect(0, 0, t.Width(), t.Height())
	format := t.t.format
	if format.Type != pixel.Floating {
		return nil, fmt.Errorf("Image of %v: %w", t, errors.New("the texels are no colors"))
	}
	texels := make([]byte, r.Dx()*r.Dy()*format.Size)
	if err := t.Read(Region{Depth: 1, Slices: 1}, texels); err != nil {
		return nil, err
	}
	swapWide(texels, t.Format())
	switch t.Format() {
	case RGBA8Unorm, RGBA8Unorm_sRGB:
		return &image.NRGBA{Pix: texels, Stride: 4 * r.Dx(), Rect: r}, nil
	case RGBA16Unorm:
		return &image.NRGBA64{Pix: texels, Stride: 8 * r.Dx(), Rect: r}, nil
	case R8Unorm, R8Unorm_sRGB:
		return &image.Gray{Pix: texels, Stride: r.Dx(), Rect: r}, nil
	case R16Unorm:
		return &image.Gray16{Pix: texels, Stride: 2 * r.Dx(), Rect: r}, nil
	case A8Unorm:
		return &image.Alpha{Pix: texels, Stride: r.Dx(), Rect: r}, nil
	}
	return convertImage(texels, format, r), nil
}

// convertImage returns an image of texels of any format of floats.
func convertImage(texels []byte, format *pixel.Info, r image.Rectangle) *image.NRGBA64 {
	img := image.NewNRGBA64(r)
	wide := pixel.RGBA16Unorm.Info()
	for i := range r.Dx() * r.Dy() {
		texel := format.Decode(texels[i*format.Size:])
		wide.Encode(img.Pix[i*8:], &texel)
	}
	swapWide(img.Pix, RGBA16Unorm)
	return img
}
