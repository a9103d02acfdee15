package gen_test

import (
	"testing"

	"github.com/metalgen/metalgen/gen"
)

func TestMatvecBf16Calls(t *testing.T) { matvecBf16Table.run(t) }

var matvecBf16Table = table{
	of("bf16_matvec", gen.Bf16Matvec, func(m *memory, n dims) (gen.Bf16MatvecArgs, want) {
		inDim, outDim := n[0], n[1]
		a := gen.Bf16MatvecArgs{
			W:      buffer[uint16](m, outDim*inDim),
			Input:  buffer[float32](m, inDim),
			Output: buffer[float32](m, outDim),
			InDim:  uint32(inDim),
			OutDim: uint32(outDim),
		}
		return a, want{
			threadgroups: [3]int{outDim, 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				reads(0, "w", a.W),
				reads(1, "input", a.Input),
				writes(2, "output", a.Output),
				value(3, "in_dim", a.InDim),
				value(4, "out_dim", a.OutDim),
			},
		}
	}, dims{2048, 128}, dims{100, 33}),
	of("bf16_matmul_n_tokens", gen.Bf16MatmulNTokens, func(m *memory, n dims) (gen.Bf16MatmulNTokensArgs, want) {
		inDim, outDim, nTokens := n[0], n[1], n[2]
		a := gen.Bf16MatmulNTokensArgs{
			W:       buffer[uint16](m, outDim*inDim),
			Input:   buffer[float32](m, nTokens*inDim),
			Output:  buffer[float32](m, nTokens*outDim),
			InDim:   uint32(inDim),
			OutDim:  uint32(outDim),
			NTokens: uint32(nTokens),
		}
		return a, want{
			threadgroups: [3]int{outDim * nTokens, 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				reads(0, "w", a.W),
				reads(1, "input", a.Input),
				writes(2, "output", a.Output),
				value(3, "in_dim", a.InDim),
				value(4, "out_dim", a.OutDim),
				value(5, "n_tokens", a.NTokens),
			},
		}
	}, dims{2048, 128, 3}, dims{100, 33, 5}),
}
