package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

func matrixNames() []string {
	return []string{
		"make_filled_simdgroup_matrix", "simdgroup_matrix_diagonal", "simdgroup_matrix_product",
		"simdgroup_load", "simdgroup_store", "simdgroup_multiply", "simdgroup_multiply_accumulate",
	}
}

// small makes n integers such that sums of products of them are exact in half
// and nearly so in bfloat.
func small(n int, most int) []float64 {
	rng := rand.New(rand.NewPCG(9, uint64(n)))
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(rng.IntN(2*most+1) - most)
	}
	return v
}

func matrixProduct(a, b, c []float64) []float64 {
	r := make([]float64, 64)
	for i := range r {
		if c != nil {
			r[i] = c[i]
		}
		for k := range 8 {
			r[i] += a[i/8*8+k] * b[k*8+i%8]
		}
	}
	return r
}

// compute runs a kernel on buffers of a floating-point type; the last
// is for results.
func (s *scalar) compute(t *testing.T, source string, grid driver.Grid, results int, in ...[]float64) []float64 {
	t.Helper()
	var args []any
	for _, v := range in {
		args = append(args, s.buffer(cellsOf(v)))
	}
	out := s.buffer(make([]uint64, results))
	compute(t, strings.ReplaceAll(source, "$", s.name), grid, append(args, out)...)
	return numbersOf(s.cells(out))
}

func TestSimdgroupMatricesMoveWithStridesOriginsAndTransposed(t *testing.T) {
	t.Parallel()
	for _, s := range floatingTypes {
		for _, c := range []struct {
			args         string
			stride, x, y int
			transposed   bool
		}{
			{args: "", stride: 8},
			{args: ", 8", stride: 8},
			{args: ", 13", stride: 13},
			{args: ", 16, ulong2(3, 2)", stride: 16, x: 3, y: 2},
			{args: ", 16, ulong2(8, 0), true", stride: 16, x: 8, transposed: true},
			{args: ", 9, 0, true", stride: 9, transposed: true},
			{args: ", 11, ulong2(0, 5), false", stride: 11, y: 5},
			{args: ", i < 100 ? 12 : 3, ulong2(1), i < 100", stride: 12, x: 1, y: 1, transposed: true},
		} {
			for _, shared := range []bool{false, true} {
				at := func(r, k int) int {
					if c.transposed {
						r, k = k, r
					}
					return (c.y+r)*c.stride + c.x + k
				}
				x := small(256, 60)
				from, to := "x + 1", "y + 2"
				if shared {
					from, to = "in + 1", "out + 2"
				}
				r := s.compute(t, fmt.Sprintf(`kernel void test(device const $* x, device $* y,
					uint i [[thread_index_in_simdgroup]]) {
	threadgroup $ in[256], out[256];
	for (uint k = i; k < 256; k += 32) {
		in[k] = x[k];
		out[k] = 0;
	}
	threadgroup_barrier(mem_flags::mem_threadgroup);
	simdgroup_$8x8 a, b;
	simdgroup_load(a, %s%s);
	simdgroup_store(a, y);
	simdgroup_load(b, x);
	simdgroup_store(b, %s + 64%s);
	threadgroup_barrier(mem_flags::mem_threadgroup);
	if (%v)
		for (uint k = i; k < 190; k += 32) y[66 + k] = out[66 + k];
}`, from, c.args, to, c.args, shared), threads(32), 256, x)
				want := make([]float64, 256)
				for i := range 64 {
					want[i] = x[1+at(i/8, i%8)]
					want[66+at(i/8, i%8)] = x[i]
				}
				if !slices.Equal(r, want) {
					t.Errorf("%s%s, shared %v:\n%v, want\n%v", s.name, c.args, shared, r, want)
				}
			}
		}
	}
}

func TestSimdgroupMatricesMultiply(t *testing.T) {
	t.Parallel()
	for _, s := range floatingTypes {
		a, b, c := small(64, 3), small(65, 4)[:64], small(66, 9)[:64]
		r := s.compute(t, `typedef simdgroup_matrix<$, 8, 8> M;
kernel void test(device const $* x, device const $* y, device const $* z, device $* r) {
	M a, b, c, d;
	simdgroup_load(a, x);
	simdgroup_load(b, y);
	simdgroup_load(c, z);
	simdgroup_multiply(d, a, b);
	simdgroup_store(d, r);
	simdgroup_multiply_accumulate(d, a, b, c);
	simdgroup_store(d, r + 64);
	simdgroup_store(a * b, r + 128);
	simdgroup_multiply_accumulate(c, b, a, c);
	simdgroup_store(c, r + 192);
	a = a * b;
	simdgroup_store(a, r + 256);
	M e = make_filled_simdgroup_matrix<$, 8, 8>($(2.5));
	simdgroup_store(e, r + 320);
	simdgroup_store(M(-3), r + 384);
	M none(0);
	simdgroup_store(none, r + 448);
}`, threads(32), 512, a, b, c)
		ab := s.rounded(matrixProduct(a, b, nil))
		want := slices.Concat(ab, s.rounded(matrixProduct(a, b, c)), ab, s.rounded(matrixProduct(b, a, c)), ab,
			slices.Repeat([]float64{2.5}, 64), make([]float64, 128))
		for i := range 8 {
			want[384+9*i] = -3
		}
		for i := range want {
			if r[i] != want[i] {
				t.Errorf("%s: element %d of matrix %d = %v, want %v", s.name, i%64, i/64, r[i], want[i])
				break
			}
		}
	}
}

// TestSimdgroupMatricesAreRoundedToTheirType is about products that are not exact.
func TestSimdgroupMatricesAreRoundedToTheirType(t *testing.T) {
	t.Parallel()
	for _, s := range floatingTypes {
		rng := rand.New(rand.NewPCG(10, 0))
		a, b := make([]float64, 64), make([]float64, 64)
		for i := range a {
			a[i], b[i] = s.round(rng.Float64()+0.5), s.round(rng.Float64()+0.5)
		}
		r := s.compute(t, `kernel void test(device const $* x, device const $* y, device $* r) {
	simdgroup_$8x8 a, b;
	simdgroup_load(a, x);
	simdgroup_load(b, y);
	simdgroup_store(a * b, r);
}`, threads(32), 64, a, b)
		for i, want := range matrixProduct(a, b, nil) {
			// eight products and sums in float at worst, each with half an ulp
			bound := 8.0
			if s != floatType {
				bound = correct
			}
			if s.off(r[i], want, bound) {
				t.Errorf("%s: element %d = %v, want %v", s.name, i, r[i], want)
			}
		}
	}
}

// TestSimdgroupMatricesOfHalfAccumulateInFloat is about sums that half does not
// hold.
func TestSimdgroupMatricesOfHalfAccumulateInFloat(t *testing.T) {
	t.Parallel()
	a, b, c := small(64, 200), small(65, 200)[:64], small(64, 100000)
	r := make([]float32, 64)
	z := floatType.buffer(cellsOf(c))
	compute(t, `kernel void test(device const half* x, device const half* y, device const float* z, device float* r) {
	simdgroup_half8x8 a, b;
	simdgroup_float8x8 c;
	simdgroup_load(a, x);
	simdgroup_load(b, y);
	simdgroup_load(c, z);
	simdgroup_multiply_accumulate(c, a, b, c);
	simdgroup_store(c, r);
}`, threads(32), halfType.buffer(cellsOf(a)), halfType.buffer(cellsOf(b)), z, r)
	for i, want := range matrixProduct(a, b, c) {
		if r[i] != float32(want) {
			t.Fatalf("element %d = %v, want %v", i, r[i], want)
		}
	}
}

func TestSimdgroupMatricesInFunctionsAndArrays(t *testing.T) {
	t.Parallel()
	for _, s := range floatingTypes {
		a, b := small(128, 3), small(129, 2)[:128]
		r := s.compute(t, `typedef simdgroup_$8x8 M;
void twice(thread M& m) { simdgroup_multiply(m, M(2), m); }
M product(M a, M b) {
	a = a * b;
	return a;
}
struct Tile {
	M m[2][2];
};
kernel void test(device const $* x, device const $* y, device $* r) {
	M a[2], b[2];
	for (int k = 0; k < 2; k++) {
		simdgroup_load(a[k], x + 64 * k);
		simdgroup_load(b[k], y + 64 * k);
	}
	Tile c;
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 2; j++) {
			c.m[i][j] = make_filled_simdgroup_matrix<$, 8, 8>($(1));
			simdgroup_multiply_accumulate(c.m[i][j], a[i], b[j], c.m[i][j]);
			simdgroup_store(c.m[i][j], r + 64 * (2 * i + j));
		}
	M p = product(a[0], b[0]);
	simdgroup_store(p, r + 256);
	simdgroup_store(a[0], r + 320);
	twice(a[1]);
	simdgroup_store(a[1], r + 384);
}`, threads(32), 448, a, b)
		ones := slices.Repeat([]float64{1}, 64)
		var want []float64
		for i := range 4 {
			want = append(want, s.rounded(matrixProduct(a[i/2*64:], b[i%2*64:], ones))...)
		}
		want = append(want, s.rounded(matrixProduct(a, b, nil))...)
		want = append(want, a[:64]...)
		want = append(want, s.times(a[64:], 2)...)
		for i := range want {
			if r[i] != want[i] {
				t.Errorf("%s: element %d of matrix %d = %v, want %v", s.name, i%64, i/64, r[i], want[i])
				break
			}
		}
	}
}

// TestEachSimdgroupHasItsOwnMatrices is about several of them in a threadgroup
// that exchange tiles.
func TestEachSimdgroupHasItsOwnMatrices(t *testing.T) {
	t.Parallel()
	x := small(256, 3)
	r := floatType.compute(t, `kernel void test(device const $* x, device $* r,
		uint g [[simdgroup_index_in_threadgroup]]) {
	threadgroup $ tiles[256];
	simdgroup_$8x8 a, b;
	simdgroup_load(a, x + 64 * g);
	simdgroup_store(a, tiles + 64 * g);
	threadgroup_barrier(mem_flags::mem_threadgroup);
	simdgroup_load(b, tiles + 64 * ((g + 1) % 4));
	simdgroup_store(a * b, r + 64 * g);
}`, threads(128), 256, x)
	for g := range 4 {
		if want := matrixProduct(x[64*g:], x[64*((g+1)%4):], nil); !slices.Equal(r[64*g:64*g+64], want) {
			t.Errorf("simd-group %d: %v, want %v", g, r[64*g:64*g+64], want)
		}
	}
}

func TestSimdgroupMatricesBeyondABufferAreErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, names string }{
		{"simdgroup_load(m, input + 1);", "input["},
		{"simdgroup_load(m, input, 9);", "input["},
		{"simdgroup_load(m, input, 8, ulong2(0, 1));", "input["},
		{"simdgroup_load(m, input - 1);", "input["},
		{"simdgroup_load(m, input, 1ul << 60);", "beyond"},
		{"simdgroup_store(m, output, 9);", "output["},
		{"simdgroup_store(m, tile + 8);", "tile["},
	} {
		err := execute(t, `kernel void test(device const float* input, device float* output) {
	threadgroup float tile[64];
	simdgroup_float8x8 m(1);
	`+c.body+`
	simdgroup_store(m, tile);
}`, threads(32), make([]float32, 64), make([]float32, 64))
		if err == nil || !strings.Contains(err.Error(), c.names) || !strings.Contains(err.Error(), "test.metal:4:") {
			t.Errorf("%s: %v", c.body, err)
		}
	}
}
