package suite

import (
	"math/rand/v2"
)

// quantised: quantised matrices.
var quantised = []Kernel{
	{
		Name: "matvec_4bit", Source: "quantised", After: "MLX", Size: "4096 x 4096",
		Grid: [3]int{4096}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(words(r, 4096*512)), in(bfloats(r, 4096*64, 0.001, 0.01)), in(bfloats(r, 4096*64, -0.1, 0.1)),
				in(floats(r, 4096, -1, 1)), out[float32](4096), value(uint32(4096)), value(uint32(4096)), value(uint32(64)),
			}
		},
		Within: 1e-4, Traffic: 4096 * (2048 + 2*2*64),
	},
	{
		Name: "dot_q8", Source: "quantised", After: "ggml q8_0", Size: "4096 x 4096",
		Grid: [3]int{4096}, Group: [3]int{64},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(signed(r, 4096*4096)), in(floats(r, 4096*128, 0, 0.01)), in(signed(r, 4096)),
				in(floats(r, 128, 0, 0.01)), out[float32](4096), value(uint32(4096)), value(uint32(128)),
			}
		},
		Want: func(a []Arg) []float64 {
			w, scales := a[0].data.([]int8), a[1].data.([]float32)
			x, xScales := a[2].data.([]int8), a[3].data.([]float32)
			return each(4096, func(row int) float64 {
				sum := 0.0
				for i := range 4096 {
					block := float64(scales[row*128+i/32]) * float64(xScales[i/32])
					sum += block * float64(w[row*4096+i]) * float64(x[i])
				}
				return sum
			})
		},
		Within: 1e-5, Traffic: 4096 * (4096 + 4*128),
		Why: "each byte of 32 rows is made a word, with a product of its own; LLVM multiplies bytes of one row in pairs.",
	},
	{
		Name: "dot_q4", Source: "quantised", After: "ggml q4_0", Size: "4096 x 4096", Grid: [3]int{4096},
		Group: [3]int{64},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(bytes(r, 4096*2048)), in(halves(r, 4096*128)), in(floats(r, 4096, -1, 1)), out[float32](4096),
				value(uint32(4096)), value(uint32(128)),
			}
		},
		Within: 1e-4, Traffic: 4096 * 128 * 18,
	},
	{
		Name: "dot_q5", Source: "quantised", After: "ggml q5_0", Size: "4096 x 4096", Grid: [3]int{4096},
		Group: [3]int{64},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(bytes(r, 4096*2048)), in(words(r, 4096*128)), in(halves(r, 4096*128)), in(floats(r, 4096, -1, 1)),
				out[float32](4096), value(uint32(4096)), value(uint32(128)),
			}
		},
		Within: 1e-4, Traffic: 4096 * 128 * 22,
	},
	{
		Name: "dot_q4k", Source: "quantised", After: "ggml q4_K", Size: "4096 x 4096", Grid: [3]int{4096},
		Group: [3]int{64},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(bytes(r, 4096*2048)), in(bytes(r, 4096*16*12)), in(halves(r, 4096*16*2)), in(floats(r, 4096, -1, 1)),
				out[float32](4096), value(uint32(4096)), value(uint32(16)),
			}
		},
		Within: 1e-4, Traffic: 4096 * 16 * 144,
	},
	{
		Name: "dot_q6k", Source: "quantised", After: "ggml q6_K", Size: "4096 x 4096", Grid: [3]int{4096},
		Group: [3]int{64},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(bytes(r, 4096*2048)), in(bytes(r, 4096*1024)), in(signed(r, 4096*256)), in(halves(r, 4096*16)),
				in(floats(r, 4096, -1, 1)), out[float32](4096), value(uint32(4096)), value(uint32(16)),
			}
		},
		Within: 1e-4, Traffic: 4096 * 16 * 210,
	},
	{
		Name: "dot_table", Source: "quantised", After: "ggml iq4_nl", Size: "4096 x 4096", Grid: [3]int{4096},
		Group: [3]int{64},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(bytes(r, 4096*2048)), in(halves(r, 4096*128)), in(floats(r, 4096, -1, 1)), out[float32](4096),
				value(uint32(4096)), value(uint32(128)),
			}
		},
		Within: 1e-4, Traffic: 4096 * 128 * 18,
	},
	{
		Name: "dot_int8", Source: "quantised", After: "int8 engines", Size: "4096 x 4096", Grid: [3]int{4096},
		Group: [3]int{64},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(signed(r, 4096*4096)), in(signed(r, 4096)), out[int32](4096), value(uint32(4096)), value(uint32(1024)),
			}
		},
		Want: func(a []Arg) []float64 {
			w, x := a[0].data.([]int8), a[1].data.([]int8)
			return each(4096, func(row int) float64 {
				sum := 0
				for i := range 4096 {
					sum += int(w[row*4096+i]) * int(x[i])
				}
				return float64(sum)
			})
		},
		Traffic: 4096 * 4096,
	},
}
