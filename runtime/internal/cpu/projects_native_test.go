package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

func openNative(t *testing.T) *project {
	return openProject(t, "mlx-native")
}

func TestNativeNorm(t *testing.T) {
	p := openNative(t)
	const n, rows = 200, 3
	x, out := typed(tree.BFloat, normal(rand.New(rand.NewPCG(4, 1)), n*rows, 1)),
		typed(tree.BFloat, make([]float64, n*rows))
	p.run(t,
		call{file: "l2_norm.metal", kernel: "l2_norm_bf16", groups: [3]int{rows, 1, 1}, threads: [3]int{64, 1, 1},
			args: map[string]any{"input": x, "output": out, "params": f32([]float64{1e-6, n}), "shared": 256}})
	want := make([]float64, n*rows)
	for i := range want {
		row, square := x.v[i/n*n:(i/n+1)*n], 1e-6
		for _, v := range row {
			square += v * v
		}
		want[i] = x.v[i] / math.Sqrt(square)
	}
	closeTo(t, precision[tree.BFloat], out.v, want)
}

func TestNativeRouting(t *testing.T) {
	p := openNative(t)
	const tokens, experts, top = 4, 100, 8
	x, ids, weights := f32(normal(rand.New(rand.NewPCG(4, 2)), tokens*experts, 2)),
		typed(tree.UInt, make([]float64, tokens*top)), f32(make([]float64, tokens*top))
	const threads = experts
	p.run(t,
		call{file: "moe_softmax_topk.metal", kernel: "moe_softmax_topk_f32", groups: [3]int{tokens, 1, 1},
			threads: [3]int{threads, 1, 1},
			args: map[string]any{"p": fields{"n_tokens": tokens, "n_experts": experts, "top_k": top}, "logits": x,
				"out_ids":     ids,
				"out_weights": weights, "shmem": 4 * (2*threads + experts)}})
	var wantIDs, wantWeights []float64
	for i := range tokens {
		probabilities := softmax(x.v[i*experts : (i+1)*experts])
		order := make([]int, experts)
		for j := range order {
			order[j] = j
		}
		slices.SortFunc(order, func(a, b int) int {
			if probabilities[a] > probabilities[b] {
				return -1
			}
			return 1
		})
		sum := 0.0
		for _, j := range order[:top] {
			sum += probabilities[j]
		}
		for _, j := range order[:top] {
			wantIDs, wantWeights = append(wantIDs, float64(j)), append(wantWeights, probabilities[j]/sum)
		}
	}
	closeTo(t, 0, ids.v, wantIDs)
	closeTo(t, 1e-6, weights.v, wantWeights)
}

func TestNativeGemm(t *testing.T) {
	p := openNative(t)
	r := rand.New(rand.NewPCG(4, 3))
	const m, n, k = 40, 45, 48
	a, b, out := f16(normal(r, m*k, 1)), f16(normal(r, n*k, 1)), f16(make([]float64, m*n))
	p.run(t,
		call{file: "dense_gemm.metal", kernel: "dense_gemm_f16", groups: [3]int{2, 2, 1}, threads: [3]int{32, 4, 1},
			args: map[string]any{"A": a, "B": b, "C": out, "params": fields{"M": m, "N": n, "K": k}}})
	closeTo(t, precision[tree.Half], out.v, matMul(a.v, transposed(b.v, n), m, k, n))
}

func TestNativeFlashAttention(t *testing.T) {
	p := openNative(t)
	r := rand.New(rand.NewPCG(4, 4))
	const dim, heads, queries, tokens = 64, 2, 40, 50
	k := tree.Half
	q, keys, v := typed(k, normal(r, dim*heads*queries, 1)), typed(k, normal(r, dim*heads*tokens, 1)),
		typed(k, normal(r, dim*heads*tokens, 1))
	out := typed(k, make([]float64, dim*heads*queries))
	params := fields{
		"B": 1, "H": heads, "D": dim, "qL": queries, "kL": tokens, "gqa_factor": 1, "scale": 0.125, "softcapping": 1.0,
		"NQ": 2, "NK": 4, "NQ_aligned": 1, "NK_aligned": 3,
		"qL_rem": queries % 32, "kL_rem": tokens % 16, "qL_off": tokens - queries,
		"Q_strides": []int{dim * heads * queries, dim * queries, dim},
		"K_strides": []int{dim * heads * tokens, dim * tokens, dim},
		"V_strides": []int{dim * heads * tokens, dim * tokens, dim},
		"O_strides": []int{dim * heads * queries, dim * queries, dim},
	}
	p.run(t, call{
		file: "flash_attn_prefill.metal", kernel: "flash_attn_prefill_f16_d64", groups: [3]int{2, heads, 1},
		threads:   [3]int{32, 4, 1},
		constants: map[string]any{"align_Q": false, "align_K": false, "has_mask": false, "do_causal": true, "has_blk": false},
		args:      map[string]any{"Q": q, "K": keys, "V": v, "O": out, "params": params},
	})
	mask := make([]float64, queries*tokens)
	for i := range mask {
		if i%tokens > i/tokens+tokens-queries {
			mask[i] = math.Inf(-1)
		}
	}
	var want []float64
	for h := range heads {
		at, qat := h*dim*tokens, h*dim*queries
		want = append(want,
			attention(q.v[qat:qat+dim*queries], keys.v[at:at+dim*tokens], v.v[at:at+dim*tokens], mask, dim, 0.125)...)
	}
	closeTo(t, 2e-3, out.v, want)
}
