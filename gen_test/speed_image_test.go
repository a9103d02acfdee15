package gen_test

import (
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// BenchmarkImage is each kernel with images of 4 megapixels, in megapixels of results for each second. The module peers
// has some of them beside other packages.
func BenchmarkImage(b *testing.B) {
	const side = 2048
	dev := openDevice(b)
	src, _ := randomImage(b, dev, rgba8, side, side)
	large, _ := randomImage(b, dev, rgba8, 2*side, 2*side)
	dst := canvas(b, dev, rgba8, side, side)
	weights := upload(b, dev, []float32{0.3, 0.15, 0.1, 0.07, 0.03})
	taps := uint32(12)
	first := zeros[uint32](b, dev, side)
	for i := range first.Data() {
		first.Data()[i] = uint32(max(0, 2*i-6))
	}
	resample := upload(b, dev, uniform(1, int(taps)*side, 0, 1/float32(taps)))
	wide := canvas(b, dev, rgba8, 2*side, side)
	tall := canvas(b, dev, rgba8, side, 2*side)
	counts, curves := zeros[uint32](b, dev, 4*256), upload(b, dev, uniform(1, 4*256, 0, 1))
	luma := [4]float32{0.299, 0.587, 0.114}
	for _, k := range []struct {
		name   string
		record func(*runtime.Batch)
	}{
		{"resize_nearest", func(b *runtime.Batch) { gen.ResizeNearest(b, gen.ResizeNearestArgs{Src: large, Dst: dst}) }},
		{"resize_bilinear", func(b *runtime.Batch) {
			gen.ResizeBilinear(b, gen.ResizeBilinearArgs{Src: large, Dst: dst})
		}},
		{"resample_horizontal", func(b *runtime.Batch) {
			gen.ResampleHorizontal(b, gen.ResampleHorizontalArgs{
				Src: wide, Dst: dst, First: first, Weights: resample, Taps: taps,
			})
		}},
		{"resample_vertical", func(b *runtime.Batch) {
			gen.ResampleVertical(b, gen.ResampleVerticalArgs{
				Src: tall, Dst: dst, First: first, Weights: resample, Taps: taps,
			})
		}},
		{"halve", func(b *runtime.Batch) { gen.Halve(b, gen.HalveArgs{Src: large, Dst: dst}) }},
		{"blur_horizontal", func(b *runtime.Batch) {
			gen.BlurHorizontal(b, gen.BlurHorizontalArgs{Src: src, Dst: dst, Weights: weights, Radius: 4})
		}},
		{"blur_vertical", func(b *runtime.Batch) {
			gen.BlurVertical(b, gen.BlurVerticalArgs{Src: src, Dst: dst, Weights: weights, Radius: 4})
		}},
		{"sobel", func(b *runtime.Batch) { gen.Sobel(b, gen.SobelArgs{Src: src, Dst: dst, Weights: luma}) }},
		{"histogram", func(b *runtime.Batch) {
			gen.Histogram(b, gen.HistogramArgs{Src: src, Counts: counts, Components: 3})
		}},
		{"apply_curves", func(b *runtime.Batch) {
			gen.ApplyCurves(b, gen.ApplyCurvesArgs{Src: src, Dst: dst, Curves: curves, Components: 3})
		}},
		{"srgb_to_linear", func(b *runtime.Batch) { gen.SrgbToLinear(b, gen.SrgbToLinearArgs{Src: src, Dst: dst}) }},
		{"rgb_to_ycbcr", func(b *runtime.Batch) {
			gen.RgbToYcbcr(b, gen.RgbToYcbcrArgs{Src: src, Dst: dst, Standard: gen.YCbCrBT709})
		}},
		{"compose", func(b *runtime.Batch) {
			gen.Compose(b, gen.ComposeArgs{Top: src, Bottom: src, Dst: dst, Op: gen.OperatorOver})
		}},
		{"premultiply", func(b *runtime.Batch) { gen.Premultiply(b, gen.PremultiplyArgs{Src: src, Dst: dst}) }},
	} {
		b.Run(k.name, func(b *testing.B) {
			execute(b, dev, k.record) // compiles
			for b.Loop() {
				execute(b, dev, k.record)
			}
			b.ReportMetric(side*side*float64(b.N)/1e6/b.Elapsed().Seconds(), "Mpx/s")
		})
	}
}
