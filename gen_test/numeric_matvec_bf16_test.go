package gen_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

func TestMatvecBf16IsTheProduct(t *testing.T) {
	dev := openDevice(t)
	for i, c := range []struct {
		rows, cols, tokens int
		threads            int // of a threadgroup, 0 for what the shader states; any number will do
	}{
		{1, 1, 1, 0},
		{1, 7, 3, 0},
		{13, 100, 2, 0},
		{5, 255, 3, 0},
		{5, 257, 3, 0},
		{24, 4096, 2, 0},
		{3, 10007, 2, 0},
		{600, 20, 1, 0},
		{3, 300, 2, 1},
		{3, 300, 2, 33},
		{3, 300, 2, 64},
		{3, 300, 2, 1000},
		{3, 1100, 2, 1024},
	} {
		t.Run(fmt.Sprintf("%dx%d times %d, %d threads", c.rows, c.cols, c.tokens, c.threads), func(t *testing.T) {
			w := uniformBF16(uint64(2*i), c.rows*c.cols, 0, 1)
			for j := range w {
				w[j] ^= uint16(j*j>>3&1) << 15 // some of them negative
			}
			x := uniform(uint64(2*i+1), c.tokens*c.cols, -1, 1)
			want := newReference(c.tokens * c.rows)
			for token := range c.tokens {
				for row := range c.rows {
					for col := range c.cols {
						want.add(token*c.rows+row, bf16(w[row*c.cols+col])*float64(x[token*c.cols+col]))
					}
				}
			}

			grid := func(threadgroups int) runtime.Grid {
				if c.threads == 0 {
					return runtime.Grid{}
				}
				return groups(threadgroups+1, 1, 1, c.threads, 1, 1) // one too many, which has nothing to do
			}
			weights, inputs := input(t, dev, w), input(t, dev, x)
			all := output[float32](t, dev, c.tokens*c.rows)
			execute(t, dev, func(b *runtime.Batch) {
				gen.Bf16MatmulNTokens(b, gen.Bf16MatmulNTokensArgs{
					W: weights, Input: inputs, Output: all,
					InDim: uint32(c.cols), OutDim: uint32(c.rows), NTokens: uint32(c.tokens),
					Grid: grid(c.rows * c.tokens),
				})
			})
			want.check(t, "bf16_matmul_n_tokens", all.Data(), sumRel)

			for token := range c.tokens {
				one := output[float32](t, dev, c.rows)
				execute(t, dev, func(b *runtime.Batch) {
					gen.Bf16Matvec(b, gen.Bf16MatvecArgs{
						W: weights, Input: inputs.Slice(token*c.cols, (token+1)*c.cols), Output: one,
						InDim: uint32(c.cols), OutDim: uint32(c.rows), Grid: grid(c.rows),
					})
				})
				from, to := token*c.rows, (token+1)*c.rows
				reference{want.want[from:to], want.scale[from:to]}.check(t, "bf16_matvec", one.Data(), sumRel)
				sameBits(t, fmt.Sprint("token ", token), all.Data()[from:to], one.Data())
			}
		})
	}
}

// Infinities and NaN are left out: fast math, Metal's default, may assume that
// products have neither.
func TestMatvecBf16KnowsEveryFiniteWeight(t *testing.T) {
	dev := openDevice(t)
	var w []uint16
	var want []float64
	for bits := range 1 << 16 {
		if f := bf16(uint16(bits)); !math.IsNaN(f) && !math.IsInf(f, 0) {
			w, want = append(w, uint16(bits)), append(want, f)
		}
	}
	out := output[float32](t, dev, len(w))
	execute(t, dev, func(b *runtime.Batch) {
		gen.Bf16Matvec(b, gen.Bf16MatvecArgs{
			W: input(t, dev, w), Input: input(t, dev, []float32{1}), Output: out,
			InDim: 1, OutDim: uint32(len(w)), Grid: groups(len(w), 1, 1, 1, 1, 1),
		})
	})
	compare(t, "bf16_matvec", out.Data(), want, nil, 0)
}
