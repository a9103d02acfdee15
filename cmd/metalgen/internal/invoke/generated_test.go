package invoke

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/generate"
	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/internal/binding"
	_ "github.com/metalgen/metalgen/internal/ir/pass/verified"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest"
)

// shaders is the model of this repository's shaders, from which gen was made.
func shaders(t *testing.T) *binding.Package {
	t.Helper()
	dir := filepath.FromSlash("../../../../shaders")
	loaded, err := generate.Load(generate.Config{In: dir}, func(string) (string, error) { return "gen", nil })
	if err != nil || generate.Failed(loaded) {
		t.Fatal(err)
	}
	return loaded[0].Package
}

// request finds a kernel, and parses settings written as on the command line.
func request(t *testing.T, pkg *binding.Package, kernel, args, outputs string) *Request {
	t.Helper()
	s, k, err := Find(pkg, kernel)
	if err != nil {
		t.Fatal(err)
	}
	r := &Request{Source: s, Kernel: k}
	for list, text := range map[*[]Setting]string{&r.Args: args, &r.Outputs: outputs} {
		for word := range strings.FieldsSeq(text) {
			name, value, _ := strings.Cut(word, "=")
			*list = append(*list, Setting{name, value})
		}
	}
	return r
}

// buf is a buffer as generated code takes it.
func buf[T any](t *testing.T, dev *runtime.Device, n int) runtime.Buffer[T] {
	t.Helper()
	b, err := runtime.NewBuffer[T](dev, n)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestAsGenerated dispatches kernels by their model and by the code generated
// from it. The device must not be able to tell the difference.
func TestAsGenerated(t *testing.T) {
	pkg := shaders(t)
	for _, test := range []struct {
		kernel, args string
		outputs      []string
		call         func(t *testing.T, dev *runtime.Device, b *runtime.Batch)
	}{{
		kernel:  "fused_norm_add_f32", // scalars, threadgroup memory by the grid
		args:    "residual=zeros input=zeros weight=zeros dim=600 rows=3 eps=1e-6",
		outputs: []string{"output"},
		call: func(t *testing.T, dev *runtime.Device, b *runtime.Batch) {
			gen.FusedNormAddF32(b, gen.FusedNormAddF32Args{
				Residual: buf[float32](t, dev, 1800), Input: buf[float32](t, dev, 1800), Weight: buf[float32](t, dev, 600),
				Output: buf[float32](t, dev, 1800), Dim: 600, Rows: 3, Eps: 1e-6,
			})
		},
	}, {
		kernel:  "fused_residual_norm_f32", // a params struct, and a buffer that may be empty
		args:    "residual=zeros input=zeros weight=zeros params.dim=60 params.rows=3 params.eps=0.5 params.write_sum=0",
		outputs: []string{"normed_output"},
		call: func(t *testing.T, dev *runtime.Device, b *runtime.Batch) {
			gen.FusedResidualNormF32(b, gen.FusedResidualNormF32Args{
				Residual: buf[float32](t, dev, 180), Input: buf[float32](t, dev, 180), Weight: buf[float32](t, dev, 60),
				NormedOutput: buf[float32](t, dev, 180), Params: gen.FusedResidualNormF32Params{Dim: 60, Rows: 3, Eps: 0.5},
			})
		},
	}, {
		kernel:  "SwigluFusedVec4", // vectors
		args:    "gate=zeros up=zeros:float[1200] dim=1200",
		outputs: []string{"out"},
		call: func(t *testing.T, dev *runtime.Device, b *runtime.Batch) {
			gen.SwigluFusedVec4(b, gen.SwigluFusedVec4Args{
				Gate: buf[[4]float32](t, dev, 300), Up: buf[[4]float32](t, dev, 300), Out: buf[[4]float32](t, dev, 300), Dim: 1200,
			})
		},
	}, {
		kernel:  "compute_decay_beta", // lengths of buffers, an exact grid
		args:    "alpha_out=zeros:float32[5,60] beta_out=zeros A_log=zeros dt_bias=zeros num_v_heads=60",
		outputs: []string{"g_decay", "beta_gate"},
		call: func(t *testing.T, dev *runtime.Device, b *runtime.Batch) {
			gen.ComputeDecayBeta(b, gen.ComputeDecayBetaArgs{
				AlphaOut: buf[float32](t, dev, 300), BetaOut: buf[float32](t, dev, 300), ALog: buf[float32](t, dev, 60),
				DtBias: buf[uint16](t, dev, 60),
				GDecay: buf[float32](t, dev, 300), BetaGate: buf[float32](t, dev, 300), NumVHeads: 60,
			})
		},
	}, {
		kernel: "moe_gate", // bfloat, threadgroup memory by the arguments
		args: "hidden_state=zeros:float32[3,32] router_weights=zeros norm_weight=zeros per_expert_scale=zeros " +
			"expert_weights=zeros hidden_dim=32 n_experts=16 top_k=2 rms_eps=1e-5",
		outputs: []string{"expert_ids", "expert_weights"},
		call: func(t *testing.T, dev *runtime.Device, b *runtime.Batch) {
			gen.MoeGate(b, gen.MoeGateArgs{
				HiddenState: buf[runtime.BFloat16](t, dev, 96), RouterWeights: buf[float32](t, dev, 512),
				NormWeight: buf[float32](t, dev, 32), PerExpertScale: buf[float32](t, dev, 16),
				ExpertIds: buf[uint32](t, dev, 6), ExpertWeights: buf[float32](t, dev, 6), HiddenDim: 32, NExperts: 16, TopK: 2,
				RmsEps: 1e-5,
			})
		},
	}, {
		kernel:  "dequant_matvec_4bit_v3", // divisions
		args:    "W_packed=zeros scales=zeros biases=zeros x=zeros out_dim=100 in_dim=200 group_size=64",
		outputs: []string{"out"},
		call: func(t *testing.T, dev *runtime.Device, b *runtime.Batch) {
			gen.DequantMatvec4bitV3(b, gen.DequantMatvec4bitV3Args{
				WPacked: buf[uint32](t, dev, 2500), Scales: buf[uint16](t, dev, 400), Biases: buf[uint16](t, dev, 400),
				X:   buf[float32](t, dev, 200),
				Out: buf[float32](t, dev, 100), OutDim: 100, InDim: 200, GroupSize: 64,
			})
		},
	}} {
		t.Run(test.kernel, func(t *testing.T) {
			dev, want := runtimetest.New()
			defer dev.Close()
			b := dev.NewBatch()
			test.call(t, dev, b)
			if err := b.Run(t.Context()); err != nil {
				t.Fatal(err)
			}

			outputs := ""
			for _, name := range test.outputs {
				outputs += " " + name + "=" + filepath.Join(t.TempDir(), "out.npy")
			}
			plan, errs := Prepare(request(t, pkg, test.kernel, test.args, outputs))
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			other, got := runtimetest.New()
			defer other.Close()
			if _, err := plan.Run(t.Context(), other, &runtime.Profile{}); err != nil {
				t.Fatal(err)
			}
			ignore := cmp.Options{
				cmpopts.IgnoreFields(runtimetest.Binding{}, "Memory"), cmpopts.IgnoreUnexported(runtimetest.Binding{}),
			}
			if diff := cmp.Diff(want.Dispatches(), got.Dispatches(), ignore); diff != "" {
				t.Errorf("-generated +run\n%s", diff)
			}
			if n := got.Live(); n != 0 {
				t.Errorf("%d buffers left", n)
			}
		})
	}
}

// TestKernels prepares every kernel of the shaders with nothing given: what is
// reported must be that, and no size or type that cannot be passed.
func TestKernels(t *testing.T) {
	pkg := shaders(t)
	for _, s := range pkg.Sources {
		for _, k := range s.Kernels {
			_, errs := Prepare(&Request{Source: s, Kernel: k})
			if len(errs) == 0 {
				t.Errorf("%s: nothing is missing", k.Name)
			}
			for _, err := range errs {
				if !strings.Contains(err.Error(), "not set") && !strings.Contains(err.Error(), "states its") {
					t.Error(err)
				}
			}
		}
	}
}
