package gen_test

import (
	"log/slog"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// imageCall is a call of an image kernel.
type imageCall struct {
	name   string
	record func(*runtime.Batch)
}

// imageCalls returns a call of each image kernel, with images of width times height, or twice as much.
func imageCalls(t testing.TB, dev *runtime.Device, width, height int) []imageCall {
	src, _ := randomImage(t, dev, rgba8, width, height)
	large, _ := randomImage(t, dev, rgba8, 2*width, 2*height)
	wide, tall := canvas(t, dev, rgba8, 2*width, height), canvas(t, dev, rgba8, width, 2*height)
	dst, gradient := canvas(t, dev, rgba8, width, height), canvas(t, dev, rgba32f, width, height)

	const taps, radius, components = 12, 4, 3
	lanczos := func(out int) gen.LanczosWeightsArgs {
		return gen.LanczosWeightsArgs{
			First: zeros[uint32](t, dev, out), Weights: zeros[float32](t, dev, taps*out),
			In: uint32(2 * out), Out: uint32(out), Taps: taps,
		}
	}
	columns, rows := lanczos(width), lanczos(height)
	weights := zeros[float32](t, dev, radius+1)
	counts, curves := zeros[uint32](t, dev, components*256), zeros[float32](t, dev, components*256)
	luma := [4]float32{0.299, 0.587, 0.114}
	return []imageCall{
		{"resize_nearest", func(b *runtime.Batch) { gen.ResizeNearest(b, gen.ResizeNearestArgs{Src: large, Dst: dst}) }},
		{"resize_bilinear", func(b *runtime.Batch) {
			gen.ResizeBilinear(b, gen.ResizeBilinearArgs{Src: large, Dst: dst})
		}},
		{"lanczos_weights", func(b *runtime.Batch) {
			gen.LanczosWeights(b, columns)
			gen.LanczosWeights(b, rows)
		}},
		{"resample_horizontal", func(b *runtime.Batch) {
			gen.ResampleHorizontal(b, gen.ResampleHorizontalArgs{
				Src: wide, Dst: dst, First: columns.First, Weights: columns.Weights, Taps: taps,
			})
		}},
		{"resample_vertical", func(b *runtime.Batch) {
			gen.ResampleVertical(b, gen.ResampleVerticalArgs{
				Src: tall, Dst: dst, First: rows.First, Weights: rows.Weights, Taps: taps,
			})
		}},
		{"halve", func(b *runtime.Batch) { gen.Halve(b, gen.HalveArgs{Src: large, Dst: dst}) }},
		{"gaussian_weights", func(b *runtime.Batch) {
			gen.GaussianWeights(b, gen.GaussianWeightsArgs{Weights: weights, Radius: radius, Sigma: 1.5})
		}},
		{"blur_horizontal", func(b *runtime.Batch) {
			gen.BlurHorizontal(b, gen.BlurHorizontalArgs{Src: src, Dst: dst, Weights: weights, Radius: radius})
		}},
		{"blur_vertical", func(b *runtime.Batch) {
			gen.BlurVertical(b, gen.BlurVerticalArgs{Src: src, Dst: dst, Weights: weights, Radius: radius})
		}},
		{"sobel", func(b *runtime.Batch) { gen.Sobel(b, gen.SobelArgs{Src: src, Dst: dst, Weights: luma}) }},
		{"sobel_gradient", func(b *runtime.Batch) {
			gen.SobelGradient(b, gen.SobelGradientArgs{Src: src, Dst: gradient, Weights: luma})
		}},
		{"histogram", func(b *runtime.Batch) {
			gen.Histogram(b, gen.HistogramArgs{Src: src, Counts: counts, Components: components})
		}},
		{"equalization", func(b *runtime.Batch) {
			gen.Equalization(b, gen.EqualizationArgs{Counts: counts, Curves: curves, Components: components})
		}},
		{"apply_curves", func(b *runtime.Batch) {
			gen.ApplyCurves(b, gen.ApplyCurvesArgs{Src: src, Dst: dst, Curves: curves, Components: components})
		}},
		{"srgb_to_linear", func(b *runtime.Batch) { gen.SrgbToLinear(b, gen.SrgbToLinearArgs{Src: src, Dst: dst}) }},
		{"linear_to_srgb", func(b *runtime.Batch) { gen.LinearToSrgb(b, gen.LinearToSrgbArgs{Src: src, Dst: dst}) }},
		{"rgb_to_ycbcr", func(b *runtime.Batch) {
			gen.RgbToYcbcr(b, gen.RgbToYcbcrArgs{Src: src, Dst: dst, Standard: gen.YCbCrBT709})
		}},
		{"ycbcr_to_rgb", func(b *runtime.Batch) {
			gen.YcbcrToRgb(b, gen.YcbcrToRgbArgs{Src: src, Dst: dst, Standard: gen.YCbCrBT709})
		}},
		{"compose", func(b *runtime.Batch) {
			gen.Compose(b, gen.ComposeArgs{Top: large, Bottom: src, Dst: dst, Op: gen.OperatorOver, Origin: [2]int32{-5, 3}})
		}},
		{"premultiply", func(b *runtime.Batch) { gen.Premultiply(b, gen.PremultiplyArgs{Src: src, Dst: dst}) }},
		{"unpremultiply", func(b *runtime.Batch) { gen.Unpremultiply(b, gen.UnpremultiplyArgs{Src: src, Dst: dst}) }},
	}
}

func TestImageKernelsGiveTheSanitizerNothingToSayInAnyOrder(t *testing.T) {
	for schedule := range uint64(4) {
		dev, err := runtime.OpenWith(runtime.Options{
			Device: "cpu", Sanitize: runtime.CheckAll, Schedule: schedule,
			Log: slog.New(slog.DiscardHandler), // a note: no thread adds to the bins of values that an image does not have
		})
		if err != nil {
			t.Fatal(err)
		}
		var called []string
		for _, k := range imageCalls(t, dev, 37, 21) {
			called = append(called, k.name)
			b := dev.NewBatch()
			k.record(b)
			if err := b.Run(t.Context()); err != nil {
				t.Errorf("schedule %d: %v", schedule, err)
			}
		}
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
		for _, tests := range []table{blurTable, colorTable, composeTable, histogramTable, resizeTable, sobelTable} {
			for _, k := range tests {
				if !slices.Contains(called, k.kernel) {
					t.Errorf("%s is not among the calls", k.kernel)
				}
			}
		}
	}
}
