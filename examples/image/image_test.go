package main

import (
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	mtl "github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

// onEachDevice runs a test on the CPU device, and through the Metal driver on a fake of Metal. Neither needs a Mac.
func onEachDevice(t *testing.T, test func(t *testing.T, dev *mtl.Device)) {
	t.Run("cpu", func(t *testing.T) {
		dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
		if err != nil {
			t.Fatal(err)
		}
		defer dev.Close()
		test(t, dev)
	})
	t.Run("fake Metal", func(t *testing.T) {
		dev, _ := fakemetal.Open(t, fakemetal.Options{})
		test(t, dev)
	})
}

func mustFilter(t *testing.T, dev *mtl.Device, img image.Image, o options) image.Image {
	t.Helper()
	out, err := filter(t.Context(), dev, img, o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// drawn returns an opaque image of gray pixels.
func drawn(width, height int, pixel func(x, y int) uint8) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = pixel(i%width, i/width)
	}
	return img
}

func gray(img image.Image, x, y int) float64 {
	return float64(color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y)
}

func TestBlurOfADotIsTheGaussian(t *testing.T) {
	onEachDevice(t, func(t *testing.T, dev *mtl.Device) {
		const middle, sigma = 10, 1.5
		dot := drawn(2*middle+1, 2*middle+1, func(x, y int) uint8 {
			if x == middle && y == middle {
				return 255
			}
			return 0
		})
		out := mustFilter(t, dev, dot, options{sigma: sigma})
		for y := range 2*middle + 1 {
			for x := range 2*middle + 1 {
				distance := math.Hypot(float64(x-middle), float64(y-middle))
				want := 255 * math.Exp(-distance*distance/(2*sigma*sigma)) / (2 * math.Pi * sigma * sigma)
				if got := gray(out, x, y); math.Abs(got-want) > 1.5 { // it is rounded twice
					t.Errorf("pixel (%d, %d) is %v, want %v", x, y, got, want)
				}
			}
		}
	})
}

func TestEdgesAreWhereBrightnessChanges(t *testing.T) {
	onEachDevice(t, func(t *testing.T, dev *mtl.Device) {
		half := drawn(40, 9, func(x, y int) uint8 { return uint8(x / 20 * 255) })
		out := mustFilter(t, dev, half, options{edges: true})
		for x := range 40 {
			want := 0.0
			if x == 19 || x == 20 {
				want = 255
			}
			if got := gray(out, x, 4); got != want {
				t.Errorf("column %d is %v, want %v", x, got, want)
			}
		}
	})
}

func TestResizeToHalfIsTheMeanOfFourPixels(t *testing.T) {
	onEachDevice(t, func(t *testing.T, dev *mtl.Device) {
		pixel := func(x, y int) uint8 { return uint8(37*x*x + 11*y*x + 5*y) }
		out := mustFilter(t, dev, drawn(64, 30, pixel), options{width: 32})
		if size := out.Bounds().Size(); size != image.Pt(32, 15) {
			t.Fatalf("the image is %v", size)
		}
		for y := range 15 {
			for x := range 32 {
				want := 0.0
				for i := range 4 {
					want += float64(pixel(2*x+i%2, 2*y+i/2)) / 4
				}
				if got := gray(out, x, y); math.Abs(got-want) > 1 {
					t.Errorf("pixel (%d, %d) is %v, want %v", x, y, got, want)
				}
			}
		}
	})
}

func TestTransparentPixelsDoNotColorOthers(t *testing.T) {
	onEachDevice(t, func(t *testing.T, dev *mtl.Device) {
		img := image.NewNRGBA(image.Rect(0, 0, 20, 5))
		for i := range 100 {
			img.SetNRGBA(i%20, i/20, color.NRGBA{R: 255}) // red, if it could be seen
			if i%20 >= 10 {
				img.SetNRGBA(i%20, i/20, color.NRGBA{0, 0, 255, 255})
			}
		}
		out := mustFilter(t, dev, img, options{sigma: 2})
		seen := color.RGBAModel.Convert(out.At(9, 2)).(color.RGBA)
		if seen.R != 0 || seen.B == 0 || seen.B != seen.A {
			t.Errorf("the pixel beside the edge is %v", seen)
		}
	})
}

func TestRunReadsAndWritesPNG(t *testing.T) {
	in, out := filepath.Join(t.TempDir(), "in.png"), filepath.Join(t.TempDir(), "out.png")
	if err := write(in, drawn(30, 20, func(x, y int) uint8 { return uint8(8 * x) })); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{"-width", "15", "-blur", "1", "-edges", in, out}); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if config, err := png.DecodeConfig(f); err != nil || config.Width != 15 || config.Height != 10 {
		t.Errorf("wrote %+v, %v", config, err)
	}
	for _, args := range [][]string{
		{in}, {in + ".gone", out},
		{"-width", "1000000", in, out}, {"-width", "-1", in, out},
		{"-blur", "3", in, out}, {"-blur", "NaN", in, out},
	} {
		if err := run(args); err == nil {
			t.Errorf("no error from %q", args)
		}
	}
}
