package imagetest

import (
	"testing"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/imagetest/testdata/gen"
	"github.com/metalgen/metalgen/runtime"
)

// The benchmarks report megapixels of results for each second.

const wide, high = 2048, 2048 // 4 megapixels

// BenchmarkResize makes 4 megapixels of one, and of 16, by bilinear filters.
func BenchmarkResize(b *testing.B) {
	for name, size := range map[string][2]int{"up": {wide / 2, wide}, "down": {wide * 2, wide}} {
		b.Run(name, func(b *testing.B) {
			d := device{b, openCPU(b)}
			args := gen.ResizeArgs{
				Src: d.of2D(size[0], size[0], runtime.RGBA8Unorm, random(4*size[0]*size[0])),
				Dst: d.of2D(size[1], size[1], runtime.RGBA8Unorm, nil),
				S:   runtime.Sampler{Min: runtime.Linear, Mag: runtime.Linear},
			}
			d.measure(b, size[1]*size[1], func(batch *runtime.Batch) { gen.Resize(batch, args) })
		})
	}
}

// BenchmarkBlur9 blurs 4 megapixels in both directions.
func BenchmarkBlur9(b *testing.B) {
	d := device{b, openCPU(b)}
	src := d.of2D(wide, high, runtime.RGBA8Unorm, random(4*wide*high))
	half, dst := d.of2D(wide, high, runtime.RGBA8Unorm, nil), d.of2D(wide, high, runtime.RGBA8Unorm, nil)
	d.measure(b, wide*high, func(batch *runtime.Batch) {
		gen.Blur9(batch, gen.Blur9Args{Src: src, Dst: half, Weights: taps, Step: [2]int32{1, 0}})
		gen.Blur9(batch, gen.Blur9Args{Src: half, Dst: dst, Weights: taps, Step: [2]int32{0, 1}})
	})
}

func (d device) measure(b *testing.B, pixels int, record func(*runtime.Batch)) {
	d.run(record) // compiles
	for b.Loop() {
		d.run(record)
	}
	b.ReportMetric(float64(pixels)*float64(b.N)/1e6/b.Elapsed().Seconds(), "Mpx/s")
}
