package gen_test

import (
	"testing"

	"github.com/metalgen/metalgen/gen"
)

func TestNormCalls(t *testing.T) { normTable.run(t) }

var normTable = table{
	of("fused_norm_add_f32", gen.FusedNormAddF32, func(m *memory, n dims) (gen.FusedNormAddF32Args, want) {
		dim, rows := n[0], n[1]
		a := gen.FusedNormAddF32Args{
			Residual: buffer[float32](m, rows*dim),
			Input:    buffer[float32](m, rows*dim),
			Weight:   buffer[float32](m, dim),
			Output:   buffer[float32](m, rows*dim),
			Dim:      uint32(dim),
			Rows:     uint32(rows),
			Eps:      1e-6,
		}
		return a, want{
			threadgroups: [3]int{rows, 1, 1},
			threads:      [3]int{min(256, pow2(dim)), 1, 1},
			args: []arg{
				reads(0, "residual", a.Residual),
				reads(1, "input", a.Input),
				reads(2, "weight", a.Weight),
				writes(3, "output", a.Output),
				value(4, "dim", a.Dim),
				value(5, "rows", a.Rows),
				value(6, "eps", a.Eps),
				shared(0, "shared", min(256, pow2(dim))),
			},
		}
	}, dims{4096, 2}, dims{100, 3}),
	of("fused_norm_add_scalar_f32", gen.FusedNormAddScalarF32,
		func(m *memory, n dims) (gen.FusedNormAddScalarF32Args, want) {
			dim, rows, scalarIsVector := n[0], n[1], n[2]
			a := gen.FusedNormAddScalarF32Args{
				Residual: buffer[float32](m, rows*dim),
				Input:    buffer[float32](m, rows*dim),
				Weight:   buffer[float32](m, dim),
				Output:   buffer[float32](m, rows*dim),
				Scalar:   buffer[float32](m, max(1, min(1, scalarIsVector)*dim)),
				Params: gen.FusedNormAddScalarF32Params{Dim: uint32(dim), Rows: uint32(rows), Eps: 1e-6,
					ScalarIsVector: uint32(scalarIsVector)},
			}
			return a, want{
				threadgroups: [3]int{rows, 1, 1},
				threads:      [3]int{min(256, pow2(dim)), 1, 1},
				args: []arg{
					reads(0, "residual", a.Residual),
					reads(1, "input", a.Input),
					reads(2, "weight", a.Weight),
					writes(3, "output", a.Output),
					reads(4, "scalar", a.Scalar),
					value(5, "params", uint32(dim), uint32(rows), float32(1e-6), uint32(scalarIsVector)),
					shared(0, "shared", min(256, pow2(dim))),
				},
			}
		}, dims{4096, 2, 0}, dims{100, 3, 1}, dims{3, 5, 7}),
	of("fused_residual_norm_f32", gen.FusedResidualNormF32, func(m *memory, n dims) (gen.FusedResidualNormF32Args, want) {
		dim, rows, writeSum := n[0], n[1], n[2]
		a := gen.FusedResidualNormF32Args{
			Residual:     buffer[float32](m, rows*dim),
			Input:        buffer[float32](m, rows*dim),
			Weight:       buffer[float32](m, dim),
			NormedOutput: buffer[float32](m, rows*dim),
			SumOutput:    buffer[float32](m, min(1, writeSum)*rows*dim),
			Params: gen.FusedResidualNormF32Params{Dim: uint32(dim), Rows: uint32(rows), Eps: 1e-6,
				WriteSum: uint32(writeSum)},
		}
		return a, want{
			threadgroups: [3]int{rows, 1, 1},
			threads:      [3]int{min(256, pow2(dim)), 1, 1},
			args: []arg{
				reads(0, "residual", a.Residual),
				reads(1, "input", a.Input),
				reads(2, "weight", a.Weight),
				writes(3, "normed_output", a.NormedOutput),
				writes(4, "sum_output", a.SumOutput),
				value(5, "params", uint32(dim), uint32(rows), float32(1e-6), uint32(writeSum)),
				shared(0, "shared", min(256, pow2(dim))),
			},
		}
	}, dims{4096, 2, 0}, dims{100, 3, 1}, dims{3, 5, 7}),
	of("fused_residual_norm_scalar_f32", gen.FusedResidualNormScalarF32,
		func(m *memory, n dims) (gen.FusedResidualNormScalarF32Args, want) {
			dim, rows, scalarIsVector := n[0], n[1], n[2]
			a := gen.FusedResidualNormScalarF32Args{
				Residual: buffer[float32](m, rows*dim),
				Input:    buffer[float32](m, rows*dim),
				Weight:   buffer[float32](m, dim),
				Output:   buffer[float32](m, rows*dim),
				Scalar:   buffer[float32](m, max(1, min(1, scalarIsVector)*dim)),
				Params: gen.FusedResidualNormScalarF32Params{Dim: uint32(dim), Rows: uint32(rows), Eps: 1e-6,
					ScalarIsVector: uint32(scalarIsVector)},
			}
			return a, want{
				threadgroups: [3]int{rows, 1, 1},
				threads:      [3]int{min(256, pow2(dim)), 1, 1},
				args: []arg{
					reads(0, "residual", a.Residual),
					reads(1, "input", a.Input),
					reads(2, "weight", a.Weight),
					writes(3, "output", a.Output),
					reads(4, "scalar", a.Scalar),
					value(5, "params", uint32(dim), uint32(rows), float32(1e-6), uint32(scalarIsVector)),
					shared(0, "shared", min(256, pow2(dim))),
				},
			}
		}, dims{4096, 2, 0}, dims{100, 3, 1}, dims{3, 5, 7}),
	of("fused_moe_wsum_norm_add_f32", gen.FusedMoeWsumNormAddF32,
		func(m *memory, n dims) (gen.FusedMoeWsumNormAddF32Args, want) {
			dim, topK, rows := n[0], n[1], n[2]
			a := gen.FusedMoeWsumNormAddF32Args{
				ExpertOutputs: buffer[float32](m, rows*topK*dim),
				Weights:       buffer[float32](m, rows*topK),
				Residual:      buffer[float32](m, rows*dim),
				NormWeight:    buffer[float32](m, dim),
				Output:        buffer[float32](m, rows*dim),
				Dim:           uint32(dim),
				TopK:          uint32(topK),
				Rows:          uint32(rows),
				Eps:           1e-6,
			}
			return a, want{
				threadgroups: [3]int{rows, 1, 1},
				threads:      [3]int{min(256, pow2(dim)), 1, 1},
				args: []arg{
					reads(0, "expert_outputs", a.ExpertOutputs),
					reads(1, "weights", a.Weights),
					reads(2, "residual", a.Residual),
					reads(3, "norm_weight", a.NormWeight),
					writes(4, "output", a.Output),
					value(5, "dim", a.Dim),
					value(6, "top_k", a.TopK),
					value(7, "rows", a.Rows),
					value(8, "eps", a.Eps),
					shared(0, "shared", min(256, pow2(dim))+dim),
				},
			}
		}, dims{4096, 8, 2}, dims{101, 6, 3}),
	of("fused_moe_wsum_dnorm_add_f32", gen.FusedMoeWsumDnormAddF32,
		func(m *memory, n dims) (gen.FusedMoeWsumDnormAddF32Args, want) {
			dim, topK, rows := n[0], n[1], n[2]
			a := gen.FusedMoeWsumDnormAddF32Args{
				ExpertOutputs: buffer[float32](m, rows*topK*dim),
				Weights:       buffer[float32](m, rows*topK),
				Residual:      buffer[float32](m, rows*dim),
				ResNormWeight: buffer[float32](m, dim),
				MoeNormWeight: buffer[float32](m, dim),
				Output:        buffer[float32](m, rows*dim),
				Dim:           uint32(dim),
				TopK:          uint32(topK),
				Rows:          uint32(rows),
				Eps:           1e-6,
			}
			return a, want{
				threadgroups: [3]int{rows, 1, 1},
				threads:      [3]int{min(256, pow2(dim)), 1, 1},
				args: []arg{
					reads(0, "expert_outputs", a.ExpertOutputs),
					reads(1, "weights", a.Weights),
					reads(2, "residual", a.Residual),
					reads(3, "res_norm_weight", a.ResNormWeight),
					reads(4, "moe_norm_weight", a.MoeNormWeight),
					writes(5, "output", a.Output),
					value(6, "dim", a.Dim),
					value(7, "top_k", a.TopK),
					value(8, "rows", a.Rows),
					value(9, "eps", a.Eps),
					shared(0, "shared", 2*min(256, pow2(dim))+dim),
				},
			}
		}, dims{4096, 8, 2}, dims{101, 6, 3}),
}
