package gen_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/x448/float16"

	gemm "github.com/metalgen/metalgen/examples/gemm/gen"
	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// cardKernel is a kernel at a size that fills an NVIDIA card.
type cardKernel struct {
	name  string
	bytes float64 // that it moves
	flops float64 // that it computes, 0 where the bytes count
	make  func(t testing.TB, dev *runtime.Device) func(b *runtime.Batch)
}

const cardRows, cardDim, cardOut, cardIn, cardSide = 8192, 4096, 28672, 8192, 4096

// onCard returns a buffer that only the device reaches, with the same numbers over and over.
func onCard[T any](t testing.TB, dev *runtime.Device, n int, some []T) runtime.Buffer[T] {
	t.Helper()
	all := make([]T, n)
	for at := 0; at < n; {
		at += copy(all[at:], some)
	}
	b, err := runtime.NewPrivateBuffer[T](dev, n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Free)
	execute(t, dev, func(batch *runtime.Batch) { runtime.CopyFrom(batch, b, all) })
	return b
}

func cardFloats(t testing.TB, dev *runtime.Device, n int) runtime.Buffer[float32] {
	return onCard(t, dev, n, uniform(1, 1<<16|1, -1, 1))
}

func gemmOn[T gemm.GemmElement](name string, v gemm.GemmVariant[T], some func() []T) cardKernel {
	const n = cardSide
	return cardKernel{name, 3 * n * n * float64(reflect.TypeFor[T]().Size()), 2 * n * n * n,
		func(t testing.TB, dev *runtime.Device) func(b *runtime.Batch) {
			a := gemm.GemmArgs[T]{Variant: v, A: onCard(t, dev, n*n, some()), B: onCard(t, dev, n*n, some()),
				C: onCard(t, dev, n*n, some()), M: n, N: n, K: n}
			return func(b *runtime.Batch) { gemm.Gemm(b, a) }
		}}
}

func cardHalves() []float16.Float16 {
	var list []float16.Float16
	for _, x := range uniform(1, 1<<16|1, -1, 1) {
		list = append(list, float16.Fromfloat32(x))
	}
	return list
}

var cardKernels = []cardKernel{
	{"swiglu_fused", 12 * cardRows * cardDim, 0, func(t testing.TB, dev *runtime.Device) func(b *runtime.Batch) {
		const n = cardRows * cardDim
		a := gen.SwigluFusedArgs{Gate: cardFloats(t, dev, n), Up: cardFloats(t, dev, n), Out: cardFloats(t, dev, n), Dim: n}
		return func(b *runtime.Batch) { gen.SwigluFused(b, a) }
	}},
	{"swiglu_fused_vec4", 12 * cardRows * cardDim, 0, func(t testing.TB, dev *runtime.Device) func(b *runtime.Batch) {
		const n = cardRows * cardDim
		four := func() runtime.Buffer[[4]float32] { return runtime.Cast[[4]float32](cardFloats(t, dev, n)) }
		a := gen.SwigluFusedVec4Args{Gate: four(), Up: four(), Out: four(), Dim: n}
		return func(b *runtime.Batch) { gen.SwigluFusedVec4(b, a) }
	}},
	{"fused_norm_add_f32", 12 * cardRows * cardDim, 0, func(t testing.TB, dev *runtime.Device) func(b *runtime.Batch) {
		const n = cardRows * cardDim
		a := gen.FusedNormAddF32Args{Residual: cardFloats(t, dev, n), Input: cardFloats(t, dev, n),
			Weight: cardFloats(t, dev, cardDim), Output: cardFloats(t, dev, n), Dim: cardDim, Rows: cardRows, Eps: 1e-6}
		return func(b *runtime.Batch) { gen.FusedNormAddF32(b, a) }
	}},
	{"attn_softmax_batched", 8 * cardRows * cardDim, 0, func(t testing.TB, dev *runtime.Device) func(b *runtime.Batch) {
		a := gen.AttnSoftmaxBatchedArgs{Scores: cardFloats(t, dev, cardRows*cardDim), SeqLen: cardDim, SeqStride: cardDim}
		return func(b *runtime.Batch) { gen.AttnSoftmaxBatched(b, a) }
	}},
	{"dequant_matvec_4bit_v3", cardOut * cardIn / 2, 0, func(t testing.TB, dev *runtime.Device) func(b *runtime.Batch) {
		some := uniformBF16(2, 1<<16|1, 0.001, 0.01)
		a := gen.DequantMatvec4bitV3Args{WPacked: onCard(t, dev, cardOut*cardIn/8, words(1, 1<<16|1)),
			Scales: onCard(t, dev, cardOut*cardIn/64, some), Biases: onCard(t, dev, cardOut*cardIn/64, some),
			X: cardFloats(t, dev, cardIn), Out: cardFloats(t, dev, cardOut), OutDim: cardOut, InDim: cardIn, GroupSize: 64}
		return func(b *runtime.Batch) { gen.DequantMatvec4bitV3(b, a) }
	}},
	gemmOn("gemm_threads_64_f32", gemm.GemmThreads64F32, func() []float32 { return uniform(1, 1<<16|1, -1, 1) }),
	gemmOn("gemm_simdgroups_64_f32", gemm.GemmSimdgroups64F32, func() []float32 { return uniform(1, 1<<16|1, -1, 1) }),
	gemmOn("gemm_simdgroups_64_f16", gemm.GemmSimdgroups64F16, cardHalves),
}

// cardTime returns the least time of a kernel on a device, of several batches that are kept.
func cardTime(t testing.TB, dev *runtime.Device, k cardKernel) time.Duration {
	const calls = 20
	record := k.make(t, dev)
	b := dev.NewBatch()
	b.Keep()
	for range calls {
		record(b)
	}
	best := time.Duration(math.MaxInt64)
	for range 8 {
		mustRun(t, dev, b)
		r := b.Result()
		best = min(best, (r.End-r.Start)/calls)
	}
	b.Reset()
	return best
}

// TestCardSpeed prints what kernels reach on an NVIDIA card, with checks and without, beside the same algorithms in
// CUDA C++: those of peers/card.cu, whose program METALGEN_CARD_PEERS names.
func TestCardSpeed(t *testing.T) {
	if os.Getenv("METALGEN_CARD") == "" {
		t.Skip("METALGEN_CARD is not set: there is no card")
	}
	peers := map[string]float64{}
	if path := os.Getenv("METALGEN_CARD_PEERS"); path != "" {
		out, err := exec.CommandContext(t.Context(), path).Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			var name string
			var us float64
			fmt.Sscan(line, &name, &us)
			peers[name] = us
		}
	}
	fmt.Printf("| kernel | checked | unchecked | CUDA C++ | checked of CUDA C++ | checked of unchecked |\n" +
		"|---|---|---|---|---|---|\n")
	if us := peers["copy"]; us > 0 {
		fmt.Printf("| a copy | | | %.0f GB/s | | |\n", 8*cardRows*cardDim/us/1e3)
	}
	for _, k := range cardKernels {
		var us [2]float64
		for i := range us {
			t.Run(fmt.Sprint(k.name, i), func(t *testing.T) {
				dev, err := runtime.OpenWith(runtime.Options{Device: "cuda", Unchecked: i == 1})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { dev.Close() })
				us[i] = float64(cardTime(t, dev, k).Nanoseconds()) / 1e3
			})
		}
		rate := func(us float64) string {
			switch {
			case us == 0:
				return ""
			case k.flops > 0:
				return fmt.Sprintf("%.1f TFLOP/s", k.flops/us/1e6)
			}
			return fmt.Sprintf("%.0f GB/s", k.bytes/us/1e3)
		}
		part := ""
		if peers[k.name] > 0 {
			part = fmt.Sprintf("%.0f %%", 100*peers[k.name]/us[0])
		}
		fmt.Printf("| %s | %s | %s | %s | %s | %.0f %% |\n", k.name, rate(us[0]), rate(us[1]), rate(peers[k.name]), part,
			100*us[1]/us[0])
	}
}

// TestCardOverhead prints what calls cost beside their kernels.
func TestCardOverhead(t *testing.T) {
	if os.Getenv("METALGEN_CARD") == "" {
		t.Skip("METALGEN_CARD is not set: there is no card")
	}
	var first []time.Duration
	for _, k := range cardKernels {
		dev, err := runtime.OpenWith(runtime.Options{Device: "cuda"})
		if err != nil {
			t.Fatal(err)
		}
		record := k.make(t, dev)
		start := time.Now()
		execute(t, dev, record)
		first = append(first, time.Since(start).Round(time.Millisecond))
		t.Cleanup(func() { dev.Close() })
	}
	fmt.Printf("first calls: %v\n", first)
	dev, err := runtime.OpenWith(runtime.Options{Device: "cuda"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	a := gen.SwigluFusedArgs{Gate: cardFloats(t, dev, 4096), Up: cardFloats(t, dev, 4096), Out: cardFloats(t, dev, 4096),
		Dim: 4096}
	b := dev.NewBatch()
	b.Keep()
	for range 100 {
		gen.SwigluFused(b, a)
	}
	var kept, gpu []time.Duration
	for range 200 {
		start := time.Now()
		mustRun(t, dev, b)
		kept = append(kept, time.Since(start))
		r := b.Result()
		gpu = append(gpu, r.End-r.Start)
	}
	b.Reset()
	slices.Sort(kept)
	slices.Sort(gpu)
	fmt.Printf("100 kept calls: %v from Submit to Wait, %v of them on the GPU\n", kept[len(kept)/2], gpu[len(gpu)/2])
	start := time.Now()
	const batches = 200
	for range batches {
		execute(t, dev, func(b *runtime.Batch) { gen.SwigluFused(b, a) })
	}
	fmt.Printf("a batch of one call: %v\n", time.Since(start)/batches)
}
