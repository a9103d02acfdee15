package gen_test

import (
	"fmt"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

func TestMatvec4bitCalls(t *testing.T) { matvec4bitTable.run(t) }

var matvec4bitTable = table{
	of("dequant_matvec_4bit", gen.DequantMatvec4bit, func(m *memory, n dims) (gen.DequantMatvec4bitArgs, want) {
		outDim, inDim, groupSize := n[0], n[1], n[2]
		a := gen.DequantMatvec4bitArgs{
			WPacked:   buffer[uint32](m, outDim*(inDim/8)),
			Scales:    buffer[uint16](m, outDim*ceilDiv(inDim, groupSize)),
			Biases:    buffer[uint16](m, outDim*ceilDiv(inDim, groupSize)),
			X:         buffer[float32](m, inDim),
			Out:       buffer[float32](m, outDim),
			OutDim:    uint32(outDim),
			InDim:     uint32(inDim),
			GroupSize: uint32(groupSize),
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(outDim, 256), 1, 1},
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
	of("dequant_matvec_4bit_fast", gen.DequantMatvec4bitFast,
		func(m *memory, n dims) (gen.DequantMatvec4bitFastArgs, want) {
			outDim, inDim, groupSize := n[0], n[1], n[2]
			a := gen.DequantMatvec4bitFastArgs{
				WPacked:   buffer[uint32](m, outDim*(inDim/8)),
				Scales:    buffer[uint16](m, outDim*ceilDiv(inDim, groupSize)),
				Biases:    buffer[uint16](m, outDim*ceilDiv(inDim, groupSize)),
				X:         buffer[float32](m, inDim),
				Out:       buffer[float32](m, outDim),
				OutDim:    uint32(outDim),
				InDim:     uint32(inDim),
				GroupSize: uint32(groupSize),
			}
			return a, want{
				threadgroups: [3]int{outDim, 1, 1},
				threads:      [3]int{64, 1, 1},
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
	of("dequant_matvec_4bit_fast_n_tokens", gen.DequantMatvec4bitFastNTokens,
		func(m *memory, n dims) (gen.DequantMatvec4bitFastNTokensArgs, want) {
			outDim, inDim, groupSize, nTokens := n[0], n[1], n[2], n[3]
			a := gen.DequantMatvec4bitFastNTokensArgs{
				WPacked:   buffer[uint32](m, outDim*(inDim/8)),
				Scales:    buffer[uint16](m, outDim*ceilDiv(inDim, groupSize)),
				Biases:    buffer[uint16](m, outDim*ceilDiv(inDim, groupSize)),
				XInputs:   buffer[float32](m, nTokens*inDim),
				Out:       buffer[float32](m, nTokens*outDim),
				OutDim:    uint32(outDim),
				InDim:     uint32(inDim),
				GroupSize: uint32(groupSize),
				NTokens:   uint32(nTokens),
			}
			return a, want{
				threadgroups: [3]int{outDim * nTokens, 1, 1},
				threads:      [3]int{64, 1, 1},
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
				},
			}
		}, dims{512, 2048, 64, 3}, dims{100, 104, 40, 5}),
	of("fused_gate_up_swiglu", gen.FusedGateUpSwiglu, func(m *memory, n dims) (gen.FusedGateUpSwigluArgs, want) {
		outDim, inDim, groupSize := n[0], n[1], n[2]
		a := gen.FusedGateUpSwigluArgs{
			GateW:     buffer[uint32](m, outDim*(inDim/8)),
			GateS:     buffer[uint16](m, outDim*ceilDiv(inDim, groupSize)),
			GateB:     buffer[uint16](m, outDim*ceilDiv(inDim, groupSize)),
			UpW:       buffer[uint32](m, outDim*(inDim/8)),
			UpS:       buffer[uint16](m, outDim*ceilDiv(inDim, groupSize)),
			UpB:       buffer[uint16](m, outDim*ceilDiv(inDim, groupSize)),
			X:         buffer[float32](m, inDim),
			Out:       buffer[float32](m, outDim),
			OutDim:    uint32(outDim),
			InDim:     uint32(inDim),
			GroupSize: uint32(groupSize),
		}
		return a, want{
			threadgroups: [3]int{outDim, 1, 1},
			threads:      [3]int{64, 1, 1},
			args: []arg{
				reads(0, "gate_W", a.GateW),
				reads(1, "gate_s", a.GateS),
				reads(2, "gate_b", a.GateB),
				reads(3, "up_W", a.UpW),
				reads(4, "up_s", a.UpS),
				reads(5, "up_b", a.UpB),
				reads(6, "x", a.X),
				writes(7, "out", a.Out),
				value(8, "out_dim", a.OutDim),
				value(9, "in_dim", a.InDim),
				value(10, "group_size", a.GroupSize),
			},
		}
	}, dims{512, 2048, 64}, dims{100, 104, 40}),
	of("dequant_matvec_4bit_v3", gen.DequantMatvec4bitV3, func(m *memory, n dims) (gen.DequantMatvec4bitV3Args, want) {
		outDim, inDim, groupSize := n[0], n[1], n[2]
		a := gen.DequantMatvec4bitV3Args{
			WPacked:   buffer[uint32](m, outDim*(inDim/8)),
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
	of("dequant_matvec_4bit_v3_n_tokens", gen.DequantMatvec4bitV3NTokens,
		func(m *memory, n dims) (gen.DequantMatvec4bitV3NTokensArgs, want) {
			outDim, inDim, groupSize, nTokens := n[0], n[1], n[2], n[3]
			numRowTiles := ceilDiv(outDim, 8)
			a := gen.DequantMatvec4bitV3NTokensArgs{
				WPacked:     buffer[uint32](m, outDim*(inDim/8)),
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
	of("dequant_matvec_4bit_v4", gen.DequantMatvec4bitV4, func(m *memory, n dims) (gen.DequantMatvec4bitV4Args, want) {
		outDim, inDim, groupSize := n[0], n[1], n[2]
		a := gen.DequantMatvec4bitV4Args{
			WPacked:   buffer[uint32](m, outDim*(inDim/8)),
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
	of("dequant_matvec_4bit_v5", gen.DequantMatvec4bitV5, func(m *memory, n dims) (gen.DequantMatvec4bitV5Args, want) {
		outDim, inDim, groupSize := n[0], n[1], n[2]
		a := gen.DequantMatvec4bitV5Args{
			WPacked:   buffer[uint32](m, outDim*(inDim/8)),
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
	of("dequant_matvec_4bit_batched", gen.DequantMatvec4bitBatched,
		func(m *memory, n dims) (gen.DequantMatvec4bitBatchedArgs, want) {
			outDim, inDim, groupSize, experts := n[0], n[1], n[2], n[3]
			numRowTiles := ceilDiv(outDim, 8)
			a := gen.DequantMatvec4bitBatchedArgs{
				WPacked:     buffer[uint32](m, experts*outDim*(inDim/8)),
				Scales:      buffer[uint16](m, experts*outDim*ceilDiv(inDim, groupSize)),
				Biases:      buffer[uint16](m, experts*outDim*ceilDiv(inDim, groupSize)),
				XInputs:     buffer[float32](m, experts*inDim),
				Out:         buffer[float32](m, experts*outDim),
				OutDim:      uint32(outDim),
				InDim:       uint32(inDim),
				GroupSize:   uint32(groupSize),
				WOffsets:    buffer[uint32](m, experts),
				SOffsets:    buffer[uint32](m, experts),
				BOffsets:    buffer[uint32](m, experts),
				NumRowTiles: uint32(numRowTiles),
			}
			return a, want{
				threadgroups: [3]int{numRowTiles * experts, 1, 1},
				threads:      [3]int{256, 1, 1},
				args: []arg{
					reads(0, "W_packed", a.WPacked).needing(0),
					reads(1, "scales", a.Scales).needing(0),
					reads(2, "biases", a.Biases).needing(0),
					reads(3, "x_inputs", a.XInputs),
					writes(4, "out", a.Out),
					value(5, "out_dim", a.OutDim),
					value(6, "in_dim", a.InDim),
					value(7, "group_size", a.GroupSize),
					reads(8, "w_offsets", a.WOffsets).needing(0),
					reads(9, "s_offsets", a.SOffsets),
					reads(10, "b_offsets", a.BOffsets),
					value(11, "num_row_tiles", a.NumRowTiles),
				},
			}
		}, dims{64, 2048, 64, 8}, dims{20, 104, 40, 3}),
	of("dequant_matvec_4bit_v3_experts", gen.DequantMatvec4bitV3Experts,
		func(m *memory, n dims) (gen.DequantMatvec4bitV3ExpertsArgs, want) {
			outDim, inDim, groupSize, kActive, inputStride := n[0], n[1], n[2], n[3], n[4]
			numRowTiles := ceilDiv(outDim, 8)
			sByteOff := outDim * inDim / 2
			bByteOff := sByteOff + outDim*ceilDiv(inDim, groupSize)*2
			blob := bByteOff + outDim*ceilDiv(inDim, groupSize)*2
			a := gen.DequantMatvec4bitV3ExpertsArgs{
				Blob0:       buffer[int8](m, blob),
				Blob1:       buffer[int8](m, blob),
				Blob2:       buffer[int8](m, blob),
				Blob3:       buffer[int8](m, blob),
				Blob4:       buffer[int8](m, blob),
				Blob5:       buffer[int8](m, blob),
				Blob6:       buffer[int8](m, blob),
				Blob7:       buffer[int8](m, blob),
				X:           buffer[float32](m, (min(kActive, 8)-1)*inputStride+inDim),
				Out:         buffer[float32](m, min(kActive, 8)*outDim),
				OutDim:      uint32(outDim),
				InDim:       uint32(inDim),
				GroupSize:   uint32(groupSize),
				WByteOff:    4,
				SByteOff:    uint32(sByteOff),
				BByteOff:    uint32(bByteOff),
				NumRowTiles: uint32(numRowTiles),
				KActive:     uint32(kActive),
				InputStride: uint32(inputStride),
			}
			expert := func(k int, blob runtime.Buffer[int8]) arg {
				a := reads(k, fmt.Sprint("blob", k), blob)
				if k >= kActive {
					return a.unread()
				}
				return a
			}
			return a, want{
				threadgroups: [3]int{numRowTiles * min(kActive, 8), 1, 1},
				threads:      [3]int{256, 1, 1},
				args: []arg{
					expert(0, a.Blob0),
					expert(1, a.Blob1),
					expert(2, a.Blob2),
					expert(3, a.Blob3),
					expert(4, a.Blob4),
					expert(5, a.Blob5),
					expert(6, a.Blob6),
					expert(7, a.Blob7),
					reads(8, "x", a.X),
					writes(9, "out", a.Out),
					value(10, "out_dim", a.OutDim),
					value(11, "in_dim", a.InDim),
					value(12, "group_size", a.GroupSize),
					value(13, "w_byte_off", a.WByteOff),
					value(14, "s_byte_off", a.SByteOff),
					value(15, "b_byte_off", a.BByteOff),
					value(16, "num_row_tiles", a.NumRowTiles),
					value(17, "k_active", a.KActive),
					value(18, "input_stride", a.InputStride),
				},
			}
		}, dims{64, 2048, 64, 6, 2056}, dims{20, 104, 40, 9, 0}, dims{20, 104, 40, 1, 200}),
}
