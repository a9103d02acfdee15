package runtime_test

import (
	"fmt"
	"image/color"
	"slices"
	"testing"

	"github.com/x448/float16"

	"github.com/metalgen/metalgen/runtime"
)

// through writes texels to a texture of 2 x 1 of them, reads them, and returns what went wrong.
func through[T comparable](dev *runtime.Device, format runtime.PixelFormat, texels ...T) string {
	tex, err := runtime.NewTexture2D(dev, 2, 1, format, runtime.TextureOptions{})
	if err != nil {
		return err.Error()
	}
	if err := runtime.WriteTexels(tex, runtime.Region{}, texels); err != nil {
		return err.Error()
	}
	got := make([]T, len(texels))
	if err := runtime.ReadTexels(tex, runtime.Region{}, got); err != nil {
		return err.Error()
	}
	if !slices.Equal(got, texels) {
		return fmt.Sprintf("got %v", got)
	}
	return ""
}

func TestTexelsAreGoValues(t *testing.T) {
	dev, _ := open(t)
	half := float16.Fromfloat32
	const of = "WriteTexels to 2D texture of 2 texels of "
	for _, c := range []struct{ got, want string }{
		{through(dev, runtime.RGBA8Unorm, [4]uint8{1, 2, 3, 4}, [4]uint8{5, 6, 7, 8}), ""},
		{through(dev, runtime.RGBA8Unorm, color.NRGBA{1, 2, 3, 4}, color.NRGBA{5, 6, 7, 8}), ""},
		{through[uint8](dev, runtime.RGBA8Unorm, 1, 2, 3, 4, 5, 6, 7, 8), ""},
		{through(dev, runtime.RGBA16Float, [4]float16.Float16{half(1), half(2)}, [4]float16.Float16{half(-1)}), ""},
		{through(dev, runtime.R16Float, half(0.5), half(-2)), ""},
		{through(dev, runtime.RG16Snorm, [2]int16{1, -2}, [2]int16{3, -4}), ""},
		{through[float32](dev, runtime.R32Float, 0.5, 1.5), ""},
		{through[uint32](dev, runtime.RGB10A2Unorm, 1<<30, 7), ""},
		{through(dev, runtime.RGBA16Float, [4]float32{}, [4]float32{}), of + "RGBA16Float: need texels of " +
			"[4]float16.Float16, have [4]float32"},
		{through(dev, runtime.RGBA16Float, [4]uint16{}, [4]uint16{}), of + "RGBA16Float: need texels of " +
			"[4]float16.Float16, have [4]uint16"},
		{through(dev, runtime.RGBA16Unorm, [4]float16.Float16{}), of + "RGBA16Unorm: need texels of [4]uint16, have " +
			"[4]float16.Float16"},
		{through(dev, runtime.RGBA8Unorm, [2]uint8{}), of + "RGBA8Unorm: need texels of [4]uint8, have [2]uint8"},
		{through(dev, runtime.R8Snorm, "a"), of + "R8Snorm: need texels of int8, have string"},
		{through(dev, runtime.R8Unorm, struct{}{}), of + "R8Unorm: need texels of uint8, have struct {}"},
		{through(dev, runtime.RGBA8Unorm, [4]uint8{}), "Write to 2D texture of 2 texels of RGBA8Unorm: need 8 bytes " +
			"for a region of 2 x 1 x 1 texels and 1 slices, have 4"},
	} {
		if c.got != c.want {
			t.Errorf("got  %s\nwant %s", c.got, c.want)
		}
	}
	if err := runtime.ReadTexels(runtime.Texture3D{}, runtime.Region{}, []uint8{}); err == nil ||
		err.Error() != "ReadTexels of zero 3D texture: nil texture" {
		t.Error(err)
	}
}
