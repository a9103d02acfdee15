package gen_test

import (
	"testing"

	"github.com/metalgen/metalgen/gen"
)

func TestMatvecQuantizedCalls(t *testing.T) { matvecQuantizedTable.run(t) }

var matvecQuantizedTable = table{
	of("dequant_matvec_8bit_v3", gen.DequantMatvec8bitV3, func(m *memory, n dims) (gen.DequantMatvec8bitV3Args, want) {
		outDim, inDim, groupSize := n[0], n[1], n[2]
		a := gen.DequantMatvec8bitV3Args{
			WPacked:   buffer[uint32](m, outDim*(inDim/4)),
			Scales:    buffer[uint16](m, outDim*ceilDiv(inDim, groupSize)),
			Biases:    buffer[uint16](m, outDim*ceilDiv(inDim, groupSize)),
			X:         buffer[float32](m, inDim),
			Out:       buffer[float32](m, outDim),
			OutDim:    uint32(outDim),
			InDim:     uint32(inDim),
			GroupSize: uint32(groupSize),
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(outDim, 8), 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				reads(0, "W_packed", a.WPacked),
				reads(1, "scales", a.Scales),
				reads(2, "biases", a.Biases),
				reads(3, "x", a.X),
				writes(4, "out", a.Out),
				value(5, "out_dim", a.OutDim),
				value(6, "in_dim", a.InDim),
				value(7, "group_size", a.GroupSize),
			},
		}
	}, dims{512, 2048, 64}, dims{100, 104, 40}),
	of("dequant_matvec_8bit_v3_n_tokens", gen.DequantMatvec8bitV3NTokens,
		func(m *memory, n dims) (gen.DequantMatvec8bitV3NTokensArgs, want) {
			outDim, inDim, groupSize, nTokens := n[0], n[1], n[2], n[3]
			numRowTiles := ceilDiv(outDim, 8)
			a := gen.DequantMatvec8bitV3NTokensArgs{
				WPacked:     buffer[uint32](m, outDim*(inDim/4)),
				Scales:      buffer[uint16](m, outDim*ceilDiv(inDim, groupSize)),
				Biases:      buffer[uint16](m, outDim*ceilDiv(inDim, groupSize)),
				XInputs:     buffer[float32](m, nTokens*inDim),
				Out:         buffer[float32](m, nTokens*outDim),
				OutDim:      uint32(outDim),
				InDim:       uint32(inDim),
				GroupSize:   uint32(groupSize),
				NTokens:     uint32(nTokens),
				NumRowTiles: uint32(numRowTiles),
			}
			return a, want{
				threadgroups: [3]int{numRowTiles * nTokens, 1, 1},
				threads:      [3]int{256, 1, 1},
				args: []arg{
					reads(0, "W_packed", a.WPacked),
					reads(1, "scales", a.Scales),
					reads(2, "biases", a.Biases),
					reads(3, "x_inputs", a.XInputs),
					writes(4, "out", a.Out),
					value(5, "out_dim", a.OutDim),
					value(6, "in_dim", a.InDim),
					value(7, "group_size", a.GroupSize),
					value(8, "n_tokens", a.NTokens),
					value(9, "num_row_tiles", a.NumRowTiles),
				},
			}
		}, dims{512, 2048, 64, 3}, dims{100, 104, 40, 5}),
	of("dequant_matvec_2bit", gen.DequantMatvec2bit, func(m *memory, n dims) (gen.DequantMatvec2bitArgs, want) {
		outDim, inDim, groupSize := n[0], n[1], n[2]
		a := gen.DequantMatvec2bitArgs{
			WPacked:   buffer[uint32](m, outDim*(inDim/16)),
			Scales:    buffer[uint16](m, outDim*ceilDiv(inDim, groupSize)),
			Biases:    buffer[uint16](m, outDim*ceilDiv(inDim, groupSize)),
			X:         buffer[float32](m, inDim),
			Out:       buffer[float32](m, outDim),
			OutDim:    uint32(outDim),
			InDim:     uint32(inDim),
			GroupSize: uint32(groupSize),
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(outDim, 8), 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				reads(0, "W_packed", a.WPacked),
				reads(1, "scales", a.Scales),
				reads(2, "biases", a.Biases),
				reads(3, "x", a.X),
				writes(4, "out", a.Out),
				value(5, "out_dim", a.OutDim),
				value(6, "in_dim", a.InDim),
				value(7, "group_size", a.GroupSize),
			},
		}
	}, dims{512, 2048, 64}, dims{100, 112, 48}),
}
