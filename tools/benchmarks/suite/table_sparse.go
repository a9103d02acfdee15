package suite

import (
	"math/rand/v2"
)

// sparse: memory that is read by indexes.
var sparse = []Kernel{
	{
		Name: "spmv_csr", Source: "sparse", After: "SHOC Spmv", Size: "64 Ki rows of 4 to 28 elements",
		Grid: [3]int{64 << 10}, Group: [3]int{128},
		Args: func(r *rand.Rand) []Arg {
			starts := []uint32{0}
			for range 64 << 10 {
				starts = append(starts, starts[len(starts)-1]+4+r.Uint32N(25))
			}
			n := int(starts[len(starts)-1])
			return []Arg{
				in(floats(r, n, 0, 1)), in(below(r, n, 64<<10)), in(starts), in(floats(r, 64<<10, 0, 1)),
				out[float32](64 << 10), value(uint32(64 << 10)),
			}
		},
		Want: func(a []Arg) []float64 {
			values, columns := a[0].data.([]float32), a[1].data.([]uint32)
			starts, x := a[2].data.([]uint32), a[3].data.([]float32)
			return each(64<<10, func(row int) float64 {
				sum := 0.0
				for i := starts[row]; i < starts[row+1]; i++ {
					sum += float64(values[i]) * float64(x[columns[i]])
				}
				return sum
			})
		},
		Within: 1e-5,
		Why:    "rows of different length: three hardware gathers a step, which take three quarters of the time.",
	},
	{
		Name: "spmv_ell", Source: "sparse", After: "SHOC Spmv", Size: "64 Ki rows of 16 elements",
		Grid: [3]int{64 << 10}, Group: [3]int{128},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 16*64<<10, 0, 1)), in(below(r, 16*64<<10, 64<<10)), in(floats(r, 64<<10, 0, 1)),
				out[float32](64 << 10), value(uint32(64 << 10)), value(uint32(16)),
			}
		},
		Want: func(a []Arg) []float64 {
			values, columns, x := a[0].data.([]float32), a[1].data.([]uint32), a[2].data.([]float32)
			return each(64<<10, func(row int) float64 {
				sum := 0.0
				for k := row; k < len(values); k += 64 << 10 {
					sum += float64(values[k]) * float64(x[columns[k]])
				}
				return sum
			})
		},
		Within: 1e-5,
	},
	{
		Name: "bfs", Source: "sparse", After: "Rodinia bfs", Size: "256 Ki nodes, a level of a third of them",
		Grid: [3]int{256 << 10}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			const nodes = 256 << 10
			starts := []uint32{0}
			for range nodes {
				starts = append(starts, starts[len(starts)-1]+2+r.Uint32N(8))
			}
			frontier, visited := make([]uint8, nodes), make([]uint8, nodes)
			for i := range nodes {
				frontier[i] = uint8(r.Uint32N(3) / 2)
				visited[i] = frontier[i] | uint8(r.Uint32N(2))
			}
			return []Arg{
				in(starts), in(below(r, int(starts[nodes]), nodes)), in(frontier), in(visited), out[uint8](nodes),
				value(uint32(nodes)),
			}
		},
		Want: func(a []Arg) []float64 {
			starts, edges := a[0].data.([]uint32), a[1].data.([]uint32)
			frontier, visited := a[2].data.([]uint8), a[3].data.([]uint8)
			next := make([]float64, len(frontier))
			for node := range frontier {
				for _, to := range edges[starts[node]:starts[node+1]] {
					if frontier[node] == 1 && visited[to] == 0 {
						next[to] = 1
					}
				}
			}
			return next
		},
		Why: "bytes at places that are loaded: gathers and scatters one by one.",
	},
	{
		Name: "md", Source: "sparse", After: "SHOC MD", Size: "12 Ki atoms with 128 neighbours",
		Grid: [3]int{12 << 10}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			const atoms = 12 << 10
			neighbours := below(r, 128*atoms, atoms-1)
			for i, n := range neighbours { // none is its own
				neighbours[i] = (uint32(i) + 1 + n) % atoms
			}
			return []Arg{
				in(floats(r, 4*atoms, 0, 20)), in(neighbours), out[float32](4 * atoms),
				value(uint32(atoms)), value(uint32(128)), value(float32(16)),
			}
		},
		Within: 1e-4, // of the largest: forces of atoms that nearly touch
		Why:    "lists of neighbours: a gather with a check, and one for each float of an atom.",
	},
}
