package gen_test

import (
	"testing"

	"github.com/metalgen/metalgen/gen"
)

func TestRopeCalls(t *testing.T) { ropeTable.run(t) }

var ropeTable = table{
	of("yarn_rope_apply", gen.YarnRopeApply, func(m *memory, n dims) (gen.YarnRopeApplyArgs, want) {
		numHeads, rotaryDim := n[0], n[1]
		a := gen.YarnRopeApplyArgs{
			X:         buffer[float32](m, numHeads*rotaryDim),
			InvFreq:   buffer[float32](m, rotaryDim/2),
			NumHeads:  uint32(numHeads),
			RotaryDim: uint32(rotaryDim),
			PosF:      1000,
			Mscale:    1.25,
		}
		return a, want{
			threadgroups: [3]int{numHeads, rotaryDim / 2, 1},
			threads:      [3]int{1, 1, 1},
			args: []arg{
				updates(0, "x", a.X),
				reads(1, "inv_freq", a.InvFreq),
				value(2, "num_heads", a.NumHeads),
				value(3, "rotary_dim", a.RotaryDim),
				value(4, "pos_f", a.PosF),
				value(5, "mscale", a.Mscale),
			},
		}
	}, dims{32, 64}, dims{3, 21}),
	of("rope_n_tokens", gen.RopeNTokens, func(m *memory, n dims) (gen.RopeNTokensArgs, want) {
		nTokens, numHeads, headDim, rotaryDim, startPos := n[0], n[1], n[2], n[3], n[4]
		a := gen.RopeNTokensArgs{
			X:         buffer[float32](m, nTokens*numHeads*headDim),
			InvFreq:   buffer[float32](m, rotaryDim/2),
			NTokens:   uint32(nTokens),
			NumHeads:  uint32(numHeads),
			HeadDim:   uint32(headDim),
			RotaryDim: uint32(rotaryDim),
			StartPos:  int32(startPos),
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(nTokens*numHeads*(rotaryDim/2), 256), 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				updates(0, "x", a.X),
				reads(1, "inv_freq", a.InvFreq),
				value(2, "n_tokens", a.NTokens),
				value(3, "num_heads", a.NumHeads),
				value(4, "head_dim", a.HeadDim),
				value(5, "rotary_dim", a.RotaryDim),
				value(6, "start_pos", a.StartPos),
			},
		}
	}, dims{4, 32, 128, 64, 1000}, dims{2, 3, 25, 21, 7}),
}
