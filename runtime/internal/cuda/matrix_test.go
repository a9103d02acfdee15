//go:build linux && (amd64 || arm64)

package cuda_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/runtime/internal/cpu"
	"github.com/metalgen/metalgen/runtime/internal/cuda/cudatest"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// products multiplies matrices of a type that are loaded, which elements are changed of, summed in a loop, and used as
// both factors.
const products = `#include <metal_simdgroup_matrix>
kernel void test(device const TYPE* x [[buffer(0)]], device float* y [[buffer(1)]], constant uint& n [[buffer(2)]],
	uint lane [[thread_index_in_simdgroup]]) {
	simdgroup_matrix<TYPE, 8, 8> a[3], b[2];
	for (int i = 0; i < 3; i++) simdgroup_load(a[i], x + 64 * i, 8);
	for (int i = 0; i < 2; i++) simdgroup_load(b[i], x + 192 + 3 * i, 16);
	simdgroup_float8x8 sums[3][2];
	for (int i = 0; i < 3; i++) {
		for (int j = 0; j < 2; j++) sums[i][j] = make_filled_simdgroup_matrix<float, 8, 8>(float(i));
	}
	for (uint k = 0; k < n; k++) {
		for (int i = 0; i < 3; i++) {
			for (int j = 0; j < 2; j++) simdgroup_multiply_accumulate(sums[i][j], a[i], b[j], sums[i][j]);
		}
	}
	for (int i = 0; i < 3; i++) {
		for (int j = 0; j < 2; j++) simdgroup_store(sums[i][j], y + 64 * (2 * i + j), 8);
	}
	simdgroup_matrix<TYPE, 8, 8> c;
	simdgroup_load(c, x + 100, 8, ulong2(0), true);
	c.thread_elements()[0] = TYPE(float(c.thread_elements()[0]) * 0.5f + float(lane) / 32);
	simdgroup_float8x8 d = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
	simdgroup_multiply_accumulate(d, c, c, d);
	simdgroup_multiply_accumulate(d, a[0], c, d);
	d.thread_elements()[1] += float(lane);
	simdgroup_store(d, y + 384, 8);
}`

// matrix is one of 8 rows and columns. A sum of products has beside it what its terms are without their signs: rounding
// is a part of that.
type matrix [8][8]float64

// reference computes in float64 what products does, and of each result the sum of its terms without their signs. as
// rounds a number to the type.
func reference(x []float64, n int, as func(float64) float64) (want, terms []float64) {
	load := func(at, stride int, transposed bool) (m matrix) {
		for r := range 8 {
			for c := range 8 {
				if m[r][c] = x[at+r*stride+c]; transposed {
					m[r][c] = x[at+c*stride+r]
				}
			}
		}
		return m
	}
	store := func(start float64, m matrix) {
		for r := range 8 {
			for c := range 8 {
				want = append(want, start+m[r][c])
			}
		}
	}
	product := func(a, b matrix, times float64) (sum, size matrix) {
		for r := range 8 {
			for c := range 8 {
				for k := range 8 {
					sum[r][c] += times * a[r][k] * b[k][c]
					size[r][c] += times * math.Abs(a[r][k]*b[k][c])
				}
			}
		}
		return sum, size
	}
	for i := range 3 {
		for j := range 2 {
			sum, size := product(load(64*i, 8, false), load(192+3*j, 16, false), float64(n))
			store(float64(i), sum)
			for r := range 8 {
				for c := range 8 {
					terms = append(terms, float64(i)+size[r][c])
				}
			}
		}
	}
	c := load(100, 8, true)
	place := func(lane int) (row, column int) { // of the first of two elements, as Apple's GPUs have them
		return lane>>4&1*4 + lane>>1&3, lane>>3&1*4 + lane&1*2
	}
	for lane := range 32 {
		row, column := place(lane)
		c[row][column] = as(c[row][column]*0.5 + float64(lane)/32)
	}
	square, squareSize := product(c, c, 1)
	other, otherSize := product(load(0, 8, false), c, 1)
	for r := range 8 {
		for k := range 8 {
			square[r][k] += other[r][k]
			squareSize[r][k] += otherSize[r][k]
		}
	}
	for lane := range 32 {
		row, column := place(lane)
		square[row][column+1] += float64(lane)
		squareSize[row][column+1] += float64(lane)
	}
	store(0, square)
	for r := range 8 {
		terms = append(terms, squareSize[r][:]...)
	}
	return want, terms
}

// matrixTypes are the types of elements: how they are written down, and how far a product is off, as a part of the sum
// of its terms without their signs. Three products of 11 bits leave out that of the lesser halves, 2^-22 of each term,
// and sums are of 24 bits, which tensor cores may cut off.
var matrixTypes = []struct {
	name   string
	encode func(x float32) []byte
	decode func(b []byte) float32
	bound  float64
}{
	{"float", func(x float32) []byte { return binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)) },
		func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }, 3e-6},
	{"half", func(x float32) []byte { return binary.LittleEndian.AppendUint16(nil, fmath.HalfBits(x)) },
		func(b []byte) float32 { return fmath.HalfFromBits(binary.LittleEndian.Uint16(b)) }, 2e-6},
	{"bfloat", func(x float32) []byte { return binary.LittleEndian.AppendUint16(nil, fmath.BFloatBits(x)) },
		func(b []byte) float32 { return fmath.BFloatFromBits(binary.LittleEndian.Uint16(b)) }, 2e-6},
}

// TestProductsOfMatricesAreThoseOfFloat64 compares products with those that float64 gives, on the CPU device too.
func TestProductsOfMatricesAreThoseOfFloat64(t *testing.T) {
	onCPU := cpu.Open(driver.Options{})
	defer onCPU.Close()
	random := rand.New(rand.NewPCG(1, 2))
	for _, typ := range matrixTypes {
		as := func(x float64) float64 { return float64(typ.decode(typ.encode(float32(x)))) }
		var bytes []byte
		var x []float64
		for range 512 { // of sizes that differ by a factor of 1000
			v := as((random.Float64()*2 - 1) * math.Exp2(random.Float64()*10-5))
			x = append(x, v)
			bytes = append(bytes, typ.encode(float32(v))...)
		}
		want, terms := reference(x, 3, as)
		check := func(t *testing.T, dev driver.Device) {
			c := &call{source: strings.ReplaceAll(products, "TYPE", typ.name),
				grid:    driver.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{32, 1, 1}},
				buffers: map[int][]byte{0: bytes, 1: make([]byte, 4*448)}, values: map[int][]byte{2: words([]uint32{3})},
			}
			got := c.on(t, dev)
			if got.err != nil {
				t.Fatal(got.err)
			}
			for i := range want {
				if have := floatAt(got.buffers[1], i); !(math.Abs(have-want[i]) <= typ.bound*terms[i]) {
					t.Errorf("element %d: %v, want %v within %v", i, have, want[i], typ.bound*terms[i])
				}
			}
		}
		t.Run(typ.name+"/cpu", func(t *testing.T) { check(t, onCPU) })
		for _, mode := range []driver.MathMode{driver.MathSafe, driver.MathDefault} {
			t.Run(fmt.Sprint(typ.name, "/", mode), func(t *testing.T) {
				check(t, openAs(t, cudatest.Options{}, driver.Options{Math: mode}))
			})
		}
	}
}

func floatAt(b []byte, i int) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
}

// TestProductsOfTilesAreThoseOfFloat64 multiplies halves by the example gemm, with tiles in threadgroup memory, whose
// variables have gaps, in a size that is not a multiple of theirs.
func TestProductsOfTilesAreThoseOfFloat64(t *testing.T) {
	text, err := os.ReadFile("../../../examples/gemm/gemm.metal")
	if err != nil {
		t.Fatal(err)
	}
	const m, n, k = 40, 72, 50
	half := matrixTypes[1]
	random := rand.New(rand.NewPCG(3, 4))
	matrix := func(size int) (x []float64, encoded []byte) {
		for range size {
			bytes := half.encode(float32(random.Float64()*2 - 1))
			x, encoded = append(x, float64(half.decode(bytes))), append(encoded, bytes...)
		}
		return x, encoded
	}
	a, aBytes := matrix(m * k)
	b, bBytes := matrix(k * n)
	c := &call{
		source:  string(text) + "INSTANCE(\"test\", half, BySimdgroups, 32, 64, 64)\n",
		grid:    driver.Grid{Threadgroups: [3]int{2, 2, 1}, Threads: [3]int{64, 1, 1}},
		buffers: map[int][]byte{0: aBytes, 1: bBytes, 2: make([]byte, 2*m*n)},
		values:  map[int][]byte{3: words([]uint32{m}), 4: words([]uint32{n}), 5: words([]uint32{k})},
	}
	for _, unchecked := range []bool{false, true} {
		t.Run(fmt.Sprint("unchecked ", unchecked), func(t *testing.T) {
			got := c.on(t, openAs(t, cudatest.Options{}, driver.Options{Unchecked: unchecked}))
			if got.err != nil {
				t.Fatal(got.err)
			}
			for i := range m * n {
				sum, terms := 0.0, 0.0
				for j := range k {
					term := a[i/n*k+j] * b[j*n+i%n]
					sum, terms = sum+term, terms+math.Abs(term)
				}
				have := float64(half.decode(got.buffers[2][2*i:]))
				if bound := half.bound*terms + math.Abs(sum)/2048; !(math.Abs(have-sum) <= bound) {
					t.Fatalf("element %d: %v, want %v within %v", i, have, sum, bound)
				}
			}
		})
	}
}
