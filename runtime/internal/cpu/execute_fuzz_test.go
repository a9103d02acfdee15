package cpu

import (
	"context"
	"errors"
	"testing"
	"time"
)

// FuzzKernels runs whatever source compiles: no kernel may bring the process down,
// touch what is not its own, or make the device find itself at fault.
func FuzzKernels(f *testing.F) {
	for _, body := range []string{
		"x[i] = y[i] + n;",
		"for (uint k = i; k < n; k += 32) { x[k] += float(k); if (k == 7) continue; if (k > 40) break; }",
		"threadgroup float s[64]; s[l] = x[i]; threadgroup_barrier(mem_flags::mem_threadgroup); x[i] = s[63 - l] + simd_sum(y[i]);",
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
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		x, y := make([]float32, 96), make([]float32, 96)
		source := "kernel void test(device float* x, device const float* y, constant uint& n, uint i [[thread_position_in_grid]], uint l [[thread_index_in_threadgroup]]) {\n" + body + "\n}"
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		err := executeContext(ctx, t, source, threads(64), x, y, uint32(32))
		var internal *InternalError
		if errors.As(err, &internal) {
			t.Fatalf("%v\n%s\n%s", err, source, internal.Stack)
		}
	})
}
