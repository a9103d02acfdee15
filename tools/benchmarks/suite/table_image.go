package suite

import (
	"math/rand/v2"
)

// image: images.
var image = []Kernel{
	{
		Name: "blur3x3", Source: "image", After: "3x3 mean, edge repeated", Size: "2048 x 2048 floats",
		Grid: [3]int{2048, 2048}, Group: [3]int{16, 16},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 2048*2048, 0, 1)), out[float32](2048 * 2048), value(int32(2048)), value(int32(2048)),
			}
		},
		Within: 1e-6,
	},
	{
		Name: "grey", Source: "image", After: "colour conversion", Size: "4 Mi pixels of four bytes",
		Grid: [3]int{4 << 20}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{in(bytes(r, 16<<20)), out[uint8](4 << 20), value(uint32(4 << 20))}
		},
		Within:  0.01, // one up or down
		Traffic: 5 * 4 << 20,
	},
	{
		Name: "yuv", Source: "image", After: "colour conversion", Size: "4 Mi pixels of four bytes",
		Grid: [3]int{4 << 20}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{in(bytes(r, 16<<20)), out[uint8](16 << 20), value(uint32(4 << 20))}
		},
		Traffic: 8 * 4 << 20,
	},
	{
		Name: "erode", Source: "image", After: "morphology", Size: "2048 x 2048 bytes",
		Grid: [3]int{2048, 2048}, Group: [3]int{16, 16},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(bytes(r, 2048*2048)), out[uint8](2048 * 2048), value(int32(2048)), value(int32(2048)),
			}
		},
		Want: func(a []Arg) []float64 {
			x := a[0].data.([]uint8)
			return clamped(2048, 2048, func(at func(dx, dy int) int) float64 {
				least := 255.0
				for k := range 9 {
					least = min(least, float64(x[at(k%3-1, k/3-1)]))
				}
				return least
			})
		},
	},
	{
		Name: "sobel", Source: "image", After: "edges", Size: "2048 x 2048 floats",
		Grid: [3]int{2048, 2048}, Group: [3]int{32, 8},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 2048*2048, 0, 1)), out[float32](2048 * 2048), value(int32(2048)), value(int32(2048)),
			}
		},
		Within: 1e-5, Traffic: 2 * 4 * 2048 * 2048,
		Why: "each simd-group begins by itself, with three pointers and three checks for nine numbers a pixel.",
	},
	{
		Name: "convolve_rows", Source: "image", After: "CUDA samples", Size: "2048 x 2048 floats, 17 weights",
		Grid: [3]int{2048, 2048}, Group: [3]int{128},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 2048*2048, 0, 1)), in(floats(r, 17, 0, 1)), out[float32](2048 * 2048), value(int32(2048)),
			}
		},
		Want: func(a []Arg) []float64 {
			x, weights := a[0].data.([]float32), a[1].data.([]float32)
			return each(len(x), func(i int) float64 {
				sum := 0.0
				for k, w := range weights {
					if at := i%2048 + k - 8; at >= 0 && at < 2048 {
						sum += float64(w) * float64(x[i/2048*2048+at])
					}
				}
				return sum
			})
		},
		Within: 1e-5, Flops: 2 * 17 * 2048 * 2048,
	},
	{
		Name: "planes", Source: "image", After: "OpenCV split", Size: "1 Mi pixels of three bytes",
		Grid: [3]int{1 << 20}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(bytes(r, 3<<20)), out[uint8](1 << 20), out[uint8](1 << 20), out[uint8](1 << 20),
				value(uint32(1 << 20)),
			}
		},
		Want: func(a []Arg) []float64 {
			in := a[0].data.([]uint8)
			return each(len(in)/3, func(i int) float64 { return float64(in[3*i+2]) })
		},
		Traffic: 6 << 20,
	},
	{
		Name: "demosaic", Source: "image", After: "OpenCV demosaicing", Size: "1024 x 1024 bytes",
		Grid: [3]int{1024, 1024}, Group: [3]int{32, 8},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(bytes(r, 1024*1024)), out[float32](4 * 1024 * 1024), value(int32(1024)), value(int32(1024)),
			}
		},
		Want: func(a []Arg) []float64 {
			in := a[0].data.([]uint8)
			return each(4*len(in), func(i int) float64 {
				x, y := i/4%1024, i/4/1024
				if x == 0 || y == 0 || x == 1023 || y == 1023 {
					return 0
				}
				if i%4 == 3 {
					return 1
				}
				if i%4 == 1 && (x+y)&1 == 1 {
					return float64(in[i/4])
				}
				var sum, count float64 // of the pixels whose filter has that colour
				for dy := -1; dy <= 1; dy++ {
					for dx := -1; dx <= 1; dx++ {
						if (x+dx)&1+(y+dy)&1 == i%4 {
							sum, count = sum+float64(in[i/4+dy*1024+dx]), count+1
						}
					}
				}
				return sum / count
			})
		},
		Within: 1e-6, Traffic: 17 * 1024 * 1024,
	},
}
