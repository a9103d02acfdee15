package gen_test

import "testing"

// BenchmarkImage is each kernel with images of 4 megapixels, in megapixels of results for each second. The module peers
// has some of them beside other packages.
func BenchmarkImage(b *testing.B) {
	const side = 2048
	dev := openDevice(b)
	for _, k := range imageCalls(b, dev, side, side) {
		b.Run(k.name, func(b *testing.B) {
			execute(b, dev, k.record) // compiles
			for b.Loop() {
				execute(b, dev, k.record)
			}
			b.ReportMetric(side*side*float64(b.N)/1e6/b.Elapsed().Seconds(), "Mpx/s")
		})
	}
}
