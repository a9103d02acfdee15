package cpu

import (
	"encoding/binary"
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

// flops reports how many operations on floats a second a benchmark does, of which each round has n.
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

// gemm is the product of square matrices, by simd-groups that have one of 16 rows and columns of the result each.
const gemm = `kernel void test(device const T* a, device const T* b, device float* c, constant uint& n,
	uint2 group [[threadgroup_position_in_grid]], uint s [[simdgroup_index_in_threadgroup]]) {
	a += (32 * group.y + s / 2 * 16) * n;
	b += 32 * group.x + s % 2 * 16;
	c += (32 * group.y + s / 2 * 16) * n + 32 * group.x + s % 2 * 16;
	simdgroup_matrix<T, 8, 8> x0, x1, y0, y1;
	simdgroup_float8x8 sum00(0), sum01(0), sum10(0), sum11(0);
	for (uint k = 0; k < n; k += 8) {
		simdgroup_load(x0, a + k, n);
		simdgroup_load(x1, a + 8 * n + k, n);
		simdgroup_load(y0, b + k * n, n);
		simdgroup_load(y1, b + k * n + 8, n);
		simdgroup_multiply_accumulate(sum00, x0, y0, sum00);
		simdgroup_multiply_accumulate(sum01, x0, y1, sum01);
		simdgroup_multiply_accumulate(sum10, x1, y0, sum10);
		simdgroup_multiply_accumulate(sum11, x1, y1, sum11);
	}
	simdgroup_store(sum00, c, n);
	simdgroup_store(sum01, c + 8, n);
	simdgroup_store(sum10, c + 8 * n, n);
	simdgroup_store(sum11, c + 8 * n + 8, n);
}`

// gemmArrays is the same with 32 rows and columns each, in arrays of matrices.
const gemmArrays = `kernel void test(device const T* a, device const T* b, device float* c, constant uint& n,
	uint2 group [[threadgroup_position_in_grid]], uint s [[simdgroup_index_in_threadgroup]]) {
	const uint row = 64 * group.y + s / 2 * 32, column = 64 * group.x + s % 2 * 32;
	simdgroup_matrix<T, 8, 8> x[4], y[4];
	simdgroup_float8x8 sum[4][4];
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++) sum[i][j] = simdgroup_float8x8(0);
	for (uint k = 0; k < n; k += 8) {
		for (int i = 0; i < 4; i++) {
			simdgroup_load(x[i], a + (row + 8 * i) * n + k, n);
			simdgroup_load(y[i], b + k * n + column + 8 * i, n);
		}
		for (int i = 0; i < 4; i++)
			for (int j = 0; j < 4; j++) simdgroup_multiply_accumulate(sum[i][j], x[i], y[j], sum[i][j]);
	}
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++) simdgroup_store(sum[i][j], c + (row + 8 * i) * n + column + 8 * j, n);
}`

// BenchmarkGemm is the product of matrices of 512 rows and columns by simdgroup_matrix.
func BenchmarkGemm(b *testing.B) {
	const n = 512
	r := rand.New(rand.NewPCG(3, 2))
	x, y := f32(normal(r, n*n, 1)), f32(normal(r, n*n, 1))
	for _, t := range []struct {
		name, kind, source string
		x, y               *array
		side               int // rows of the result that a threadgroup has
	}{
		{"float", "float", gemm, x, y, 32}, {"half", "half", gemm, f16(x.v), f16(y.v), 32},
		{"arrays", "float", gemmArrays, x, y, 64},
	} {
		b.Run(t.name, func(b *testing.B) {
			dev := Open(options())
			defer dev.Close()
			d, results := dispatchOf(b, dev, "typedef "+t.kind+" T;\n"+t.source,
				driver.Grid{Threadgroups: [3]int{n / t.side, n / t.side, 1}, Threads: [3]int{128, 1, 1}},
				t.x.bytes, t.y.bytes, make([]float32, n*n), uint32(n))
			repeat(b, dev, d)
			flops(b, 2*n*n*n)
			at, want := 300*n+217, 0.0
			for k := range n {
				want += t.x.v[300*n+k] * t.y.v[k*n+217]
			}
			got := float64(math.Float32frombits(binary.LittleEndian.Uint32(results[2].memory.Bytes()[4*at:])))
			if math.Abs(got-want) > 1e-3*math.Sqrt(n) {
				b.Errorf("element %d is %g, want %g", at, got, want)
			}
		})
	}
}
