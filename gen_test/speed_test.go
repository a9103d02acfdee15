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

func BenchmarkFusedNormAddF32(b *testing.B) {
	dev := openDevice(b)
	const rows, dim = 256, 4096
	a := gen.FusedNormAddF32Args{
		Residual: upload(b, dev, uniform(1, rows*dim, -1, 1)), Input: upload(b, dev, uniform(2, rows*dim, -1, 1)),
		Weight: upload(b, dev, uniform(3, dim, -1, 1)), Output: zeros[float32](b, dev, rows*dim),
		Dim: dim, Rows: rows, Eps: 1e-6,
	}
	measure(b, dev, 4*3*rows*dim, func(batch *runtime.Batch) { gen.FusedNormAddF32(batch, a) })
}

func BenchmarkSwigluFused(b *testing.B) {
	dev := openDevice(b)
	const n = 4 << 20
	a := gen.SwigluFusedArgs{
		Gate: upload(b, dev, uniform(1, n, -8, 8)), Up: upload(b, dev, uniform(2, n, -1, 1)), Out: zeros[float32](b, dev, n),
		Dim: n,
	}
	measure(b, dev, 4*3*n, func(batch *runtime.Batch) { gen.SwigluFused(batch, a) })
}

func BenchmarkDequantMatvec4bit(b *testing.B) {
	dev := openDevice(b)
	const out, in, group = 4096, 4096, 64
	a := gen.DequantMatvec4bitArgs{
		WPacked: upload(b, dev, words(1, out*in/8)), Scales: upload(b, dev, uniformBF16(2, out*in/group, 0.001, 0.01)),
		Biases: upload(b, dev, uniformBF16(3, out*in/group, -0.1, 0.1)),
		X:      upload(b, dev, uniform(4, in, -1, 1)), Out: zeros[float32](b, dev, out), OutDim: out, InDim: in,
		GroupSize: group,
	}
	measure(b, dev, out*in/2, func(batch *runtime.Batch) { gen.DequantMatvec4bit(batch, a) })
}

func BenchmarkDequantMatvec4bitV3(b *testing.B) {
	dev := openDevice(b)
	const out, in, group = 4096, 4096, 64
	a := gen.DequantMatvec4bitV3Args{
		WPacked: upload(b, dev, words(1, out*in/8)), Scales: upload(b, dev, uniformBF16(2, out*in/group, 0.001, 0.01)),
		Biases: upload(b, dev, uniformBF16(3, out*in/group, -0.1, 0.1)),
		X:      upload(b, dev, uniform(4, in, -1, 1)), Out: zeros[float32](b, dev, out), OutDim: out, InDim: in,
		GroupSize: group,
	}
	measure(b, dev, out*in/2, func(batch *runtime.Batch) { gen.DequantMatvec4bitV3(batch, a) })
}

func BenchmarkMlaSdpaFolded(b *testing.B) {
	dev := openDevice(b)
	const heads, rank, rope, cache = 128, 512, 64, 1024
	a := gen.MlaSdpaFoldedArgs{
		QPrime: upload(b, dev, uniform(1, heads*rank, -1, 1)), QPe: upload(b, dev, uniform(2, heads*rope, -1, 1)),
		LatentCache: upload(b, dev, uniform(3, cache*rank, -1, 1)), RopeKCache: upload(b, dev, uniform(4, cache*rope, -1, 1)),
		VCombine: zeros[float32](b, dev, heads*rank), NumHeads: heads, KvLoraRank: rank, QkRopeHeadDim: rope, CacheLen: cache,
		SoftmaxScale: 0.04,
	}
	measure(b, dev, 4*cache*(rank+rope), func(batch *runtime.Batch) { gen.MlaSdpaFolded(batch, a) })
}

// measure runs one batch over and over; bytes is what a run reads and writes.
func measure(b *testing.B, dev *runtime.Device, bytes int64, record func(*runtime.Batch)) {
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

// BenchmarkCores is one kernel on one core and on all of them.
func BenchmarkCores(b *testing.B) {
	dev := openDevice(b)
	const out, in, group = 4096, 4096, 64
	a := gen.DequantMatvec4bitV3Args{
		WPacked: upload(b, dev, words(1, out*in/8)), Scales: upload(b, dev, uniformBF16(2, out*in/group, 0.001, 0.01)),
		Biases: upload(b, dev, uniformBF16(3, out*in/group, -0.1, 0.1)),
		X:      upload(b, dev, uniform(4, in, -1, 1)), Out: zeros[float32](b, dev, out), OutDim: out, InDim: in,
		GroupSize: group,
	}
	all := goruntime.GOMAXPROCS(0)
	defer goruntime.GOMAXPROCS(all)
	for _, n := range []int{1, all} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			goruntime.GOMAXPROCS(n)
			measure(b, dev, out*in/2, func(batch *runtime.Batch) { gen.DequantMatvec4bitV3(batch, a) })
		})
	}
}
