package suite

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// stream: what memory limits.
var stream = []Kernel{
	triad(4 << 20),
	{
		Name: "swiglu", Source: "stream", After: "ggml", Size: "4 Mi floats", Grid: [3]int{4 << 20}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 4<<20, -8, 8)), in(floats(r, 4<<20, -1, 1)), out[float32](4 << 20), value(uint32(4 << 20)),
			}
		},
		Want: func(a []Arg) []float64 {
			gate, up := a[0].data.([]float32), a[1].data.([]float32)
			return each(len(gate), func(i int) float64 {
				return float64(gate[i]) / (1 + math.Exp(-float64(gate[i]))) * float64(up[i])
			})
		},
		Within: 1e-6, Traffic: 3 * 4 * 4 << 20,
	},
	{
		Name: "transpose", Source: "stream", After: "MLX, SHOC", Size: "2048 x 2048 floats",
		Grid: [3]int{2048, 2048}, Group: [3]int{16, 16},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 2048*2048, -1, 1)), out[float32](2048 * 2048), value(uint32(2048)), value(uint32(2048)),
			}
		},
		Want: func(a []Arg) []float64 {
			x := a[0].data.([]float32)
			return each(len(x), func(i int) float64 { return float64(x[i%2048*2048+i/2048]) })
		},
	},
	{
		Name: "gather", Source: "stream", After: "MLX", Size: "2 Mi of 2 Mi floats",
		Grid: [3]int{2 << 20}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 2<<20, -1, 1)), in(below(r, 2<<20, 2<<20)), out[float32](2 << 20), value(uint32(2 << 20)),
			}
		},
		Want: func(a []Arg) []float64 {
			x, index := a[0].data.([]float32), a[1].data.([]uint32)
			return each(len(x), func(i int) float64 { return float64(x[index[i]]) })
		},
		Why: "a hardware gather for each vector of indexes, and a comparison of them before it.",
	},
	{
		Name: "gather_rows", Source: "stream", After: "ggml, Candle", Size: "1024 of 8192 rows of 1024",
		Grid: [3]int{1024 * 256}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 8192*1024, -1, 1)), in(below(r, 1024, 8192)), out[float32](1024 * 1024),
				value(uint32(1024)),
			}
		},
		Want: func(a []Arg) []float64 {
			x, rows := a[0].data.([]float32), a[1].data.([]uint32)
			return each(1024*1024, func(i int) float64 { return float64(x[int(rows[i/1024])*1024+i%1024]) })
		},
		Traffic: 2 * 4 * 1024 * 1024,
	},
}

// triad is STREAM's, of n floats: a multiple of 256.
func triad(n int) Kernel {
	return Kernel{
		Name: "triad", Source: "stream", After: "STREAM", Size: fmt.Sprint(n>>20, " Mi floats"),
		Grid: [3]int{n}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{in(floats(r, n, -1, 1)), in(floats(r, n, -1, 1)), out[float32](n), value(float32(3))}
		},
		Want: func(a []Arg) []float64 {
			x, y := a[0].data.([]float32), a[1].data.([]float32)
			return each(len(x), func(i int) float64 { return float64(x[i]) + 3*float64(y[i]) })
		},
		Within: 1e-6, Traffic: 3 * 4 * float64(n),
	}
}
