package gen_test

import (
	"testing"

	"github.com/metalgen/metalgen/gen"
)

func TestMoeCombineCalls(t *testing.T) { moeCombineTable.run(t) }

var moeCombineTable = table{
	of("weighted_sum", gen.WeightedSum, func(m *memory, n dims) (gen.WeightedSumArgs, want) {
		k, dim := n[0], n[1]
		a := gen.WeightedSumArgs{
			ExpertOuts: buffer[float32](m, k*dim),
			Weights:    buffer[float32](m, k),
			Out:        buffer[float32](m, dim),
			K:          uint32(k),
			Dim:        uint32(dim),
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(dim, 256), 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				reads(0, "expert_outs", a.ExpertOuts),
				reads(1, "weights", a.Weights),
				writes(2, "out", a.Out),
				value(3, "K", a.K),
				value(4, "dim", a.Dim),
			},
		}
	}, dims{8, 2048}, dims{3, 100}),
	of("weighted_sum_stacked_f32", gen.WeightedSumStackedF32,
		func(m *memory, n dims) (gen.WeightedSumStackedF32Args, want) {
			hidden, nSlots := n[0], n[1]
			a := gen.WeightedSumStackedF32Args{
				Slots:   buffer[float32](m, nSlots*hidden),
				Weights: buffer[float32](m, nSlots),
				Out:     buffer[float32](m, hidden),
				P:       gen.WeightedSumStackedParams{Hidden: int32(hidden), NSlots: int32(nSlots)},
			}
			return a, want{
				threadgroups: [3]int{ceilDiv(hidden, 256), 1, 1},
				threads:      [3]int{256, 1, 1},
				args: []arg{
					reads(0, "slots", a.Slots),
					reads(1, "weights", a.Weights),
					writes(2, "out", a.Out),
					value(3, "p", int32(hidden), int32(nSlots)),
				},
			}
		}, dims{2048, 8}, dims{100, 3}),
	of("weighted_sum_residual_stacked_f32", gen.WeightedSumResidualStackedF32,
		func(m *memory, n dims) (gen.WeightedSumResidualStackedF32Args, want) {
			hidden, nSlots := n[0], n[1]
			a := gen.WeightedSumResidualStackedF32Args{
				Slots:    buffer[float32](m, nSlots*hidden),
				Weights:  buffer[float32](m, nSlots),
				Residual: buffer[float32](m, hidden),
				P:        gen.WeightedSumStackedParams{Hidden: int32(hidden), NSlots: int32(nSlots)},
			}
			return a, want{
				threadgroups: [3]int{ceilDiv(hidden, 256), 1, 1},
				threads:      [3]int{256, 1, 1},
				args: []arg{
					reads(0, "slots", a.Slots),
					reads(1, "weights", a.Weights),
					updates(2, "residual", a.Residual),
					value(3, "p", int32(hidden), int32(nSlots)),
				},
			}
		}, dims{2048, 8}, dims{100, 3}),
	of("weighted_sum_residual_norm_stacked_f32", gen.WeightedSumResidualNormStackedF32,
		func(m *memory, n dims) (gen.WeightedSumResidualNormStackedF32Args, want) {
			hidden, nSlots := n[0], n[1]
			a := gen.WeightedSumResidualNormStackedF32Args{
				Slots:     buffer[float32](m, nSlots*hidden),
				Weights:   buffer[float32](m, nSlots),
				Residual:  buffer[float32](m, hidden),
				NextNormW: buffer[float32](m, hidden),
				NormedOut: buffer[float32](m, hidden),
				P:         gen.WSumResNormParams{Hidden: int32(hidden), NSlots: int32(nSlots), Eps: 1e-6},
			}
			return a, want{
				threadgroups: [3]int{1, 1, 1},
				threads:      [3]int{256, 1, 1},
				args: []arg{
					reads(0, "slots", a.Slots),
					reads(1, "weights", a.Weights),
					updates(2, "residual", a.Residual),
					reads(3, "next_norm_w", a.NextNormW),
					writes(4, "normed_out", a.NormedOut),
					value(5, "p", int32(hidden), int32(nSlots), float32(1e-6)),
				},
			}
		}, dims{2048, 8}, dims{100, 3}),
	of("moe_combine_residual", gen.MoeCombineResidual, func(m *memory, n dims) (gen.MoeCombineResidualArgs, want) {
		dim, k := n[0], n[1]
		expert := func(i int) int { // elements of the output of expert i
			if i < k {
				return dim
			}
			return 0
		}
		a := gen.MoeCombineResidualArgs{
			HMid:        buffer[float32](m, dim),
			SharedOut:   buffer[float32](m, dim),
			HiddenOut:   buffer[float32](m, dim),
			ExpertOut0:  buffer[float32](m, expert(0)),
			ExpertOut1:  buffer[float32](m, expert(1)),
			ExpertOut2:  buffer[float32](m, expert(2)),
			ExpertOut3:  buffer[float32](m, expert(3)),
			ExpertOut4:  buffer[float32](m, expert(4)),
			ExpertOut5:  buffer[float32](m, expert(5)),
			ExpertOut6:  buffer[float32](m, expert(6)),
			ExpertOut7:  buffer[float32](m, expert(7)),
			ExpertOut8:  buffer[float32](m, expert(8)),
			ExpertOut9:  buffer[float32](m, expert(9)),
			ExpertOut10: buffer[float32](m, expert(10)),
			ExpertOut11: buffer[float32](m, expert(11)),
			ExpertOut12: buffer[float32](m, expert(12)),
			ExpertOut13: buffer[float32](m, expert(13)),
			ExpertOut14: buffer[float32](m, expert(14)),
			ExpertOut15: buffer[float32](m, expert(15)),
			Params:      buffer[float32](m, 17),
			Dim:         uint32(dim),
			K:           uint32(k),
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(dim, 256), 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				reads(0, "h_mid", a.HMid),
				reads(1, "shared_out", a.SharedOut),
				writes(2, "hidden_out", a.HiddenOut),
				reads(3, "expert_out0", a.ExpertOut0),
				reads(4, "expert_out1", a.ExpertOut1),
				reads(5, "expert_out2", a.ExpertOut2),
				reads(6, "expert_out3", a.ExpertOut3),
				reads(7, "expert_out4", a.ExpertOut4),
				reads(8, "expert_out5", a.ExpertOut5),
				reads(9, "expert_out6", a.ExpertOut6),
				reads(10, "expert_out7", a.ExpertOut7),
				reads(11, "expert_out8", a.ExpertOut8),
				reads(12, "expert_out9", a.ExpertOut9),
				reads(13, "expert_out10", a.ExpertOut10),
				reads(14, "expert_out11", a.ExpertOut11),
				reads(15, "expert_out12", a.ExpertOut12),
				reads(16, "expert_out13", a.ExpertOut13),
				reads(17, "expert_out14", a.ExpertOut14),
				reads(18, "expert_out15", a.ExpertOut15),
				reads(19, "params", a.Params),
				value(20, "dim", a.Dim),
				value(21, "K", a.K),
			},
		}
	}, dims{2048, 8}, dims{100, 3}, dims{100, 16}, dims{100, 17}, dims{100, 0}),
	of("moe_combine_residual_flat", gen.MoeCombineResidualFlat,
		func(m *memory, n dims) (gen.MoeCombineResidualFlatArgs, want) {
			dim, k := n[0], n[1]
			a := gen.MoeCombineResidualFlatArgs{
				HMid:      buffer[float32](m, dim),
				SharedOut: buffer[float32](m, dim),
				HiddenOut: buffer[float32](m, dim),
				ExpertOut: buffer[float32](m, min(k, 16)*dim),
				Params:    buffer[float32](m, 17),
				Dim:       uint32(dim),
				K:         uint32(k),
			}
			return a, want{
				threadgroups: [3]int{ceilDiv(dim, 256), 1, 1},
				threads:      [3]int{256, 1, 1},
				args: []arg{
					reads(0, "h_mid", a.HMid),
					reads(1, "shared_out", a.SharedOut),
					writes(2, "hidden_out", a.HiddenOut),
					reads(3, "expert_out", a.ExpertOut),
					reads(4, "params", a.Params),
					value(5, "dim", a.Dim),
					value(6, "K", a.K),
				},
			}
		}, dims{2048, 8}, dims{100, 17}),
	of("moe_combine_residual_unscaled", gen.MoeCombineResidualUnscaled,
		func(m *memory, n dims) (gen.MoeCombineResidualUnscaledArgs, want) {
			dim, k := n[0], n[1]
			expert := func(i int) int { // elements of the output of expert i
				if i < k {
					return dim
				}
				return 0
			}
			a := gen.MoeCombineResidualUnscaledArgs{
				HMid:        buffer[float32](m, dim),
				SharedOut:   buffer[float32](m, dim),
				HiddenOut:   buffer[float32](m, dim),
				ExpertOut0:  buffer[float32](m, expert(0)),
				ExpertOut1:  buffer[float32](m, expert(1)),
				ExpertOut2:  buffer[float32](m, expert(2)),
				ExpertOut3:  buffer[float32](m, expert(3)),
				ExpertOut4:  buffer[float32](m, expert(4)),
				ExpertOut5:  buffer[float32](m, expert(5)),
				ExpertOut6:  buffer[float32](m, expert(6)),
				ExpertOut7:  buffer[float32](m, expert(7)),
				ExpertOut8:  buffer[float32](m, expert(8)),
				ExpertOut9:  buffer[float32](m, expert(9)),
				ExpertOut10: buffer[float32](m, expert(10)),
				ExpertOut11: buffer[float32](m, expert(11)),
				ExpertOut12: buffer[float32](m, expert(12)),
				ExpertOut13: buffer[float32](m, expert(13)),
				ExpertOut14: buffer[float32](m, expert(14)),
				ExpertOut15: buffer[float32](m, expert(15)),
				Params:      buffer[float32](m, min(k, 16)),
				Dim:         uint32(dim),
				K:           uint32(k),
			}
			return a, want{
				threadgroups: [3]int{ceilDiv(dim, 256), 1, 1},
				threads:      [3]int{256, 1, 1},
				args: []arg{
					reads(0, "h_mid", a.HMid),
					reads(1, "shared_out", a.SharedOut),
					writes(2, "hidden_out", a.HiddenOut),
					reads(3, "expert_out0", a.ExpertOut0),
					reads(4, "expert_out1", a.ExpertOut1),
					reads(5, "expert_out2", a.ExpertOut2),
					reads(6, "expert_out3", a.ExpertOut3),
					reads(7, "expert_out4", a.ExpertOut4),
					reads(8, "expert_out5", a.ExpertOut5),
					reads(9, "expert_out6", a.ExpertOut6),
					reads(10, "expert_out7", a.ExpertOut7),
					reads(11, "expert_out8", a.ExpertOut8),
					reads(12, "expert_out9", a.ExpertOut9),
					reads(13, "expert_out10", a.ExpertOut10),
					reads(14, "expert_out11", a.ExpertOut11),
					reads(15, "expert_out12", a.ExpertOut12),
					reads(16, "expert_out13", a.ExpertOut13),
					reads(17, "expert_out14", a.ExpertOut14),
					reads(18, "expert_out15", a.ExpertOut15),
					reads(19, "params", a.Params),
					value(20, "dim", a.Dim),
					value(21, "K", a.K),
				},
			}
		}, dims{2048, 8}, dims{100, 3}, dims{100, 16}, dims{100, 17}, dims{100, 0}),
	of("moe_combine_residual_n_tokens", gen.MoeCombineResidualNTokens,
		func(m *memory, n dims) (gen.MoeCombineResidualNTokensArgs, want) {
			nTokens, dim := n[0], n[1]
			a := gen.MoeCombineResidualNTokensArgs{
				HMid:       buffer[float32](m, nTokens*dim),
				MoeSum:     buffer[float32](m, nTokens*dim),
				SharedOut:  buffer[float32](m, nTokens*dim),
				SharedGate: buffer[float32](m, nTokens),
				HiddenOut:  buffer[float32](m, nTokens*dim),
				NTokens:    uint32(nTokens),
				Dim:        uint32(dim),
			}
			return a, want{
				threadgroups: [3]int{ceilDiv(nTokens*dim, 256), 1, 1},
				threads:      [3]int{256, 1, 1},
				args: []arg{
					reads(0, "h_mid", a.HMid),
					reads(1, "moe_sum", a.MoeSum),
					reads(2, "shared_out", a.SharedOut),
					reads(3, "shared_gate", a.SharedGate),
					writes(4, "hidden_out", a.HiddenOut),
					value(5, "n_tokens", a.NTokens),
					value(6, "dim", a.Dim),
				},
			}
		}, dims{4, 2048}, dims{3, 100}),
	of("moe_bucket_accumulate", gen.MoeBucketAccumulate, func(m *memory, n dims) (gen.MoeBucketAccumulateArgs, want) {
		hiddenDim, bucketSize, tokens := n[0], n[1], n[2]
		a := gen.MoeBucketAccumulateArgs{
			BucketOut:  buffer[float32](m, bucketSize*hiddenDim),
			TokenIdx:   buffer[int32](m, bucketSize),
			Weights:    buffer[float32](m, bucketSize),
			OutSum:     buffer[float32](m, tokens*hiddenDim),
			HiddenDim:  uint32(hiddenDim),
			BucketSize: uint32(bucketSize),
		}
		return a, want{
			threadgroups: [3]int{bucketSize, ceilDiv(hiddenDim, 256), 1},
			threads:      [3]int{1, 256, 1},
			args: []arg{
				reads(0, "bucket_out", a.BucketOut),
				reads(1, "token_idx", a.TokenIdx),
				reads(2, "weights", a.Weights),
				updates(3, "out_sum", a.OutSum).needing(hiddenDim),
				value(4, "hidden_dim", a.HiddenDim),
				value(5, "bucket_size", a.BucketSize),
			},
		}
	}, dims{2048, 16, 32}, dims{100, 3, 5}),
}
