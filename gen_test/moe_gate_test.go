package gen_test

import (
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

func TestMoeGateCalls(t *testing.T) { moeGateTable.run(t) }

var moeGateTable = table{
	of("moe_gate", gen.MoeGate, func(m *memory, n dims) (gen.MoeGateArgs, want) {
		hiddenDim, nExperts, topK, tokens := n[0], n[1], n[2], n[3]
		a := gen.MoeGateArgs{
			HiddenState:    buffer[runtime.BFloat16](m, tokens*hiddenDim),
			RouterWeights:  buffer[float32](m, nExperts*hiddenDim),
			NormWeight:     buffer[float32](m, hiddenDim),
			PerExpertScale: buffer[float32](m, nExperts),
			ExpertIds:      buffer[uint32](m, tokens*topK),
			ExpertWeights:  buffer[float32](m, tokens*topK),
			HiddenDim:      uint32(hiddenDim),
			NExperts:       uint32(nExperts),
			TopK:           uint32(topK),
			RmsEps:         1e-6,
		}
		return a, want{
			threadgroups: [3]int{tokens, 1, 1},
			threads:      [3]int{128, 1, 1},
			args: []arg{
				reads(0, "hidden_state", a.HiddenState).needing(hiddenDim),
				reads(1, "router_weights", a.RouterWeights),
				reads(2, "norm_weight", a.NormWeight),
				reads(3, "per_expert_scale", a.PerExpertScale),
				writes(4, "expert_ids", a.ExpertIds),
				updates(5, "expert_weights", a.ExpertWeights),
				value(6, "hidden_dim", a.HiddenDim),
				value(7, "n_experts", a.NExperts),
				value(8, "top_k", a.TopK),
				value(9, "rms_eps", a.RmsEps),
				shared(0, "shared", hiddenDim+nExperts),
			},
		}
	}, dims{2048, 128, 8, 4}, dims{103, 20, 3, 7}),
}
