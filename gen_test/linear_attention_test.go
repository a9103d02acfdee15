package gen_test

import (
	"testing"

	"github.com/metalgen/metalgen/gen"
)

func TestLinearAttentionCalls(t *testing.T) { linearAttentionTable.run(t) }

var linearAttentionTable = table{
	of("gated_delta_net_step", gen.GatedDeltaNetStep, func(m *memory, n dims) (gen.GatedDeltaNetStepArgs, want) {
		kHeadsPerV, nTokens, keyTotal, numVHeads := n[0], n[1], n[2], n[3]
		a := gen.GatedDeltaNetStepArgs{
			State:      buffer[float32](m, numVHeads*128*128),
			ConvOut:    buffer[float32](m, nTokens*(2*keyTotal+numVHeads*128)),
			GDecay:     buffer[float32](m, nTokens*numVHeads),
			BetaGate:   buffer[float32](m, nTokens*numVHeads),
			Output:     buffer[float32](m, nTokens*numVHeads*128),
			KHeadsPerV: uint32(kHeadsPerV),
			NTokens:    uint32(nTokens),
			KeyTotal:   uint32(keyTotal),
			NumVHeads:  uint32(numVHeads),
		}
		return a, want{
			threadgroups: [3]int{numVHeads, 1, 1},
			threads:      [3]int{128, 1, 1},
			args: []arg{
				updates(0, "state", a.State),
				reads(1, "conv_out", a.ConvOut),
				reads(2, "g_decay", a.GDecay),
				reads(3, "beta_gate", a.BetaGate),
				writes(4, "output", a.Output),
				value(5, "k_heads_per_v", a.KHeadsPerV),
				value(6, "n_tokens", a.NTokens),
				value(7, "key_total", a.KeyTotal),
				value(8, "num_v_heads", a.NumVHeads),
			},
		}
	}, dims{2, 5, 1024, 16}, dims{3, 33, 128, 4}),
	of("gated_delta_net_sequential", gen.GatedDeltaNetSequential,
		func(m *memory, n dims) (gen.GatedDeltaNetSequentialArgs, want) {
			kHeadsPerV, nTokens, keyTotal, numVHeads := n[0], n[1], n[2], n[3]
			a := gen.GatedDeltaNetSequentialArgs{
				State:      buffer[float32](m, numVHeads*128*128),
				ConvOut:    buffer[float32](m, nTokens*(2*keyTotal+numVHeads*128)),
				GDecay:     buffer[float32](m, nTokens*numVHeads),
				BetaGate:   buffer[float32](m, nTokens*numVHeads),
				Output:     buffer[float32](m, nTokens*numVHeads*128),
				KHeadsPerV: uint32(kHeadsPerV),
				NTokens:    uint32(nTokens),
				KeyTotal:   uint32(keyTotal),
				NumVHeads:  uint32(numVHeads),
			}
			return a, want{
				threadgroups: [3]int{128 / 4, numVHeads, 1},
				threads:      [3]int{32, 4, 1},
				args: []arg{
					updates(0, "state", a.State),
					reads(1, "conv_out", a.ConvOut),
					reads(2, "g_decay", a.GDecay),
					reads(3, "beta_gate", a.BetaGate),
					writes(4, "output", a.Output),
					value(5, "k_heads_per_v", a.KHeadsPerV),
					value(6, "n_tokens", a.NTokens),
					value(7, "key_total", a.KeyTotal),
					value(8, "num_v_heads", a.NumVHeads),
				},
			}
		}, dims{2, 5, 1024, 16}, dims{3, 33, 128, 4}),
	of("conv1d_step", gen.Conv1dStep, func(m *memory, n dims) (gen.Conv1dStepArgs, want) {
		convDim, tokens := n[0], n[1]
		a := gen.Conv1dStepArgs{
			ConvState: buffer[float32](m, 3*convDim),
			Input:     buffer[float32](m, tokens*convDim),
			Weights:   buffer[uint16](m, convDim*4),
			Output:    buffer[float32](m, tokens*convDim),
			ConvDim:   uint32(convDim),
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(convDim, 256), tokens, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				reads(0, "conv_state", a.ConvState),
				reads(1, "input", a.Input).needing(0),
				reads(2, "weights", a.Weights),
				writes(3, "output", a.Output),
				value(4, "conv_dim", a.ConvDim),
			},
		}
	}, dims{4096, 3}, dims{100, 5}),
	of("conv1d_state_update", gen.Conv1dStateUpdate, func(m *memory, n dims) (gen.Conv1dStateUpdateArgs, want) {
		convDim, nTokens := n[0], n[1]
		a := gen.Conv1dStateUpdateArgs{
			ConvState: buffer[float32](m, 3*convDim),
			Input:     buffer[float32](m, nTokens*convDim),
			ConvDim:   uint32(convDim),
			NTokens:   uint32(nTokens),
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(convDim, 256), 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				updates(0, "conv_state", a.ConvState),
				reads(1, "input", a.Input),
				value(2, "conv_dim", a.ConvDim),
				value(3, "n_tokens", a.NTokens),
			},
		}
	}, dims{4096, 3}, dims{100, 5}),
	of("rms_norm_qk", gen.RmsNormQk, func(m *memory, n dims) (gen.RmsNormQkArgs, want) {
		keyDim, perTokenTotal, keyOffsetPerToken, tokens := n[0], n[1], n[2], n[3]
		a := gen.RmsNormQkArgs{
			X:                 buffer[float32](m, tokens*perTokenTotal),
			KeyDim:            uint32(keyDim),
			InvScale:          0.125,
			PerTokenTotal:     uint32(perTokenTotal),
			KeyOffsetPerToken: uint32(keyOffsetPerToken),
		}
		return a, want{
			threadgroups: [3]int{keyOffsetPerToken / keyDim, tokens, 1},
			threads:      [3]int{min(keyDim, 1024), 1, 1},
			args: []arg{
				updates(0, "x", a.X).needing(0),
				value(1, "key_dim", a.KeyDim),
				value(2, "inv_scale", a.InvScale),
				value(3, "per_token_total", a.PerTokenTotal),
				value(4, "key_offset_per_token", a.KeyOffsetPerToken),
			},
		}
	}, dims{128, 8192, 2048, 3}, dims{20, 130, 60, 2}),
	of("compute_decay_beta", gen.ComputeDecayBeta, func(m *memory, n dims) (gen.ComputeDecayBetaArgs, want) {
		numVHeads, tokens := n[0], n[1]
		a := gen.ComputeDecayBetaArgs{
			AlphaOut:  buffer[float32](m, tokens*numVHeads),
			BetaOut:   buffer[float32](m, tokens*numVHeads),
			ALog:      buffer[float32](m, numVHeads),
			DtBias:    buffer[uint16](m, numVHeads),
			GDecay:    buffer[float32](m, tokens*numVHeads),
			BetaGate:  buffer[float32](m, tokens*numVHeads),
			NumVHeads: uint32(numVHeads),
		}
		return a, want{
			threadgroups: [3]int{(tokens*numVHeads + 255) / 256, 1, 1},
			threads:      [3]int{256, 1, 1},
			size:         [3]int{tokens * numVHeads, 1, 1},
			args: []arg{
				reads(0, "alpha_out", a.AlphaOut).needing(0),
				reads(1, "beta_out", a.BetaOut),
				reads(2, "A_log", a.ALog),
				reads(3, "dt_bias", a.DtBias),
				writes(4, "g_decay", a.GDecay),
				writes(5, "beta_gate", a.BetaGate),
				value(6, "num_v_heads", a.NumVHeads),
			},
		}
	}, dims{32, 3}, dims{20, 5}),
	of("gated_rms_norm", gen.GatedRmsNorm, func(m *memory, n dims) (gen.GatedRmsNormArgs, want) {
		valueDim, numVHeads, tokens := n[0], n[1], n[2]
		a := gen.GatedRmsNormArgs{
			Values:    buffer[float32](m, tokens*numVHeads*valueDim),
			Z:         buffer[float32](m, tokens*numVHeads*valueDim),
			Weight:    buffer[uint16](m, valueDim),
			Output:    buffer[float32](m, tokens*numVHeads*valueDim),
			ValueDim:  uint32(valueDim),
			Eps:       1e-6,
			NumVHeads: uint32(numVHeads),
		}
		return a, want{
			threadgroups: [3]int{numVHeads, tokens, 1},
			threads:      [3]int{min(valueDim, 1024), 1, 1},
			args: []arg{
				reads(0, "values", a.Values).needing(0),
				reads(1, "z", a.Z),
				reads(2, "weight", a.Weight),
				writes(3, "output", a.Output),
				value(4, "value_dim", a.ValueDim),
				value(5, "eps", a.Eps),
				value(6, "num_v_heads", a.NumVHeads),
			},
		}
	}, dims{128, 32, 3}, dims{2000, 3, 2}),
	of("gated_delta_net_chunkwise", gen.GatedDeltaNetChunkwise,
		func(m *memory, n dims) (gen.GatedDeltaNetChunkwiseArgs, want) {
			kHeadsPerV, nTokens, keyTotal, numVHeads := n[0], n[1], n[2], n[3]
			a := gen.GatedDeltaNetChunkwiseArgs{
				State:      buffer[float32](m, numVHeads*128*128),
				ConvOut:    buffer[float32](m, nTokens*(2*keyTotal+numVHeads*128)),
				GDecay:     buffer[float32](m, nTokens*numVHeads),
				BetaGate:   buffer[float32](m, nTokens*numVHeads),
				Output:     buffer[float32](m, nTokens*numVHeads*128),
				KHeadsPerV: uint32(kHeadsPerV),
				NTokens:    uint32(nTokens),
				KeyTotal:   uint32(keyTotal),
				NumVHeads:  uint32(numVHeads),
			}
			return a, want{
				threadgroups: [3]int{numVHeads, 1, 1},
				threads:      [3]int{128, 1, 1},
				args: []arg{
					updates(0, "state", a.State),
					reads(1, "conv_out", a.ConvOut),
					reads(2, "g_decay", a.GDecay),
					reads(3, "beta_gate", a.BetaGate),
					writes(4, "output", a.Output),
					value(5, "k_heads_per_v", a.KHeadsPerV),
					value(6, "n_tokens", a.NTokens),
					value(7, "key_total", a.KeyTotal),
					value(8, "num_v_heads", a.NumVHeads),
				},
			}
		}, dims{2, 5, 1024, 16}, dims{3, 33, 128, 4}),
}
