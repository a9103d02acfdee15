package cpu

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Metal 4's tensors and the operations on them. Sums are of small integers, so results are exact whatever the order in
// which an implementation adds.

const tensorHeaders = `#include <metal_stdlib>
#include <metal_tensor>
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
using namespace metal;
using namespace mpp::tensor_ops;
`

// tensorSource fills in the names in capitals of a source.
func tensorSource(source string, values ...any) string {
	for i := 0; i < len(values); i += 2 {
		source = strings.ReplaceAll(source, values[i].(string), fmt.Sprint(values[i+1]))
	}
	return tensorHeaders + source
}

// product is op(a) op(b), where the operands are stored in the order of rows, transposed if so said.
func product(a, b []float64, m, n, k int, left, right bool) []float64 {
	if left {
		a = transposed(a, k)
	}
	if right {
		b = transposed(b, n)
	}
	return matMul(a, b, m, k, n)
}

func TestMatmul2dOfTensorsInEveryScope(t *testing.T) {
	t.Parallel()
	const m, n, k = 20, 40, 12
	const source = `
kernel void test(device $* a [[buffer(0)]], device $* b [[buffer(1)]], device $* c [[buffer(2)]],
	uint2 g [[threadgroup_position_in_grid]]) {
	auto A = tensor(a, dextents<int, 2>(LEFT ? 20 : 12, LEFT ? 12 : 20));
	auto B = tensor(b, dextents<int, 2>(RIGHT ? 12 : 40, RIGHT ? 40 : 12));
	auto C = tensor<device $, dextents<int, 2>, tensor_inline>(c, dextents<int, 2>(40, 20), array<int, 2>{1, 40});
	constexpr auto descriptor = matmul2d_descriptor(16, 16, STEPS, LEFT, RIGHT, false, matmul2d_descriptor::mode::MODE);
	matmul2d<descriptor, SCOPE> op;
	auto left = A.slice(LEFT ? g.y * 16 : 0, LEFT ? 0 : g.y * 16);
	auto right = B.slice(RIGHT ? 0 : g.x * 16, RIGHT ? g.x * 16 : 0);
	auto to = C.slice(g.x * 16, g.y * 16);
	if (HELD) {
		auto held = op.get_destination_cooperative_tensor<decltype(left), decltype(right), float>();
		op.run(left, right, held);
		op.run(left, right, held);
		held.store(to);
	} else {
		op.run(left, right, to);
		op.run(left, right, to);
	}
}`
	for i, scope := range []string{
		"execution_thread", "execution_simdgroup", "execution_simdgroups<1>", "execution_simdgroups<3>",
	} {
		width := []int{1, 32, 32, 96}[i]
		for _, left := range []bool{false, true} {
			for _, right := range []bool{false, true} {
				for mode, times := range map[string]float64{"multiply": 1, "multiply_accumulate": 2} {
					for _, s := range some(floatingTypes, 3, i+len(mode)) {
						held := left == right
						name := fmt.Sprint(scope, left, right, mode, held, s.name)
						a, b := small(m*k, 3), small(k*n, 2)
						want := product(a, b, m, n, k, left, right)
						for i := range want {
							want[i] *= times
						}
						steps := any(12)
						if held {
							steps = "static_cast<int>(dynamic_extent)"
						}
						got := s.compute(t, tensorSource(source, "SCOPE", scope, "LEFT", left, "RIGHT", right, "MODE", mode, "HELD", held,
							"STEPS", steps), driver.Grid{Threadgroups: [3]int{3, 2, 1}, Threads: [3]int{width, 1, 1}}, m*n, a, b)
						if !slices.Equal(got, want) {
							t.Errorf("%s: %v, want %v", name, got, want)
						}
					}
				}
			}
		}
	}
}

func TestMatmul2dOfCooperativeTensorsAndTheirReductions(t *testing.T) {
	t.Parallel()
	const source = `
kernel void test(device $* a [[buffer(0)]], device $* b [[buffer(1)]], device $* c [[buffer(2)]]) {
	auto A = tensor(a, dextents<int, 2>(LEFT ? ROWS : STEPS, LEFT ? STEPS : ROWS));
	auto B = tensor(b, dextents<int, 2>(RIGHT ? STEPS : COLUMNS, RIGHT ? COLUMNS : STEPS));
	matmul2d<matmul2d_descriptor(ROWS, COLUMNS, STEPS, LEFT, RIGHT), SCOPE> op;
	auto left = op.template get_left_input_cooperative_tensor<$, $, float>();
	auto right = op.template get_right_input_cooperative_tensor<$, $, float>();
	left.load(A);
	right.load(B);
	auto held = op.get_destination_cooperative_tensor<decltype(left), decltype(right), float>();
	op.run(left, right, held);
	auto rows = op.get_row_reduction_destination_cooperative_tensor<decltype(left), decltype(right), float>();
	auto columns = op.get_column_reduction_destination_cooperative_tensor<decltype(left), decltype(right), float>();
	reduce_rows(held, rows, reduction_operation::max, reduction_operation_identity<float>::max_identity);
	reduce_columns(held, columns, reduction_operation::min, reduction_operation_identity<float>::min_identity);
	held.store(tensor(c, dextents<int, 2>(COLUMNS, ROWS)));
	rows.store(tensor(c + ROWS * COLUMNS, dextents<int, 1>(ROWS)));
	columns.store(tensor(c + ROWS * COLUMNS + ROWS, dextents<int, 1>(COLUMNS)));
	if (is_iterator_compatible(held, rows)) {
		for (auto it = held.begin(); it != held.end(); ++it) {
			auto of = rows.map_iterator(it);
			*it -= *of;
		}
	} else {
		simdgroup_barrier(mem_flags::mem_device);
		for (int i = 0; i < held.get_capacity(); ++i) {
			if (held.is_valid_element(i)) held[i] -= c[ROWS * COLUMNS + held.get_multidimensional_index(i)[1]];
		}
	}
	held.store(tensor(c + ROWS * COLUMNS + ROWS + COLUMNS, dextents<int, 2>(COLUMNS, ROWS)));
}`
	for i, shape := range [][3]int{{16, 32, 16}, {32, 16, 32}, {8, 12, 20}} {
		m, n, k := shape[0], shape[1], shape[2]
		for scope, width := range map[string]int{"execution_simdgroup": 32, "execution_thread": 1} {
			for _, left := range []bool{false, true} {
				for _, right := range []bool{false, true} {
					s := floatingTypes[i%len(floatingTypes)]
					a, b := small(m*k, 1), small(k*n, 1)
					whole := product(a, b, m, n, k, left, right)
					want := slices.Clone(whole)
					for row := range m {
						want = append(want, slices.Max(whole[row*n:(row+1)*n]))
					}
					columns := transposed(whole, m)
					for column := range n {
						want = append(want, slices.Min(columns[column*m:(column+1)*m]))
					}
					for i, v := range whole {
						want = append(want, v-slices.Max(whole[i/n*n:(i/n+1)*n]))
					}
					got := s.compute(t, tensorSource(source, "SCOPE", scope, "LEFT", left, "RIGHT", right, "ROWS", m,
						"COLUMNS", n, "STEPS", k), threads(width), len(want), a, b)
					if !slices.Equal(got, want) {
						t.Errorf("%v %s %v %v %s: %v, want %v", shape, scope, left, right, s.name, got, want)
					}
				}
			}
		}
	}
}

func TestMatmul2dAddsUpSlicesOfOperandsInThreadgroupMemory(t *testing.T) {
	t.Parallel()
	const m, n, k = 32, 64, 48
	const source = `
kernel void test(device $* a [[buffer(0)]], device $* b [[buffer(1)]], device $* c [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]]) {
	threadgroup $ left[32 * 16];
	tensor<threadgroup $, extents<int, 16, 32>, tensor_inline> L(left, extents<int, 16, 32>());
	auto B = tensor(b, extents<int, 64, 48>());
	constexpr auto descriptor = matmul2d_descriptor(32, 64, 16, false, false, false,
		matmul2d_descriptor::mode::multiply_accumulate);
	matmul2d<descriptor, execution_simdgroups<2>> op;
	auto sum = op.get_destination_cooperative_tensor<decltype(L), decltype(B.slice<64, 16>(0, 0)), float>();
	for (int k = 0; k < 48; k += 16) {
		for (int i = t; i < 32 * 16; i += 64) left[i] = a[i / 16 * 48 + k + i % 16];
		threadgroup_barrier(mem_flags::mem_threadgroup);
		auto R = B.slice<64, 16>(0, k);
		op.run(L, R, sum);
		threadgroup_barrier(mem_flags::mem_threadgroup);
	}
	#pragma unroll
	for (ushort i = 0; i < sum.get_capacity(); ++i) {
		if (sum.get_mask(i)) sum[i] = max(sum[i], 0.0f) + sum.get_multidimensional_index(i)[0];
	}
	auto C = tensor(c, dextents<int, 2>(64, 32));
	sum.store(C);
}`
	for _, s := range floatingTypes {
		a, b := small(m*k, 1), small(k*n, 1)
		want := matMul(a, b, m, k, n)
		for i, v := range want {
			want[i] = max(v, 0) + float64(i%n)
		}
		got := s.compute(t, tensorSource(source), threads(64), m*n, a, b)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", s.name, got, want)
		}
	}
}

func TestMatmul2dOfIntegersIsExact(t *testing.T) {
	t.Parallel()
	const m, n, k = 4, 5, 300
	const source = `
kernel void test(device char* a [[buffer(0)]], device uchar* b [[buffer(1)]], device int* c [[buffer(2)]]) {
	auto A = tensor(a, dextents<int, 2>(300, 4));
	auto B = tensor(b, dextents<int, 2>(5, 300));
	auto C = tensor(c, dextents<int, 2>(5, 4));
	matmul2d<matmul2d_descriptor(4, 5), execution_simdgroup>().run(A, B, C);
}`
	a, b, got, want := make([]int8, m*k), make([]uint8, k*n), make([]int32, m*n), make([]int32, m*n)
	for i := range a {
		a[i] = int8(100 + i%28)
	}
	for i := range b {
		b[i] = uint8(255 - i%5)
	}
	for i := range want {
		for j := range k {
			want[i] += int32(a[i/n*k+j]) * int32(b[j*n+i%n])
		}
	}
	compute(t, tensorSource(source), threads(32), a, b, got)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestFragmentsOfCooperativeTensorsLieAsMLXHasThem(t *testing.T) {
	t.Parallel()
	const source = `
kernel void test(device int* o [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
	matmul2d<matmul2d_descriptor(16, 32, 16), execution_simdgroup> op;
	auto held = op.get_destination_cooperative_tensor<tensor<device half, dextents<int, 2>>, half, float>();
	for (int i = 0; i < held.get_capacity(); ++i) {
		o[t * 16 + i] = held.get_multidimensional_index(i)[1] * 100 + held.get_multidimensional_index(i)[0];
	}
}`
	got, want := make([]int32, 512), make([]int32, 512)
	for i := range want {
		lane, e := i/16, i%16
		row := lane>>2&4 | lane>>1&3
		column := (lane>>2&2 | lane&1) * 4
		want[i] = int32((row+e%8/4*8)*100 + e/8*16 + column + e%4)
	}
	compute(t, tensorSource(source), threads(32), got)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestTensorsKnowTheirExtentsAndElements(t *testing.T) {
	t.Parallel()
	const source = `
kernel void test(device const float* a [[buffer(0)]], device float* o [[buffer(1)]]) {
	auto x = tensor(a, dextents<int, 2>(4, 3));
	extents<int, 4, dynamic_extent> e(7), f(4, 8);
	auto rest = x.slice(1, 1);
	auto part = x.slice<2, dynamic_extent>(1, 2);
	thread float own[6] = {};
	tensor<thread float, extents<short, 3, 2>, tensor_inline> y(own, extents<short, 3, 2>());
	using own_t = decltype(y);
	y.set(5, 2, 1);
	y.set(6, 3, 0);
	y[array<int, 2>{0, 1}] = 7;
	auto line = tensor(a + 3, dextents<uint, 1>(1));
	auto deep = tensor(a, dextents<long, 3>(2, 3, 2), array<long, 3>{1, 4, 2});
	VALUES
}`
	a := make([]float32, 12)
	for i := range a {
		a[i] = float32(i)
	}
	tests := []struct {
		value string
		want  float32
	}{
		{"x.get(1, 2)", 9},
		{"x.get_extent(0)", 4},
		{"x.get_extent(1)", 3},
		{"x.get_stride(1)", 4},
		{"x.get_rank()", 2},
		{"x.get(4, 0)", 0},
		{"x.get(0, -1)", 0},
		{"e.extent(0) * 10 + e.extent(1)", 47},
		{"f.extent(1)", 8},
		{"e.rank_dynamic()", 1},
		{"e.static_extent(0)", 4},
		{"rest.get_extent(0)", 3},
		{"rest.get_extent(1)", 2},
		{"rest.get(0, 0)", 5},
		{"rest.get(2, 1)", 11},
		{"rest.get(3, 0)", 0},
		{"part.get_extent(0)", 2},
		{"part.get_extent(1)", 1},
		{"part.get(1, 0)", 10},
		{"part.has_static_extent(0)", 1},
		{"part.has_static_extent(1)", 0},
		{"own[5]", 5},
		{"own[3]", 7},
		{"y.get(2, 1)", 5},
		{"y.has_all_static_extent()", 1},
		{"line[0]", 3},
		{"line.get(9)", 3},
		{"deep.get(1, 2, 1)", 11},
		{"own_t::get_static_extent(0)", 3},
		{"is_same_v<decltype(x)::value_type, float>", 1},
		{"is_same_v<decltype(x)::element_type, float>", 0},
	}
	var values strings.Builder
	for i, test := range tests {
		fmt.Fprintf(&values, "o[%d] = %s;\n", i, test.value)
	}
	got := make([]float32, len(tests))
	compute(t, tensorSource(source, "VALUES", values.String()), threads(1), a, got)
	for i, test := range tests {
		if got[i] != test.want {
			t.Errorf("%s is %v, not %v", test.value, got[i], test.want)
		}
	}
}

func TestConvolution2dWithStridesAndDilations(t *testing.T) {
	t.Parallel()
	const inputs, outputs, columns, rows, images = 3, 5, 12, 11, 2
	const source = `
kernel void test(device $* a [[buffer(0)]], device $* w [[buffer(1)]], device $* c [[buffer(2)]],
	uint3 g [[threadgroup_position_in_grid]]) {
	auto A = tensor(a, dextents<int, 4>(3, 12, 11, 2));
	auto W = tensor(w, dextents<int, 4>(5, 3, 3, 3));
	auto C = tensor(c, dextents<int, 4>(5, COLUMNS, ROWS, 2));
	constexpr auto descriptor = convolution2d_descriptor(int4(5, 4, 4, 1), int4(3, 12, 11, 1), int2(3, 3),
		convolution2d_activation_layout::nhwc, convolution2d_weights_layout::hwio, int2(STRIDE), int2(DILATION, DILATION), 1,
		false, convolution2d_descriptor::mode::multiply_accumulate);
	convolution2d<descriptor, execution_simdgroups<2>> op;
	op.set_offsets(int2(DILATION + int(g.x) * 4 * STRIDE, DILATION + int(g.y) * 4 * STRIDE));
	auto from = A.slice(0, 0, 0, int(g.z));
	auto to = C.slice(0, int(g.x) * 4, int(g.y) * 4, int(g.z));
	if (STRIDE == 1) {
		auto held = op.get_destination_cooperative_tensor<decltype(from), decltype(W), float>();
		op.run(from, W, held);
		held.store(to);
	} else {
		op.run(from, W, to);
	}
}`
	for i, c := range [][2]int{{1, 1}, {2, 1}, {1, 2}} {
		stride, dilation := c[0], c[1]
		width, height := (columns-2*dilation-1)/stride+1, (rows-2*dilation-1)/stride+1
		a, w := small(inputs*columns*rows*images, 2), small(outputs*inputs*9, 1)
		var want []float64
		for n := range images {
			for y := range height {
				for x := range width {
					for o := range outputs {
						sum := 0.0
						for j := range 9 * inputs {
							in, kx, ky := j%inputs, j/inputs%3, j/inputs/3
							at := (n*rows+y*stride+ky*dilation)*columns + x*stride + kx*dilation
							sum += a[at*inputs+in] * w[j*outputs+o]
						}
						want = append(want, sum)
					}
				}
			}
		}
		s := floatingTypes[i%len(floatingTypes)]
		got := s.compute(t, tensorSource(source, "STRIDE", stride, "DILATION", dilation, "COLUMNS", width, "ROWS", height),
			driver.Grid{Threadgroups: [3]int{(width + 3) / 4, (height + 3) / 4, images}, Threads: [3]int{64, 1, 1}},
			len(want), a, w)
		if !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", c, got, want)
		}
	}
}
