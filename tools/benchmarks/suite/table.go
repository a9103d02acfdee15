package suite

import (
	"math"
	"math/rand/v2"
)

// Table is the suite.
var Table = []Kernel{
	{
		Name: "triad", Source: "stream", After: "STREAM", Size: "4 Mi floats", Grid: [3]int{4 << 20}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{in(floats(r, 4<<20, -1, 1)), in(floats(r, 4<<20, -1, 1)), out[float32](4 << 20), value(float32(3))}
		},
		Want: func(a []Arg) []float64 {
			x, y := a[0].data.([]float32), a[1].data.([]float32)
			return each(len(x), func(i int) float64 { return float64(x[i]) + 3*float64(y[i]) })
		},
		Within: 1e-6, Traffic: 3 * 4 * 4 << 20,
	},
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
		Name: "reduce", Source: "reduce", After: "SHOC Reduction", Size: "8 Mi floats",
		Grid: [3]int{64 * 256}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{in(floats(r, 8<<20, 0, 1)), out[float32](64), value(uint32(8 << 20)), value(uint32(64 * 256))}
		},
		Want: func(a []Arg) []float64 {
			sums := make([]float64, 64)
			for i, v := range a[0].data.([]float32) {
				sums[i/256%64] += float64(v)
			}
			return sums
		},
		Within: 1e-5, Traffic: 4 * 8 << 20,
	},
	{
		Name: "norm_add", Source: "reduce", After: "ggml, MLX", Size: "256 rows of 4096",
		Grid: [3]int{256 * 256}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 256*4096, -1, 1)), in(floats(r, 256*4096, -1, 1)), in(floats(r, 4096, -1, 1)),
				out[float32](256 * 4096), value(uint32(4096)), value(float32(1e-6)),
			}
		},
		Within: 1e-5, Traffic: 3 * 4 * 256 * 4096,
	},
	{
		Name: "scan", Source: "reduce", After: "SHOC Scan", Size: "2 Mi floats in blocks of 256",
		Grid: [3]int{2 << 20}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg { return []Arg{in(floats(r, 2<<20, 0, 1)), out[float32](2 << 20)} },
		Want: func(a []Arg) []float64 {
			sum := 0.0
			x := a[0].data.([]float32)
			return each(len(x), func(i int) float64 {
				if i%256 == 0 {
					sum = 0
				}
				sum += float64(x[i])
				return sum
			})
		},
		Within: 1e-5,
	},
	{
		Name: "softmax", Source: "reduce", After: "ggml, MLX", Size: "512 rows of 2048",
		Grid: [3]int{512 * 256}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{in(floats(r, 512*2048, -5, 5)), out[float32](512 * 2048), value(uint32(2048))}
		},
		Within: 1e-5,
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
	},
	{
		Name: "murmur", Source: "integer", After: "hashes", Size: "256 Ki keys of 64 bytes",
		Grid: [3]int{256 << 10}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{in(words(r, 16*256<<10)), out[uint32](256 << 10), value(uint32(256 << 10))}
		},
	},
	{
		Name: "histogram", Source: "integer", After: "Parboil histo", Size: "4 Mi bytes in blocks of 64 Ki",
		Grid: [3]int{64 * 256}, Group: [3]int{256},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{in(bytes(r, 4<<20)), out[uint32](64 * 256), value(uint32(64 << 10))}
		},
		Want: func(a []Arg) []float64 {
			bins := make([]float64, 64*256)
			for i, b := range a[0].data.([]uint8) {
				bins[i>>16*256+int(b)]++
			}
			return bins
		},
	},
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
	},
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
		Name: "gemm", Source: "dense", After: "tiles without simdgroup_matrix", Size: "512 x 512 floats",
		Grid: [3]int{512, 512}, Group: [3]int{16, 16},
		Args: func(r *rand.Rand) []Arg {
			return []Arg{
				in(floats(r, 512*512, 0, 1)), in(floats(r, 512*512, 0, 1)), out[float32](512 * 512), value(uint32(512)),
			}
		},
		Within: 1e-5, Flops: 2 * 512 * 512 * 512,
	},
}

// each returns n numbers.
func each(n int, f func(i int) float64) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = f(i)
	}
	return s
}
