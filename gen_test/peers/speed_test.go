package peers

import (
	"image"
	"testing"

	"github.com/disintegration/imaging"
	"golang.org/x/image/draw"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// The benchmarks report megapixels of results for each second, of images of four components of 8 bits. Those of
// metalgen run on the CPU device, warm, with the images in textures already.

const wide, high = 2048, 2048 // 4 megapixels

// sizes are what is resized to 4 megapixels.
var sizes = []struct {
	name          string
	width, height int
}{
	{"from1MP", wide / 2, high / 2},
	{"from16MP", wide * 2, high * 2},
}

func BenchmarkResizeBilinear(b *testing.B) {
	for _, s := range sizes {
		src := random(s.width, s.height)
		b.Run(s.name+"/metalgen", func(b *testing.B) {
			d := open(b)
			args := gen.ResizeBilinearArgs{Src: d.upload(src), Dst: d.texture(wide, high, runtime.RGBA8Unorm)}
			d.measure(b, func(batch *runtime.Batch) { gen.ResizeBilinear(batch, args) })
		})
		// ApproxBiLinear takes four texels wherever it is, as samplers do.
		b.Run(s.name+"/ximage", func(b *testing.B) {
			dst := image.NewRGBA(image.Rect(0, 0, wide, high))
			measure(b, func() { draw.ApproxBiLinear.Scale(dst, dst.Rect, src, src.Rect, draw.Src, nil) })
		})
		// imaging has more texels contribute to a smaller image.
		b.Run(s.name+"/imaging", func(b *testing.B) {
			measure(b, func() { imaging.Resize(src, wide, high, imaging.Linear) })
		})
	}
}

func BenchmarkResizeLanczos(b *testing.B) {
	for _, s := range sizes {
		src := random(s.width, s.height)
		b.Run(s.name+"/metalgen", func(b *testing.B) {
			d := open(b)
			r := d.lanczos(d.upload(src), d.texture(wide, high, runtime.RGBA8Unorm), runtime.RGBA16Float)
			d.measure(b, r.record)
		})
		b.Run(s.name+"/ximage", func(b *testing.B) {
			dst := image.NewRGBA(image.Rect(0, 0, wide, high))
			scaler := lanczos.NewScaler(wide, high, s.width, s.height)
			measure(b, func() { scaler.Scale(dst, dst.Rect, src, src.Rect, draw.Src, nil) })
		})
		b.Run(s.name+"/imaging", func(b *testing.B) {
			measure(b, func() { imaging.Resize(src, wide, high, imaging.Lanczos) })
		})
	}
}

// BenchmarkBlur9 is a Gaussian blur of nine texels in each dimension. golang.org/x/image/draw has none.
func BenchmarkBlur9(b *testing.B) {
	src := random(wide, high)
	b.Run("metalgen", func(b *testing.B) {
		d := open(b)
		r := d.blur(d.upload(src), d.texture(wide, high, runtime.RGBA8Unorm), runtime.RGBA8Unorm, 4, sigma)
		d.measure(b, r.record)
	})
	b.Run("imaging", func(b *testing.B) {
		measure(b, func() { imaging.Blur(src, sigma) })
	})
}

// sigma is one for which imaging takes nine texels, too.
const sigma = 4. / 3

func (d device) measure(b *testing.B, record func(*runtime.Batch)) {
	d.run(record) // compiles
	measure(b, func() { d.run(record) })
}

func measure(b *testing.B, once func()) {
	once()
	for b.Loop() {
		once()
	}
	b.ReportMetric(wide*high*float64(b.N)/1e6/b.Elapsed().Seconds(), "Mpx/s")
}
