package suite

import (
	"math/rand/v2"
	"slices"
)

// sort: sorting.
var sort = []Kernel{
	{
		Name: "bitonic", Source: "sort", After: "SHOC Sort", Size: "1 Mi numbers in blocks of 512",
		Grid: [3]int{512 << 10}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg { return []Arg{in(words(r, 1<<20)), out[uint32](1 << 20)} },
		Want: func(a []Arg) []float64 {
			keys := slices.Clone(a[0].data.([]uint32))
			for block := range slices.Chunk(keys, 512) {
				slices.Sort(block)
			}
			return each(len(keys), func(i int) float64 { return float64(keys[i]) })
		},
		Why: "threadgroup memory by computed indexes: gathers and scatters with a check each.",
	},
	{
		Name: "argsort", Source: "sort", After: "ggml", Size: "2048 rows of 256", Grid: [3]int{2048 * 256},
		Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			x := make([]float32, 2048*256)
			for row := range slices.Chunk(x, 256) {
				for i, at := range r.Perm(256) { // no two alike
					row[i] = float32(at)
				}
			}
			return []Arg{in(x), out[uint32](len(x))}
		},
		Want: func(a []Arg) []float64 {
			x := a[0].data.([]float32)
			order := make([]float64, len(x))
			for i, at := range x {
				order[i/256*256+int(at)] = float64(i % 256)
			}
			return order
		},
	},
	{
		Name: "radix_count", Source: "sort", After: "SHOC Sort", Size: "4 Mi numbers in blocks of 16 Ki",
		Grid: [3]int{256 * 128}, Group: [3]int{128},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{in(words(r, 4<<20)), out[uint32](256 * 16), value(uint32(128)), value(uint32(8))}
		},
		Want: func(a []Arg) []float64 {
			counts := make([]float64, 256*16)
			for i, v := range a[0].data.([]uint32) {
				counts[i>>14*16+int(v>>8&15)]++
			}
			return counts
		},
	},
}
