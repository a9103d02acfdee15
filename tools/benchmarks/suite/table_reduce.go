package suite

import (
	"math/rand/v2"
)

// reduce: many numbers to few.
var reduce = []Kernel{
	{
		Name: "reduce", Source: "reduce", After: "SHOC Reduction", Size: "8 Mi floats",
		Grid: [3]int{64 * 256}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{in(floats(r, 8<<20, 0, 1)), out[float32](64), value(uint32(8 << 20)), value(uint32(64 * 256))}
		},
		Want: func(a []Arg) []float64 {
			sums := make([]float64, 64)
			for i, v := range a[0].data.([]float32) {
				sums[i/256%64] += float64(v)
			}
			return sums
		},
		Within: 1e-5, Traffic: 4 * 8 << 20,
	},
	{
		Name: "norm_add", Source: "reduce", After: "ggml, MLX", Size: "256 rows of 4096",
		Grid: [3]int{256 * 256}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 256*4096, -1, 1)), in(floats(r, 256*4096, -1, 1)), in(floats(r, 4096, -1, 1)),
				out[float32](256 * 4096), value(uint32(4096)), value(float32(1e-6)),
			}
		},
		Within: 1e-5, Traffic: 3 * 4 * 256 * 4096,
	},
	{
		Name: "scan", Source: "reduce", After: "SHOC Scan", Size: "2 Mi floats in blocks of 256",
		Grid: [3]int{2 << 20}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg { return []Arg{in(floats(r, 2<<20, 0, 1)), out[float32](2 << 20)} },
		Want: func(a []Arg) []float64 {
			sum := 0.0
			x := a[0].data.([]float32)
			return each(len(x), func(i int) float64 {
				if i%256 == 0 {
					sum = 0
				}
				sum += float64(x[i])
				return sum
			})
		},
		Within: 1e-5,
	},
	{
		Name: "softmax", Source: "reduce", After: "ggml, MLX", Size: "512 rows of 2048",
		Grid: [3]int{512 * 256}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{in(floats(r, 512*2048, -5, 5)), out[float32](512 * 2048), value(uint32(2048))}
		},
		Within: 1e-5,
	},
}
