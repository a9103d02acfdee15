package gen_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

func TestRmsNormSumSqAddsTheSquares(t *testing.T) {
	dev := openDevice(t)
	for _, c := range []struct {
		dim             int
		groups, threads int // 0 for what the source states
	}{
		{dim: 1}, {dim: 100}, {dim: 257}, {dim: 4096}, {dim: 20011},
		{dim: 300, groups: 1, threads: 1},
		{dim: 300, groups: 1, threads: 33},
		{dim: 300, groups: 1, threads: 512},
		{dim: 300, groups: 3, threads: 64}, // two surplus threadgroups
	} {
		t.Run(fmt.Sprintf("dim %d, %d threadgroups of %d", c.dim, c.groups, c.threads), func(t *testing.T) {
			x := uniform(1, c.dim, -3, 3)
			want := newReference(1)
			for _, f := range x {
				want.add(0, float64(f)*float64(f))
			}
			sumSq := output[float32](t, dev, 1)
			execute(t, dev, func(b *runtime.Batch) {
				gen.RmsNormSumSq(b, gen.RmsNormSumSqArgs{
					X: input(t, dev, x), SumSq: sumSq, Dim: uint32(c.dim), Grid: groupsOf(c.groups, c.threads),
				})
			})
			want.check(t, "sum_sq", sumSq.Data(), sumRel)
		})
	}
}

// applyKernels are rms_norm_apply and its variant for bfloat16 weights, which are
// given both as numbers: those of the tests are bfloat16s.
var applyKernels = []struct {
	name string
	call func(t *testing.T, dev *runtime.Device, b *runtime.Batch, weight []uint16, a gen.RmsNormApplyArgs)
}{
	{"rms_norm_apply", func(t *testing.T, dev *runtime.Device, b *runtime.Batch, weight []uint16, a gen.RmsNormApplyArgs) {
		a.Weight = input(t, dev, float32s(weight))
		gen.RmsNormApply(b, a)
	}},
	{"rms_norm_apply_bf16",
		func(t *testing.T, dev *runtime.Device, b *runtime.Batch, weight []uint16, a gen.RmsNormApplyArgs) {
			gen.RmsNormApplyBf16(b, gen.RmsNormApplyBf16Args{
				X: a.X, Weight: input(t, dev, weight), SumSq: a.SumSq, Out: a.Out, Dim: a.Dim, Eps: a.Eps,
			})
		}},
}

// float32s returns the numbers whose bfloat16 bits w has.
func float32s(w []uint16) []float32 {
	s := make([]float32, len(w))
	for i := range w {
		s[i] = float32(bf16(w[i]))
	}
	return s
}

func TestRmsNormApplyScalesByAGivenSumOfSquares(t *testing.T) {
	dev := openDevice(t)
	for _, k := range applyKernels {
		for _, c := range []struct {
			dim        int
			sumSq, eps float32
		}{
			{1, 9, 1e-6}, {100, 25, 1e-5}, {257, 1e-3, 0.5}, {4096, 12345, 1e-6}, {7, 0, 0.25},
		} {
			name := fmt.Sprintf("%s, dim %d, sum_sq %g, eps %g", k.name, c.dim, c.sumSq, c.eps)
			x := uniform(1, c.dim, -3, 3)
			weight := uniformBF16(2, c.dim, -2, 0)
			// One root, one division and few products an element.
			want := make([]float64, c.dim)
			for i := range want {
				want[i] = float64(x[i]) / math.Sqrt(float64(c.sumSq)/float64(c.dim)+float64(c.eps)) * bf16(weight[i])
			}
			t.Run(name, func(t *testing.T) {
				out := output[float32](t, dev, c.dim)
				execute(t, dev, func(b *runtime.Batch) {
					k.call(t, dev, b, weight, gen.RmsNormApplyArgs{
						X: input(t, dev, x), SumSq: input(t, dev, []float32{c.sumSq}), Out: out, Dim: uint32(c.dim), Eps: c.eps,
					})
				})
				compare(t, "out", out.Data(), want, nil, elementRel)
			})
			t.Run(name+", out in the place of x", func(t *testing.T) {
				out := inout(t, dev, x)
				execute(t, dev, func(b *runtime.Batch) {
					k.call(t, dev, b, weight, gen.RmsNormApplyArgs{
						X: out, SumSq: input(t, dev, []float32{c.sumSq}), Out: out, Dim: uint32(c.dim), Eps: c.eps,
					})
				})
				compare(t, "out", out.Data(), want, nil, elementRel)
			})
		}
	}
}

// rmsNormRows returns what rms_norm.metal documents for rows of len(weight) elements.
func rmsNormRows(x []float32, weight []uint16, eps float32) []float64 {
	out := float64s(x)
	for row := 0; row < len(x); row += len(weight) {
		own := out[row : row+len(weight)]
		by := inverseRMS(own, eps)
		for i, w := range weight {
			own[i] *= by * bf16(w)
		}
	}
	return out
}

func TestRmsNormOfTokensNormalisesEachRow(t *testing.T) {
	dev := openDevice(t)
	for _, c := range []struct {
		dim, tokens int
		eps         float32
		threads     int // of a threadgroup, 0 for what the source states
	}{
		{1, 1, 1e-6, 0}, {100, 3, 1e-5, 0}, {257, 5, 0.5, 0}, {4096, 2, 1e-6, 0}, {20011, 1, 1e-6, 0}, {3, 100, 1e-6, 0},
		{300, 2, 1e-6, 1}, {300, 2, 1e-6, 33}, {70, 2, 1e-6, 512},
	} {
		name := fmt.Sprintf("dim %d, %d tokens, eps %g, threadgroups of %d", c.dim, c.tokens, c.eps, c.threads)
		x := uniform(1, c.tokens*c.dim, -3, 3)
		weight := uniformBF16(2, c.dim, 0.5, 2)
		want := rmsNormRows(x, weight, c.eps)
		t.Run(name, func(t *testing.T) {
			out := output[float32](t, dev, len(x))
			execute(t, dev, func(b *runtime.Batch) {
				gen.RmsNormBf16FusedNTokens(b, gen.RmsNormBf16FusedNTokensArgs{
					X: input(t, dev, x), Weight: input(t, dev, weight), Out: out, Dim: uint32(c.dim), Eps: c.eps,
					Grid: groupsOf(c.tokens, c.threads),
				})
			})
			compare(t, "out", out.Data(), want, nil, sumRel)
		})
		t.Run(name+", out in the place of x", func(t *testing.T) {
			out := inout(t, dev, x)
			execute(t, dev, func(b *runtime.Batch) {
				gen.RmsNormBf16FusedNTokens(b, gen.RmsNormBf16FusedNTokensArgs{
					X: out, Weight: input(t, dev, weight), Out: out, Dim: uint32(c.dim), Eps: c.eps,
					Grid: groupsOf(c.tokens, c.threads),
				})
			})
			compare(t, "out", out.Data(), want, nil, sumRel)
		})
	}
	t.Run("zeros stay zeros", func(t *testing.T) {
		out := inout(t, dev, make([]float32, 200))
		execute(t, dev, func(b *runtime.Batch) {
			gen.RmsNormBf16FusedNTokens(b, gen.RmsNormBf16FusedNTokensArgs{
				X: out, Weight: input(t, dev, uniformBF16(1, 100, 0.5, 2)), Out: out, Dim: 100, Eps: 1e-6,
			})
		})
		sameBits(t, "out", out.Data(), make([]float32, 200))
	})
}

func TestRmsNormPerHeadNormalisesEachHeadInPlace(t *testing.T) {
	dev := openDevice(t)
	for _, c := range []struct {
		heads, dim, tokens int
		eps                float32
	}{
		{1, 1, 1, 1e-6}, {5, 100, 2, 0.5}, {3, 300, 4, 1e-5}, {32, 128, 1, 1e-6}, {1, 4096, 2, 1e-6}, {130, 7, 2, 1e-6},
	} {
		t.Run(fmt.Sprintf("%d heads of %d, %d tokens, eps %g", c.heads, c.dim, c.tokens, c.eps), func(t *testing.T) {
			x := uniform(1, c.tokens*c.heads*c.dim, -3, 3)
			weight := uniformBF16(2, c.dim, 0.5, 2)
			buf := inout(t, dev, x)
			execute(t, dev, func(b *runtime.Batch) {
				gen.RmsNormPerHeadNTokens(b, gen.RmsNormPerHeadNTokensArgs{
					X: buf, Weight: input(t, dev, weight), NumHeads: uint32(c.heads), HeadDim: uint32(c.dim), Eps: c.eps,
				})
			})
			compare(t, "x", buf.Data(), rmsNormRows(x, weight, c.eps), nil, sumRel)
		})
	}
	t.Run("surplus threadgroups do nothing", func(t *testing.T) {
		const heads, dim = 3, 100
		x := uniform(1, heads*dim, -3, 3)
		weight := uniformBF16(2, dim, 0.5, 2)
		buf := inout(t, dev, x)
		execute(t, dev, func(b *runtime.Batch) {
			gen.RmsNormPerHeadNTokens(b, gen.RmsNormPerHeadNTokensArgs{
				X: buf, Weight: input(t, dev, weight), NumHeads: heads, HeadDim: dim, Eps: 1e-6,
				Grid: groupsOf(heads+2, 70),
			})
		})
		compare(t, "x", buf.Data(), rmsNormRows(x, weight, 1e-6), nil, sumRel)
	})
}

func TestRmsNormInOneKernelEqualsItsTwoHalves(t *testing.T) {
	dev := openDevice(t)
	for _, dim := range []int{1, 100, 4099} {
		t.Run(fmt.Sprintf("dim %d", dim), func(t *testing.T) {
			const tokens, eps = 2, 1e-5
			x := input(t, dev, uniform(1, tokens*dim, -3, 3))
			weight := input(t, dev, uniformBF16(2, dim, 0.5, 2))
			whole, halves := output[float32](t, dev, tokens*dim), output[float32](t, dev, tokens*dim)
			perHead := inout(t, dev, x.Data())
			execute(t, dev, func(b *runtime.Batch) {
				gen.RmsNormBf16FusedNTokens(b,
					gen.RmsNormBf16FusedNTokensArgs{X: x, Weight: weight, Out: whole, Dim: uint32(dim), Eps: eps})
				gen.RmsNormPerHeadNTokens(b,
					gen.RmsNormPerHeadNTokensArgs{X: perHead, Weight: weight, NumHeads: tokens, HeadDim: uint32(dim), Eps: eps})
				for row := 0; row < tokens*dim; row += dim {
					own, sumSq := x.Slice(row, row+dim), output[float32](t, dev, 1)
					gen.RmsNormSumSq(b, gen.RmsNormSumSqArgs{X: own, SumSq: sumSq, Dim: uint32(dim)})
					gen.RmsNormApplyBf16(b, gen.RmsNormApplyBf16Args{
						X: own, Weight: weight, SumSq: sumSq, Out: halves.Slice(row, row+dim), Dim: uint32(dim), Eps: eps,
					})
				}
			})
			compare(t, "halves", halves.Data(), float64s(whole.Data()), nil, 2*sumRel)
			compare(t, "per head", perHead.Data(), float64s(whole.Data()), nil, 2*sumRel)
		})
	}
}
