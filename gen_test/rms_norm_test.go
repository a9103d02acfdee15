package gen_test

import (
	"testing"

	"github.com/metalgen/metalgen/gen"
)

func TestRmsNormCalls(t *testing.T) { rmsNormTable.run(t) }

var rmsNormTable = table{
	of("rms_norm_sum_sq", gen.RmsNormSumSq, func(m *memory, n dims) (gen.RmsNormSumSqArgs, want) {
		dim := n[0]
		a := gen.RmsNormSumSqArgs{
			X:     buffer[float32](m, dim),
			SumSq: buffer[float32](m, 1),
			Dim:   uint32(dim),
		}
		return a, want{
			threadgroups: [3]int{1, 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				reads(0, "x", a.X),
				writes(1, "sum_sq", a.SumSq),
				value(2, "dim", a.Dim),
			},
		}
	}, dims{4096}, dims{777}),
	of("rms_norm_apply", gen.RmsNormApply, func(m *memory, n dims) (gen.RmsNormApplyArgs, want) {
		dim := n[0]
		a := gen.RmsNormApplyArgs{
			X:      buffer[float32](m, dim),
			Weight: buffer[float32](m, dim),
			SumSq:  buffer[float32](m, 1),
			Out:    buffer[float32](m, dim),
			Dim:    uint32(dim),
			Eps:    1e-6,
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(dim, 256), 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				reads(0, "x", a.X),
				reads(1, "weight", a.Weight),
				reads(2, "sum_sq", a.SumSq),
				writes(3, "out", a.Out),
				value(4, "dim", a.Dim),
				value(5, "eps", a.Eps),
			},
		}
	}, dims{4096}, dims{777}),
	of("rms_norm_apply_bf16", gen.RmsNormApplyBf16, func(m *memory, n dims) (gen.RmsNormApplyBf16Args, want) {
		dim := n[0]
		a := gen.RmsNormApplyBf16Args{
			X:      buffer[float32](m, dim),
			Weight: buffer[uint16](m, dim),
			SumSq:  buffer[float32](m, 1),
			Out:    buffer[float32](m, dim),
			Dim:    uint32(dim),
			Eps:    1e-6,
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(dim, 256), 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				reads(0, "x", a.X),
				reads(1, "weight", a.Weight),
				reads(2, "sum_sq", a.SumSq),
				writes(3, "out", a.Out),
				value(4, "dim", a.Dim),
				value(5, "eps", a.Eps),
			},
		}
	}, dims{4096}, dims{777}),
	of("rms_norm_bf16_fused_n_tokens", gen.RmsNormBf16FusedNTokens,
		func(m *memory, n dims) (gen.RmsNormBf16FusedNTokensArgs, want) {
			dim, tokens := n[0], n[1]
			a := gen.RmsNormBf16FusedNTokensArgs{
				X:      buffer[float32](m, tokens*dim),
				Weight: buffer[uint16](m, dim),
				Out:    buffer[float32](m, tokens*dim),
				Dim:    uint32(dim),
				Eps:    1e-6,
			}
			return a, want{
				threadgroups: [3]int{tokens, 1, 1},
				threads:      [3]int{256, 1, 1},
				args: []arg{
					reads(0, "x", a.X).needing(dim),
					reads(1, "weight", a.Weight),
					writes(2, "out", a.Out),
					value(3, "dim", a.Dim),
					value(4, "eps", a.Eps),
				},
			}
		}, dims{4096, 3}, dims{777, 2}),
	of("rms_norm_per_head_n_tokens", gen.RmsNormPerHeadNTokens,
		func(m *memory, n dims) (gen.RmsNormPerHeadNTokensArgs, want) {
			numHeads, headDim, tokens := n[0], n[1], n[2]
			a := gen.RmsNormPerHeadNTokensArgs{
				X:        buffer[float32](m, tokens*numHeads*headDim),
				Weight:   buffer[uint16](m, headDim),
				NumHeads: uint32(numHeads),
				HeadDim:  uint32(headDim),
				Eps:      1e-6,
			}
			return a, want{
				threadgroups: [3]int{numHeads, tokens, 1},
				threads:      [3]int{256, 1, 1},
				args: []arg{
					updates(0, "x", a.X).needing(numHeads * headDim),
					reads(1, "weight", a.Weight),
					value(2, "num_heads", a.NumHeads),
					value(3, "head_dim", a.HeadDim),
					value(4, "eps", a.Eps),
				},
			}
		}, dims{32, 128, 3}, dims{5, 20, 2}),
}
