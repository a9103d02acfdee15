package suite

import (
	"math/rand/v2"
	"slices"
)

// wavefront: threads that wait for one another.
var wavefront = []Kernel{
	{
		Name: "needle", Source: "wavefront", After: "Rodinia nw", Size: "1024 pairs of 64 letters",
		Grid: [3]int{1024 * 64}, Group: [3]int{64},
		Args: func(r *rand.Rand) []Arg {
			letters := func() []uint8 {
				s := make([]uint8, 1024*64)
				for i := range s {
					s[i] = "ACGT"[r.IntN(4)]
				}
				return s
			}
			return []Arg{in(letters()), in(letters()), out[int32](1024 * 64), value(int32(2))}
		},
		Want: needleman,
	},
	{
		Name: "lud", Source: "wavefront", After: "Rodinia lud", Size: "1024 blocks of 32 x 32",
		Grid: [3]int{1024 * 32}, Group: [3]int{32},
		Args: func(r *rand.Rand) []Arg {
			x := floats(r, 1024*1024, 0, 1)
			for i := range x {
				if i/32%32 == i%32 {
					x[i] += 32
				}
			}
			return []Arg{in(x), out[float32](1024 * 1024)}
		},
		Want: func(a []Arg) []float64 {
			x := a[0].data.([]float32)
			lu := each(len(x), func(i int) float64 { return float64(x[i]) })
			for block := range slices.Chunk(lu, 1024) {
				for k := range 32 {
					for row := k + 1; row < 32; row++ {
						block[row*32+k] /= block[k*32+k]
						for column := k + 1; column < 32; column++ {
							block[row*32+column] -= block[row*32+k] * block[k*32+column]
						}
					}
				}
			}
			return lu
		},
		Within: 1e-5,
		Why:    "rows of a block lie 32 floats apart, so that each step is a hardware gather and a scatter.",
	},
	{
		Name: "fft", Source: "wavefront", After: "SHOC FFT", Size: "512 of 1024 complex floats",
		Grid: [3]int{512 * 256}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg { return []Arg{in(floats(r, 2*512*1024, -1, 1)), out[float32](2 * 512 * 1024)} },
		Want: func(a []Arg) []float64 {
			x := a[0].data.([]float32)
			var spectra []float64
			for block := range slices.Chunk(x, 2*1024) {
				points := make([]complex128, 1024)
				for i := range points {
					points[i] = complex(float64(block[2*i]), float64(block[2*i+1]))
				}
				for _, c := range fourier(points) {
					spectra = append(spectra, real(c), imag(c))
				}
			}
			return spectra
		},
		Within: 1e-5, Flops: 512 * 5 * 1024 * 10,
	},
}
