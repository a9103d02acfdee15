package gen_test

import (
	"testing"

	"github.com/metalgen/metalgen/gen"
)

func TestMoeRoutingCalls(t *testing.T) { moeRoutingTable.run(t) }

var moeRoutingTable = table{
	of("fused_moe_routing_f32", gen.FusedMoeRoutingF32, func(m *memory, n dims) (gen.FusedMoeRoutingF32Args, want) {
		numExperts, topK := n[0], n[1]
		a := gen.FusedMoeRoutingF32Args{
			Logits:         buffer[float32](m, numExperts),
			ExpertIds:      buffer[uint32](m, topK),
			RoutingWeights: buffer[float32](m, topK),
			PerExpertScale: buffer[float32](m, numExperts),
			Params:         gen.FusedMoeRoutingParams{NumExperts: uint32(numExperts), TopK: uint32(topK)},
		}
		return a, want{
			threadgroups: [3]int{1, 1, 1},
			threads:      [3]int{min(256, pow2(numExperts)), 1, 1},
			args: []arg{
				reads(0, "logits", a.Logits),
				updates(1, "expert_ids", a.ExpertIds),
				updates(2, "routing_weights", a.RoutingWeights), // by a helper, whose use of it metalgen does not look into
				reads(3, "per_expert_scale", a.PerExpertScale),
				value(4, "params", uint32(numExperts), uint32(topK)),
				shared(0, "shared", min(256, pow2(numExperts))+numExperts),
			},
		}
	}, dims{128, 8}, dims{300, 6}, dims{20, 3}),
	of("fused_moe_routing_batch_f32", gen.FusedMoeRoutingBatchF32,
		func(m *memory, n dims) (gen.FusedMoeRoutingBatchF32Args, want) {
			numExperts, topK, tokens := n[0], n[1], n[2]
			a := gen.FusedMoeRoutingBatchF32Args{
				LogitsAll:         buffer[float32](m, tokens*numExperts),
				ExpertIdsAll:      buffer[uint32](m, tokens*topK),
				RoutingWeightsAll: buffer[float32](m, tokens*topK),
				PerExpertScale:    buffer[float32](m, numExperts),
				Params:            gen.FusedMoeRoutingParams{NumExperts: uint32(numExperts), TopK: uint32(topK)},
			}
			return a, want{
				threadgroups: [3]int{tokens, 1, 1},
				threads:      [3]int{min(256, pow2(numExperts)), 1, 1},
				args: []arg{
					reads(0, "logits_all", a.LogitsAll).needing(numExperts),
					updates(1, "expert_ids_all", a.ExpertIdsAll),
					updates(2, "routing_weights_all", a.RoutingWeightsAll), // the same
					reads(3, "per_expert_scale", a.PerExpertScale),
					value(4, "params", uint32(numExperts), uint32(topK)),
					shared(0, "shared", min(256, pow2(numExperts))+numExperts),
				},
			}
		}, dims{128, 8, 4}, dims{300, 6, 2}, dims{20, 3, 7}),
	of("moe_softmax_topk", gen.MoeSoftmaxTopk, func(m *memory, n dims) (gen.MoeSoftmaxTopkArgs, want) {
		nExperts, k, tokens := n[0], n[1], n[2]
		a := gen.MoeSoftmaxTopkArgs{
			Logits:     buffer[float32](m, tokens*nExperts),
			OutIndices: buffer[int32](m, tokens*k),
			OutWeights: buffer[float32](m, tokens*k),
			NExperts:   uint32(nExperts),
			K:          uint32(k),
		}
		return a, want{
			threadgroups: [3]int{tokens, 1, 1},
			threads:      [3]int{128, 1, 1},
			args: []arg{
				reads(0, "logits", a.Logits).needing(nExperts),
				writes(1, "out_indices", a.OutIndices),
				updates(2, "out_weights", a.OutWeights),
				value(3, "n_experts", a.NExperts),
				value(4, "k", a.K),
			},
		}
	}, dims{128, 8, 4}, dims{20, 3, 7}),
	of("moe_normalize_weights", gen.MoeNormalizeWeights, func(m *memory, n dims) (gen.MoeNormalizeWeightsArgs, want) {
		k, tokens := n[0], n[1]
		a := gen.MoeNormalizeWeightsArgs{
			Weights: buffer[float32](m, tokens*k),
			K:       uint32(k),
		}
		return a, want{
			threadgroups: [3]int{tokens, 1, 1},
			threads:      [3]int{min(k, 256), 1, 1},
			args: []arg{
				updates(0, "weights", a.Weights).needing(k),
				value(1, "k", a.K),
			},
		}
	}, dims{8, 4}, dims{300, 7}),
}
