package suite

import (
	"math"
	"math/rand/v2"
)

// arithmetic: what arithmetic limits.
var arithmetic = []Kernel{
	{
		Name: "nbody", Source: "arithmetic", After: "CUDA samples, SHOC", Size: "4096 bodies",
		Grid: [3]int{4096}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{in(floats(r, 4*4096, 0, 1)), out[float32](4 * 4096), value(uint32(4096)), value(float32(0.01))}
		},
		Want: func(a []Arg) []float64 {
			x := a[0].data.([]float32)
			pulls := make([]float64, len(x))
			for i := 0; i < len(x); i += 4 {
				for j := 0; j < len(x); j += 4 {
					var d [3]float64
					squared := 0.01
					for k := range d {
						d[k] = float64(x[j+k]) - float64(x[i+k])
						squared += d[k] * d[k]
					}
					for k := range d {
						pulls[i+k] += d[k] * float64(x[j+3]) / (squared * math.Sqrt(squared))
					}
				}
			}
			return pulls
		},
		Within: 1e-4, Flops: 20 * 4096 * 4096,
	},
	{
		Name: "black_scholes", Source: "arithmetic", After: "CUDA samples", Size: "1 Mi options",
		Grid: [3]int{1 << 20}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 1<<20, 5, 30)), in(floats(r, 1<<20, 1, 100)), in(floats(r, 1<<20, 0.25, 10)),
				out[float32](1 << 20), out[float32](1 << 20), value(float32(0.02)), value(float32(0.3)),
			}
		},
		Want: func(a []Arg) []float64 {
			price, strike, years := a[0].data.([]float32), a[1].data.([]float32), a[2].data.([]float32)
			normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
			return each(len(price), func(i int) float64 {
				p, s, t := float64(price[i]), float64(strike[i]), float64(years[i])
				d1 := (math.Log(p/s) + (0.02+0.5*0.3*0.3)*t) / (0.3 * math.Sqrt(t))
				d2 := d1 - 0.3*math.Sqrt(t)
				return s*math.Exp(-0.02*t)*normal(-d2) - p*normal(-d1)
			})
		},
		Within: 1e-4,
	},
	{
		Name: "mandelbrot", Source: "arithmetic", After: "a classic", Size: "1024 x 1024, at most 256 steps",
		Grid: [3]int{1024, 1024}, Group: [3]int{32, 8},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				out[uint32](1024 * 1024), value(uint32(1024)), value(float32(2.5 / 1024)), value(uint32(256)),
			}
		},
		Want: func(a []Arg) []float64 {
			return each(1024*1024, func(i int) float64 {
				step := float64(float32(2.5 / 1024))
				c := complex(-2+step*float64(i%1024), -1.25+step*float64(i/1024))
				n, z := 0, c*0
				for ; n < 256 && real(z)*real(z)+imag(z)*imag(z) < 4; n++ {
					z = z*z + c
				}
				return float64(n)
			})
		},
		Stray: 0.01, // chaos: near the edge the last bit decides
	},
	{
		Name: "peak", Source: "arithmetic", After: "SHOC MaxFlops", Size: "16 Ki threads, 4096 rounds of 8",
		Grid: [3]int{16 << 10}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{out[float32](16 << 10), value(float32(0.5)), value(float32(1)), value(uint32(4096))}
		},
		Want:   func([]Arg) []float64 { return each(16<<10, func(int) float64 { return 8 * 2 }) },
		Within: 1e-5, Flops: 2 * 8 * 4096 * 16 << 10,
	},
}
