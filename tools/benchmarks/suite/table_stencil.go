package suite

import (
	"math/rand/v2"
	"slices"
)

// stencil: neighbours on grids.
var stencil = []Kernel{
	{
		Name: "stencil2d", Source: "stencil", After: "SHOC Stencil2D", Size: "2048 x 2048 floats",
		Grid: [3]int{2048, 2048}, Group: [3]int{64, 4},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 2048*2048, 0, 1)), out[float32](2048 * 2048), value(uint32(2048)), value(uint32(2048)),
				value(float32(0.25)), value(float32(0.15)), value(float32(0.05)),
			}
		},
		Want: func(a []Arg) []float64 {
			x := a[0].data.([]float32)
			return inside(2048, 2048, func(i int) float64 {
				at := func(d int) float64 { return float64(x[i+d]) }
				return 0.25*at(0) + 0.15*(at(-1)+at(1)+at(-2048)+at(2048)) +
					0.05*(at(-2049)+at(-2047)+at(2047)+at(2049))
			})
		},
		Within: 1e-5, Traffic: 2 * 4 * 2048 * 2048,
		Why: "each simd-group begins by itself, and checks three rows for nine numbers a point.",
	},
	{
		Name: "stencil3d", Source: "stencil", After: "Parboil stencil", Size: "128 x 128 x 128 floats",
		Grid: [3]int{128, 128, 128}, Group: [3]int{32, 4, 2},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 128*128*128, 0, 1)), out[float32](128 * 128 * 128), value(uint32(128)), value(uint32(128)),
				value(uint32(128)), value(float32(0.4)), value(float32(0.1)),
			}
		},
		Want: func(a []Arg) []float64 {
			x := a[0].data.([]float32)
			return each(len(x), func(i int) float64 {
				for _, p := range []int{i % 128, i / 128 % 128, i / 128 / 128} {
					if p == 0 || p == 127 {
						return 0
					}
				}
				sum := 0.0
				for _, d := range []int{1, 128, 128 * 128} {
					sum += float64(x[i-d]) + float64(x[i+d])
				}
				return 0.4*float64(x[i]) + 0.1*sum
			})
		},
		Within: 1e-5, Traffic: 2 * 4 * 128 * 128 * 128,
		Why: "each simd-group begins by itself, and checks five rows for seven numbers a point.",
	},
	{
		Name: "hotspot", Source: "stencil", After: "Rodinia hotspot", Size: "1024 x 1024 floats",
		Grid: [3]int{1024, 1024}, Group: [3]int{16, 16},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 1024*1024, 70, 90)), in(floats(r, 1024*1024, 0, 1)), out[float32](1024 * 1024),
				value(int32(1024)), value(int32(1024)), value(float32(0.3)), value(float32(0.2)), value(float32(0.1)),
			}
		},
		Want: func(a []Arg) []float64 {
			heat, power := a[0].data.([]float32), a[1].data.([]float32)
			return each(len(heat), func(i int) float64 {
				x, y := i%1024, i/1024
				at := func(x, y int) float64 { return float64(heat[min(max(y, 0), 1023)*1024+min(max(x, 0), 1023)]) }
				here := at(x, y)
				return here + 0.1*(float64(power[i])+(at(x, y-1)+at(x, y+1)-2*here)*0.2+
					(at(x-1, y)+at(x+1, y)-2*here)*0.3+(80-here)*0.1)
			})
		},
		Within: 1e-5,
		Why:    "clamped neighbours: each vector is looked at before it is loaded as a row.",
	},
	{
		Name: "srad", Source: "stencil", After: "Rodinia srad", Size: "1024 x 1024 floats",
		Grid: [3]int{1024, 1024}, Group: [3]int{16, 16},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 1024*1024, 1, 2)), out[float32](1024 * 1024), value(int32(1024)), value(int32(1024)),
				value(float32(0.5)),
			}
		},
		Within: 1e-4,
		Why:    "clamped neighbours: each vector is looked at before it is loaded as a row.",
	},
	{
		Name: "pathfinder", Source: "stencil", After: "Rodinia pathfinder", Size: "16 rows of 114,688",
		Grid: [3]int{512 * 256}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			const width, rows = 512 * 224, 16
			costs := make([]int32, width*rows)
			for i := range costs {
				costs[i] = r.Int32N(10)
			}
			return []Arg{
				in(costs), in(make([]int32, width)), out[int32](width), value(int32(width)), value(int32(rows)),
			}
		},
		Want: func(a []Arg) []float64 {
			const width, rows = 512 * 224, 16
			costs, now := a[0].data.([]int32), make([]int32, width)
			for row := range rows {
				before := slices.Clone(now)
				for i := range now {
					now[i] = costs[row*width+i] + min(before[max(i-1, 0)], before[i], before[min(i+1, width-1)])
				}
			}
			return each(width, func(i int) float64 { return float64(now[i]) })
		},
	},
}
