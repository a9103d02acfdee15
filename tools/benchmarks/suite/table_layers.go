package suite

import (
	"math"
	"math/rand/v2"
)

// layers: layers of neural networks.
var layers = []Kernel{
	{
		Name: "conv2d", Source: "layers", After: "MLX, Candle", Size: "16 to 16 channels of 128 x 128, 3 x 3 weights",
		Grid: [3]int{128, 128, 16}, Group: [3]int{32, 8},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 16*128*128, 0, 1)), in(floats(r, 16*16*9, 0, 1)), out[float32](16 * 128 * 128),
				value(int32(128)), value(int32(128)), value(int32(16)),
			}
		},
		Want: func(a []Arg) []float64 {
			x, w := a[0].data.([]float32), a[1].data.([]float32)
			return each(16*128*128, func(i int) float64 {
				sum := 0.0
				for k := range 16 * 9 {
					sx, sy := i%128+k%3-1, i/128%128+k/3%3-1
					if sx >= 0 && sx < 128 && sy >= 0 && sy < 128 {
						sum += float64(x[k/9*128*128+sy*128+sx]) * float64(w[i/128/128*16*9+k])
					}
				}
				return sum
			})
		},
		Within: 1e-5, Flops: 2 * 16 * 16 * 9 * 128 * 128,
	},
	{
		Name: "im2col", Source: "layers", After: "ggml, Candle", Size: "16 channels of 128 x 128, 3 x 3",
		Grid: [3]int{16 * 9, 128 * 128}, Group: [3]int{16, 16},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 16*128*128, 0, 1)), out[float32](16 * 9 * 128 * 128), value(int32(128)), value(int32(128)),
				value(int32(16)),
			}
		},
		Want: func(a []Arg) []float64 {
			x := a[0].data.([]float32)
			return each(16*9*128*128, func(i int) float64 {
				k, pixel := i%(16*9), i/(16*9)
				sx, sy := pixel%128+k%3-1, pixel/128+k/3%3-1
				if sx < 0 || sx >= 128 || sy < 0 || sy >= 128 {
					return 0
				}
				return float64(x[k/9*128*128+sy*128+sx])
			})
		},
		Why: "rows of sixteen that are looked at before they are stored, and divisions of positions.",
	},
	{
		Name: "maxpool", Source: "layers", After: "ggml pool_2d", Size: "16 channels of 256 x 256, 3 x 3, every second",
		Grid: [3]int{128, 128, 16}, Group: [3]int{32, 8},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 16*256*256, 0, 1)), out[float32](16 * 128 * 128), value(int32(256)), value(int32(256)),
			}
		},
		Want: func(a []Arg) []float64 {
			x := a[0].data.([]float32)
			return each(16*128*128, func(i int) float64 {
				most := math.Inf(-1)
				for k := range 9 {
					if sx, sy := 2*(i%128)+k%3, 2*(i/128%128)+k/3; sx < 256 && sy < 256 {
						most = max(most, float64(x[i/128/128*256*256+sy*256+sx]))
					}
				}
				return most
			})
		},
	},
	{
		Name: "rope", Source: "layers", After: "ggml, MLX", Size: "512 positions of 32 heads of 128",
		Grid: [3]int{2048, 512}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 512*4096, -1, 1)), out[float32](512 * 4096), value(uint32(4096)), value(float32(10000)),
			}
		},
		Want: func(a []Arg) []float64 {
			x := a[0].data.([]float32)
			return each(len(x), func(i int) float64 {
				sin, cos := math.Sincos(float64(i/4096) * math.Pow(10000, -float64(i%4096/2*2)/4096))
				u, v := float64(x[i/2*2]), float64(x[i/2*2+1])
				if i%2 == 0 {
					return u*cos - v*sin
				}
				return u*sin + v*cos
			})
		},
		Within: 1e-3, // float angles
	},
	{
		Name: "attention", Source: "layers", After: "ggml, MLX", Size: "8 heads of 64, 256 queries and keys",
		Grid: [3]int{256, 8}, Group: [3]int{64},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 8*256*64, -1, 1)), in(floats(r, 8*256*64, -1, 1)), in(floats(r, 8*256*64, -1, 1)),
				out[float32](8 * 256 * 64), value(uint32(256)), value(float32(0.125)),
			}
		},
		Want: attend, Within: 1e-5, Flops: 8 * 256 * 256 * 64 * 5,
	},
}
