package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

func openCandle(t *testing.T) *project {
	return openProject(t, "candle")
}

func TestCandleReduce(t *testing.T) {
	p := openCandle(t)
	r := rand.New(rand.NewPCG(3, 1))
	const n, rows = 300, 5
	x, w, b := f32(normal(r, n*rows, 1)), f32(normal(r, n, 1)), f32(normal(r, n, 1))
	each := func(f func(v []float64) []float64) (out []float64) {
		for i := range rows {
			out = append(out, f(x.v[i*n:(i+1)*n])...)
		}
		return out
	}
	scaled := func(v []float64, center bool) []float64 {
		mean, square := 0.0, 0.0
		for _, x := range v {
			if center {
				mean += x / n
			}
		}
		for _, x := range v {
			square += (x - mean) * (x - mean) / n
		}
		out := make([]float64, n)
		for i, x := range v {
			out[i] = (x - mean) / math.Sqrt(square+1e-5) * w.v[i]
			if center {
				out[i] += b.v[i]
			}
		}
		return out
	}
	for _, c := range []struct {
		kernel string
		part   float64
		args   map[string]any
		want   []float64
	}{
		{"softmax_f32", 1e-6, nil, each(softmax)},
		{"rmsnorm_f32", 1e-6, map[string]any{"alpha": w, "eps": 1e-5},
			each(func(v []float64) []float64 { return scaled(v, false) })},
		{"layernorm_f32", 1e-5, map[string]any{"alpha": w, "beta": b, "eps": 1e-5},
			each(func(v []float64) []float64 { return scaled(v, true) })},
		{"fast_sum_f32", 1e-5, map[string]any{"num_dims": 1, "dims": typed(tree.UInt, []float64{n})},
			each(func(v []float64) []float64 { return []float64{times(v, slices.Repeat([]float64{1}, n))[0]} })},
		{"fast_max_f32", 0, map[string]any{"num_dims": 1, "dims": typed(tree.UInt, []float64{n})},
			each(func(v []float64) []float64 { return []float64{slices.Max(v)} })},
		{"fast_argmin_f32", 0, map[string]any{"num_dims": 1, "dims": typed(tree.UInt, []float64{n})},
			each(func(v []float64) []float64 { return []float64{float64(slices.Index(v, slices.Min(v)))} })},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			dst := f32(make([]float64, len(c.want)))
			if c.kernel == "fast_argmin_f32" {
				dst = typed(tree.UInt, dst.v)
			}
			args := map[string]any{"src_numel": n * rows, "el_per_block": n, "src": x, "dst": dst}
			for name, a := range c.args {
				args[name] = a
			}
			p.run(t,
				call{file: "reduce.metal", kernel: c.kernel, groups: [3]int{rows, 1, 1}, threads: [3]int{128, 1, 1}, args: args})
			closeTo(t, c.part, dst.v, c.want)
		})
	}
}

func TestCandleIndexing(t *testing.T) {
	p := openCandle(t)
	r := rand.New(rand.NewPCG(3, 2))
	const left, dim, right, ids = 2, 9, 7, 5
	x, index := f32(normal(r, left*dim*right, 1)), typed(tree.UInt, []float64{8, 0, 3, 3, 4294967295})
	group := func(n int) [3]int { return [3]int{(n + 63) / 64, 1, 1} }
	t.Run("select", func(t *testing.T) {
		out := f32(make([]float64, left*ids*right))
		p.run(t,
			call{file: "indexing.metal", kernel: "is_u32_f32", groups: group(len(out.v)), threads: [3]int{64, 1, 1},
				args: map[string]any{
					"dst_size": len(out.v), "left_size": left, "src_dim_size": dim, "right_size": right, "ids_size": ids,
					"contiguous":  true,
					"src_dims":    typed(tree.ULong, []float64{left, dim, right}),
					"src_strides": typed(tree.ULong, []float64{dim * right, right, 1}), "input": x, "input_ids": index,
					"output": out}})
		want := make([]float64, len(out.v))
		for i := range want {
			if id := index.v[i/right%ids]; id < dim {
				want[i] = x.v[(i/right/ids*dim+int(id))*right+i%right]
			}
		}
		closeTo(t, 0, out.v, want)
	})
	at := make([]float64, left*ids*right)
	for i := range at {
		at[i] = float64(r.IntN(dim))
	}
	which, values := typed(tree.UInt, at), f32(normal(r, len(at), 1))
	t.Run("gather", func(t *testing.T) {
		out, want := f32(make([]float64, len(at))), make([]float64, len(at))
		p.run(t,
			call{file: "indexing.metal", kernel: "gather_u32_f32", groups: group(len(at)), threads: [3]int{64, 1, 1},
				args: map[string]any{
					"dst_size": len(at), "left_size": left, "src_dim_size": dim, "right_size": right, "ids_size": ids, "input": x,
					"input_ids": which, "output": out}})
		for i := range want {
			want[i] = x.v[(i/right/ids*dim+int(at[i]))*right+i%right]
		}
		closeTo(t, 0, out.v, want)
	})
	t.Run("scatter_add", func(t *testing.T) {
		out, want := f32(slices.Clone(x.v)), slices.Clone(x.v)
		p.run(t,
			call{file: "indexing.metal", kernel: "sa_u32_f32", groups: group(left * right), threads: [3]int{64, 1, 1},
				args: map[string]any{
					"dst_size": left * right, "left_size": left, "src_dim_size": ids, "right_size": right, "dst_dim_size": dim,
					"input": values, "input_ids": which, "output": out}})
		for i, v := range values.v {
			want[(i/right/ids*dim+int(at[i]))*right+i%right] += v
		}
		closeTo(t, 1e-6, out.v, want)
	})
}

func TestCandleConvolution(t *testing.T) {
	p := openCandle(t)
	const channels, size, kernel = 3, 8, 3
	x := f16(normal(rand.New(rand.NewPCG(3, 3)), channels*size*size, 1))
	const n = size * size * channels * kernel * kernel
	out, want := f16(make([]float64, n)), make([]float64, n)
	p.run(t,
		call{file: "conv.metal", kernel: "im2col_f16", groups: [3]int{(n + 255) / 256, 1, 1}, threads: [3]int{256, 1, 1},
			args: map[string]any{
				"dst_numel": n, "h_out": size, "w_out": size, "h_k": kernel, "w_k": kernel, "stride": 1, "padding": 1,
				"dilation":    1,
				"src_dims":    typed(tree.ULong, []float64{1, channels, size, size}),
				"src_strides": typed(tree.ULong, []float64{channels * size * size, size * size, size, 1}), "src": x, "dst": out}})
	for i := range want {
		kx, ky, c := i%kernel, i/kernel%kernel, i/kernel/kernel%channels
		place := i / kernel / kernel / channels
		row, col := place/size+ky-1, place%size+kx-1
		if row >= 0 && row < size && col >= 0 && col < size {
			want[i] = x.v[(c*size+row)*size+col]
		}
	}
	closeTo(t, 0, out.v, want)
}

func TestCandleRope(t *testing.T) {
	p := openCandle(t)
	r := rand.New(rand.NewPCG(3, 4))
	const dim, tokens, heads = 32, 6, 3
	k := tree.BFloat
	x, cos, sin, dst := typed(k, normal(r, dim*tokens*heads, 1)), typed(k, normal(r, tokens*dim/2, 1)),
		typed(k, normal(r, tokens*dim/2, 1)), typed(k, make([]float64, dim*tokens*heads))
	p.run(t,
		call{file: "reduce.metal", kernel: "rope_bf16", groups: [3]int{(len(x.v)/2 + 63) / 64, 1, 1},
			threads: [3]int{64, 1, 1}, args: map[string]any{
				"bh": heads, "td": tokens * dim, "d": dim, "stride_b": 0, "src": x, "cos": cos, "sin": sin, "dst": dst}})
	want := make([]float64, len(x.v))
	for h := range heads {
		for i := range tokens * dim / 2 {
			a := h*tokens*dim + i/(dim/2)*dim + i%(dim/2)
			want[a] = x.v[a]*cos.v[i] - x.v[a+dim/2]*sin.v[i]
			want[a+dim/2] = x.v[a]*sin.v[i] + x.v[a+dim/2]*cos.v[i]
		}
	}
	closeTo(t, precision[k], dst.v, want)
}

func TestCandleArgsort(t *testing.T) {
	p := openCandle(t)
	const n, rows = 90, 3
	x, dst := f16(normal(rand.New(rand.NewPCG(3, 5)), n*rows, 1)), typed(tree.UInt, make([]float64, n*rows))
	p.run(t,
		call{file: "sort.metal", kernel: "asort_asc_f16", groups: [3]int{1, rows, 1}, threads: [3]int{128, 1, 1},
			args: map[string]any{"x": x, "dst": dst, "ncols": n, "ncols_pad": 128, "shared_values": 512}})
	var got, want []float64
	for row := range rows {
		v := x.v[row*n : (row+1)*n]
		for _, i := range dst.v[row*n : (row+1)*n] {
			got = append(got, v[int(i)])
		}
		want = append(want, slices.Sorted(slices.Values(v))...)
	}
	closeTo(t, 0, got, want)
}

func TestCandleGemm(t *testing.T) {
	p := openCandle(t)
	r := rand.New(rand.NewPCG(3, 6))
	const m, n, k = 45, 50, 40
	a, b, out := f16(normal(r, m*k, 1)), f16(normal(r, n*k, 1)), f16(make([]float64, m*n))
	p.run(t, call{
		file: "mlx_gemm.metal", kernel: "gemm_nt_f16_f16_32_32_16_2_2", groups: [3]int{2, 2, 1}, threads: [3]int{32, 2, 2},
		constants: map[string]any{"has_batch": false, "use_out_source": false, "do_axpby": false, "align_M": false,
			"align_N": false, "align_K": false, "do_gather": false},
		args: map[string]any{"A": a, "B": b, "D": out,
			"params": fields{"M": m, "N": n, "K": k, "lda": k, "ldb": k, "ldd": n, "tiles_n": 2, "tiles_m": 2,
				"gemm_k_iterations_aligned": k / 16}},
	})
	closeTo(t, precision[tree.Half], out.v, matMul(a.v, transposed(b.v, n), m, k, n))
}

func TestCandleRandom(t *testing.T) {
	p := openCandle(t)
	const n = 20000
	out, seed := f32(make([]float64, n)), typed(tree.UInt, []float64{299792458, 0})
	p.run(t,
		call{file: "random.metal", kernel: "rand_uniform_f32", groups: [3]int{n / 2 / 50, 1, 1}, threads: [3]int{50, 1, 1},
			args: map[string]any{"size": n, "min": -2.0, "max": 6.0, "sb": seed, "out": out}})
	mean, square := 0.0, 0.0
	for _, x := range out.v {
		if x < -2 || x > 6 {
			t.Fatalf("%g", x)
		}
		mean, square = mean+x/n, square+x*x/n
	}
	// of a uniform distribution: 2 and 64/12
	if variance := square - mean*mean; math.Abs(mean-2) > 0.1 || math.Abs(variance-64.0/12) > 0.1 {
		t.Errorf("mean %g, variance %g", mean, variance)
	}
}
