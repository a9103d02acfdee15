package cpu

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

func openGGML(t testing.TB) *project {
	return openProject(t, "ggml")
}

const ggmlFile = "ggml-metal.metal"

// quantized is a format of ggml, whose blocks have a number of weights and bytes.
type quantized struct {
	name           string
	weights, bytes int
	rows, groups   int // that a simd-group computes; simd-groups in a threadgroup
	together       bool
	decode         func(b []byte, to []float64)
}

func half(b []byte) float64 {
	return float64(fmath.HalfFromBits(binary.LittleEndian.Uint16(b)))
}

// scaleOfK is scale and minimum j of the eight that share 12 bytes in formats of
// 256 weights.
func scaleOfK(b []byte, j int) (scale, minimum float64) {
	if j < 4 {
		return float64(b[j] & 63), float64(b[j+4] & 63)
	}
	return float64(b[j+4]&15 | b[j-4]>>6<<4), float64(b[j+4]>>4 | b[j]>>6<<4)
}

// ggmlFormats are some formats of weights, by what is known of them.
var ggmlFormats = []quantized{
	{"q4_0", 32, 18, 4, 2, false, func(b []byte, to []float64) {
		d := half(b)
		for i := range 16 {
			to[i], to[i+16] = d*float64(int(b[2+i]&15)-8), d*float64(int(b[2+i]>>4)-8)
		}
	}},
	{"q5_1", 32, 24, 4, 2, false, func(b []byte, to []float64) {
		d, m := half(b), half(b[2:])
		high := binary.LittleEndian.Uint32(b[4:])
		for i := range 16 {
			to[i] = d*float64(uint32(b[8+i]&15)|high>>i&1<<4) + m
			to[i+16] = d*float64(uint32(b[8+i]>>4)|high>>(i+16)&1<<4) + m
		}
	}},
	{"q8_0", 32, 34, 2, 4, true, func(b []byte, to []float64) {
		for i := range 32 {
			to[i] = half(b) * float64(int8(b[2+i]))
		}
	}},
	{"q4_K", 256, 144, 2, 2, false, func(b []byte, to []float64) {
		for i := range to {
			sub := i / 32
			scale, minimum := scaleOfK(b[4:16], sub)
			q := b[16+sub/2*32+i%32] >> (4 * (sub % 2)) & 15
			to[i] = half(b)*scale*float64(q) - half(b[2:])*minimum
		}
	}},
	{"q6_K", 256, 210, 2, 2, false, func(b []byte, to []float64) {
		low, high, scales, d := b[:128], b[128:192], b[192:208], half(b[208:])
		for i := range to {
			part, in := i/128, i%128
			quarter, at := in/32, in%32
			q := low[part*64+quarter%2*32+at] >> (4 * (quarter / 2)) & 15
			q |= high[part*32+at] >> (2 * quarter) & 3 << 4
			to[i] = d * float64(int8(scales[part*8+quarter*2+at/16])) * float64(int(q)-32)
		}
	}},
}

// random makes blocks of a format with halves of a sane size in them.
func (q quantized) random(r *rand.Rand, blocks int) (bytes []byte, weights []float64) {
	halves := map[string][]int{"q4_0": {0}, "q5_1": {0, 2}, "q8_0": {0}, "q4_K": {0, 2}, "q6_K": {208}}[q.name]
	for range blocks {
		b := make([]byte, q.bytes)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		for _, at := range halves {
			binary.LittleEndian.PutUint16(b[at:], fmath.HalfBits(float32(r.Float64()*0.02+0.001)))
		}
		w := make([]float64, q.weights)
		q.decode(b, w)
		bytes, weights = append(bytes, b...), append(weights, w...)
	}
	return bytes, weights
}

func TestGGMLQuantizedMatVec(t *testing.T) {
	p := openGGML(t)
	for _, q := range ggmlFormats {
		t.Run(q.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			const n, rows, vectors = 512, 19, 2
			bytes, weights := q.random(r, rows*n/q.weights)
			x, dst := f32(normal(r, n*vectors, 1)), f32(make([]float64, rows*vectors))
			each := q.rows * q.groups
			if q.together {
				each = q.rows
			}
			p.run(t, call{
				file: ggmlFile, kernel: "kernel_mul_mv_" + q.name + "_f32",
				groups: [3]int{(rows + each - 1) / each, vectors, 1}, threads: [3]int{32, q.groups, 1},
				constants: map[string]any{"FC_mul_mv_nsg": q.groups, "FC_mul_mv_ne12": 1, "FC_mul_mv_r2": 1, "FC_mul_mv_r3": 1},
				args: map[string]any{
					"args": fields{
						"ne00": n, "ne01": rows, "ne02": 1, "nb01": n / q.weights * q.bytes, "nb02": rows * n / q.weights * q.bytes,
						"ne10": n, "ne11": vectors, "ne12": 1, "nb10": 4, "nb11": 4 * n, "nb12": 4 * n * vectors, "ne0": rows,
						"ne1": vectors, "r2": 1, "r3": 1,
					},
					"src0": raw(append(bytes, make([]byte, q.bytes*each*n)...)), "src1": x, "dst": dst, "shmem": 32 * 4 * 4,
				},
			})
			want := slices.Concat(times(weights, x.v[:n]), times(weights, x.v[n:]))
			closeTo(t, 1e-5, dst.v, want)
		})
	}
}

func TestGGMLGetRows(t *testing.T) {
	p := openGGML(t)
	for _, q := range ggmlFormats {
		t.Run(q.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 3))
			const n, rows = 512, 7
			bytes, weights := q.random(r, rows*n/q.weights)
			index := []float64{3, 0, 6, 3}
			dst := f32(make([]float64, n*len(index)))
			p.run(t, call{
				file: ggmlFile, kernel: "kernel_get_rows_" + q.name,
				groups: [3]int{len(index), 1, 1}, threads: [3]int{n / 16, 1, 1},
				args: map[string]any{
					"args": fields{"ne00t": n / 16, "ne00": n, "nb01": n / q.weights * q.bytes, "ne10": len(index), "nb10": 4,
						"nb11": 16, "nb12": 16, "nb1": 4 * n, "nb2": 16 * n, "nb3": 16 * n},
					"src0": raw(bytes), "src1": typed(tree.Int, index), "dst": dst,
				},
			})
			var want []float64
			for _, i := range index {
				want = append(want, weights[int(i)*n:int(i+1)*n]...)
			}
			closeTo(t, 1e-6, dst.v, want)
		})
	}
}

// cpyFields returns the fields of a copy of one row of n numbers, which are in units
// of the kernel.
func cpyFields(n, units int, from, to int) fields {
	return fields{"nk0": units, "ne00": n, "ne01": 1, "ne02": 1, "ne03": 1, "nb00": from, "nb01": from * n,
		"nb02": from * n, "nb03": from * n, "ne0": n, "ne1": 1, "ne2": 1, "ne3": 1, "nb0": to, "nb1": to, "nb2": to,
		"nb3": to}
}

func TestGGMLQuantize(t *testing.T) {
	p := openGGML(t)
	for _, q := range ggmlFormats[:3] {
		t.Run(q.name, func(t *testing.T) {
			const n = 320
			x := f32(normal(rand.New(rand.NewPCG(1, 4)), n, 1))
			dst := raw(make([]byte, n/q.weights*q.bytes))
			p.run(t, call{
				file: ggmlFile, kernel: "kernel_cpy_f32_" + q.name, groups: [3]int{1, 1, 1}, threads: [3]int{n / q.weights, 1, 1},
				args: map[string]any{"args": cpyFields(n, n/q.weights, 4, q.bytes), "src0": x, "dst": dst},
			})
			got := make([]float64, n)
			for i := range n / q.weights {
				q.decode(dst.bytes[i*q.bytes:], got[i*q.weights:(i+1)*q.weights])
			}
			// a block's step is its greatest number by half the levels, or its range by all
			steps := map[string]float64{"q4_0": 8, "q5_1": 31, "q8_0": 127}[q.name]
			for i, v := range x.v {
				block := x.v[i/32*32 : (i/32+1)*32]
				step := max(slices.Max(block), -slices.Min(block)) / steps
				if q.name == "q5_1" {
					step = (slices.Max(block) - slices.Min(block)) / steps
				}
				limit := 0.51
				if q.name == "q4_0" {
					limit = 1.01 // of its sixteen levels one side has but seven
				}
				if math.Abs(got[i]-v) > limit*step+2e-3*math.Abs(v) {
					t.Fatalf("number %d is %g, want %g", i, got[i], v)
				}
			}
			back := f16(make([]float64, n))
			p.run(t, call{
				file: ggmlFile, kernel: "kernel_cpy_" + q.name + "_f16", groups: [3]int{1, 1, 1}, threads: [3]int{n / 16, 1, 1},
				args: map[string]any{"args": cpyFields(n, n/16, 1, 2), "src0": dst, "dst": back},
			})
			closeTo(t, 1e-3, back.v, got)
		})
	}
}

func TestGGMLNorms(t *testing.T) {
	p := openGGML(t)
	r := rand.New(rand.NewPCG(1, 5))
	const n, rows = 200, 3
	for _, name := range []string{
		"kernel_rms_norm_mul_add_f32", "kernel_rms_norm_mul_f32_4", "kernel_norm_mul_add_f32_4",
	} {
		t.Run(name, func(t *testing.T) {
			x, w, b, dst := f32(normal(r, n*rows, 2)), f32(normal(r, n, 1)), f32(normal(r, n, 1)), f32(make([]float64, n*rows))
			units := n
			if name[len(name)-2:] == "_4" {
				units = n / 4
			}
			p.run(t, call{
				file: ggmlFile, kernel: name, groups: [3]int{rows, 1, 1}, threads: [3]int{64, 1, 1},
				args: map[string]any{
					"args": fields{"ne00": n, "ne00_t": units, "nb1": 4 * n, "nb2": 4 * n * rows, "nb3": 4 * n * rows, "eps": 1e-5,
						"nef1": []int{1, 1, 1}, "nef2": []int{1, 1, 1}, "nef3": []int{1, 1, 1}, "nbf1": []int{4 * n, 0, 0},
						"nbf2": []int{0, 0, 0}, "nbf3": []int{0, 0, 0}},
					"src0": x, "src1_0": w, "src1_1": b, "dst": dst, "shmem_f32": 128,
				},
			})
			want := make([]float64, n*rows)
			for row := range rows {
				v := x.v[row*n : (row+1)*n]
				mean, square := 0.0, 0.0
				if name == "kernel_norm_mul_add_f32_4" {
					for _, x := range v {
						mean += x / n
					}
				}
				for _, x := range v {
					square += (x - mean) * (x - mean) / n
				}
				for i, x := range v {
					want[row*n+i] = (x - mean) / math.Sqrt(square+float64(float32(1e-5))) * w.v[i]
					if name != "kernel_rms_norm_mul_f32_4" {
						want[row*n+i] += b.v[i]
					}
				}
			}
			closeTo(t, 1e-6, dst.v, want)
		})
	}
}

func softmax(v []float64) []float64 {
	most, sum := slices.Max(v), 0.0
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = math.Exp(x - most)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

func TestGGMLSoftMax(t *testing.T) {
	p := openGGML(t)
	r := rand.New(rand.NewPCG(1, 6))
	const n, rows = 144, 4
	for _, name := range []string{"kernel_soft_max_f16", "kernel_soft_max_f32_4"} {
		t.Run(name, func(t *testing.T) {
			x, mask, dst := f32(normal(r, n*rows, 3)), f16(normal(r, n*rows, 1)), f32(make([]float64, n*rows))
			size := 2
			if name == "kernel_soft_max_f32_4" {
				mask, size = f32(mask.v), 4
			}
			p.run(t, call{
				file: ggmlFile, kernel: name, groups: [3]int{rows, 1, 1}, threads: [3]int{96, 1, 1},
				args: map[string]any{
					"args": fields{"ne00": n, "ne01": rows, "ne02": 1, "nb01": 4 * n, "nb02": 4 * n * rows, "nb03": 4 * n * rows,
						"ne11": rows, "ne12": 1, "ne13": 1,
						"nb11": size * n, "nb12": size * n * rows, "nb13": size * n * rows, "nb1": 4 * n, "nb2": 4 * n * rows,
						"nb3": 4 * n * rows, "scale": 0.5, "m0": 1.0, "m1": 1.0},
					"src0": x, "src1": mask, "dst": dst, "buf": 128, "src2": x,
				},
			})
			var want []float64
			for row := range rows {
				v := make([]float64, n)
				for i := range v {
					v[i] = x.v[row*n+i]*0.5 + mask.v[row*n+i]
				}
				want = append(want, softmax(v)...)
			}
			closeTo(t, 2e-6, dst.v, want)
		})
	}
}

func TestGGMLRope(t *testing.T) {
	p := openGGML(t)
	r := rand.New(rand.NewPCG(1, 7))
	const n, dims, heads, tokens = 64, 48, 3, 5
	for _, c := range []struct {
		name string
		k    tree.ScalarKind
		part float64
	}{{"kernel_rope_norm_f32", tree.Float, 1e-5}, {"kernel_rope_neox_f16", tree.Half, 1e-3}} {
		t.Run(c.name, func(t *testing.T) {
			size := program.ScalarBytes[c.k]
			x, dst := typed(c.k, normal(r, n*heads*tokens, 1)), typed(c.k, make([]float64, n*heads*tokens))
			pos := []float64{0, 1, 7, 30, 100}
			p.run(t, call{
				file: ggmlFile, kernel: c.name, groups: [3]int{heads, tokens, 1}, threads: [3]int{32, 1, 1},
				args: map[string]any{
					"args": fields{"ne00": n, "ne01": heads, "ne02": tokens, "ne03": 1, "nb00": size, "nb01": size * n,
						"nb02": size * n * heads, "nb03": size * n * heads * tokens,
						"ne0": n, "ne1": heads, "ne2": tokens, "ne3": 1, "nb0": size, "nb1": size * n, "nb2": size * n * heads,
						"nb3":    size * n * heads * tokens,
						"n_dims": dims, "n_ctx_orig": 4096, "freq_base": 10000.0, "freq_scale": 1.0, "attn_factor": 1.0,
						"beta_fast": 32.0, "beta_slow": 1.0},
					"src0": x, "src1": typed(tree.Int, pos), "src2": x, "dst": dst,
				},
				constants: map[string]any{"FC_rope_is_imrope": false, "FC_rope_is_back": false},
			})
			want := slices.Clone(x.v)
			for token := range tokens {
				for head := range heads {
					for i := range dims / 2 {
						a, b := 2*i, 2*i+1
						if c.k == tree.Half {
							a, b = i, i+dims/2
						}
						at := (token*heads + head) * n
						sin, cos := math.Sincos(pos[token] * math.Pow(10000, -2*float64(i)/dims))
						want[at+a] = x.v[at+a]*cos - x.v[at+b]*sin
						want[at+b] = x.v[at+a]*sin + x.v[at+b]*cos
					}
				}
			}
			closeTo(t, c.part, dst.v, want)
		})
	}
}

func TestGGMLArgsort(t *testing.T) {
	p := openGGML(t)
	const n, rows = 50, 3
	x, dst := f32(normal(rand.New(rand.NewPCG(1, 8)), n*rows, 1)), typed(tree.Int, make([]float64, n*rows))
	p.run(t, call{
		file: ggmlFile, kernel: "kernel_argsort_f32_i32_desc", groups: [3]int{rows, 1, 1}, threads: [3]int{64, 1, 1},
		args: map[string]any{
			"args": fields{"ne00": n, "ne01": rows, "ne02": 1, "ne03": 1, "nb00": 4, "nb01": 4 * n, "ne0": n, "ne1": rows,
				"ne2": 1, "ne3": 1, "top_k": n},
			"src0": x, "dst": dst, "shmem_i32": 256,
		},
	})
	var want []float64
	for row := range rows {
		order := make([]float64, n)
		for i := range order {
			order[i] = float64(i)
		}
		slices.SortFunc(order, func(a, b float64) int {
			if x.v[row*n+int(a)] > x.v[row*n+int(b)] {
				return -1
			}
			return 1
		})
		want = append(want, order...)
	}
	closeTo(t, 0, dst.v, want)
}

func TestGGMLBroadcast(t *testing.T) {
	p := openGGML(t)
	r := rand.New(rand.NewPCG(1, 9))
	const n, rows, short = 60, 6, 20
	x, y, dst := f32(normal(r, n*rows, 1)), f32(normal(r, short*2, 1)), f32(make([]float64, n*rows))
	for op, f := range []func(a, b float64) float64{
		func(a, b float64) float64 { return a + b }, func(a, b float64) float64 { return a - b },
		func(a, b float64) float64 { return a * b }, func(a, b float64) float64 { return a / b },
	} {
		p.run(t, call{
			file: ggmlFile, kernel: "kernel_bin_fuse_f32_f32_f32", groups: [3]int{rows, 1, 1}, threads: [3]int{32, 1, 1},
			constants: map[string]any{"FC_bin_op": op, "FC_bin_f": 1, "FC_bin_rb": false, "FC_bin_cb": true},
			args: map[string]any{
				"args": fields{"ne00": n, "ne01": rows, "ne02": 1, "ne03": 1, "nb00": 4, "nb01": 4 * n, "ne10": short, "ne11": 2,
					"ne12": 1, "ne13": 1, "nb10": 4, "nb11": 4 * short,
					"ne0": n, "ne1": rows, "ne2": 1, "ne3": 1, "nb0": 4, "nb1": 4 * n},
				"src0": x, "src1": y, "dst": dst,
			},
		})
		want := make([]float64, n*rows)
		for i := range want {
			want[i] = f(x.v[i], y.v[i/n%2*short+i%n%short])
		}
		closeTo(t, 1e-6, dst.v, want)
	}
}

// ggmlMatMul multiplies rows of n weights of a format, which take so many bytes each, with vectors.
func ggmlMatMul(format string, src, x, dst *array, n, rows, vectors, bytes int) call {
	return call{
		file: ggmlFile, kernel: "kernel_mul_mm_" + format + "_f32", groups: [3]int{(vectors + 31) / 32, (rows + 63) / 64, 1},
		threads: [3]int{128, 1, 1},
		constants: map[string]any{"FC_mul_mm_bc_inp": false, "FC_mul_mm_bc_out": rows%64 != 0 || vectors%32 != 0,
			"FC_mul_mm_ne12": 1, "FC_mul_mm_ne13": 1, "FC_mul_mm_r2": 1, "FC_mul_mm_r3": 1},
		args: map[string]any{
			"args": fields{"ne00": n, "ne02": 1, "nb01": bytes, "nb02": bytes * rows, "nb03": bytes * rows, "ne12": 1, "nb10": 4,
				"nb11": 4 * n, "nb12": 4 * n * vectors, "nb13": 4 * n * vectors, "ne0": rows, "ne1": vectors, "r2": 1, "r3": 1},
			"src0": src, "src1": x, "dst": dst, "shmem": 8192,
		},
	}
}

func TestGGMLMatMul(t *testing.T) {
	p := openGGML(t)
	r := rand.New(rand.NewPCG(1, 10))
	const n, rows, vectors = 128, 70, 37
	for _, c := range []string{"q4_0", "f16"} {
		t.Run(c, func(t *testing.T) {
			var src *array
			var weights []float64
			row := 2 * n
			if c == "f16" {
				src = f16(normal(r, n*rows, 1))
				weights = src.v
			} else {
				q := ggmlFormats[0]
				var bytes []byte
				bytes, weights = q.random(r, rows*n/q.weights)
				src, row = raw(bytes), n/q.weights*q.bytes
			}
			x, dst := f32(normal(r, n*vectors, 1)), f32(make([]float64, rows*vectors))
			p.run(t, ggmlMatMul(c, src, x, dst, n, rows, vectors, row))
			var want []float64
			for i := range vectors {
				want = append(want, times(weights, x.v[i*n:(i+1)*n])...)
			}
			closeTo(t, 2e-3, dst.v, want)
		})
	}
}

// BenchmarkGGMLMatMul is the product of matrices of 512 rows and columns.
func BenchmarkGGMLMatMul(b *testing.B) {
	p := openGGML(b)
	const n = 512
	q, r := ggmlFormats[0], rand.New(rand.NewPCG(1, 10))
	weights, _ := q.random(r, n*n/q.weights)
	x, dst := f32(normal(r, n*n, 1)), f32(make([]float64, n*n))
	d, _, _ := p.dispatch(b, ggmlMatMul("q4_0", raw(weights), x, dst, n, n, n, n/q.weights*q.bytes))
	repeat(b, p.device, d)
	flops(b, 2*n*n*n)
}

// attention is softmax(scale * q k^T + mask) v of one head.
func attention(q, k, v, mask []float64, dim int, scale float64) []float64 {
	var out []float64
	tokens := len(k) / dim
	for i := range len(q) / dim {
		scores := times(k, q[i*dim:(i+1)*dim])
		for j := range scores {
			scores[j] *= scale
			if mask != nil {
				scores[j] += mask[i*tokens+j]
			}
		}
		row := make([]float64, dim)
		for j, w := range softmax(scores) {
			for d := range row {
				row[d] += w * v[j*dim+d]
			}
		}
		out = append(out, row...)
	}
	return out
}

func TestGGMLFlashAttention(t *testing.T) {
	p := openGGML(t)
	r := rand.New(rand.NewPCG(1, 11))
	const dim, heads, shared, queries, tokens = 64, 4, 2, 3, 128
	q, k, v := f32(normal(r, dim*heads*queries, 1)), f16(normal(r, dim*shared*tokens, 1)),
		f16(normal(r, dim*shared*tokens, 1))
	mask := f16(normal(r, tokens*queries, 1))
	for i := range mask.v {
		if i%tokens > 70+i/tokens {
			mask.v[i] = math.Inf(-1)
		}
	}
	mask = f16(mask.v)
	want := make([]float64, dim*heads*queries)
	for h := range heads {
		at := h / (heads / shared) * dim * tokens
		of := attention(q.v[h*dim*queries:(h+1)*dim*queries], k.v[at:at+dim*tokens], v.v[at:at+dim*tokens], mask.v, dim,
			0.125)
		for i := range queries {
			copy(want[(i*heads+h)*dim:], of[i*dim:(i+1)*dim])
		}
	}
	args := fields{
		"ne01": queries, "ne02": heads, "ne03": 1, "nb01": 4 * dim, "nb02": 4 * dim * queries,
		"nb03": 4 * dim * queries * heads,
		"ne11": tokens, "ne_12_2": shared, "ne_12_3": 1, "ns10": dim, "nb11": 2 * dim, "nb12": 2 * dim * tokens,
		"nb13": 2 * dim * tokens * shared,
		"ns20": dim, "nb21": 2 * dim, "nb22": 2 * dim * tokens, "nb23": 2 * dim * tokens * shared,
		"ne31": queries, "ne32": 1, "ne33": 1, "nb31": 2 * tokens, "nb32": 2 * tokens * queries, "nb33": 2 * tokens * queries,
		"ne1": heads, "ne2": queries, "ne3": 1, "scale": 0.125, "m0": 1.0, "m1": 1.0,
	}
	t.Run("vec", func(t *testing.T) {
		const groups = 2
		dst := f32(make([]float64, dim*heads*queries))
		p.run(t, call{
			file: ggmlFile, kernel: "kernel_flash_attn_ext_vec_f16_dk64_dv64", groups: [3]int{queries, heads, 1},
			threads: [3]int{32, groups, 1},
			constants: map[string]any{
				"FC_flash_attn_ext_vec_has_mask": true, "FC_flash_attn_ext_vec_has_sinks": false,
				"FC_flash_attn_ext_vec_has_bias": false, "FC_flash_attn_ext_vec_has_scap": false,
				"FC_flash_attn_ext_vec_has_kvpad": false, "FC_flash_attn_ext_vec_ns10": dim, "FC_flash_attn_ext_vec_ns20": dim,
				"FC_flash_attn_ext_vec_nsg": groups, "FC_flash_attn_ext_vec_nwg": 1,
			},
			args: map[string]any{"args": args, "q": q, "k": k, "v": v, "mask": mask, "sinks": q, "pad": q, "dst": dst,
				"shmem_f16": (128 + 4*32 + 2*128) * groups * 2},
		})
		closeTo(t, 2e-3, dst.v, want)
	})
	t.Run("matrices", func(t *testing.T) {
		const groups = 4
		dst := f32(make([]float64, dim*heads*queries))
		p.run(t, call{
			file: ggmlFile, kernel: "kernel_flash_attn_ext_f16_dk64_dv64", groups: [3]int{1, heads, 1},
			threads: [3]int{32, groups, 1},
			constants: map[string]any{
				"FC_flash_attn_ext_has_mask": true, "FC_flash_attn_ext_has_sinks": false, "FC_flash_attn_ext_has_bias": false,
				"FC_flash_attn_ext_has_scap":  false,
				"FC_flash_attn_ext_has_kvpad": false, "FC_flash_attn_ext_bc_mask": true, "FC_flash_attn_ext_ns10": dim,
				"FC_flash_attn_ext_ns20": dim, "FC_flash_attn_ext_nsg": groups,
			},
			// one byte for a block of the mask: 1 is for some of it
			args: map[string]any{"args": args, "q": q, "k": k, "v": v, "mask": mask, "sinks": q, "pad": q,
				"blk": raw([]byte{1, 1, 1, 1, 1, 1, 1, 1}), "dst": dst, "shmem_f16": 8 * (dim + 2*dim + 2*2*64) * 2 * 2},
		})
		closeTo(t, 2e-3, dst.v, want)
	})
}
