package gen_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// inverseFrequencies returns those of the usual rotary embedding.
func inverseFrequencies(rotaryDim int) []float32 {
	f := make([]float32, rotaryDim/2)
	for i := range f {
		f[i] = float32(math.Pow(10000, -2*float64(i)/float64(rotaryDim)))
	}
	return f
}

// rotated returns what rotating the first rotaryDim channels of each head should make
// of x; position tells that of a head. Angles are float32 for the kernels. At a
// position of 100000 alone that turns by 0.004 radians, so that the reference
// rounds them as well, and what is left to the kernels is to find the sine and
// cosine of exactly that angle.
func rotated(x, invFreq []float32, headDim, rotaryDim int, position func(head int) float32, mscale float32) reference {
	r := newReference(len(x))
	for i, v := range x {
		r.want[i] = float64(v) // with a scale of 0: not to be changed
	}
	half := rotaryDim / 2
	for head := range len(x) / headDim {
		for i, f := range invFreq {
			sin, cos := math.Sincos(float64(float32(position(head) * f)))
			first, second := head*headDim+i, head*headDim+i+half
			a, b := float64(x[first]), float64(x[second])
			m := float64(mscale)
			r.want[first] = m * (a*cos - b*sin)
			r.want[second] = m * (a*sin + b*cos)
			// An error of the sine is relative to 1, not to the sine.
			r.scale[first] = math.Abs(m) * (math.Abs(a) + math.Abs(b))
			r.scale[second] = r.scale[first]
		}
	}
	return r
}

func TestYarnRopeApplyTurnsPairs(t *testing.T) {
	dev := openDevice(t)
	for i, c := range []struct {
		heads, rotaryDim int
		pos, mscale      float32
		threads          [2]int // of a threadgroup, 0 for what the shader states; any number will do
	}{
		{1, 2, 0, 1, [2]int{}},
		{1, 2, 1, 1, [2]int{}},
		{3, 20, 17, 0.5, [2]int{}},
		{16, 64, 4095, 1.25, [2]int{}},
		{5, 7, 100_000, 1, [2]int{}}, // the last channel is left alone
		{2, 258, 131_071.5, 1.5, [2]int{}},
		{2, 4096, 777, 1, [2]int{}},
		{3, 66, 16_777_216, 1, [2]int{}},
		{3, 66, -12, 1, [2]int{}},
		{5, 66, 12, 1, [2]int{2, 32}},
		{5, 66, 12, 1, [2]int{8, 128}},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			x := uniform(uint64(i), c.heads*c.rotaryDim, -2, 2)
			invFreq := inverseFrequencies(c.rotaryDim)
			a := gen.YarnRopeApplyArgs{
				X:         inout(t, dev, x),
				InvFreq:   input(t, dev, invFreq),
				NumHeads:  uint32(c.heads),
				RotaryDim: uint32(c.rotaryDim),
				PosF:      c.pos,
				Mscale:    c.mscale,
			}
			if n := c.threads; n[0] != 0 {
				a.Grid = groups(ceilDiv(c.heads, n[0]), ceilDiv(c.rotaryDim/2, n[1]), 1, n[0], n[1], 1)
			}
			execute(t, dev, func(b *runtime.Batch) { gen.YarnRopeApply(b, a) })
			want := rotated(x, invFreq, c.rotaryDim, c.rotaryDim, func(int) float32 { return c.pos }, c.mscale)
			want.check(t, "yarn_rope_apply", a.X.Data(), elementRel)
		})
	}
}

func TestRopeNTokensTurnsPairs(t *testing.T) {
	dev := openDevice(t)
	for i, c := range []struct {
		tokens, heads, headDim, rotaryDim int
		startPos                          int32
	}{
		{1, 1, 2, 2, 0},
		{3, 2, 20, 20, 0},
		{5, 3, 100, 50, 4090},
		{4, 5, 15, 7, 99_999}, // of an odd rotary_dim the last channel is left alone
		{2, 1, 4096, 4096, 1000},
		{130, 2, 8, 6, 0}, // more than one threadgroup of pairs
		{1, 33, 64, 64, 131_072},
		{3, 2, 32, 32, 1<<24 - 2}, // the last positions that are exact
		{4, 1, 10, 4, -2},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			x := uniform(uint64(i), c.tokens*c.heads*c.headDim, -2, 2)
			invFreq := inverseFrequencies(c.rotaryDim)
			a := gen.RopeNTokensArgs{
				X:         inout(t, dev, x),
				InvFreq:   input(t, dev, invFreq),
				NTokens:   uint32(c.tokens),
				NumHeads:  uint32(c.heads),
				HeadDim:   uint32(c.headDim),
				RotaryDim: uint32(c.rotaryDim),
				StartPos:  c.startPos,
			}
			execute(t, dev, func(b *runtime.Batch) { gen.RopeNTokens(b, a) })
			position := func(head int) float32 { return float32(int(c.startPos) + head/c.heads) }
			want := rotated(x, invFreq, c.headDim, c.rotaryDim, position, 1)
			want.check(t, "rope_n_tokens", a.X.Data(), elementRel)
		})
	}
}

func TestRopeNTokensAgreesWithYarnRopeApply(t *testing.T) {
	dev := openDevice(t)
	const tokens, heads, rotaryDim, startPos = 3, 5, 34, 5000
	x := uniform(1, tokens*heads*rotaryDim, -2, 2)
	invFreq := input(t, dev, inverseFrequencies(rotaryDim))
	all, each := inout(t, dev, slices.Clone(x)), inout(t, dev, slices.Clone(x))
	execute(t, dev, func(b *runtime.Batch) {
		gen.RopeNTokens(b, gen.RopeNTokensArgs{
			X: all, InvFreq: invFreq,
			NTokens: tokens, NumHeads: heads, HeadDim: rotaryDim, RotaryDim: rotaryDim, StartPos: startPos,
		})
		for token := range tokens {
			gen.YarnRopeApply(b, gen.YarnRopeApplyArgs{
				X:       each.Slice(token*heads*rotaryDim, (token+1)*heads*rotaryDim),
				InvFreq: invFreq, NumHeads: heads, RotaryDim: rotaryDim, PosF: float32(startPos + token), Mscale: 1,
			})
		}
	})
	scale := slices.Repeat([]float64{2}, len(x))
	compare(t, "rope_n_tokens", all.Data(), floats64(each.Data()), scale, elementRel)
}
