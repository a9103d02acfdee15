//go:build linux && (amd64 || arm64)

package cuda_test

import (
	"encoding/binary"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// TestFunctionsThatCallThemselves compares functions with what the CPU device makes of them, faults included.
func TestFunctionsThatCallThemselves(t *testing.T) {
	for _, tt := range []struct{ name, source string }{
		{"calls without end", `int f(int n, uint lane) { return n > 1000 ? 0 : 1 + f(n + 1, lane); }`},
		{"calls without end in one lane", `int g(int n) { return n < 0 ? 0 : 1 + g(n + 1); }
int f(int n, uint lane) { return n == 41 ? g(n) : n; }`},
		{"a stack that large variables fill", `int f(int n, uint lane) {
	int big[999];
	big[n % 999] = n;
	return f(n + 1, lane) + big[n % 999];
}`},
		{"the calls of a lane, and those of all", `int g(int n) { return n < 2 ? n : g(n - 1) + g(n - 2); }
int f(int n, uint lane) { int r = g(n % 11); if (lane % 3 == 1) r += g(n % 5); return r * 3 + g(4); }`},
		{"an access beyond a variable of another activation", `int g(thread int* up, int n) {
	int mine[3] = {n, n + 1, n + 2};
	if (n == 0) return up[3];
	return g(mine, n - 1) + mine[1];
}
int f(int n, uint lane) { int none[2] = {7, 8}; return g(none, n % 4 + 1); }`},
		{"an access beyond a variable of its own", `int g(int at, int n) {
	int mine[3] = {n, n + 1, n + 2};
	if (n == 0) return mine[at];
	return g(at, n - 1) + mine[n % 3];
}
int f(int n, uint lane) { return g(n, 5); }`},
		{"a pointer to what has ended", `thread int* g(thread int* up, int n) {
	int mine[2] = {n, 3};
	thread int* to = n == 3 ? mine : up;
	return n == 0 ? to : g(to, n - 1);
}
int f(int n, uint lane) { int one[1] = {5}; return *g(one, n % 6); }`},
		{"pointers that are compared", `int g(thread const int* up, thread const int* top, int n) {
	int mine[2] = {n, n * n};
	int r = (up == top ? 1 : 0) + (up == nullptr ? 10 : 0) + (mine == up ? 100 : 0);
	return n == 0 ? r : r * 3 + g(n % 2 == 0 ? mine : n % 3 == 0 ? top : nullptr, top, n - 1);
}
int f(int n, uint lane) { int one[1] = {5}; return g(one, one, n % 9); }`},
		{"simd-groups, in lanes that go to different depths", `int g(int n, uint lane) {
	int r = simd_sum(n) + int(simd_broadcast_first(lane));
	if (n % 3 == 0) return r + simd_max(n);
	for (int i = 0; i < n % 4; i++) { r += g(n - 1 - i, lane); if (r % 7 == 0) return r; }
	return r * 2 + popcount(uint(simd_active_threads_mask().operator unsigned long()));
}
int f(int n, uint lane) { return lane % 5 == 2 ? 1 : g(n % 6, lane); }`},
		{"barriers", `int g(int n, uint lane) {
	threadgroup_barrier(mem_flags::mem_threadgroup);
	return n == 0 ? int(simd_sum(lane)) : g(n - 1, lane) + n;
}
int f(int n, uint lane) { return g(3, lane); }`},
		{"functions that call each other, and a switch", `int b(int n);
int a(int n) {
	if (n <= 0) return 2;
	int r = n;
	switch (n % 3) { case 0: return n; case 1: r += b(n - 1); default: return r + b(n / 2); }
}
int b(int n) {
	int r = 1;
	while (n > 0) { r += a(n - 1); n -= 3; if (r > 90) break; }
	return r;
}
int f(int n, uint lane) { return a(n) + b(n); }`},
		{"values of every kind", `struct V { float x; half h; bool on; long l; short s; uchar c; float2 two; };
V g(V v, int n) {
	if (n == 0) return v;
	V w = g({v.x + 0.5f, half(v.h * 2), !v.on, v.l * 3 - n, short(v.s + n), uchar(v.c + 100), v.two.yx + 1}, n - 1);
	return {w.x + v.x, w.h, w.on != v.on, w.l + v.l, short(w.s - v.s), uchar(w.c ^ v.c), w.two - v.two};
}
int f(int n, uint lane) {
	V v = g({float(n), 0.25h, true, n, short(n), uchar(n), float2(n, 2)}, n % 7);
	return int(v.x) + int(v.h * 4) + v.on + int(v.l) + v.s + v.c + int(v.two.x * 3 + v.two.y);
}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			source := tt.source + `
kernel void test(device int* o [[buffer(0)]], uint i [[thread_position_in_grid]],
		uint lane [[thread_index_in_simdgroup]]) {
	o[i] = f(o[i], lane);
}`
			compare(t, tt.name, 1, func(uint64) *call {
				numbers := make([]byte, 0, 4*96)
				for i := range uint32(96) {
					numbers = binary.LittleEndian.AppendUint32(numbers, i)
				}
				return &call{
					source: source, buffers: map[int][]byte{0: numbers},
					grid: driver.Grid{Threadgroups: [3]int{2, 1, 1}, Threads: [3]int{48, 1, 1}},
				}
			})
		})
	}
}
