package cpu

import (
	"testing"
	"time"
	"os"
	"fmt"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu/storage"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

func TestZZBench(t *testing.T) {
	tex := func(f pixel.Format) []driver.Texture {
		made, err := storage.NewTexture(driver.TextureSpec{Type: bind.Texture2D, Format: f, Width: 512, Height: 512, Depth: 1, Levels: 1, Samples: 1, Length: 1, Usage: driver.TextureRead | driver.TextureWrite})
		if err != nil { t.Fatal(err) }
		return []driver.Texture{made}
	}
	for _, k := range []struct {
		name, src string
		grid      driver.Grid
		args      func() []any
	}{
		{"blur", `kernel void test(texture2d<float> a [[texture(0)]], texture2d<float, access::write> b [[texture(1)]], uint2 p [[thread_position_in_grid]]) {
	float4 s = 0; for (int y = -1; y < 2; y++) for (int x = -1; x < 2; x++) s += a.read(uint2(clamp(int2(p) + int2(x, y), 0, 511))); b.write(s / 9, p); }`,
			driver.Grid{Threadgroups: [3]int{16, 64, 1}, Threads: [3]int{32, 8, 1}}, func() []any { return []any{tex(pixel.RGBA8Unorm), tex(pixel.RGBA8Unorm)} }},
		{"sample", `kernel void test(texture2d<float> a [[texture(0)]], texture2d<float, access::write> b [[texture(1)]], uint2 p [[thread_position_in_grid]]) {
	constexpr sampler s(filter::linear); b.write(a.sample(s, (float2(p) + 0.25f) / 512.0f), p); }`,
			driver.Grid{Threadgroups: [3]int{16, 64, 1}, Threads: [3]int{32, 8, 1}}, func() []any { return []any{tex(pixel.RGBA8Unorm), tex(pixel.RGBA8Unorm)} }},
		{"matmul", `kernel void test(device const float* a, device const float* b, device float* c, uint2 g [[threadgroup_position_in_grid]], uint s [[simdgroup_index_in_threadgroup]]) {
	simdgroup_float8x8 x, y, z(0); uint row = g.y * 32 + s * 8, col = g.x * 8;
	for (uint k = 0; k < 256; k += 8) { simdgroup_load(x, a + row * 256 + k, 256); simdgroup_load(y, b + k * 256 + col, 256); simdgroup_multiply_accumulate(z, x, y, z); }
	simdgroup_store(z, c + row * 256 + col, 256); }`,
			driver.Grid{Threadgroups: [3]int{32, 8, 1}, Threads: [3]int{128, 1, 1}}, func() []any { return []any{make([]float32, 1<<16), make([]float32, 1<<16), make([]float32, 1<<16)} }},
		{"staged", `kernel void test(device const float* a, device const float* b, device float* c, uint2 g [[threadgroup_position_in_grid]], uint s [[simdgroup_index_in_threadgroup]], uint t [[thread_index_in_threadgroup]]) {
	threadgroup float ta[32 * 8], tb[8 * 8];
	simdgroup_float8x8 x, y, z(0); uint row = g.y * 32, col = g.x * 8;
	for (uint k = 0; k < 256; k += 8) {
	  for (uint i = t; i < 256; i += 128) ta[i] = a[(row + i / 8) * 256 + k + i % 8];
	  if (t < 64) tb[t] = b[(k + t / 8) * 256 + col + t % 8];
	  threadgroup_barrier(mem_flags::mem_threadgroup);
	  simdgroup_load(x, ta + s * 64, 8); simdgroup_load(y, tb, 8); simdgroup_multiply_accumulate(z, x, y, z);
	  threadgroup_barrier(mem_flags::mem_threadgroup); }
	simdgroup_store(z, c + (row + s * 8) * 256 + col, 256); }`,
			driver.Grid{Threadgroups: [3]int{32, 8, 1}, Threads: [3]int{128, 1, 1}}, func() []any { return []any{make([]float32, 1<<16), make([]float32, 1<<16), make([]float32, 1<<16)} }},
	{"sum1", `kernel void test(device const float* a, device float* c, uint g [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
	threadgroup float s[256]; float v = 0; for (uint i = t; i < 4096; i += 256) v += a[g * 4096 + i]; s[t] = v; threadgroup_barrier(mem_flags::mem_threadgroup);
	for (uint n = 128; n > 0; n /= 2) { if (t < n) s[t] += s[t + n]; threadgroup_barrier(mem_flags::mem_threadgroup); }
	for (uint i = t; i < 4096; i += 256) c[g * 4096 + i] = a[g * 4096 + i] / s[0]; }`,
			driver.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{256, 1, 1}}, func() []any { return []any{make([]float32, 1<<16), make([]float32, 1<<16)} }},
	{"sum1large", `kernel void test(device const float* a, device float* c, uint g [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
	threadgroup float s[256]; float v = 0; for (uint i = t; i < 4096; i += 256) v += a[g * 4096 + i]; s[t] = v; threadgroup_barrier(mem_flags::mem_threadgroup);
	for (uint n = 128; n > 0; n /= 2) { if (t < n) s[t] += s[t + n]; threadgroup_barrier(mem_flags::mem_threadgroup); }
	for (uint i = t; i < 4096; i += 256) c[g * 4096 + i] = a[g * 4096 + i] / s[0]; }`,
			driver.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{256, 1, 1}}, func() []any { return []any{make([]float32, 1<<23), make([]float32, 1<<23)} }},
	} {
		if o := os.Getenv("ZZ"); o != "" && o != k.name { continue }
		args := k.args()
		for _, mode := range []string{"off", "interpreted", "proof"} {
			o := driver.Options{}
			if mode != "off" { o.Sanitize = driver.CheckAll }
			dev := Open(o)
			if mode == "interpreted" { dev.provesAfter = -1 } else if mode == "proof" { dev.provesAfter = 0 }
			d, _ := dispatchOf(t, dev, k.src, k.grid, args...)
			best := time.Hour
			first := time.Duration(0)
			for i := range 12 {
				at := time.Now()
				if _, err := run(t.Context(), t, dev, d); err != nil { t.Fatal(k.name, err) }
				if i == 0 { first = time.Since(at) }
				best = min(best, time.Since(at))
				if mode == "interpreted" && i > 2 && best > time.Second { break }
			}
			fmt.Println(k.name, mode, "best", best, "first", first, "proved", proved(dev))
			dev.Close()
		}
	}
}
