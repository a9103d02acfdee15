package gen_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

func TestEmbedGather4bitIsTheRowOfEachToken(t *testing.T) {
	dev := openDevice(t)
	for i, c := range []struct {
		tableRows, hiddenDim, group int
		ids                         []int32
	}{
		{1, 8, 8, []int32{0}},
		{9, 104, 40, []int32{8, 0, 3, 3, 8}},
		{7, 4096, 64, []int32{6, 1, 0}},
		{4, 4104, 128, []int32{3, 2}},
		{5, 264, 7, []int32{4, 1}}, // a group need not be whole words here
		{5, 264, 1, []int32{0, 4}},
		{2, 32, 4096, []int32{1}},
		{6, 40, 8, []int32{-1, 5, math.MinInt32, 0, -6}}, // no token: zeros
		{3, 16, 8, repeatedIDs(3, 333)},
	} {
		t.Run(fmt.Sprintf("%d of %dx%d in groups of %d", len(c.ids), c.tableRows, c.hiddenDim, c.group), func(t *testing.T) {
			m := newQuantized(uint64(i), 4, c.tableRows, c.hiddenDim, c.group)
			want := newReference(len(c.ids) * c.hiddenDim)
			for token, id := range c.ids {
				if id < 0 {
					continue
				}
				for d := range c.hiddenDim {
					// The product of q and scale may be rounded, before the bias takes most of it away.
					bias := bf16(m.biases[int(id)*ceilDiv(c.hiddenDim, c.group)+d/c.group])
					want.add(token*c.hiddenDim+d, m.at(int(id), d)-bias)
					want.add(token*c.hiddenDim+d, bias)
				}
			}
			a := gen.EmbedGather4bitArgs{
				WPacked:   input(t, dev, m.words),
				Scales:    input(t, dev, m.scales),
				Biases:    input(t, dev, m.biases),
				TokenIds:  input(t, dev, c.ids),
				Out:       output[float32](t, dev, len(c.ids)*c.hiddenDim),
				NTokens:   uint32(len(c.ids)),
				HiddenDim: uint32(c.hiddenDim),
				GroupSize: uint32(c.group),
			}
			execute(t, dev, func(b *runtime.Batch) { gen.EmbedGather4bit(b, a) })
			want.check(t, "embed_gather_4bit", a.Out.Data(), elementRel)
		})
	}
}

func repeatedIDs(below int32, n int) []int32 {
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = int32(i*i) % below
	}
	return ids
}
