package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

func openMLX(t testing.TB) *project {
	return openProject(t, "mlx")
}

// precision is what results in a type may be off by, as a part of the greatest.
var precision = map[tree.ScalarKind]float64{tree.Float: 2e-6, tree.Half: 6e-4, tree.BFloat: 5e-3}

// mlxTypes are the names that kernels of MLX have for types.
var mlxTypes = map[string]tree.ScalarKind{"float32": tree.Float, "float16": tree.Half, "bfloat16": tree.BFloat}

func TestMLXNorms(t *testing.T) {
	p := openMLX(t)
	const n, rows = 510, 4
	for name, k := range mlxTypes {
		for _, kernel := range []string{"rms", "rms_looped", "layer_norm", "layer_norm_looped"} {
			t.Run(kernel+name, func(t *testing.T) {
				r := rand.New(rand.NewPCG(2, 1))
				x, w, b, out := typed(k, normal(r, n*rows, 1)), typed(k, normal(r, n, 1)), typed(k, normal(r, n, 1)),
					typed(k, make([]float64, n*rows))
				file, layer, threads := "rms_norm.metal", kernel[0] == 'l', 128
				args := map[string]any{"x": x, "w": w, "out": out, "eps": 1e-5, "axis_size": n, "w_stride": 1}
				if layer {
					file, threads = "layer_norm.metal", 64
					args["b"], args["b_stride"] = b, 1
				}
				p.run(t,
					call{file: file, kernel: kernel + name, groups: [3]int{rows, 1, 1}, threads: [3]int{threads, 1, 1}, args: args})
				want := make([]float64, n*rows)
				for row := range rows {
					v := x.v[row*n : (row+1)*n]
					mean, square := 0.0, 0.0
					for _, x := range v {
						if layer {
							mean += x / n
						}
					}
					for _, x := range v {
						square += (x - mean) * (x - mean) / n
					}
					for i, x := range v {
						want[row*n+i] = (x - mean) / math.Sqrt(square+1e-5) * w.v[i]
						if layer {
							want[row*n+i] += b.v[i]
						}
					}
				}
				closeTo(t, 3*precision[k], out.v, want)
			})
		}
	}
}

func TestMLXSoftmax(t *testing.T) {
	p := openMLX(t)
	r := rand.New(rand.NewPCG(2, 2))
	const rows = 3
	for _, c := range []struct {
		kernel string
		k      tree.ScalarKind
		n      int
	}{{"block_softmax_float32", tree.Float, 333}, {"looped_softmax_precise_float16", tree.Half, 5001},
		{"block_softmax_precise_bfloat16", tree.BFloat, 333}} {
		t.Run(c.kernel, func(t *testing.T) {
			n := c.n
			x, out := typed(c.k, normal(r, n*rows, 2)), typed(c.k, make([]float64, n*rows))
			threads := 96
			if n > 384 { // the looped form counts on all simd-groups
				threads = 1024
			}
			p.run(t,
				call{file: "softmax.metal", kernel: c.kernel, groups: [3]int{rows, 1, 1}, threads: [3]int{threads, 1, 1},
					args: map[string]any{"in": x, "out": out, "axis_size": n}})
			var want []float64
			for row := range rows {
				want = append(want, softmax(x.v[row*n:(row+1)*n])...)
			}
			closeTo(t, precision[c.k], out.v, want)
		})
	}
}

func TestMLXRope(t *testing.T) {
	p := openMLX(t)
	const dim, tokens, heads, offset = 64, 5, 6, 3
	for name, k := range mlxTypes {
		for _, traditional := range []bool{false, true} {
			r := rand.New(rand.NewPCG(2, 3))
			x, out := typed(k, normal(r, dim*tokens*heads, 1)), typed(k, make([]float64, dim*tokens*heads))
			strides := typed(tree.Long, []float64{tokens * dim, dim, 1})
			p.run(t, call{
				file: "rope.metal", kernel: "rope_" + name, groups: [3]int{1, tokens, 2}, threads: [3]int{dim / 2, 1, 1},
				constants: map[string]any{"forward": true, "traditional": traditional, "hs_transpose": false},
				args: map[string]any{"in": x, "out": out, "offset": typed(tree.Int, []float64{offset}), "scale": 1.0,
					"strides": strides, "out_strides": strides,
					"offset_stride": 0, "n_head": heads, "base": math.Log2(10000)},
			})
			want := make([]float64, len(x.v))
			for head := range heads {
				for token := range tokens {
					for i := range dim / 2 {
						a, b := i, i+dim/2
						if traditional {
							a, b = 2*i, 2*i+1
						}
						at := (head*tokens + token) * dim
						sin, cos := math.Sincos(float64(token+offset) * math.Pow(10000, -float64(i)/(dim/2)))
						want[at+a] = x.v[at+a]*cos - x.v[at+b]*sin
						want[at+b] = x.v[at+a]*sin + x.v[at+b]*cos
					}
				}
			}
			closeTo(t, precision[k], out.v, want)
		}
	}
}

// threefry is the hash of two words by 20 rounds (Salmon et al., Parallel random
// numbers: as easy as 1, 2, 3).
func threefry(key, count [2]uint32) [2]uint32 {
	ks := [3]uint32{key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDA}
	x := [2]uint32{count[0] + ks[0], count[1] + ks[1]}
	rotations := [8]int{13, 15, 26, 6, 17, 29, 16, 24}
	for round := range 20 {
		x[0] += x[1]
		n := rotations[round%8]
		x[1] = (x[1]<<n | x[1]>>(32-n)) ^ x[0]
		if round%4 == 3 {
			s := round/4 + 1
			x[0] += ks[s%3]
			x[1] += ks[(s+1)%3] + uint32(s)
		}
	}
	return x
}

func TestMLXRandomBits(t *testing.T) {
	p := openMLX(t)
	const keys, words = 3, 10
	key := []float64{7, 99, 12345, 4294967295, 0, 1}
	out := typed(tree.UInt, make([]float64, keys*words))
	p.run(t, call{
		file: "random.metal", kernel: "rbitsc", groups: [3]int{keys, words / 2, 1}, threads: [3]int{1, 1, 1},
		args: map[string]any{"keys": typed(tree.UInt, key), "out": out, "odd": false, "bytes_per_key": 4 * words},
	})
	want := make([]float64, keys*words)
	for k := range keys {
		for i := range words / 2 {
			h := threefry([2]uint32{uint32(key[2*k]), uint32(key[2*k+1])}, [2]uint32{uint32(i), uint32(i + words/2)})
			want[k*words+i], want[k*words+words/2+i] = float64(h[0]), float64(h[1])
		}
	}
	closeTo(t, 0, out.v, want)
}

func TestMLXSort(t *testing.T) {
	p := openMLX(t)
	const n, rows = 400, 3
	for _, arg := range []bool{false, true} {
		for name, k := range map[string]tree.ScalarKind{"float32": tree.Float, "int16": tree.Short} {
			x := typed(k, normal(rand.New(rand.NewPCG(2, 4)), n*rows, 1000))
			kernel, out := "c_block_sort_"+name+"_"+name+"_bn128_tn4", typed(k, make([]float64, n*rows))
			if arg {
				kernel, out = "carg_block_sort_"+name+"_uint32_bn128_tn4", typed(tree.UInt, make([]float64, n*rows))
			}
			if k == tree.Short { // negative numbers, which typed reads as positive
				for i, v := range x.v {
					x.v[i] = float64(int16(v))
				}
			}
			p.run(t, call{file: "sort.metal", kernel: kernel, groups: [3]int{1, rows, 1}, threads: [3]int{128, 1, 1},
				args: map[string]any{"inp": raw(x.bytes), "out": out, "size_sorted_axis": n, "in_stride_sorted_axis": 1,
					"out_stride_sorted_axis": 1, "in_stride_segment_axis": n, "out_stride_segment_axis": n}})
			var want, got []float64
			for row := range rows {
				v := slices.Clone(x.v[row*n : (row+1)*n])
				for _, o := range out.v[row*n : (row+1)*n] {
					switch {
					case arg: // equal numbers may come in any order
						o = v[int(o)]
					case k == tree.Short:
						o = float64(int16(o))
					}
					got = append(got, o)
				}
				slices.Sort(v)
				want = append(want, v...)
			}
			closeTo(t, 0, got, want)
		}
	}
}

func TestMLXReductions(t *testing.T) {
	p := openMLX(t)
	r := rand.New(rand.NewPCG(2, 5))
	const n, rows = 700, 8
	x := f32(normal(r, n*rows, 1))
	rowOf := func(i int) []float64 { return x.v[i*n : (i+1)*n] }
	sum := func(v []float64) (s float64) {
		for _, x := range v {
			s += x
		}
		return s
	}
	each := func(f func([]float64) float64) (out []float64) {
		for i := range rows {
			out = append(out, f(rowOf(i)))
		}
		return out
	}
	t.Run("row_reduce", func(t *testing.T) {
		for op, f := range map[string]func([]float64) float64{"sum": sum, "max": slices.Max[[]float64]} {
			out := f32(make([]float64, rows))
			p.run(t,
				call{file: "reduce.metal", kernel: "row_reduce_simple_" + op + "float32", groups: [3]int{1, rows / 4, 1},
					threads: [3]int{64, 1, 1},
					args:    map[string]any{"in": x, "out": out, "reduction_size": n, "out_size": rows}})
			closeTo(t, 1e-5, out.v, each(f))
		}
	})
	t.Run("arg_reduce", func(t *testing.T) {
		for op, f := range map[string]func([]float64) float64{
			"argmax": slices.Max[[]float64], "argmin": slices.Min[[]float64],
		} {
			out := typed(tree.UInt, make([]float64, rows))
			p.run(t,
				call{file: "arg_reduce.metal", kernel: op + "_float32", groups: [3]int{1, rows, 1}, threads: [3]int{64, 1, 1},
					args: map[string]any{"in": x, "out": out, "shape": typed(tree.Int, []float64{rows}),
						"in_strides": typed(tree.Long, []float64{n}), "out_strides": typed(tree.Long, []float64{1}), "ndim": 1,
						"axis_stride": 1, "axis_size": n}})
			closeTo(t, 0, out.v, each(func(v []float64) float64 { return float64(slices.Index(v, f(v))) }))
		}
	})
	t.Run("logsumexp", func(t *testing.T) {
		out := f32(make([]float64, rows))
		p.run(t,
			call{file: "logsumexp.metal", kernel: "block_logsumexp_float32", groups: [3]int{rows, 1, 1},
				threads: [3]int{192, 1, 1}, args: map[string]any{"in": x, "out": out, "axis_size": n}})
		closeTo(t, 1e-6, out.v, each(func(v []float64) float64 {
			s := 0.0
			for _, x := range v {
				s += math.Exp(x)
			}
			return math.Log(s)
		}))
	})
	t.Run("scan", func(t *testing.T) {
		out := f32(make([]float64, n*rows))
		p.run(t,
			call{file: "scan.metal", kernel: "contig_scan_inclusive_sum_float32_float32", groups: [3]int{1, rows, 1},
				threads: [3]int{64, 1, 1}, args: map[string]any{"in": x, "out": out, "axis_size": n}})
		var want []float64
		for i := range rows {
			s := 0.0
			for _, x := range rowOf(i) {
				s += x
				want = append(want, s)
			}
		}
		closeTo(t, 1e-6, out.v, want)
	})
}

func TestMLXBroadcast(t *testing.T) {
	p := openMLX(t)
	const n, rows = 37, 6
	for name, k := range mlxTypes {
		r := rand.New(rand.NewPCG(2, 6))
		a, b, out := typed(k, normal(r, n*rows, 1)), typed(k, normal(r, n, 1)), typed(k, make([]float64, n*rows))
		p.run(t,
			call{file: "binary.metal", kernel: "g2_Multiply" + name, groups: [3]int{n, rows, 1}, threads: [3]int{1, 1, 1},
				args: map[string]any{"a": a, "b": b, "c": out, "a_strides": typed(tree.Long, []float64{n, 1}),
					"b_strides": typed(tree.Long, []float64{0, 1})}})
		want := make([]float64, n*rows)
		for i := range want {
			want[i] = a.v[i] * b.v[i%n]
		}
		closeTo(t, precision[k], out.v, want)
	}
	for op, f := range map[string]func(float64) float64{
		"Erf": math.Erf, "Tanh": math.Tanh, "Log1p": math.Log1p,
		"Sigmoid": func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	} {
		x := normal(rand.New(rand.NewPCG(2, 6)), n, 1)
		for i := range x {
			x[i] = math.Abs(x[i])
		}
		in, out := f32(x), f32(make([]float64, n))
		p.run(t,
			call{file: "unary.metal", kernel: "v_" + op + "float32float32", groups: [3]int{n, 1, 1}, threads: [3]int{1, 1, 1},
				args: map[string]any{"in": in, "out": out, "size": n}})
		want := make([]float64, n)
		for i := range want {
			want[i] = f(in.v[i])
		}
		closeTo(t, 1e-6, out.v, want)
	}
}

// matMul is the product of m x k and k x n numbers.
func matMul(a, b []float64, m, k, n int) []float64 {
	out := make([]float64, m*n)
	for i := range m {
		for l := range k {
			for j := range n {
				out[i*n+j] += a[i*k+l] * b[l*n+j]
			}
		}
	}
	return out
}

func transposed(a []float64, rows int) []float64 {
	n := len(a) / rows
	out := make([]float64, len(a))
	for i := range rows {
		for j := range n {
			out[j*rows+i] = a[i*n+j]
		}
	}
	return out
}

func TestMLXGemm(t *testing.T) {
	p := openMLX(t)
	r := rand.New(rand.NewPCG(2, 7))
	const m, n, k = 50, 70, 40
	for _, c := range []struct{ kernel, name string }{
		{"steel_gemm_fused_nn_float32_float32_bm64_bn64_bk16_wm2_wn2", "float32"},
		{"steel_gemm_fused_nt_float16_float16_bm32_bn32_bk16_wm2_wn2", "float16"},
		{"steel_gemm_fused_tn_bfloat16_bfloat16_bm64_bn32_bk32_wm2_wn2", "bfloat16"},
		{"steel_gemm_fused_tt_float32_float32_bm64_bn32_bk8_wm4_wn1", "float32"},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			kind := mlxTypes[c.name]
			block := [2]int{64, 64}
			switch {
			case c.name == "float16":
				block = [2]int{32, 32}
			case c.kernel[17] == 't':
				block = [2]int{64, 32}
			}
			bk := 16
			if c.kernel[17:19] == "tn" {
				bk = 32
			} else if c.kernel[17:19] == "tt" {
				bk = 8
			}
			a, b, out := typed(kind, normal(r, m*k, 1)), typed(kind, normal(r, k*n, 1)), typed(kind, make([]float64, m*n))
			want := matMul(a.v, b.v, m, k, n)
			lda, ldb := k, n
			if c.kernel[17] == 't' {
				a, lda = typed(kind, transposed(a.v, m)), m
			}
			if c.kernel[18] == 't' {
				b, ldb = typed(kind, transposed(b.v, k)), k
			}
			tilesN, tilesM := (n+block[1]-1)/block[1], (m+block[0]-1)/block[0]
			params := fields{"M": m, "N": n, "K": k, "lda": lda, "ldb": ldb, "ldd": n, "tiles_n": tilesN, "tiles_m": tilesM,
				"gemm_k_iterations_aligned": k / bk}
			p.run(t, call{
				file: "steel/gemm/kernels/steel_gemm_fused.metal", kernel: c.kernel, groups: [3]int{tilesN, tilesM, 1},
				threads: [3]int{32, 4, 1},
				constants: map[string]any{"has_batch": false, "use_out_source": false, "do_axpby": false, "align_M": false,
					"align_N": false, "align_K": k%bk == 0},
				args: map[string]any{"A": a, "B": b, "D": out, "params": params},
			})
			closeTo(t, 2*precision[kind], out.v, want)
		})
	}
}

// BenchmarkMLXGemm is the product of matrices of 512 rows and columns.
func BenchmarkMLXGemm(b *testing.B) {
	p := openMLX(b)
	r := rand.New(rand.NewPCG(2, 7))
	const n, block, bk = 512, 64, 16
	x, y, out := f32(normal(r, n*n, 1)), f32(normal(r, n*n, 1)), f32(make([]float64, n*n))
	d, _, _ := p.dispatch(b, call{
		file:   "steel/gemm/kernels/steel_gemm_fused.metal",
		kernel: "steel_gemm_fused_nn_float32_float32_bm64_bn64_bk16_wm2_wn2", groups: [3]int{n / block, n / block, 1},
		threads: [3]int{32, 4, 1},
		constants: map[string]any{"has_batch": false, "use_out_source": false, "do_axpby": false, "align_M": true,
			"align_N": true, "align_K": true},
		args: map[string]any{"A": x, "B": y, "D": out, "params": fields{"M": n, "N": n, "K": n, "lda": n, "ldb": n, "ldd": n,
			"tiles_n": n / block, "tiles_m": n / block, "gemm_k_iterations_aligned": n / bk}},
	})
	repeat(b, p.device, d)
	flops(b, 2*n*n*n)
}

func TestMLXQuantized(t *testing.T) {
	p := openMLX(t)
	r := rand.New(rand.NewPCG(2, 8))
	const n, rows, group = 512, 32, 64
	for _, bits := range []int{4, 8, 3} {
		suffix := map[int]string{4: "float_gs_64_b_4", 8: "float_gs_64_b_8", 3: "float_gs_64_b_3"}[bits]
		t.Run(suffix, func(t *testing.T) {
			w := f32(normal(r, n*rows, 1))
			packed, scales, biases := raw(make([]byte, n*rows*bits/8)), f32(make([]float64, n*rows/group)),
				f32(make([]float64, n*rows/group))
			p.run(t,
				call{file: "quantized.metal", kernel: "affine_quantize_" + suffix, groups: [3]int{n * rows / group, 1, 1},
					threads: [3]int{32, 1, 1},
					args:    map[string]any{"w": w, "out": packed, "scales": scales, "biases": biases}})
			perPack := map[int]int{4: 2, 8: 1, 3: 8}[bits]
			back := f32(make([]float64, n*rows))
			p.run(t,
				call{file: "quantized.metal", kernel: "affine_dequantize_" + suffix, groups: [3]int{n * rows / perPack / 32, 1, 1},
					threads: [3]int{32, 1, 1},
					args:    map[string]any{"w": packed, "scales": scales, "biases": biases, "out": back}})
			want := make([]float64, n*rows)
			for i := range want {
				q := 0 // little-endian bits
				for b := range bits {
					at := i*bits + b
					q |= int(packed.bytes[at/8]>>(at%8)&1) << b
				}
				want[i] = float64(q)*scales.v[i/group] + biases.v[i/group]
				if step := math.Abs(scales.v[i/group]); math.Abs(want[i]-w.v[i]) > 1.01*step {
					t.Fatalf("weight %d is %g, want %g", i, want[i], w.v[i])
				}
			}
			closeTo(t, 1e-6, back.v, want)
			x, y := f32(normal(r, n, 1)), f32(make([]float64, rows))
			for _, kernel := range []string{"affine_qmv_", "affine_qmv_fast_"} {
				p.run(t,
					call{file: "quantized.metal", kernel: kernel + suffix + "_batch_0", groups: [3]int{1, rows / 8, 1},
						threads: [3]int{32, 2, 1},
						args: map[string]any{"w": packed, "scales": scales, "biases": biases, "x": x, "y": y, "in_vec_size": n,
							"out_vec_size": rows}})
				closeTo(t, 1e-5, y.v, times(want, x.v))
			}
			const vectors = 9
			xs, ys := f32(normal(r, n*vectors, 1)), f32(make([]float64, rows*vectors))
			p.run(t,
				call{file: "quantized.metal", kernel: "affine_qmm_t_" + suffix + "_alN_false_batch_0", groups: [3]int{1, 1, 1},
					threads: [3]int{32, 2, 2},
					args: map[string]any{"w": packed, "scales": scales, "biases": biases, "x": xs, "y": ys, "K": n, "N": rows,
						"M": vectors}})
			closeTo(t, 1e-5, ys.v, matMul(xs.v, transposed(want, rows), vectors, n, rows))
		})
	}
}

func TestMLXAttention(t *testing.T) {
	p := openMLX(t)
	r := rand.New(rand.NewPCG(2, 9))
	const dim, heads, shared, tokens = 64, 4, 2, 90
	q, k, v := typed(tree.Half, normal(r, dim*heads, 1)), typed(tree.Half, normal(r, dim*shared*tokens, 1)),
		typed(tree.Half, normal(r, dim*shared*tokens, 1))
	out := f16(make([]float64, dim*heads))
	p.run(t, call{
		file: "scaled_dot_product_attention.metal", kernel: "sdpa_vector_float16_t_64_64", groups: [3]int{heads, 1, 1},
		threads: [3]int{1024, 1, 1},
		constants: map[string]any{"has_mask": false, "query_transposed": false, "do_causal": false, "bool_mask": false,
			"float_mask": false, "has_sinks": false},
		args: map[string]any{"queries": q, "keys": k, "values": v, "out": out, "gqa_factor": heads / shared, "N": tokens,
			"k_head_stride": dim * tokens, "k_seq_stride": dim, "v_head_stride": dim * tokens, "v_seq_stride": dim,
			"scale": 0.125},
	})
	var want []float64
	for h := range heads {
		at := h / (heads / shared) * dim * tokens
		want = append(want, attention(q.v[h*dim:(h+1)*dim], k.v[at:at+dim*tokens], v.v[at:at+dim*tokens], nil, dim, 0.125)...)
	}
	closeTo(t, precision[tree.Half], out.v, want)
}

func TestMLXSteelAttention(t *testing.T) {
	steelAttention(t, "steel_attention", "float32_bq32_bk32", rand.New(rand.NewPCG(2, 10)), f32, 40, 32, 1e-5)
}

// steelAttention runs an attention of MLX that takes blocks of so many queries.
func steelAttention(t *testing.T, file, instance string, r *rand.Rand, of func([]float64) *array, queries, block int,
	tolerance float64) {
	t.Helper()
	p := openMLX(t)
	const dim, heads, tokens = 64, 2, 50
	q, k, v := of(normal(r, dim*heads*queries, 1)), of(normal(r, dim*heads*tokens, 1)), of(normal(r, dim*heads*tokens, 1))
	out := of(make([]float64, dim*heads*queries))
	kind, _, _ := strings.Cut(instance, "_")
	params := fields{
		"B": 1, "H": heads, "D": dim, "qL": queries, "kL": tokens, "gqa_factor": 1, "scale": 0.125, "NQ": 2, "NK": 2,
		"NQ_aligned": 1, "NK_aligned": 1,
		"qL_rem": queries % block, "kL_rem": tokens % 32, "qL_off": 0,
		"Q_strides": []int{dim * heads * queries, dim * queries, dim},
		"K_strides": []int{dim * heads * tokens, dim * tokens, dim},
		"V_strides": []int{dim * heads * tokens, dim * tokens, dim},
		"O_strides": []int{dim * heads * queries, dim * queries, dim},
	}
	p.run(t, call{
		file:   "steel/attn/kernels/" + file + ".metal",
		kernel: "steel_attention_" + instance + "_bd64_wm4_wn1_mask" + kind, groups: [3]int{2, heads, 1},
		threads: [3]int{32, 4, 1},
		constants: map[string]any{"align_Q": false, "align_K": false, "has_mask": false, "do_causal": false,
			"has_sinks": false},
		args: map[string]any{"Q": q, "K": k, "V": v, "O": out, "params": params},
	})
	var want []float64
	for h := range heads {
		at, qat := h*dim*tokens, h*dim*queries
		want = append(want,
			attention(q.v[qat:qat+dim*queries], k.v[at:at+dim*tokens], v.v[at:at+dim*tokens], nil, dim, 0.125)...)
	}
	closeTo(t, tolerance, out.v, want)
}

func TestMLXConvolution(t *testing.T) {
	p := openMLX(t)
	r := rand.New(rand.NewPCG(2, 11))
	const size, channels, filters, kernel = 9, 16, 8, 3
	const place = size * size * channels
	x, w := f32(normal(r, place, 1)), f32(normal(r, filters*kernel*kernel*channels, 1))
	out := f32(make([]float64, size*size*filters))
	params := fields{
		"N": 1, "C": channels, "O": filters, "iS": []int{size, size}, "wS": []int{kernel, kernel}, "oS": []int{size, size},
		"str": []int{1, 1}, "pad": []int{1, 1}, "kdil": []int{1, 1}, "idil": []int{1, 1},
		"in_strides":  []int{place, size * channels, channels, 1},
		"wt_strides":  []int{kernel * kernel * channels, kernel * channels, channels, 1},
		"out_strides": []int{size * size * filters, size * filters, filters, 1}, "groups": 1,
	}
	const bm, bn, bk = 32, 8, 16
	gemm := fields{
		"M": size * size, "N": filters, "K": kernel * kernel * channels, "gemm_k_iterations": kernel * kernel * channels / bk,
		"inp_jump_w": channels, "inp_jump_h": channels * (size - kernel + 1),
		"inp_jump_c": -channels*(size*(kernel-1)+kernel-1) + bk,
		"tiles_n":    1, "tiles_m": (size*size + bm - 1) / bm,
	}
	p.run(t, call{
		file:   "steel/conv/kernels/steel_conv.metal",
		kernel: "implicit_gemm_conv_2d_float32_bm32_bn8_bk16_wm4_wn1_channel_l_filter_s",
		groups: [3]int{1, (size*size + bm - 1) / bm, 1}, threads: [3]int{32, 4, 1},
		args: map[string]any{"A": x, "B": w, "C": out, "params": params, "gemm_params": gemm},
	})
	want := make([]float64, size*size*filters)
	for i := range want {
		f, col, row := i%filters, i/filters%size, i/filters/size
		for dy := range kernel {
			for dx := range kernel {
				y, x0 := row+dy-1, col+dx-1
				if y < 0 || y >= size || x0 < 0 || x0 >= size {
					continue
				}
				for c := range channels {
					want[i] += x.v[(y*size+x0)*channels+c] * w.v[((f*kernel+dy)*kernel+dx)*channels+c]
				}
			}
		}
	}
	closeTo(t, 1e-5, out.v, want)
}
