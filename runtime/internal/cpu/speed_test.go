package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Each benchmark is one dispatch over and over, warm: its kernel is compiled and its memory
// allocated before the clock starts.

// repeat runs a dispatch on a device, again and again.
func repeat(b *testing.B, dev *Device, d *driver.Dispatch) {
	b.Helper()
	rec, err := dev.NewRecorder()
	if err != nil {
		b.Fatal(err)
	}
	if err := rec.Record(d); err != nil {
		b.Fatal(err)
	}
	once := func() {
		job, err := rec.Submit()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := job.Wait(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	once()
	b.ReportAllocs()
	for b.Loop() {
		once()
	}
}

// flops reports how many operations on floats a second a benchmark does; each round has n.
func flops(b *testing.B, n float64) {
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

// BenchmarkDispatch is a dispatch of one threadgroup that does next to nothing, from Submit to Wait.
func BenchmarkDispatch(b *testing.B) {
	dev := Open(options())
	defer dev.Close()
	d, _ := dispatchOf(b, dev, "kernel void test(device float* x, uint i [[thread_position_in_grid]]) { x[i] += 1; }",
		threads(32), make([]float32, 32))
	repeat(b, dev, d)
}

// BenchmarkEnter is what a simd-group costs that has nothing to do.
func BenchmarkEnter(b *testing.B) {
	dev := Open(options())
	defer dev.Close()
	const groups, simdgroups = 1 << 12, 8
	d, _ := dispatchOf(b, dev, `kernel void test(device const float* x, device float* y, constant uint& n,
	uint i [[thread_position_in_grid]]) {
	if (i < n) y[i] = x[i];
}`, driver.Grid{Threadgroups: [3]int{groups, 1, 1}, Threads: [3]int{simdgroups * width, 1, 1}},
		make([]float32, 1), make([]float32, 1), uint32(0))
	repeat(b, dev, d)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*groups*simdgroups), "ns/simdgroup")
}

// BenchmarkMath is functions of the Metal library over 4 Mi floats, and beside each the plain loop in Go that computes
// it for float64.
func BenchmarkMath(b *testing.B) {
	const n = 4 << 20
	r := rand.New(rand.NewPCG(3, 1))
	for _, f := range []struct {
		name      string
		low, high float64
		plain     func(x float64) float64
	}{
		{"exp", -10, 10, math.Exp}, {"sin", -10, 10, math.Sin}, {"log", 0, 10, math.Log}, {"tanh", -3, 3, math.Tanh},
	} {
		x, wide := make([]float32, n), make([]float64, n)
		for i := range x {
			x[i] = float32(f.low + (f.high-f.low)*r.Float64())
			wide[i] = float64(x[i])
		}
		b.Run(f.name+"/metal", func(b *testing.B) {
			dev := Open(options())
			defer dev.Close()
			source := fmt.Sprintf(`kernel void test(device const float* x, device float* y, uint i [[thread_position_in_grid]]) {
	y[i] = %s(x[i]);
}`, f.name)
			d, _ := dispatchOf(b, dev, source,
				driver.Grid{Threadgroups: [3]int{n / 256, 1, 1}, Threads: [3]int{256, 1, 1}}, x, make([]float32, n))
			b.SetBytes(8 * n)
			repeat(b, dev, d)
		})
		b.Run(f.name+"/go", func(b *testing.B) {
			y := make([]float64, n)
			b.SetBytes(16 * n)
			for b.Loop() {
				for i, x := range wide {
					y[i] = f.plain(x)
				}
			}
		})
	}
}
