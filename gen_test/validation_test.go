package gen_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// argAt returns the position of an argument in a shader, as messages give it.
func argAt(t *testing.T, shader, kernel, arg string) string {
	t.Helper()
	lines, start := source(t, shader, kernel)
	i := slices.IndexFunc(lines[start:], func(l string) bool { return strings.Contains(l, " "+arg+" [[") })
	if i < 0 {
		t.Fatalf("%s has no argument %s", kernel, arg)
	}
	return fmt.Sprintf("%s:%d", shader, start+i+1)
}

// noteAt returns the position of an annotation above a kernel.
func noteAt(t *testing.T, shader, kernel, annotation string) string {
	t.Helper()
	lines, end := source(t, shader, kernel)
	for i := end - 1; i >= 0 && strings.HasPrefix(lines[i], "//"); i-- {
		if strings.Contains(lines[i], "metalgen:"+annotation+" ") {
			return fmt.Sprintf("%s:%d", shader, i+1)
		}
	}
	t.Fatalf("%s has no %s", kernel, annotation)
	return ""
}

// source has the lines of a shader, and which of them begins the kernel.
func source(t *testing.T, shader, kernel string) (lines []string, start int) {
	t.Helper()
	text, err := os.ReadFile("../shaders/" + shader)
	if err != nil {
		t.Fatal(err)
	}
	lines = strings.Split(string(text), "\n")
	start = slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "kernel void "+kernel+"(") })
	if start < 0 {
		t.Fatalf("%s has no %s", shader, kernel)
	}
	return lines, start
}

// newBuffer makes a buffer that begins its allocation.
func newBuffer[T any](t testing.TB, dev *runtime.Device, n int) runtime.Buffer[T] {
	t.Helper()
	b, err := runtime.NewBuffer[T](dev, n)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func normArgs(t testing.TB, dev *runtime.Device, dim, rows int) gen.FusedNormAddF32Args {
	return gen.FusedNormAddF32Args{
		Residual: newBuffer[float32](t, dev, rows*dim),
		Input:    newBuffer[float32](t, dev, rows*dim),
		Weight:   newBuffer[float32](t, dev, dim),
		Output:   newBuffer[float32](t, dev, rows*dim),
		Dim:      uint32(dim),
		Rows:     uint32(rows),
		Eps:      1e-6,
	}
}

func matvecArgs(t testing.TB, dev *runtime.Device, out, in, group int) gen.DequantMatvec4bitV3Args {
	return gen.DequantMatvec4bitV3Args{
		WPacked:   newBuffer[uint32](t, dev, out*in/8),
		Scales:    newBuffer[uint16](t, dev, out*in/group),
		Biases:    newBuffer[uint16](t, dev, out*in/group),
		X:         newBuffer[float32](t, dev, in),
		Out:       newBuffer[float32](t, dev, out),
		OutDim:    uint32(out),
		InDim:     uint32(in),
		GroupSize: uint32(group),
	}
}

func residualNormArgs(t testing.TB, dev *runtime.Device, dim, rows int) gen.FusedResidualNormF32Args {
	return gen.FusedResidualNormF32Args{
		Residual:     newBuffer[float32](t, dev, rows*dim),
		Input:        newBuffer[float32](t, dev, rows*dim),
		Weight:       newBuffer[float32](t, dev, dim),
		NormedOutput: newBuffer[float32](t, dev, rows*dim),
		Params:       gen.FusedResidualNormF32Params{Dim: uint32(dim), Rows: uint32(rows), Eps: 1e-6},
	}
}

func combineArgs(t testing.TB, dev *runtime.Device, dim, experts int) gen.MoeCombineResidualArgs {
	a := gen.MoeCombineResidualArgs{
		HMid:      newBuffer[float32](t, dev, dim),
		SharedOut: newBuffer[float32](t, dev, dim),
		HiddenOut: newBuffer[float32](t, dev, dim),
		Params:    newBuffer[float32](t, dev, 17),
		Dim:       uint32(dim),
		K:         uint32(experts),
	}
	for i, b := range []*runtime.Buffer[float32]{&a.ExpertOut0, &a.ExpertOut1, &a.ExpertOut2, &a.ExpertOut3} {
		if i < experts {
			*b = newBuffer[float32](t, dev, dim)
		}
	}
	return a
}

// Every message says what was needed, what was given and which line of the shader
// says so.
func TestWrongArguments(t *testing.T) {
	dev, rec := open(t)
	other, _ := open(t)
	floats := newBuffer[float32](t, dev, 8192)
	freed := newBuffer[float32](t, dev, 8192)
	freed.Free()

	norm := func(change func(*gen.FusedNormAddF32Args)) func(*runtime.Batch) {
		return func(b *runtime.Batch) {
			a := normArgs(t, dev, 4096, 2)
			change(&a)
			gen.FusedNormAddF32(b, a)
		}
	}
	normAt := func(arg string) string { return argAt(t, "norm.metal", "fused_norm_add_f32", arg) }
	matvec := func(change func(*gen.DequantMatvec4bitV3Args)) func(*runtime.Batch) {
		return func(b *runtime.Batch) {
			a := matvecArgs(t, dev, 100, 104, 8)
			change(&a)
			gen.DequantMatvec4bitV3(b, a)
		}
	}
	sharedAt := noteAt(t, "norm.metal", "fused_norm_add_f32", "shared")

	for _, c := range []struct {
		name string
		call func(*runtime.Batch)
		is   error // what an ArgError wraps, where a variable tells the case apart
		want string
	}{
		{"short buffer",
			norm(func(a *gen.FusedNormAddF32Args) { a.Input = a.Input.Slice(1, 8192) }), runtime.ErrTooShort,
			"fused_norm_add_f32: input: need at least 8192 elements of float, [rows, dim] (" + normAt("input") + "), have 8191"},
		{"short buffer of a packed format",
			matvec(func(a *gen.DequantMatvec4bitV3Args) { a.InDim = 112 }), runtime.ErrTooShort,
			"dequant_matvec_4bit_v3: W_packed: need at least 1400 elements of uint32_t, [out_dim, in_dim / 8] (" +
				argAt(t, "matvec_4bit.metal", "dequant_matvec_4bit_v3", "W_packed") + "), have 1300"},
		{"zero Buffer",
			norm(func(a *gen.FusedNormAddF32Args) { a.Weight = runtime.Buffer[float32]{} }), runtime.ErrNilBuffer,
			"fused_norm_add_f32: weight: need a buffer of float, [dim] (" + normAt("weight") + "), have the zero Buffer"},
		{"zero Buffer that was to be written to on request",
			func(b *runtime.Batch) {
				a := residualNormArgs(t, dev, 100, 3)
				a.Params.WriteSum = 1
				gen.FusedResidualNormF32(b, a)
			}, runtime.ErrNilBuffer,
			"fused_residual_norm_f32: sum_output: need a buffer of float, [min(1, params.write_sum) * params.rows * " +
				"params.dim] (" + argAt(t, "norm.metal", "fused_residual_norm_f32", "sum_output") + "), have the zero Buffer"},
		{"zero Buffer of a chosen expert",
			func(b *runtime.Batch) {
				a := combineArgs(t, dev, 100, 4)
				a.K = 5
				gen.MoeCombineResidual(b, a)
			}, runtime.ErrNilBuffer,
			"moe_combine_residual: expert_out4: need a buffer of float, [min(1, K / 5) * dim] (" +
				argAt(t, "moe_combine.metal", "moe_combine_residual", "expert_out4") + "), have the zero Buffer"},
		{"buffer of another device",
			norm(func(a *gen.FusedNormAddF32Args) { a.Residual = newBuffer[float32](t, other, 8192) }), runtime.ErrOtherDevice,
			"fused_norm_add_f32: residual: need a buffer of the batch's device, recording device (" + normAt("residual") +
				"), have one of another, recording device"},
		{"freed buffer",
			norm(func(a *gen.FusedNormAddF32Args) { a.Output = freed }), runtime.ErrFreed,
			"fused_norm_add_f32: output: need a buffer of float (" + normAt("output") + "), have one that was freed"},
		{"Slice out of range",
			norm(func(a *gen.FusedNormAddF32Args) { a.Output = floats.Slice(1, 8193) }), nil,
			"fused_norm_add_f32: output: need a buffer of float (" + normAt("output") +
				"), have Slice(1, 8193) of a buffer of 8192 elements"},
		{"Cast to a vector that ends in the middle of one",
			func(b *runtime.Batch) {
				v := newBuffer[[4]float32](t, dev, 8)
				gen.SwigluFusedVec4(b,
					gen.SwigluFusedVec4Args{Gate: runtime.Cast[[4]float32](floats.Slice(0, 33)), Up: v, Out: v, Dim: 32})
			}, nil,
			"swiglu_fused_vec4: gate: need a buffer of float4 (" + argAt(t, "activation.metal", "swiglu_fused_vec4", "gate") +
				"), have Cast to [4]float32 of 132 bytes at offset 0: the length is not a multiple of 16"},
		{"Cast to a vector that is misaligned",
			func(b *runtime.Batch) {
				v := newBuffer[[4]float32](t, dev, 8)
				gen.SwigluFusedVec4(b,
					gen.SwigluFusedVec4Args{Gate: v, Up: runtime.Cast[[4]float32](floats.Slice(1, 33)), Out: v, Dim: 32})
			}, nil,
			"swiglu_fused_vec4: up: need a byte offset that is a multiple of 16 (" +
				argAt(t, "activation.metal", "swiglu_fused_vec4", "up") + "), have 4"},
		{"constant pointer that is misaligned",
			func(b *runtime.Batch) {
				gen.YarnRopeApply(b, gen.YarnRopeApplyArgs{X: floats, InvFreq: floats.Slice(16, 48), NumHeads: 2, RotaryDim: 64})
			}, nil,
			"yarn_rope_apply: inv_freq: need a byte offset that is a multiple of 256, being a constant pointer (" +
				argAt(t, "rope.metal", "yarn_rope_apply", "inv_freq") + "), have 64"},
		{"negative threadgroup memory",
			norm(func(a *gen.FusedNormAddF32Args) { a.Shared = -1 }), nil,
			"fused_norm_add_f32: shared: need a length in elements of float, tg_size (" + sharedAt +
				"), have a negative one, -1"},
		{"too much threadgroup memory",
			norm(func(a *gen.FusedNormAddF32Args) { a.Shared = 8193 }), nil,
			"fused_norm_add_f32: shared: need at most 32768 bytes of threadgroup memory for all arguments together, tg_size (" +
				sharedAt + "), have 32784 with 8193 elements of float for this one"},
		{"more threadgroup memory than can be counted",
			norm(func(a *gen.FusedNormAddF32Args) { a.Shared = math.MaxInt - 1 }), nil,
			"fused_norm_add_f32: shared: need at most 32768 bytes of threadgroup memory for all arguments together, tg_size (" +
				sharedAt + "), have overflow with 9223372036854775806 elements of float for this one"},
		{"row that does not fit into threadgroup memory",
			func(b *runtime.Batch) {
				gen.FusedMoeWsumNormAddF32(b, gen.FusedMoeWsumNormAddF32Args{
					ExpertOutputs: floats, Weights: floats, Residual: floats, NormWeight: floats, Output: floats, Dim: 8000, TopK: 1,
					Rows: 1,
				})
			}, nil,
			"fused_moe_wsum_norm_add_f32: shared: need at most 32768 bytes of threadgroup memory for all arguments together, " +
				"tg_size + dim (" + noteAt(t, "norm.metal", "fused_moe_wsum_norm_add_f32", "shared") +
				"), have 33024 with 8256 elements of float for this one"},
		{"shape that overflows",
			norm(func(a *gen.FusedNormAddF32Args) { a.Rows, a.Dim = math.MaxUint32, math.MaxUint32 }), runtime.ErrOverflow,
			"fused_norm_add_f32: residual: need a length in elements of float, [rows, dim] (" + normAt("residual") +
				"), have one that overflows or divides by zero"},
		{"shape that is negative",
			func(b *runtime.Batch) {
				gen.SiluMulStackedF32(b,
					gen.SiluMulStackedF32Args{Gate: floats, Up: floats, Out: floats,
						P: gen.SiluMulStackedParams{Ffn: 100, NSlots: -3}})
			}, nil,
			"silu_mul_stacked_f32: gate: need a length in elements of float, [p.n_slots, p.ffn] (" +
				argAt(t, "activation.metal", "silu_mul_stacked_f32", "gate") + "), have a negative one, -300"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := dev.NewBatch()
			c.call(b)
			err := b.Run(t.Context())
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if e, ok := errors.AsType[*runtime.ArgError](err); !ok || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("got a %T, of %v", err, e)
			}
			if len(rec.Dispatches()) != 0 {
				t.Error("dispatched all the same")
			}
		})
	}
}

func TestWrongGrids(t *testing.T) {
	dev, rec := open(t)
	floats, bf16 := newBuffer[float32](t, dev, 8192), newBuffer[uint16](t, dev, 8192)
	norm := func(change func(*gen.FusedNormAddF32Args)) func(*runtime.Batch) {
		return func(b *runtime.Batch) {
			a := normArgs(t, dev, 4096, 2)
			change(&a)
			gen.FusedNormAddF32(b, a)
		}
	}
	normGrid := "; the source states (rows, 1, 1) threadgroups of (min(256, next_pow2(dim)), 1, 1) threads (" +
		noteAt(t, "norm.metal", "fused_norm_add_f32", "threadgroups") + ")"

	for _, c := range []struct {
		name string
		call func(*runtime.Batch)
		want string
	}{
		{"no rows in a grid of the caller",
			norm(func(a *gen.FusedNormAddF32Args) {
				a.Grid = runtime.Grid{Threadgroups: [3]int{0, 1, 1}, Threads: [3]int{256, 1, 1}}
			}),
			"fused_norm_add_f32: grid of (0, 1, 1) threadgroups of (256, 1, 1) threads: need at least 1 in every dimension, " +
				"have Threadgroups[0] = 0" + normGrid},
		{"grid that divides by zero",
			func(b *runtime.Batch) {
				gen.RmsNormBf16FusedNTokens(b, gen.RmsNormBf16FusedNTokensArgs{X: floats, Weight: bf16, Out: floats})
			},
			"rms_norm_bf16_fused_n_tokens: grid of (overflow, 1, 1) threadgroups of (256, 1, 1) threads: need numbers that " +
				"fit, have Threadgroups[0] that overflows or divides by zero; the source states (len(x) / dim, 1, 1) " +
				"threadgroups of (256, 1, 1) threads (" +
				noteAt(t, "rms_norm.metal", "rms_norm_bf16_fused_n_tokens", "threadgroups") + ")"},
		{"too many threads in a dimension",
			norm(func(a *gen.FusedNormAddF32Args) {
				a.Grid = runtime.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{2048, 1, 1}}
			}),
			"fused_norm_add_f32: grid of (1, 1, 1) threadgroups of (2048, 1, 1) threads: need at most 1024 threads per " +
				"threadgroup in dimension 0, have 2048" + normGrid},
		{"too many threads of the caller",
			norm(func(a *gen.FusedNormAddF32Args) {
				a.Grid = runtime.Grid{Threadgroups: [3]int{2, 1, 1}, Threads: [3]int{64, 32, 1}}
			}),
			"fused_norm_add_f32: grid of (2, 1, 1) threadgroups of (64, 32, 1) threads: need at most 1024 threads per " +
				"threadgroup, have 2048" + normGrid},
		{"grid with one half set by the caller",
			norm(func(a *gen.FusedNormAddF32Args) { a.Grid.Threadgroups = [3]int{2, 1, 1} }),
			"fused_norm_add_f32: grid of (2, 1, 1) threadgroups of (0, 0, 0) threads: need Threads, have none set" + normGrid},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := dev.NewBatch()
			c.call(b)
			err := b.Run(t.Context())
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if _, ok := errors.AsType[*runtime.GridError](err); !ok {
				t.Errorf("got a %T", err)
			}
			if len(rec.Dispatches()) != 0 {
				t.Error("dispatched all the same")
			}
		})
	}
}

// Of each way in which a number is forgotten whose absence a kernel could not bear, one.
func TestWhatShadersRequire(t *testing.T) {
	dev, rec := open(t)
	floats := newBuffer[float32](t, dev, 8192)
	for _, c := range []struct {
		call         func(*runtime.Batch)
		kernel, file string
		need, have   string
	}{
		{func(b *runtime.Batch) {
			gen.DequantMatvec4bitV3(b, gen.DequantMatvec4bitV3Args{X: floats, Out: floats, OutDim: 64, InDim: 128})
		}, "dequant_matvec_4bit_v3", "matvec_4bit.metal", "group_size > 0", "group_size = 0"},
		{func(b *runtime.Batch) {
			gen.AttnSoftmaxBatched(b, gen.AttnSoftmaxBatchedArgs{Scores: floats, SeqLen: 100})
		}, "attn_softmax_batched", "attention.metal", "seq_stride > 0", "seq_stride = 0"},
		{func(b *runtime.Batch) {
			gen.AttnScoresBatched(b, gen.AttnScoresBatchedArgs{
				Q: floats, KCache: floats, Scores: floats, HeadDim: 64, KvDim: 128, SeqLen: 4, SeqStride: 4, NumSeqTgs: 4,
			})
		}, "attn_scores_batched", "attention.metal", "heads_per_kv > 0", "heads_per_kv = 0"},
		{func(b *runtime.Batch) {
			gen.MoeNormalizeWeights(b, gen.MoeNormalizeWeightsArgs{Weights: floats})
		}, "moe_normalize_weights", "moe_routing.metal", "k > 0", "k = 0"},
		{func(b *runtime.Batch) {
			gen.FusedMoeRoutingBatchF32(b, gen.FusedMoeRoutingBatchF32Args{LogitsAll: floats})
		}, "fused_moe_routing_batch_f32", "moe_routing.metal", "params.num_experts > 0", "params.num_experts = 0"},
	} {
		b := dev.NewBatch()
		c.call(b)
		want := runtime.RequireError{
			Kernel: c.kernel, Need: c.need, Have: c.have, Pos: noteAt(t, c.file, c.kernel, "require"),
			Call: runtime.CallSite{Number: 1},
		}
		if e, ok := errors.AsType[*runtime.RequireError](b.Run(t.Context())); !ok || *e != want {
			t.Errorf("got %+v, want %+v", e, want)
		}
		if n := len(rec.Dispatches()); n != 0 {
			t.Errorf("%s: %d dispatches", c.kernel, n)
		}
	}
}

func TestMistakesCarryWhatWentWrong(t *testing.T) {
	dev, _ := open(t)
	a := normArgs(t, dev, 100, 3)
	a.Input = a.Input.Slice(0, 299)
	err := run(t, dev, gen.FusedNormAddF32, a)
	want := runtime.ArgError{
		Kernel: "fused_norm_add_f32", Arg: "input", Need: "at least 300 elements of float, [rows, dim]",
		Pos: argAt(t, "norm.metal", "fused_norm_add_f32", "input"), Have: "299", Err: runtime.ErrTooShort,
		Call: runtime.CallSite{Number: 1},
	}
	if e, ok := errors.AsType[*runtime.ArgError](err); !ok || *e != want {
		t.Errorf("got %+v", e)
	}

	a = normArgs(t, dev, 100, 3)
	a.Weight = a.Weight.Slice(7, 101)
	if e, ok := errors.AsType[*runtime.SliceError](run(t, dev, gen.FusedNormAddF32, a)); !ok ||
		*e != (runtime.SliceError{I: 7, J: 101, Len: 100}) {
		t.Errorf("got %+v", e)
	}
	a.Weight = runtime.Cast[float32](newBuffer[uint8](t, dev, 401))
	if e, ok := errors.AsType[*runtime.CastError](run(t, dev, gen.FusedNormAddF32, a)); !ok || e.Type != "float32" ||
		e.Length != 401 {
		t.Errorf("got %+v", e)
	}
	a = normArgs(t, dev, 100, 3)
	a.Grid = runtime.Grid{Threadgroups: [3]int{3, 1, 1}, Threads: [3]int{2048, 1, 1}}
	if e, ok := errors.AsType[*runtime.GridError](run(t, dev, gen.FusedNormAddF32, a)); !ok ||
		e.Kernel != "fused_norm_add_f32" || e.Grid != a.Grid {
		t.Errorf("got %+v", e)
	}
}

func TestFirstMistakeWinsAndNothingRuns(t *testing.T) {
	dev, rec := open(t)
	good := normArgs(t, dev, 100, 3)
	bad, worse := good, good
	bad.Input = bad.Input.Slice(0, 299)
	worse.Weight = runtime.Buffer[float32]{}
	matvec := matvecArgs(t, dev, 64, 128, 64)

	b := dev.NewBatch()
	gen.FusedNormAddF32(b, good)
	gen.DequantMatvec4bitV3(b, matvec)
	gen.FusedNormAddF32(b, bad)
	gen.FusedNormAddF32(b, worse)
	gen.DequantMatvec4bitV3(b, matvec)
	kept := b.Err()
	if e, ok := errors.AsType[*runtime.ArgError](kept); !ok || e.Arg != "input" {
		t.Errorf("kept %v", kept)
	}
	if err := b.Run(t.Context()); err != kept {
		t.Errorf("Run returned %v", err)
	}
	if n := len(rec.Dispatches()); n != 0 {
		t.Errorf("%d dispatches", n)
	}

	gen.DequantMatvec4bitV3(b, matvec)
	gen.FusedNormAddF32(b, good)
	if err := b.Run(t.Context()); err != nil {
		t.Errorf("the batch is not empty after its error: %v", err)
	}
	if d := rec.Dispatches(); len(d) != 2 || d[0].Kernel != "dequant_matvec_4bit_v3" ||
		d[1].Kernel != "fused_norm_add_f32" {
		t.Errorf("dispatched %+v", d)
	}
}

func TestCallsIntoASubmittedBatch(t *testing.T) {
	dev, rec := open(t)
	a := normArgs(t, dev, 100, 3)
	b := dev.NewBatch()
	gen.FusedNormAddF32(b, a)
	if err := b.Submit(); err != nil {
		t.Fatal(err)
	}
	gen.FusedNormAddF32(b, a)
	err := b.Wait(context.Background())
	_, start := source(t, "norm.metal", "fused_norm_add_f32")
	want := fmt.Sprintf("fused_norm_add_f32 (norm.metal:%d; call 2): the batch is submitted; Wait first", start+1)
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if e, ok := errors.AsType[*runtime.CallError](err); !ok || !errors.Is(e, runtime.ErrSubmitted) {
		t.Errorf("got a %T", err)
	}
	if n := len(rec.Dispatches()); n != 1 {
		t.Errorf("%d dispatches", n)
	}
}

// A kernel that touches nothing of a buffer must not be given one.
func TestBuffersThatACallDoesNotTouch(t *testing.T) {
	dev, rec := open(t)
	a := residualNormArgs(t, dev, 100, 3)
	b := dev.NewBatch()
	gen.FusedResidualNormF32(b, a)
	gen.MoeCombineResidual(b, combineArgs(t, dev, 100, 2))
	a.SumOutput = newBuffer[float32](t, dev, 1) // is not too short, either
	gen.FusedResidualNormF32(b, a)
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got [][]int
	for _, d := range rec.Dispatches() {
		var bound []int
		for _, b := range d.Buffers {
			bound = append(bound, b.Index)
		}
		got = append(got, bound)
	}
	if want := "[[0 1 2 3] [0 1 2 3 4 19] [0 1 2 3 4]]"; fmt.Sprint(got) != want {
		t.Errorf("bound %v, want %s", got, want)
	}

	a.SumOutput.Free()
	if err := run(t, dev, gen.FusedResidualNormF32, a); !errors.Is(err, runtime.ErrFreed) {
		t.Errorf("a freed buffer that is not touched: %v", err)
	}
}
