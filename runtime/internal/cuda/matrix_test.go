//go:build linux && (amd64 || arm64)

package cuda_test

import (
	"encoding/binary"
	"fmt"
	"math"
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

func TestProductsOfMatricesAreThoseOfTheCPUDevice(t *testing.T) {
	reference := cpu.Open(driver.Options{})
	defer reference.Close()
	fill := map[string]func(x float32) []byte{
		"float":  func(x float32) []byte { return binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)) },
		"half":   func(x float32) []byte { return binary.LittleEndian.AppendUint16(nil, fmath.HalfBits(x)) },
		"bfloat": func(x float32) []byte { return binary.LittleEndian.AppendUint16(nil, fmath.BFloatBits(x)) },
	}
	for typ, encode := range fill {
		for _, mode := range []driver.MathMode{driver.MathSafe, driver.MathDefault} {
			t.Run(fmt.Sprint(typ, mode), func(t *testing.T) {
				var x []byte
				for i := range 512 {
					x = append(x, encode(float32(i*7919%211)/64-1.5)...)
				}
				c := &call{source: strings.ReplaceAll(products, "TYPE", typ),
					grid:    driver.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{32, 1, 1}},
					buffers: map[int][]byte{0: x, 1: make([]byte, 4*448)}, values: map[int][]byte{2: words([]uint32{3})},
				}
				want := c.on(t, reference)
				got := c.on(t, openAs(t, cudatest.Options{}, driver.Options{Math: mode}))
				if want.err != nil || got.err != nil {
					t.Fatalf("%v, %v", got.err, want.err)
				}
				for i := range 448 {
					have, need := floatAt(got.buffers[1], i), floatAt(want.buffers[1], i)
					if mode == driver.MathSafe && have != need || !(closeTo(have, need)) {
						t.Fatalf("element %d: %v, want %v", i, have, need)
					}
				}
			})
		}
	}
}

func closeTo(x, y float64) bool { return math.Abs(x-y) <= 2e-5*(1+math.Abs(y)) }

func floatAt(b []byte, i int) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
}
