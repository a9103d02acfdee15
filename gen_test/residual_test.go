package gen_test

import (
	"testing"

	"github.com/metalgen/metalgen/gen"
)

func TestResidualCalls(t *testing.T) { residualTable.run(t) }

var residualTable = table{
	of("residual_add", gen.ResidualAdd, func(m *memory, n dims) (gen.ResidualAddArgs, want) {
		dim := n[0]
		a := gen.ResidualAddArgs{
			A:   buffer[float32](m, dim),
			B:   buffer[float32](m, dim),
			Out: buffer[float32](m, dim),
			Dim: uint32(dim),
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(dim, 256), 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				reads(0, "a", a.A),
				reads(1, "b", a.B),
				writes(2, "out", a.Out),
				value(3, "dim", a.Dim),
			},
		}
	}, dims{4096}, dims{777}),
	of("residual_add_n_tokens", gen.ResidualAddNTokens, func(m *memory, n dims) (gen.ResidualAddNTokensArgs, want) {
		total := n[0]
		a := gen.ResidualAddNTokensArgs{
			A:     buffer[float32](m, total),
			B:     buffer[float32](m, total),
			Out:   buffer[float32](m, total),
			Total: uint32(total),
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(total, 256), 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				reads(0, "a", a.A),
				reads(1, "b", a.B),
				writes(2, "out", a.Out),
				value(3, "total", a.Total),
			},
		}
	}, dims{4096}, dims{777}),
}
