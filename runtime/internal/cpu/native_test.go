package cpu

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cpu/machine"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// nativeBodies are bodies of kernels for which package native does something of its own.
var nativeBodies = []string{
	"x[i] = y[i] / (1 + exp(-y[i])) * x[i];",
	"if (i >= n) return; x[i] = y[i] * 2;",
	"for (uint k = i; k < 90; k += n) x[k] = y[k] + y[i];",
	"float sum = 0; for (uint k = 0; k < i; k++) sum += y[k] * x[k]; x[i] = sum;",
	"uint k = i; while (k < 90) { x[k] -= y[k]; k += n; if (x[k % 64] > 7) break; }",
	"x[i] = y[i * 7 % 90]; x[(i * 5 + 3) % 96] = fma(y[i], x[i], 3.0f);",
	"x[i] = y[i - 1];", "x[i + 40] = 2;", "if (i > 3) x[i / (i - 9)] = 4;",
	`threadgroup float s[64]; s[l] = y[i]; threadgroup_barrier(mem_flags::mem_threadgroup);
		x[i] = s[63 - l] + simd_sum(y[i]);`,
	`threadgroup float s[64]; s[l] = y[i];
		for (uint k = 32; k > 0; k /= 2) {
			threadgroup_barrier(mem_flags::mem_threadgroup);
			if (l < k) s[l] += s[l + k];
		}
		if (l == 0) x[0] = s[0];`,
	"device float* p = x + i * 2 % 64; *p = p[1] + float(ulong(i) << n);",
	`device float* p = x;
		if (n & 1) { for (uint k = 0; k < n; k++) if (y[k] > i) return; p += n; } else { p += 2; x[i]++; }
		p[i % 50] += p[n] * y[i];`,
	"float a, b; if (i % 3) { a = y[i]; b = n; } else { if (i > 50) return; a = x[n]; b = simd_sum(y[i]); } x[i] = a + b;",
	"float a[4] = {1, 2, 3}; a[i % 4] = 5; x[i] = a[(i + 1) & 3] + a[n & 3];",
	`switch (i % 5) { case 0: x[i] = 1; case 1: x[i] += 2; break; case 3: return; default: x[i] = rsqrt(y[i]); }
		x[i] *= 2;`,
	"device const ushort* h = (device const ushort*)y; x[i] = as_type<float>(uint(h[i]) << 16) + h[i * 3 % 100];",
	"device const half* h = (device const half*)y; x[i] = h[i] * half(2) + h[(i * 3) & 63];",
	"device uchar* b = (device uchar*)x; b[i] = uchar(y[i]); b[i * 3] = i;",
	"int a = int(y[i] * 100), b = int(l) - 7; x[i] = a / (b == 0 ? 1 : b) + a % 17 + (a >> (i & 31)) + min(a, b);",
	"x[i] = float(uint(y[i] * 1e6f) / (l + 1)) + max(y[i], x[i]) + sqrt(fabs(y[i]));",
	"bool c = y[i] > 0; for (int k = 0; k < 3; k++) { if (c) continue; x[i] += k; c = !c && i % 2; } x[i] += c;",
	"float a = y[i]; x[i] = log(fabs(a)) + sin(a) * cos(x[i]) + tanh(a) + exp2(a) + log2(fabs(x[i])) - tan(a);",
	"x[i] = sin(y[i] * (i % 7 == 3 ? 1e7f : 1.0f)) + pow(y[i], x[i]) + pow(fabs(x[i]), y[i]) + powr(y[i], 2.0f);",
	"x[i] = floor(y[i]) + fract(x[i]) * round(y[i]) + saturate(y[i]) + sign(x[i]) + clamp(y[i], -1.0f, x[i]);",
	"device const ulong* q = (device const ulong*)y; x[i] = float(q[n % 5] >> 40) + float(q[i % 7] >> 50) + q[n % 45];",
	`device const bool* b = (device const bool*)y;
		x[i] = b[n % 7] ? y[i] : b[i % 9] ? 2 : b[n % 5 + 3] + (b[i & 1] && b[n]);`,
	"device const bool* b = (device const bool*)y; if (b[n * 20]) x[i] = 1;",
	"if (i % 3) x[i] = simd_sum(y[i]) + simd_max(x[i]) * simd_min(y[i]) + simd_sum(l) + simd_or(i);",
	"float a = simd_shuffle_xor(y[i], 3) + simd_shuffle_down(x[i], l); x[i] = a + simd_broadcast(y[i], ushort(n % 5));",
	"if (l > 2) x[i] = simd_broadcast_first(y[i]) + simd_any(y[i] > 1) + simd_all(i > 1) + quad_sum(y[i]);",
	"device half* h = (device half*)x; h[i * 5 % 190] = half(y[i]); h[i / 3 + 1] = half(y[i] * 2);",
	"device ushort* h = (device ushort*)x; if (i % 3) h[i * 5 % 190] = i; h[l * l % 7] = ushort(n + i);",
	"device uchar* b = (device uchar*)x; b[i * 7 % 380] = uchar(i);" +
		"device bfloat* h = (device bfloat*)x; h[i ^ 5] = bfloat(y[i]);",
	"device half* h = (device half*)x; h[i * i] = half(y[i]);",
	`simdgroup_float8x8 a, b, c(2); simdgroup_load(a, y, 8); simdgroup_load(b, y + n / 5, 9, ulong2(0), true);
		simdgroup_multiply_accumulate(c, a, b, c); simdgroup_store(c, x + n % 5, 11, ulong2(0), true);`,
	`simdgroup_float8x8 a(-0.0f), b; simdgroup_load(b, y + 1, 11); simdgroup_multiply(a, b, a); if (l > 7) a = b * a;
		simdgroup_store(a, x, n / 4); x[i] += b.thread_elements()[1];`,
	`simdgroup_half8x8 a, b; simdgroup_load(a, (device const half*)y + 2, 9);
		simdgroup_load(b, (device const half*)y, 8, 0, true); simdgroup_multiply(a, a, b);
		simdgroup_store(a, (device half*)x + 1, 12); simdgroup_store(b, (device half*)x + 100, 9, 0, true);`,
	`simdgroup_bfloat8x8 a; simdgroup_float8x8 c(1); simdgroup_load(a, (device const bfloat*)y, n / 4);
		simdgroup_multiply_accumulate(c, a, a, c); simdgroup_store(a, (device bfloat*)x, 13, 0, true);
		simdgroup_store(c, x + 30, 8);`,
	`threadgroup float s[128]; s[l] = y[i]; s[l + 64] = x[i]; simdgroup_float8x8 a; simdgroup_load(a, s, n / 3);
		simdgroup_store(a, s + 3, 9); threadgroup_barrier(mem_flags::mem_threadgroup); x[i] = s[l] + s[l + 64];`,
	"simdgroup_float8x8 a(3); simdgroup_store(a, x + n, 9);", "simdgroup_float8x8 a; simdgroup_load(a, y + 100, 1);",
	"simdgroup_float8x8 a; simdgroup_load(a, y, ulong(0) - n); simdgroup_store(a, x, 8);",
	"simdgroup_float8x8 a; simdgroup_load(a, (device const float*)((device const char*)y + n / 16), 8); x[i] = 1;",
	"simdgroup_float8x8 a; simdgroup_load(a, y, 1ul << 40); x[i] = 1;",
	`device const uchar4* b = (device const uchar4*)y; uchar4 v = b[i];
		x[i] = v.x + v.y * 2 + v.z * 3 + v.w * 5 + b[i * 7 % 97].z;`,
	"device uchar4* b = (device uchar4*)x; b[i * 2 % 95] = uchar4(i, n, l, y[i]); b[i + n] = uchar4(1, i, 2, l);",
	`device const char* b = (device const char*)y; int s = 0;
		for (uint k = 0; k < 7; k++) s += b[i * 7 + k]; x[i] = s;`,
	`device const ushort* h = (device const ushort*)y; uint j = i * 5 % 193;
		x[i] = h[j + 1] + h[j + 2] * 3 + h[j - (j > 0)];`,
	"x[i] = y[i] - (i > 0 ? y[i - 1] : 0) + (i + 1 < 96 ? y[i + 1] : 0) + y[i + n];",
	"int j = int(y[i] * 20); x[i] = y[j - 1] + y[j + 1];", "int j = l * 11 % 64; x[i] = y[j - 1 + (j == 0)] + y[j + 2];",
	"uint j = l * 11 % 64; x[i] = y[j + 2] + y[j - 1];",
	"uint j = l * 3 % 31; x[i] = y[j + 65] + y[j + 64]; x[j + 1] = y[j];",
	`struct S { float a; uchar b[4]; half c, d; }; device const S* s = (device const S*)y; S t = s[i * 5 % 32];
		x[i] = t.a + t.b[1] + t.b[3] + t.c * t.d;`,
	"device const float* p = y + 3 + i % 8; p += l / 2; x[i] = p[2] + p[-1] + p[0]; x[(i ^ 1) + 9] = p[4];",
	`device half2* h = (device half2*)x;
		h[i ^ 3] = half2(y[i], y[i + 1]) + ((device const half2*)y)[i * 3 % 90];`,
	`threadgroup float s[64]; s[l] = y[i];
		for (uint k = 1; k < 64; k *= 2) {
			threadgroup_barrier(mem_flags::mem_threadgroup); float a = l >= k ? s[l - k] : 0.0f;
			threadgroup_barrier(mem_flags::mem_threadgroup); s[l] += a;
		}
		x[i] = s[l] + s[l ^ 1];`,
	"if (i < 48) x[i] = y[2 * i] + y[2 * i + 1] * 3;", "x[i] = y[2 * i + 1];", "x[i] = y[2 * i - 1] + y[2 * i];",
	"if (i < 40) x[i] = y[2 * i] + y[2 * i + 3] * 2 - y[2 * i + 5] + y[2 * i + 15];",
	"device const float4* p = (device const float4*)(y + n / 16 * 4); if (i < 20) x[i] = p[i].x - p[i].z * p[i].w;",
	"struct S { float a[8]; }; if (i < 12) { S s = ((device const S*)y)[i]; x[i] = s.a[1] + s.a[2] * s.a[7] - s.a[4]; }",
	`device const float* p = y + 16 * (i % 6 == l % 6 ? l : 0); float s = 0;
		if (l < 6) for (uint k = 0; k < 16; k++) s = s * 2 + p[k]; x[i] = s;`,
	"device const ushort4* h = (device const ushort4*)y; if (i < 48) x[i] = h[i].x + h[i].y * 3 - h[i].w;",
	"device const half* h = (device const half*)y + 1; if (i < 60) x[i] = h[2 * i] + h[2 * i + 1] * h[2 * i + 2];",
	"device const char* b = (device const char*)y; if (i < 24) x[i] = b[16 * i + 2] + b[16 * i + 3] * 2 + b[16 * i + 9];",
	"device const char* b = (device const char*)y + 1; if (i < 48) x[i] = b[8 * i + n % 3] + b[8 * i + n % 3 + 5];",
	"x[i] = y[i * 4 / 2 + 1] + y[(8 * i + n) >> 3];",
	"x[i] = y[(0xffffff00u + 8 * i) / 8 & 63] + y[int(8 * i - 40) >> 3 & 31];",
	`uint d = n / 9, v = as_type<uint>(y[i]) * 1025;
		((device uint*)x)[i] = v / d ^ v % d * 3 ^ v / 7 * 5 ^ v % 7 * 7 ^ v / 8 ^ v % 16 ^ (v | 1) / (d - 5);`,
	`int d = int(n) / 9 - 12, v = as_type<int>(y[i]) * 1025;
		((device int*)x)[i] = v / d ^ v % d * 3 ^ v / -7 * 5 ^ v % 7 * 7 ^ v / 8 * 9 ^ int(l - 9) / d;`,
	"uint d = n / 99; x[i] = as_type<uint>(y[i]) / (d << i / 32);",
	`device atomic_uint* a = (device atomic_uint*)x;
		uint old = atomic_fetch_add_explicit(&a[i % 7], i, memory_order_relaxed);
		atomic_fetch_sub_explicit(&a[8], l, memory_order_relaxed); if (i % 3) x[32 + i % 64] = old & 0xffff;
		atomic_fetch_xor_explicit(&a[n % 5 + 10], i * 77, memory_order_relaxed);
		if (i & 2) atomic_fetch_or_explicit(&a[12 + i % 2], 1u << i % 32, memory_order_relaxed);
		atomic_fetch_and_explicit(&a[15], ~(1u << i % 32), memory_order_relaxed);`,
	`threadgroup atomic_int a[64]; atomic_store_explicit(&a[l], int(l) - 20, memory_order_relaxed);
		threadgroup_barrier(mem_flags::mem_threadgroup);
		int b = atomic_fetch_max_explicit(&a[l * l % 9], int(y[i] * 9), memory_order_relaxed);
		int c = atomic_fetch_min_explicit(&a[9 + n % 3], int(y[i] * 9), memory_order_relaxed);
		int d = l % 3 ? atomic_exchange_explicit(&a[12 + l % 5], int(l), memory_order_relaxed) : b;
		threadgroup_barrier(mem_flags::mem_threadgroup);
		x[i] = b + 3 * c + 5 * d + atomic_load_explicit(&a[l], memory_order_relaxed);`,
	`device atomic_uint* a = (device atomic_uint*)x;
		uint m = atomic_fetch_max_explicit(&a[i % 3], as_type<uint>(y[i]), memory_order_relaxed) +
			atomic_fetch_min_explicit(&a[3 + i % 3], as_type<uint>(y[i]), memory_order_relaxed);
		uint want = l % 4; bool done = atomic_compare_exchange_weak_explicit(&a[9 + l % 5], &want, l, memory_order_relaxed,
			memory_order_relaxed);
		x[32 + l % 64] = (m & 255) + (done ? 1000 : want & 255);`,
	`device atomic_float* a = (device atomic_float*)x; atomic_fetch_add_explicit(&a[i % 3], y[i], memory_order_relaxed);
		x[i + 5] = atomic_exchange_explicit(&a[4], y[i], memory_order_relaxed);`,
	`device atomic_uint* a = (device atomic_uint*)x;
		atomic_fetch_add_explicit(&a[i * 9 % 90 + n], i, memory_order_relaxed);`,
	`device atomic_uint* a = (device atomic_uint*)((device char*)x + l % 61 / 60);
		atomic_fetch_add_explicit(&a[i], i, memory_order_relaxed);`,
	`device const atomic_uint* a = (device const atomic_uint*)y;
		x[i] = atomic_load_explicit(&a[i * 7 % 96], memory_order_relaxed) & 255;`,
	`device atomic_uint* a = (device atomic_uint*)x; x[i] = simd_shuffle_xor(
		i % 5 ? float(atomic_fetch_add_explicit(&a[i % 4], i, memory_order_relaxed) & 255) : 4.0f, 1);`,
	"x[i] = float(ulong(simd_ballot(y[i] > 0)) >> l & 1) + quad_shuffle_xor(y[i], 1) + quad_any(y[i] > 2) + isnan(x[i]);",
}

// nativeKernel returns a kernel with a body.
func nativeKernel(body string) string {
	return `kernel void test(device float* x, device const float* y, constant uint& n,
	uint i [[thread_position_in_grid]], uint l [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]]) { ` + body + " }"
}

// TestNativeCodeDoesWhatTheInterpreterDoes to the last bit, faults included.
func TestNativeCodeDoesWhatTheInterpreterDoes(t *testing.T) {
	if machine.KindOf("") == nil {
		t.Skip("there is no machine code for the processor")
	}
	t.Parallel()
	for _, body := range nativeBodies {
		for _, grid := range []driver.Grid{
			threads(64), threads(45), {Threadgroups: [3]int{2, 1, 1}, Threads: [3]int{32, 1, 1}},
		} {
			source, groups := nativeKernel(body), grid.Threadgroups[0]
			if groups > 1 { // each has memory of its own: which of them comes first is chance
				source = nativeKernel("x += 96 * g; " + body)
			}
			var results [2][]float32
			var messages [2]string
			for native := range 2 {
				x, y := make([]float32, 96*groups), make([]float32, 96)
				for i := range x {
					x[i], y[i%96] = float32(i*i%17)-4, float32(i%13)*0.7-3
				}
				dev := Open(driver.Options{})
				dev.nativeAfter = int64(native) - 1
				err := executeOn(t.Context(), t, dev, source, grid, x, y, uint32(32))
				results[native], messages[native] = x, fmt.Sprint(err)
			}
			same := func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }
			if messages[0] != "<nil>" && groups > 1 { // how far the others have come is chance
				results[1] = results[0]
			}
			if messages[0] != messages[1] || !slices.EqualFunc(results[0], results[1], same) {
				t.Errorf("%s with %d threads\n%v\n%s\nnative:\n%v\n%s",
					body, grid.Threads[0], results[0], messages[0], results[1], messages[1])
			}
		}
	}
}

// TestNativeCodeKnowsWhereThreadsAre in threadgroups whose rows are no simd-groups, with neighbours at their edges.
func TestNativeCodeKnowsWhereThreadsAre(t *testing.T) {
	t.Parallel()
	const columns, rows = 50, 31
	for _, threads := range [][3]int{{16, 16, 1}, {8, 8, 1}, {10, 6, 1}, {33, 2, 1}, {1, 40, 1}, {4, 4, 5}} {
		grid := driver.Grid{
			Threadgroups: [3]int{(columns + threads[0] - 1) / threads[0], (rows + threads[1] - 1) / threads[1], 1},
			Threads:      threads,
		}
		err := nativeDiffers(t, func(dev *Device) ([]uint64, error) {
			x, y := make([]float32, columns*rows), make([]float32, columns*rows)
			for i := range y {
				y[i] = float32(i * i % 1009)
			}
			err := executeOn(t.Context(), t, dev, `kernel void test(device float* x, device const float* y,
				constant int& columns, constant int& rows, uint3 p [[thread_position_in_grid]],
				uint3 in [[thread_position_in_threadgroup]]) {
				int c = p.x, r = p.y;
				if (c >= columns || r >= rows || p.z > 0) return;
				device const uchar* b = (device const uchar*)y;
				x[r * columns + c] = y[max(r - 1, 0) * columns + c] - y[r * columns + min(c + 1, columns - 1)] +
					y[(r == rows - 1 ? r : r + 1) * columns + max(c - 1, 0)] * (in.x + in.y * 64) + b[r * columns + c];
			}`, grid, x, y, int32(columns), int32(rows))
			return bitsOfAll(x), err
		})
		if err != nil {
			t.Errorf("%v threads: %v", threads, err)
		}
	}
}

// TestNativeCodeBeginsThreadgroupsAtTheEdge of a grid, whose rows of threads may not be whole simd-groups.
func TestNativeCodeBeginsThreadgroupsAtTheEdge(t *testing.T) {
	t.Parallel()
	const columns, rows = 4*32 + 20, 3*4 + 3
	grid := driver.Grid{Threadgroups: [3]int{5, 4, 1}, Threads: [3]int{32, 4, 1}, Size: [3]int{columns, rows, 1}}
	for _, dev := range twoDevices(t) {
		x := make([]uint32, columns*rows)
		err := executeOn(t.Context(), t, dev, `kernel void test(device uint* x, uint2 p [[thread_position_in_grid]],
			uint2 n [[threads_per_grid]]) { x[p.y * n.x + p.x] += p.y * 1000 + p.x * 2; }`, grid, x)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range x {
			if want := uint32(i/columns*1000 + i%columns*2); v != want {
				t.Fatalf("thread (%d, %d) computes %d, want %d", i%columns, i/columns, v, want)
			}
		}
	}
}
