package gen_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

func TestResidualAddIsTheSum(t *testing.T) {
	dev := openDevice(t)
	kernels := []struct {
		name string
		call func(b *runtime.Batch, x, y, out runtime.Buffer[float32], n int)
	}{
		{"residual_add", func(b *runtime.Batch, x, y, out runtime.Buffer[float32], n int) {
			gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: y, Out: out, Dim: uint32(n)})
		}},
		{"residual_add_n_tokens", func(b *runtime.Batch, x, y, out runtime.Buffer[float32], n int) {
			gen.ResidualAddNTokens(b, gen.ResidualAddNTokensArgs{A: x, B: y, Out: out, Total: uint32(n)})
		}},
	}
	for _, k := range kernels {
		for _, n := range []int{1, 31, 255, 256, 257, 1000, 7 * 4096} {
			t.Run(fmt.Sprint(k.name, " of ", n), func(t *testing.T) {
				x, y := uniform(uint64(n), n, -3, 3), uniform(uint64(n)+1, n, -3, 3)
				// Of very different size, cancelling, and as large as they come.
				for i, pair := range [][2]float32{{1e30, -1}, {1.5, -1.5}, {math.MaxFloat32 / 2, math.MaxFloat32 / 4}, {1e-30, 1}} {
					if i < n-1 {
						x[i], y[i] = pair[0], pair[1]
					}
				}
				// One addition is rounded in one way only.
				want := make([]float64, n)
				for i := range want {
					want[i] = float64(float32(float64(x[i]) + float64(y[i])))
				}

				first, second, sum := input(t, dev, x), input(t, dev, y), output[float32](t, dev, n)
				inFirst, inSecond := inout(t, dev, slices.Clone(x)), inout(t, dev, slices.Clone(y))
				doubled := inout(t, dev, slices.Clone(x[n/2:]))
				execute(t, dev, func(b *runtime.Batch) {
					k.call(b, first, second, sum, n)
					k.call(b, inFirst, second, inFirst, n)
					k.call(b, first, inSecond, inSecond, n)
					k.call(b, doubled, doubled, doubled, n-n/2)
				})
				compare(t, "a buffer of its own", sum.Data(), want, nil, 0)
				compare(t, "out = a", inFirst.Data(), want, nil, 0)
				compare(t, "out = b", inSecond.Data(), want, nil, 0)
				twice := make([]float64, n-n/2)
				for i := range twice {
					twice[i] = 2 * float64(x[n/2+i])
				}
				compare(t, "out = a = b", doubled.Data(), twice, nil, 0)
			})
		}
	}
}
