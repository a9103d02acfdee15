package peers

import (
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/disintegration/imaging"
	"golang.org/x/image/draw"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// lanczos is the filter of resize.metal.
var lanczos = draw.Kernel{Support: 3, At: func(x float64) float64 {
	if x == 0 {
		return 1
	}
	a := math.Pi * x
	return math.Sin(a) * math.Sin(a/3) * 3 / (a * a)
}}

// box is the mean of what lies below a pixel.
var box = draw.Kernel{Support: 0.5, At: func(float64) float64 { return 1 }}

// resized are images and what golang.org/x/image/draw makes of them.
var resized = []struct {
	width, height, toWidth, toHeight int
}{
	{1, 1, 5, 3}, {37, 21, 1, 1}, {37, 21, 64, 10}, {5, 40, 33, 9}, {100, 100, 250, 220},
}

func TestResizedImagesAreThoseOfDraw(t *testing.T) {
	d := open(t)
	filters := []struct {
		name   string
		scaler draw.Scaler
		tol    int // rounding
		record func(src, dst runtime.Texture2D) func(*runtime.Batch)
	}{
		{"nearest", draw.NearestNeighbor, 0, func(src, dst runtime.Texture2D) func(*runtime.Batch) {
			return func(b *runtime.Batch) { gen.ResizeNearest(b, gen.ResizeNearestArgs{Src: src, Dst: dst}) }
		}},
		{"bilinear", draw.ApproxBiLinear, 1, func(src, dst runtime.Texture2D) func(*runtime.Batch) {
			return func(b *runtime.Batch) { gen.ResizeBilinear(b, gen.ResizeBilinearArgs{Src: src, Dst: dst}) }
		}},
		{"lanczos", &lanczos, 1, func(src, dst runtime.Texture2D) func(*runtime.Batch) {
			return d.lanczos(src, dst, runtime.RGBA32Float).record
		}},
	}
	for _, f := range filters {
		for _, r := range resized {
			src := random(r.width, r.height)
			want := image.NewRGBA(image.Rect(0, 0, r.toWidth, r.toHeight))
			f.scaler.Scale(want, want.Rect, src, src.Rect, draw.Src, nil)
			dst := d.texture(r.toWidth, r.toHeight, runtime.RGBA8Unorm)
			d.run(f.record(d.upload(src), dst))
			d.near(f.name, d.image(dst), want, want.Rect, f.tol)
		}
	}
}

func TestHalvedImagesAreThoseOfDraw(t *testing.T) {
	d := open(t)
	src := random(64, 30)
	want := image.NewRGBA(image.Rect(0, 0, 32, 15))
	box.Scale(want, want.Rect, src, src.Rect, draw.Src, nil)
	dst := d.texture(32, 15, runtime.RGBA8Unorm)
	args := gen.HalveArgs{Src: d.upload(src), Dst: dst}
	d.run(func(b *runtime.Batch) { gen.Halve(b, args) })
	d.near("halve", d.image(dst), want, want.Rect, 1)
}

// At the edge, imaging leaves pixels out that are not there. It keeps 8 bits between its passes, too.
func TestBlurredImagesAreThoseOfImaging(t *testing.T) {
	d := open(t)
	const radius = 4
	src := random(60, 40)
	dst := d.texture(60, 40, runtime.RGBA8Unorm)
	d.run(d.blur(d.upload(src), dst, runtime.RGBA8Unorm, radius, sigma).record)
	d.near("blur", d.image(dst), imaging.Blur(src, sigma), src.Rect.Inset(radius), 1)
}

// near fails the test unless the bytes of two images are no further apart than tol, inside of r.
func (d device) near(name string, got, want image.Image, r image.Rectangle, tol int) {
	d.Helper()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			g := color.RGBAModel.Convert(got.At(x, y)).(color.RGBA)
			w := color.RGBAModel.Convert(want.At(x, y)).(color.RGBA)
			for _, c := range [][2]uint8{{g.R, w.R}, {g.G, w.G}, {g.B, w.B}, {g.A, w.A}} {
				if off := int(c[0]) - int(c[1]); off > tol || off < -tol {
					d.Fatalf("%s of %v: pixel (%d, %d) is %v, want %v", name, r, x, y, g, w)
				}
			}
		}
	}
}
