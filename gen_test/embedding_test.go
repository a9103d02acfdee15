package gen_test

import (
	"testing"

	"github.com/metalgen/metalgen/gen"
)

func TestEmbeddingCalls(t *testing.T) { embeddingTable.run(t) }

var embeddingTable = table{
	of("embed_gather_4bit", gen.EmbedGather4bit, func(m *memory, n dims) (gen.EmbedGather4bitArgs, want) {
		nTokens, hiddenDim, groupSize, table := n[0], n[1], n[2], n[3]
		a := gen.EmbedGather4bitArgs{
			WPacked:   buffer[uint32](m, table*(hiddenDim/8)),
			Scales:    buffer[uint16](m, table*ceilDiv(hiddenDim, groupSize)),
			Biases:    buffer[uint16](m, table*ceilDiv(hiddenDim, groupSize)),
			TokenIds:  buffer[int32](m, nTokens),
			Out:       buffer[float32](m, nTokens*hiddenDim),
			NTokens:   uint32(nTokens),
			HiddenDim: uint32(hiddenDim),
			GroupSize: uint32(groupSize),
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(nTokens*hiddenDim, 256), 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				reads(0, "W_packed", a.WPacked).needing(0),
				reads(1, "scales", a.Scales).needing(0),
				reads(2, "biases", a.Biases).needing(0),
				reads(3, "token_ids", a.TokenIds),
				writes(4, "out", a.Out),
				value(5, "n_tokens", a.NTokens),
				value(6, "hidden_dim", a.HiddenDim),
				value(7, "group_size", a.GroupSize),
			},
		}
	}, dims{4, 2048, 64, 50}, dims{3, 104, 40, 7}),
}
