package suite

import (
	"math"
	"math/rand/v2"
)

// dense: dense matrices.
var dense = []Kernel{
	{
		Name: "gemm", Source: "dense", After: "tiles without simdgroup_matrix", Size: "512 x 512 floats",
		Grid: [3]int{512, 512}, Group: [3]int{16, 16},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 512*512, 0, 1)), in(floats(r, 512*512, 0, 1)), out[float32](512 * 512), value(uint32(512)),
			}
		},
		Want: product, Within: 1e-5, Flops: 2 * 512 * 512 * 512,
	},
	{
		Name: "gemm_naive", Source: "dense", After: "PolyBench 2mm", Size: "512 x 512 floats",
		Grid: [3]int{512, 512}, Group: [3]int{32, 8},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 512*512, 0, 1)), in(floats(r, 512*512, 0, 1)), out[float32](512 * 512), value(uint32(512)),
			}
		},
		Want: product, Within: 1e-5, Flops: 2 * 512 * 512 * 512,
	},
	{
		Name: "matvec", Source: "dense", After: "PolyBench gesummv", Size: "2048 x 2048 floats",
		Grid: [3]int{2048}, Group: [3]int{64},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 2048*2048, 0, 1)), in(floats(r, 2048, 0, 1)), out[float32](2048), value(uint32(2048)),
				value(uint32(2048)),
			}
		},
		Want: func(a []Arg) []float64 {
			return sums(2048, 2048, a[0].data.([]float32), a[1].data.([]float32), 2048, 1)
		},
		Within: 1e-5, Traffic: 4 * 2048 * 2048,
	},
	{
		Name: "matvec_transposed", Source: "dense", After: "PolyBench atax, bicg", Size: "2048 x 2048 floats",
		Grid: [3]int{2048}, Group: [3]int{64},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 2048*2048, 0, 1)), in(floats(r, 2048, 0, 1)), out[float32](2048), value(uint32(2048)),
				value(uint32(2048)),
			}
		},
		Want: func(a []Arg) []float64 {
			return sums(2048, 2048, a[0].data.([]float32), a[1].data.([]float32), 1, 2048)
		},
		Within: 1e-5, Traffic: 4 * 2048 * 2048,
	},
	{
		Name: "kmeans", Source: "dense", After: "Rodinia kmeans", Size: "128 Ki points of 16 features, 16 centres",
		Grid: [3]int{128 << 10}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 16*128<<10, 0, 1)), in(floats(r, 16*16, 0, 1)), out[uint32](128 << 10),
				value(uint32(128 << 10)), value(uint32(16)), value(uint32(16)),
			}
		},
		Want: func(a []Arg) []float64 {
			points, centres := a[0].data.([]float32), a[1].data.([]float32)
			return each(128<<10, func(i int) float64 {
				nearest, least := 0, math.Inf(1)
				for c := range 16 {
					distance := 0.0
					for f := range 16 {
						d := float64(points[f*128<<10+i]) - float64(centres[c*16+f])
						distance += d * d
					}
					if distance < least {
						nearest, least = c, distance
					}
				}
				return float64(nearest)
			})
		},
		Stray: 1e-4, // two centres may be nearly as far
		Flops: 3 * 16 * 16 * 128 << 10,
	},
}
