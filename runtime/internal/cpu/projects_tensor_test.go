package cpu

import (
	"math/rand/v2"
	"testing"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// Kernels with Metal 4's tensors, of the projects that have some.

func TestGGMLMatMulOfTensors(t *testing.T) {
	p := openProject(t, "ggml", "GGML_METAL_HAS_TENSOR=1")
	const n, rows, vectors = 128, 70, 137
	for _, name := range []string{"f32", "f16", "bf16", "q4_0", "q5_1", "q8_0", "q4_K", "q6_K"} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 11))
			src, weights, row, n := tensorWeights(r, name, n, rows)
			x, dst := f32(normal(r, n*vectors, 1)), f32(make([]float64, rows*vectors))
			c := ggmlMatMul(name, src, x, dst, n, rows, vectors, row)
			c.groups = [3]int{(vectors + 127) / 128, (rows + 63) / 64, 1}
			delete(c.constants, "FC_mul_mm_bc_out")
			for of, name := range map[string]string{"src0": "srcA", "src1": "srcB"} {
				c.args[name] = c.args[of]
				delete(c.args, of)
			}
			p.run(t, c)
			var want []float64
			for i := range vectors {
				want = append(want, times(weights, x.v[i*n:(i+1)*n])...)
			}
			closeTo(t, 2e-3, dst.v, want)
		})
	}
}

// tensorWeights are rows of weights in a format of ggml: the bytes of a row, and how many weights it has, which is as
// many as asked for or those of a block.
func tensorWeights(r *rand.Rand, name string, n, rows int) (src *array, weights []float64, bytes, count int) {
	for kind, plain := range map[tree.ScalarKind]string{tree.Float: "f32", tree.Half: "f16", tree.BFloat: "bf16"} {
		if name == plain {
			src = typed(kind, normal(r, n*rows, 1))
			return src, src.v, n * kind.Bytes(), n
		}
	}
	for _, q := range ggmlFormats {
		if q.name == name {
			n = max(n, q.weights)
			text, weights := q.random(r, rows*n/q.weights)
			return raw(text), weights, n / q.weights * q.bytes, n
		}
	}
	panic("no format " + name)
}

func TestMLXGemmOfTensors(t *testing.T) {
	p := openMLX(t)
	const m, n, k = 90, 140, 80
	for _, c := range []struct{ kernel, name string }{
		{"steel_gemm_fused_nax_nn_float32_float32_bm64_bn64_bk256_wm2_wn2", "float32"},
		{"steel_gemm_fused_nax_nt_float16_float16_bm64_bn64_bk256_wm2_wn2", "float16"},
		{"steel_gemm_fused_nax_tn_bfloat16_bfloat16_bm64_bn64_bk256_wm2_wn2", "bfloat16"},
		{"steel_gemm_fused_nax_tt_float32_float32_bm64_bn64_bk256_wm2_wn2", "float32"},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			r := rand.New(rand.NewPCG(2, 11))
			kind := mlxTypes[c.name]
			a, b, out := typed(kind, normal(r, m*k, 1)), typed(kind, normal(r, k*n, 1)), typed(kind, make([]float64, m*n))
			want := matMul(a.v, b.v, m, k, n)
			lda, ldb := k, n
			layout := c.kernel[len("steel_gemm_fused_nax_"):]
			if layout[0] == 't' {
				a, lda = typed(kind, transposed(a.v, m)), m
			}
			if layout[1] == 't' {
				b, ldb = typed(kind, transposed(b.v, k)), k
			}
			tilesN, tilesM := (n+63)/64, (m+63)/64
			params := fields{"M": m, "N": n, "K": k, "lda": lda, "ldb": ldb, "ldd": n, "tiles_n": tilesN, "tiles_m": tilesM,
				"gemm_k_iterations_aligned": k / 256}
			p.run(t, call{
				file: "steel/gemm/kernels/steel_gemm_fused_nax.metal", kernel: c.kernel, groups: [3]int{tilesN, tilesM, 1},
				threads: [3]int{32, 2, 2},
				constants: map[string]any{"has_batch": false, "use_out_source": false, "do_axpby": false, "align_M": false,
					"align_N": false, "align_K": false},
				args: map[string]any{"A": a, "B": b, "D": out, "params": params},
			})
			closeTo(t, 2*precision[kind], out.v, want)
		})
	}
}

func TestMLXAttentionOfTensors(t *testing.T) {
	steelAttention(t, "steel_attention_nax", "float16_bq64_bk32", rand.New(rand.NewPCG(2, 12)), f16, 80, 64, 2e-3)
}

func TestNativeMatMulOfTensors(t *testing.T) {
	p := openNative(t)
	const n, rows, vectors = 96, 70, 45
	args := func(bytes int) fields {
		return fields{"ne00": n, "ne02": 1, "nb01": bytes, "nb02": bytes * rows, "ne12": 1, "nb10": 4, "nb11": 4 * n,
			"nb12": 4 * n * vectors, "ne0": rows, "ne1": vectors, "r2": 1, "r3": 1}
	}
	for _, c := range []struct{ file, kernel, format string }{
		{"dense_mm_f16_tensor.metal", "hf2q_dense_mm_f16_f32_tensor", "f16"},
		{"dense_mm_bf16_tensor.metal", "hf2q_dense_mm_bf16_f32_tensor", "bf16"},
		{"dense_mm_f32_f32.metal", "hf2q_dense_mm_f32_f32_tensor", "f32"},
		{"quantized_matmul_mm_tensor.metal", "kernel_mul_mm_q4_0_tensor_f32", "q4_0"},
		{"quantized_matmul_mm_tensor.metal", "kernel_mul_mm_q8_0_tensor_f32", "q8_0"},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			r := rand.New(rand.NewPCG(4, 11))
			src, weights, row, _ := tensorWeights(r, c.format, n, rows)
			x, dst := f32(normal(r, n*vectors, 1)), f32(make([]float64, rows*vectors))
			p.run(t, call{file: c.file, kernel: c.kernel, groups: [3]int{(vectors + 31) / 32, (rows + 63) / 64, 1},
				threads: [3]int{128, 1, 1},
				args:    map[string]any{"args": args(row), "src0": src, "src1": x, "dst": dst, "shmem": 16384}})
			var want []float64
			for i := range vectors {
				want = append(want, times(weights, x.v[i*n:(i+1)*n])...)
			}
			closeTo(t, 5e-3, dst.v, want)
		})
	}
}
