package msl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/msl/features"
)

func TestNeeds(t *testing.T) {
	tests := []struct{ source, want string }{ // "version what at line:column, ..."
		{"kernel void k(device float* x) { x[0] = metal::fma(1.0f, 2, 3); }", ""},
		{"kernel void k(device bfloat* x) {}", "3.1 bfloat (2.1) at 1:22"},
		{"kernel void k(device bfloat* x, device bfloat* y, device bfloat4* z) {}",
			"3.1 bfloat (2.1) at 1:22, 3.1 bfloat4 (2.2) at 1:58"},
		{"void f() {\n simdgroup_bfloat8x8 m; }", "3.1 simdgroup_bfloat8x8 (2.4) at 2:2"},
		{"using half_t = bfloat;", "3.1 bfloat (2.1) at 1:16"},
		{"kernel void k(device atomic_float* x) {}", "3.0 atomic_float (2.6) at 1:22"},
		{"kernel void k(device metal::atomic<float>* x) {}", "3.0 atomic<float> (2.6) at 1:29"},
		{"kernel void k(device metal::atomic<uint>* x, device atomic_uint* y) {}", ""},
		{"void f() { nextafter(1.0f, 2.0f); int nextafter; }", "3.1 nextafter (6.5) at 1:12"},
		{"void f() { float nextafter = 1; nextafter + 1; }", ""},
		{"float f() { return M_PI_BF + MAXBFLOAT; }", "3.1 M_PI_BF (6.5) at 1:20, 3.1 MAXBFLOAT (6.5) at 1:30"},
		{"void f(coherent(device) float* x) {}", "3.2 coherent (4.8) at 1:8"},
		{"void f() { bool coherent = true; }", ""},
		{"void f() { atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device); }",
			"3.2 atomic_thread_fence (6.15.3) at 1:12, 3.2 memory_order_seq_cst (6.15.1) at 1:55, " +
				"3.2 thread_scope_device (6.15.2) at 1:77"},
		{"void f() { os_log_default.log(\"x\"); }", "3.2 os_log_default (6.19) at 1:12"},
		{"struct S { int os_log; }; void f(S s) { s.os_log = 1; }", ""},
		{"void f(texture2d<uint, access::read_write> t) { t.atomic_fetch_add(uint2(0), 1); }",
			"3.1 atomic_fetch_add of a texture (6.12) at 1:50"},
		{"void f(texture2d<ulong, access::read_write, memory_coherence_device> t, texture2d<uint> u) {}",
			"3.1 texture2d<ulong> (6.12) at 1:8, 3.2 memory_coherence_device (2.9) at 1:45"},
		{"void f(device atomic_uint* x) { atomic_fetch_add_explicit(x, 1, memory_order_relaxed); }", ""},
		{"void f() { auto g = [&](int x) { return x; }; }", "3.2 a lambda expression (1.5.4) at 1:21"},
		{"void f() { g([] { return 1; }); }", "3.2 a lambda expression (1.5.4) at 1:14"},
		{"int f() { return [=]() { return 1; }(); }", "3.2 a lambda expression (1.5.4) at 1:18"},
		{"void f(device float* x [[buffer(0)]]) { int a[3] = {1, 2, 3}; x[a[0]] = x[(a[1])]; (x + 1)[0] = 2; }", ""},
		{"[[maybe_unused]] int f() { auto [a, b] = g(); return a; }", ""},
		{"[[required_threads_per_threadgroup(32, 1, 1)]] kernel void k() {}",
			"4.0 required_threads_per_threadgroup (5.1.3) at 1:3"},
		{"void f() { mpp::tensor_ops::matmul2d m; int mpp; }", "4.0 mpp (7) at 1:12"},
		{"#include <metal_tensor>\nusing dims = metal::dextents<int, 2>;", "4.0 dextents (2.21) at 2:21"},
		{"#include <metal_tensor>\nint tensors;", ""},
		{"using dims = dextents<int, 2>;", "4.0 dextents (2.21) at 1:14"},
		{"int f(int n) { return n ? f(n - 1) : 0; }", ""},

		// What the source declares itself is its own.
		{"struct bfloat { ushort bits; };\nkernel void k(device bfloat* x) {}", ""},
		{"typedef uint atomic_float; kernel void k(device atomic_float* x) {}", ""},
		{"float nextafter(float x, float y) { return x; }\nvoid f() { nextafter(1, 2); }", ""},
	}
	for _, tt := range tests {
		p := mustAnalyze(t, tt.source)
		var got []string
		for _, n := range p.Needs(p.Tree.Tokens) {
			got = append(got, fmt.Sprintf("%v %s (%s) at %d:%d", n.Version, n.What, n.Section, n.Pos.Line, n.Pos.Column))
		}
		if got := strings.Join(got, ", "); got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.source, got, tt.want)
		}
	}
}

func TestTooNew(t *testing.T) {
	p := mustAnalyze(t, "kernel void k(device bfloat* x, device atomic_float* y) {}")
	for version, want := range map[features.Version]string{
		240: "a.metal:1:22: bfloat needs MSL 3.1 (section 2.1 of its specification), and -std says 2.4\n" +
			"a.metal:1:40: atomic_float needs MSL 3.0 (section 2.6 of its specification), and -std says 2.4",
		300: "a.metal:1:22: bfloat needs MSL 3.1 (section 2.1 of its specification), and -std says 3.0",
		310: "",
	} {
		var got []string
		for _, err := range p.TooNew(version) {
			got = append(got, err.Error())
		}
		if got := strings.Join(got, "\n"); got != want {
			t.Errorf("%v: got\n%s\nwant\n%s", version, got, want)
		}
	}
}
