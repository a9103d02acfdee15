package cpu

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
)

// FuzzKernels runs whatever source compiles: no kernel may bring the process down,
// touch what is not its own, or make the device find itself at fault.
func FuzzKernels(f *testing.F) {
	for _, body := range []string{
		"x[i] = y[i] + n;",
		"for (uint k = i; k < n; k += 32) { x[k] += float(k); if (k == 7) continue; if (k > 40) break; }",
		`threadgroup float s[64]; s[l] = x[i]; threadgroup_barrier(mem_flags::mem_threadgroup);
			x[i] = s[63 - l] + simd_sum(y[i]);`,
		"device float* p = x + i; p += n; p -= 3; *p = p[-1] + (p - x);",
		"float a[4] = {1, 2, 3}; a[i % 4] = 5; thread float* p = a; x[i] = p[(i + 1) & 3];",
		"float4 v = float4(y[i]); v[i & 3] = 1; v.xy = v.yx; x[i] = dot(v, v.wzyx) / n;",
		"device uchar* b = (device uchar*)x; b[i * 3] = uchar(i); x[i] = as_type<float>(uint(b[i]) << 16);",
		"atomic_fetch_add_explicit((device atomic_uint*)(x + i % 5), 1u, memory_order_relaxed);",
		"switch (i % n) { case 0: x[i] = 1; case 1: x[i] += 2; break; default: return; } x[i] = simd_shuffle_down(x[i], 3);",
		"ulong k = ulong(i) << 40; x[k >> 40] = half(i) + y[int(i) - int(n)];",
		"simdgroup_matrix<float, 8, 8> m; simdgroup_load(m, x, 8); simdgroup_multiply(m, m, m); simdgroup_store(m, x, 8);",
		"float2x2 m(1, 2, 3, 4); x[i] = (m * m)[i & 1][n & 1];",
	} {
		f.Add("", body)
	}
	for _, seed := range [][2]string{
		{`template <typename T, int N>
		T sum(thread const T* v) { T s = 0; for (int i = 0; i < N; i++) s += v[i]; return s; }`,
			`float v[3] = {y[i], 1}; x[i] = sum<float, 3>(v) + sum<float, 2>(&v[1]);`},
		{`struct S {
			float v[4];
			thread float& at(int i) { return v[i]; }
			thread S& self() { return *this; }
			S(float x) { v[0] = x; }
			operator float() const { return v[0] * v[1]; }
		};`, `S s(y[i]); s.self().at(i & 3) += 2; x[i] = s; thread S* p = &s.self(); p->at(n) = 1;`},
		{`template <typename F> void each(int n, F f) { for (int i = 0; i < n; i++) f(i); }`,
			`float s = 0; each(n % 5, [&](int k) { if (k == 2) return; s += y[k]; });
			auto g = [&](auto v) { s *= v; return s; }; x[i] = g(2) + g(y[i]);`},
		{`union U { float f; uint u; uchar b[4]; }; U make(float f) { U u; u.f = f; return u; }`,
			`U u = make(y[i]); u.b[n & 3] ^= i; x[i] = u.f + make(2).b[3]; U v[2] = {u, {1}}; x[i] += v[i & 1].u;`},
		{`struct B { int k; B(int k) : k(k) {} };
		struct D : B { device float* p; D(device float* p) : B(3), p(p) {} void put(float v) { p[k] = v; } };`,
			`D d(x + i); d.put(1); D e = d; e.k = n; e.put(y[i]);`},
		{`constant bool on [[function_constant(1)]];
		constant int N = is_function_constant_defined(on) && on ? 3 : 4;`,
			`simdgroup_half8x8 m(1); m.thread_elements()[0] = y[i]; m.thread_elements() += half2(N, i);
			simdgroup_multiply(m, m, m); x[i] = m.thread_elements().y;`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, functions, body string) {
		x, y := make([]float32, 96), make([]float32, 96)
		source := functions + `
kernel void test(device float* x, device const float* y, constant uint& n, uint i [[thread_position_in_grid]],
	uint l [[thread_index_in_threadgroup]]) {
` + body + "\n}"
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		err := executeContext(ctx, t, source, threads(64), x, y, uint32(32))
		var internal *interp.InternalError
		if errors.As(err, &internal) {
			t.Fatalf("%v\n%s\n%s", err, source, internal.Stack)
		}
	})
}
