package gen_test

import (
	"fmt"
	goruntime "runtime"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// Each benchmark is one kernel at the size of a real model, warm: the kernel is
// compiled and its memory allocated before the clock starts.

// load makes the memory of a kernel on a device. It returns how many bytes a run reads and writes, and what records
// one.
type load func(b *testing.B, dev *runtime.Device) (bytes int64, record func(*runtime.Batch))

func BenchmarkFusedNormAddF32(b *testing.B)     { measure(b, openDevice(b), fusedNormAddF32) }
func BenchmarkSwigluFused(b *testing.B)         { measure(b, openDevice(b), swigluFused) }
func BenchmarkDequantMatvec4bit(b *testing.B)   { measure(b, openDevice(b), dequantMatvec4bit) }
func BenchmarkDequantMatvec4bitV3(b *testing.B) { measure(b, openDevice(b), dequantMatvec4bitV3) }
func BenchmarkMlaSdpaFolded(b *testing.B)       { measure(b, openDevice(b), mlaSdpaFolded) }

func fusedNormAddF32(b *testing.B, dev *runtime.Device) (int64, func(*runtime.Batch)) {
	const rows, dim = 256, 4096
	a := gen.FusedNormAddF32Args{
		Residual: upload(b, dev, uniform(1, rows*dim, -1, 1)), Input: upload(b, dev, uniform(2, rows*dim, -1, 1)),
		Weight: upload(b, dev, uniform(3, dim, -1, 1)), Output: zeros[float32](b, dev, rows*dim),
		Dim: dim, Rows: rows, Eps: 1e-6,
	}
	return 4 * 3 * rows * dim, func(batch *runtime.Batch) { gen.FusedNormAddF32(batch, a) }
}

func swigluFused(b *testing.B, dev *runtime.Device) (int64, func(*runtime.Batch)) {
	const n = 4 << 20
	a := gen.SwigluFusedArgs{
		Gate: upload(b, dev, uniform(1, n, -8, 8)), Up: upload(b, dev, uniform(2, n, -1, 1)), Out: zeros[float32](b, dev, n),
		Dim: n,
	}
	return 4 * 3 * n, func(batch *runtime.Batch) { gen.SwigluFused(batch, a) }
}

func dequantMatvec4bit(b *testing.B, dev *runtime.Device) (int64, func(*runtime.Batch)) {
	const out, in, group = 4096, 4096, 64
	a := gen.DequantMatvec4bitArgs{
		WPacked: upload(b, dev, words(1, out*in/8)), Scales: upload(b, dev, uniformBF16(2, out*in/group, 0.001, 0.01)),
		Biases: upload(b, dev, uniformBF16(3, out*in/group, -0.1, 0.1)),
		X:      upload(b, dev, uniform(4, in, -1, 1)), Out: zeros[float32](b, dev, out), OutDim: out, InDim: in,
		GroupSize: group,
	}
	return out * in / 2, func(batch *runtime.Batch) { gen.DequantMatvec4bit(batch, a) }
}

func dequantMatvec4bitV3(b *testing.B, dev *runtime.Device) (int64, func(*runtime.Batch)) {
	const out, in, group = 4096, 4096, 64
	a := gen.DequantMatvec4bitV3Args{
		WPacked: upload(b, dev, words(1, out*in/8)), Scales: upload(b, dev, uniformBF16(2, out*in/group, 0.001, 0.01)),
		Biases: upload(b, dev, uniformBF16(3, out*in/group, -0.1, 0.1)),
		X:      upload(b, dev, uniform(4, in, -1, 1)), Out: zeros[float32](b, dev, out), OutDim: out, InDim: in,
		GroupSize: group,
	}
	return out * in / 2, func(batch *runtime.Batch) { gen.DequantMatvec4bitV3(batch, a) }
}

func mlaSdpaFolded(b *testing.B, dev *runtime.Device) (int64, func(*runtime.Batch)) {
	const heads, rank, rope, cache = 128, 512, 64, 1024
	a := gen.MlaSdpaFoldedArgs{
		QPrime: upload(b, dev, uniform(1, heads*rank, -1, 1)), QPe: upload(b, dev, uniform(2, heads*rope, -1, 1)),
		LatentCache: upload(b, dev, uniform(3, cache*rank, -1, 1)), RopeKCache: upload(b, dev, uniform(4, cache*rope, -1, 1)),
		VCombine: zeros[float32](b, dev, heads*rank), NumHeads: heads, KvLoraRank: rank, QkRopeHeadDim: rope, CacheLen: cache,
		SoftmaxScale: 0.04,
	}
	return 4 * cache * (rank + rope), func(batch *runtime.Batch) { gen.MlaSdpaFolded(batch, a) }
}

// measure runs one batch over and over.
func measure(b *testing.B, dev *runtime.Device, l load) {
	bytes, record := l(b, dev)
	batch := dev.NewBatch()
	once := func() {
		record(batch)
		mustRun(b, dev, batch)
	}
	once()
	b.SetBytes(bytes)
	b.ReportAllocs()
	for b.Loop() {
		once()
	}
}

// speedKernels are those of the benchmarks above.
var speedKernels = []struct {
	name string
	load load
}{
	{"FusedNormAddF32", fusedNormAddF32},
	{"SwigluFused", swigluFused},
	{"DequantMatvec4bit", dequantMatvec4bit},
	{"DequantMatvec4bitV3", dequantMatvec4bitV3},
	{"MlaSdpaFolded", mlaSdpaFolded},
}

// BenchmarkFirstCall is the first call of a kernel on a new device, which compiles it.
func BenchmarkFirstCall(b *testing.B) {
	for _, k := range speedKernels {
		b.Run(k.name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				dev, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
				if err != nil {
					b.Fatal(err)
				}
				_, record := k.load(b, dev)
				batch := dev.NewBatch()
				b.StartTimer()
				record(batch)
				mustRun(b, dev, batch)
				b.StopTimer()
				dev.Close()
				b.StartTimer()
			}
		})
	}
}

// BenchmarkCores is the kernels on one core and on all of them.
func BenchmarkCores(b *testing.B) {
	for _, k := range speedKernels {
		for _, n := range []int{1, goruntime.GOMAXPROCS(0)} {
			b.Run(fmt.Sprintf("%s/%d", k.name, n), func(b *testing.B) {
				defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(n))
				measure(b, openDevice(b), k.load)
			})
		}
	}
}

// BenchmarkSanitizer is the kernels on devices of the CPU without a sanitizer and with one.
func BenchmarkSanitizer(b *testing.B) {
	for _, k := range speedKernels {
		for _, mode := range []struct {
			name   string
			checks runtime.Checks
		}{
			{"off", 0}, {"all", runtime.CheckAll}, {"nan", runtime.CheckNaN},
		} {
			b.Run(k.name+"/"+mode.name, func(b *testing.B) {
				dev, err := runtime.OpenWith(runtime.Options{Device: "cpu", Math: runtime.MathSafe, Sanitize: mode.checks})
				if err != nil {
					b.Fatal(err)
				}
				defer dev.Close()
				measure(b, dev, k.load)
			})
		}
	}
}
