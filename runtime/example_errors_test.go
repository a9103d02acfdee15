package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	gemm "github.com/metalgen/metalgen/examples/gemm/gen"
	"github.com/metalgen/metalgen/gen"
	mtl "github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest"
)

// Where a device is needed that fails as a GPU does, the examples have one of package runtimetest, as tests of programs
// do.

func ExampleArgError() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, err := mtl.Upload(dev, []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	b := dev.NewBatch()
	gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x, Dim: 4})
	err = b.Run(context.Background())
	fmt.Println(err)
	if e, ok := errors.AsType[*mtl.ArgError](err); ok {
		fmt.Println(e.Arg, "of", e.Kernel, errors.Is(e, mtl.ErrTooShort))
	}
	// Output:
	// residual_add: a: need at least 4 elements of float, [dim] (residual.metal:7), have 3
	// a of residual_add true
}

// An error says which call of the batch it is about, and which line has recorded it.
func ExampleCallSite() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu", Lines: mtl.LinesNever})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, err := mtl.Upload(dev, []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	b := dev.NewBatch()
	for layer := range 3 {
		b.Label(fmt.Sprintf("layer %d", layer))
		gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x, Dim: uint32(layer + 2)})
	}
	err = b.Run(context.Background())
	if e, ok := errors.AsType[*mtl.ArgError](err); ok {
		fmt.Println(e.Call)
	}
	// Output: call 3 (layer 2)
}

// A slice out of range is no panic. The call that uses it fails.
func ExampleSliceError() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, err := mtl.Upload(dev, []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	b := dev.NewBatch()
	gen.ResidualAdd(b, gen.ResidualAddArgs{A: x.Slice(1, 4), B: x, Out: x, Dim: 3})
	if e, ok := errors.AsType[*mtl.SliceError](b.Run(context.Background())); ok {
		fmt.Println(e)
	}
	// Output: Slice(1, 4) of a buffer of 3 elements
}

func ExampleCastError() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	file, err := mtl.Upload(dev, make([]byte, 11))
	if err != nil {
		log.Fatal(err)
	}
	x := mtl.Cast[float32](file)
	b := dev.NewBatch()
	gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x, Dim: 2})
	if e, ok := errors.AsType[*mtl.CastError](b.Run(context.Background())); ok {
		fmt.Println(e)
	}
	// Output: Cast to float32 of 11 bytes at offset 0: the length is not a multiple of 4
}

func ExampleGridError() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, err := mtl.Upload(dev, make([]float32, 2048))
	if err != nil {
		log.Fatal(err)
	}
	b := dev.NewBatch()
	gen.ResidualAdd(b, gen.ResidualAddArgs{
		A: x, B: x, Out: x, Dim: 2048,
		Grid: mtl.Threadgroups(1).Of(2048),
	})
	if e, ok := errors.AsType[*mtl.GridError](b.Run(context.Background())); ok {
		fmt.Println("need", e.Need)
		fmt.Println("have", e.Have)
	}
	// Output:
	// need at most 1024 threads per threadgroup in dimension 0
	// have 2048
}

// Above the kernel stands metalgen:require k > 0, and k was forgotten.
func ExampleRequireError() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	weights, err := mtl.Upload(dev, []float32{1, 3})
	if err != nil {
		log.Fatal(err)
	}
	b := dev.NewBatch()
	gen.MoeNormalizeWeights(b, gen.MoeNormalizeWeightsArgs{Weights: weights})
	if e, ok := errors.AsType[*mtl.RequireError](b.Run(context.Background())); ok {
		fmt.Println("need", e.Need)
		fmt.Println("have", e.Have)
	}
	// Output:
	// need k > 0
	// have k = 0
}

// A kernel got an index that no shape could state.
func ExampleFault() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	table, err := mtl.NewBuffer[uint32](dev, 10)
	if err != nil {
		log.Fatal(err)
	}
	scales, err := mtl.NewBuffer[uint16](dev, 10)
	if err != nil {
		log.Fatal(err)
	}
	ids, err := mtl.Upload(dev, []int32{99})
	if err != nil {
		log.Fatal(err)
	}
	out, err := mtl.NewBuffer[float32](dev, 8)
	if err != nil {
		log.Fatal(err)
	}
	b := dev.NewBatch()
	gen.EmbedGather4bit(b, gen.EmbedGather4bitArgs{
		WPacked: table, Scales: scales, Biases: scales, TokenIds: ids, Out: out, NTokens: 1, HiddenDim: 8, GroupSize: 8,
	})
	if e, ok := errors.AsType[*mtl.Fault](b.Run(context.Background())); ok {
		fmt.Println(e.Kernel, e.Msg)
		fmt.Println("thread", e.Thread, errors.Is(e, mtl.ErrOutOfBounds))
	}
	// Output:
	// embed_gather_4bit W_packed[99]: out of bounds of 10 elements of uint32_t
	// thread [0 0 0] true
}

// The sum is written where other threads still read. Without the sanitizer nobody would notice.
func ExampleFindings() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu", Sanitize: mtl.CheckAll})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, err := mtl.Upload(dev, make([]float32, 101))
	if err != nil {
		log.Fatal(err)
	}
	b := dev.NewBatch()
	gen.ResidualAdd(b, gen.ResidualAddArgs{A: x.Slice(0, 100), B: x.Slice(0, 100), Out: x.Slice(1, 101), Dim: 100})
	if found, ok := errors.AsType[*mtl.Findings](b.Run(context.Background())); ok {
		for _, f := range found.List {
			fmt.Println(f.Kind, "in", f.Kernel, "between", len(f.Places), "places")
		}
	}
	// Output:
	// race in residual_add between 2 places
	// race in residual_add between 2 places
}

func ExampleFinding() {
	f := mtl.Finding{ // one of Findings.List
		Kind: mtl.CheckNaN, Kernel: "softmax", Msg: "thread (0, 0, 0) makes a NaN of -Inf and -Inf", Count: 1,
		Places: []mtl.Place{{Pos: "softmax.metal:11:21", Line: "float e = exp(s - top);", Column: 17}},
	}
	fmt.Println(f)
	// Output:
	// softmax: softmax.metal:11:21: thread (0, 0, 0) makes a NaN of -Inf and -Inf; threadgroup (0, 0, 0)
	// 	float e = exp(s - top);
	// 	                ^
}

// Places are what an editor jumps to.
func ExamplePlace() {
	p := mtl.Place{ // one of Finding.Places
		Pos: "sum.metal:11:22", Line: "    if (i % 32 == 0) part[i / 32] = v;", Column: 22, Thread: [3]int{32, 0, 0},
	}
	fmt.Printf("%s: %s\nin thread %v\n", p.Pos, p.Line[p.Column-1:], p.Thread)
	// Output:
	// sum.metal:11:22: part[i / 32] = v;
	// in thread [32 0 0]
}

func ExampleStoppedError() {
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, err := mtl.NewBuffer[uint32](dev, 32)
	if err != nil {
		log.Fatal(err)
	}
	b := dev.NewBatch()
	countTo(b, x, 0) // a kernel that never ends
	if err := b.Submit(); err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // as a user does who has seen enough
	err = b.Wait(ctx)
	if e, ok := errors.AsType[*mtl.StoppedError](err); ok {
		fmt.Println(e.Err, errors.Is(err, context.Canceled))
	}
	// Output: context canceled true
}

// Metal has no bfloat before version 3.1 of its language. A program says what it needs.
func ExampleCompileError() {
	dev, _ := runtimetest.New(runtimetest.FailRecord(&mtl.CompileError{
		File:        "residual.metal",
		Diagnostics: []mtl.Diagnostic{{Pos: "residual.metal:3:1", Msg: "bfloat needs MSL 3.1, and the system has 3.0"}},
	}))
	defer dev.Close()
	x, err := mtl.Upload(dev, []float32{1})
	if err != nil {
		log.Fatal(err)
	}
	b := dev.NewBatch()
	gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x, Dim: 1})
	if e, ok := errors.AsType[*mtl.CompileError](b.Run(context.Background())); ok {
		for _, d := range e.Diagnostics {
			fmt.Println(d)
		}
	}
	// Output: residual.metal:3:1: bfloat needs MSL 3.1, and the system has 3.0
}

func ExampleDiagnostic() {
	for _, d := range []mtl.Diagnostic{ // of a CompileError
		{Pos: "norm.metal:12:5", Warning: true, Msg: "unused variable 'n'"},
		{Pos: "norm.metal:31:17", Msg: "unknown type 'flot'"},
	} {
		if !d.Warning {
			fmt.Println(d)
		}
	}
	// Output: norm.metal:31:17: unknown type 'flot'
}

// What is wrong with a call and not with one of its arguments.
func ExampleCallError() {
	dev, _ := runtimetest.New(runtimetest.FailRecord(errors.New("no such function")))
	defer dev.Close()
	x, err := mtl.Upload(dev, []float32{1})
	if err != nil {
		log.Fatal(err)
	}
	b := dev.NewBatch()
	gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x, Dim: 1})
	if e, ok := errors.AsType[*mtl.CallError](b.Run(context.Background())); ok {
		fmt.Println(e.Kernel, "at", e.Pos)
	}
	// Output: residual_add at residual.metal:6
}

// The library in Options.Metallibs is of another version of the source.
func ExampleDriftError() {
	dev, _ := runtimetest.New(runtimetest.FailRecord(&mtl.DriftError{
		Kernel: "residual_add", Pos: "residual.metal:8", Arg: "b", Generated: "buffer 1 of float", Metal: "buffer 1 of half",
	}))
	defer dev.Close()
	x, err := mtl.Upload(dev, []float32{1})
	if err != nil {
		log.Fatal(err)
	}
	b := dev.NewBatch()
	gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x, Dim: 1})
	if e, ok := errors.AsType[*mtl.DriftError](b.Run(context.Background())); ok {
		fmt.Println("run go generate:", e.Kernel, "has another", e.Arg)
	}
	// Output: run go generate: residual_add has another b
}

// A Mac with an AMD GPU, which runs 64 threads in a simd-group.
func ExampleSimdWidthError() {
	dev, _ := runtimetest.New(runtimetest.FailRecord(&mtl.SimdWidthError{Kernel: "residual_add", Need: 32, Have: 64}))
	defer dev.Close()
	x, err := mtl.Upload(dev, []float32{1})
	if err != nil {
		log.Fatal(err)
	}
	b := dev.NewBatch()
	gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x, Dim: 1})
	if e, ok := errors.AsType[*mtl.SimdWidthError](b.Run(context.Background())); ok {
		fmt.Println("need", e.Need, "threads, have", e.Have)
	}
	// Output: need 32 threads, have 64
}

func ExampleGPUError() {
	dev, rec := runtimetest.New(runtimetest.HoldJobs())
	defer dev.Close()
	rec.Finish(&mtl.GPUError{Code: mtl.GPUTimeout, Kernels: []string{"residual_add"}, Msg: "hang"})
	x, err := mtl.Upload(dev, []float32{1})
	if err != nil {
		log.Fatal(err)
	}
	b := dev.NewBatch()
	gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x, Dim: 1})
	if e, ok := errors.AsType[*mtl.GPUError](b.Run(context.Background())); ok {
		switch e.Code {
		case mtl.GPUTimeout:
			fmt.Println("use smaller batches:", e.Kernels)
		case mtl.GPUOutOfMemory:
			fmt.Println("use a smaller model")
		default:
			fmt.Println(e)
		}
	}
	// Output: use smaller batches: [residual_add]
}

func ExampleGPUErrorCode() {
	fmt.Println(mtl.GPUTimeout)
	fmt.Println(mtl.GPUPageFault)
	// Output:
	// GPU timeout
	// GPU page fault
}

func ExampleMemoryError() {
	upload := func() error { // stands for mtl.Upload on a GPU that is full
		return &mtl.MemoryError{
			Device: "Apple M3", Need: 8 << 30, Use: mtl.MemoryUse{Recommended: 12 << 30, Allocated: 10 << 30},
		}
	}
	if e, ok := errors.AsType[*mtl.MemoryError](upload()); ok {
		fmt.Printf("%d of %d GiB are taken\n", e.Use.Allocated>>30, e.Use.Recommended>>30)
	}
	// Output: 10 of 12 GiB are taken
}

// A call of a template has to choose an instance.
func ExampleVariantError() {
	dev, _ := runtimetest.New()
	defer dev.Close()
	b := dev.NewBatch()
	gemm.Gemm(b, gemm.GemmArgs[float32]{M: 1, N: 1, K: 1})
	if e, ok := errors.AsType[*mtl.VariantError](b.Run(context.Background())); ok {
		choices := e.Family.Variants
		fmt.Println("choose one of", len(choices), "such as", choices[0].Name)
	}
	// Output: choose one of 8 such as gemm_threads_32_f32
}
