package gen_test

import (
	"fmt"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

func TestMatvec8bitIsTheProduct(t *testing.T) {
	dev := openDevice(t)
	for i, s := range []matvecShape{
		{1, 4, 4, 1},      // one word
		{1, 100, 36, 2},   // one row, the last group short
		{13, 1004, 64, 3}, // neither rows of a threadgroup nor words of a simdgroup come out even
		{8, 516, 1024, 1}, // one group, longer than the row
		{24, 4096, 64, 2}, // one tile of x
		{9, 4100, 60, 2},  // a tile and one word
		{3, 12300, 28, 1}, // four tiles, groups across their borders
	} {
		m := newMatvec(uint64(i), 8, s)
		t.Run(s.String(), func(t *testing.T) {
			a := m.args(t, dev)
			all := input(t, dev, m.x)
			out := output[float32](t, dev, s.tokens*s.rows)
			var grid runtime.Grid
			if s.tokens == 3 { // one threadgroup too many, which has nothing to do
				grid = groups(s.tokens*ceilDiv(s.rows, 8)+1, 1, 1, 256, 1, 1)
			}
			execute(t, dev, func(b *runtime.Batch) {
				gen.DequantMatvec8bitV3NTokens(b, gen.DequantMatvec8bitV3NTokensArgs{
					WPacked: a.WPacked, Scales: a.Scales, Biases: a.Biases, XInputs: all, Out: out,
					OutDim: a.OutDim, InDim: a.InDim, GroupSize: a.GroupSize, NTokens: uint32(s.tokens),
					NumRowTiles: uint32(ceilDiv(s.rows, 8)), Grid: grid,
				})
			})
			m.want.check(t, "dequant_matvec_8bit_v3_n_tokens", out.Data(), sumRel)

			for token := range s.tokens {
				a.X = all.Slice(token*s.cols, (token+1)*s.cols)
				a.Out = output[float32](t, dev, s.rows)
				execute(t, dev, func(b *runtime.Batch) {
					gen.DequantMatvec8bitV3(b, gen.DequantMatvec8bitV3Args(a))
				})
				if token == 0 {
					m.first().check(t, "dequant_matvec_8bit_v3", a.Out.Data(), sumRel)
				}
				sameBits(t, fmt.Sprint("token ", token), out.Data()[token*s.rows:(token+1)*s.rows], a.Out.Data())
			}
		})
	}
}

func TestMatvec2bitIsTheProduct(t *testing.T) {
	dev := openDevice(t)
	for i, s := range []matvecShape{
		{1, 16, 16, 1},     // one word
		{1, 112, 48, 1},    // one row, the last group short
		{13, 1008, 64, 1},  // neither rows of a threadgroup nor words of a simdgroup come out even
		{33, 528, 1024, 1}, // one group, longer than the row
		{24, 4096, 64, 1},  // one tile of x
		{9, 4112, 80, 1},   // a tile and one word
		{3, 12304, 48, 1},  // four tiles, groups across their borders
	} {
		m := newMatvec(uint64(i), 2, s)
		t.Run(s.String(), func(t *testing.T) {
			a := m.args(t, dev)
			a.Out = output[float32](t, dev, s.rows)
			execute(t, dev, func(b *runtime.Batch) {
				gen.DequantMatvec2bit(b, gen.DequantMatvec2bitArgs(a))
			})
			m.want.check(t, "dequant_matvec_2bit", a.Out.Data(), sumRel)
		})
	}
}

// A weight is the value of its own bits: the product with a unit vector is one weight.
func TestMatvecWithUnitVectorsTakesOutColumns(t *testing.T) {
	dev := openDevice(t)
	for _, c := range []struct {
		bits int
		call func(*runtime.Batch, gen.DequantMatvec4bitArgs)
	}{
		{2, func(b *runtime.Batch, a gen.DequantMatvec4bitArgs) {
			gen.DequantMatvec2bit(b, gen.DequantMatvec2bitArgs(a))
		}},
		{4, func(b *runtime.Batch, a gen.DequantMatvec4bitArgs) {
			gen.DequantMatvec4bitV5(b, gen.DequantMatvec4bitV5Args(a))
		}},
		{8, func(b *runtime.Batch, a gen.DequantMatvec4bitArgs) {
			gen.DequantMatvec8bitV3(b, gen.DequantMatvec8bitV3Args(a))
		}},
	} {
		t.Run(fmt.Sprint(c.bits, " bits"), func(t *testing.T) {
			const rows, cols, group = 3, 48, 16
			m := newQuantized(uint64(c.bits), c.bits, rows, cols, group)
			unit := make([]float32, cols*cols)
			for col := range cols {
				unit[col*cols+col] = 1
			}
			x := input(t, dev, unit)
			out := output[float32](t, dev, cols*rows)
			a := gen.DequantMatvec4bitArgs{
				WPacked: input(t, dev, m.words), Scales: input(t, dev, m.scales), Biases: input(t, dev, m.biases),
				OutDim: rows, InDim: cols, GroupSize: group,
			}
			execute(t, dev, func(b *runtime.Batch) {
				for col := range cols {
					a.X = x.Slice(col*cols, (col+1)*cols)
					a.Out = out.Slice(col*rows, (col+1)*rows)
					c.call(b, a)
				}
			})
			want := newReference(cols * rows)
			for col := range cols {
				for row := range rows {
					// The product of q and scale may be rounded, before the bias takes most of it away.
					bias := bf16(m.biases[row*cols/group+col/group])
					want.add(col*rows+row, m.at(row, col)-bias)
					want.add(col*rows+row, bias)
				}
			}
			want.check(t, "columns", out.Data(), elementRel)
		})
	}
}
