package invoke

import (
	"bufio"
	"errors"
	"fmt"
	"image"
	"image/draw"
	_ "image/gif"  // images may be of these types
	_ "image/jpeg" // too
	"image/png"
	"io"
	"slices"

	"github.com/metalgen/metalgen/internal/regular"
)

// mostPixels is how many pixels a byte of a file may stand for: those of one bit, after what compresses most.
const mostPixels = 8 * 1032

// mostTexels is how wide and high a texture is at most. A small file may be an image of many gigabytes.
const mostTexels = 16384

// readImage reads an image. Its errors name the file. Nothing large is allocated because a header says so.
func readImage(name string) (image.Image, error) {
	f, bytes, err := regular.Open(name)
	if refused := regular.Error(""); errors.As(err, &refused) {
		return nil, fmt.Errorf("%s: %w", name, err)
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	head, _, err := image.DecodeConfig(bufio.NewReader(f))
	if err == nil && head.Width > 0 && int64(head.Height) > bytes*mostPixels/int64(head.Width) {
		err = fmt.Errorf("truncated: %d x %d pixels in %d bytes", head.Width, head.Height, bytes)
	}
	if err == nil && max(head.Width, head.Height) > mostTexels {
		err = fmt.Errorf("%d x %d pixels, and a texture has at most %d in each dimension",
			head.Width, head.Height, mostTexels)
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	var img image.Image
	if err == nil {
		img, _, err = image.Decode(bufio.NewReader(f))
	}
	switch {
	case errors.Is(err, image.ErrFormat):
		return nil, fmt.Errorf("%s: no .png, .jpeg, .gif or .npy file", name)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return img, nil
}

// hasPixels reports whether the texels of a format are the pixels of an image: gray, or red, green, blue and alpha, in
// 8 or 16 bits each.
func (t *texels) hasPixels() bool {
	switch t.components {
	case "R", "RGBA", "BGRA":
		return t.scalar.name == "uchar" || t.scalar.name == "ushort"
	}
	return false
}

// ofImage returns the pixels of an image as texels. Colors are not multiplied by alpha.
func (t *texels) ofImage(img image.Image) ([]byte, error) {
	if !t.hasPixels() {
		return nil, fmt.Errorf("an image is gray or has red, green, blue and alpha, of 8 or 16 bits, which %s is not",
			t.name)
	}
	r := image.Rectangle{Max: img.Bounds().Size()}
	var to draw.Image
	var pix []byte
	switch wide := t.scalar.size == 2; {
	case t.components == "R" && wide:
		i := image.NewGray16(r)
		to, pix = i, i.Pix
	case t.components == "R":
		i := image.NewGray(r)
		to, pix = i, i.Pix
	case wide:
		i := image.NewNRGBA64(r)
		to, pix = i, i.Pix
	default:
		i := image.NewNRGBA(r)
		to, pix = i, i.Pix
	}
	copyPixels(to, img)
	t.swap(pix)
	return pix, nil
}

// copyPixels copies all pixels. Package draw is faster, but multiplies colors by alpha.
func copyPixels(to draw.Image, from image.Image) {
	at := from.Bounds().Min
	if n, ok := to.(*image.NRGBA); ok {
		if o, ok := from.(interface{ Opaque() bool }); ok && o.Opaque() {
			draw.Draw(&image.RGBA{Pix: n.Pix, Stride: n.Stride, Rect: n.Rect}, n.Rect, from, at, draw.Src)
			return
		}
	}
	for y := range to.Bounds().Dy() {
		for x := range to.Bounds().Dx() {
			to.Set(x, y, from.At(at.X+x, at.Y+y))
		}
	}
}

// swap turns bytes of components around, between the order of package image and that of the format.
func (t *texels) swap(pix []byte) {
	if t.scalar.size == 2 {
		for pair := range slices.Chunk(pix, 2) {
			slices.Reverse(pair)
		}
	}
	if t.components == "BGRA" {
		for texel := range slices.Chunk(pix, 4) {
			slices.Reverse(texel[:3])
		}
	}
}

// image returns texels as an image.
func (t *texels) image(pix []byte, width, height int) image.Image {
	t.swap(pix)
	r := image.Rect(0, 0, width, height)
	stride := width * t.BytesPerTexel()
	switch wide := t.scalar.size == 2; {
	case t.components == "R" && wide:
		return &image.Gray16{Pix: pix, Stride: stride, Rect: r}
	case t.components == "R":
		return &image.Gray{Pix: pix, Stride: stride, Rect: r}
	case wide:
		return &image.NRGBA64{Pix: pix, Stride: stride, Rect: r}
	}
	return &image.NRGBA{Pix: pix, Stride: stride, Rect: r}
}

// pngFile is an image that is written as a PNG.
type pngFile struct{ image.Image }

// WriteTo writes the file.
func (p pngFile) WriteTo(w io.Writer) (int64, error) { return 0, png.Encode(w, p.Image) }
