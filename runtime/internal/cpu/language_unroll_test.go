package cpu

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// unrolledBodies have loops that are unrolled where N is a number, and stay loops where it is an argument of the
// kernel, which is 4.
var unrolledBodies = []string{
	"for (int k = 0; k < N; k++) x[i] += k * y[i];",
	"for (char k = -2; k <= N; k += 3) x[i] = x[i] * 3 + k;",
	"for (uint k = N; k > 0; k--) x[i] = x[i] * 3 + k;",
	"for (uchar k = 250; k != N; ++k) x[i] = x[i] * 3 + k;",      // wraps around
	"for (uint k = N - 1; k < 7; k -= 1) x[i] = x[i] * 3 + k;",   // and so does this
	"for (short k = 1; k < N * 16; k = k * 2 + 1) x[i] += y[k];", // of any step
	"for (int k = N << 4; k; k >>= 1) x[i] = x[i] * 2 + y[k] * k;",
	"for (int k = 7 / N; 1 <= k; k /= 2) x[i] += k;",
	"for (int k = N; k < 9; k /= 0) { if (i > 2) return; x[i] += k; }",
	"for (int k = N; k < 5; k++) { threadgroup_barrier(mem_flags::mem_none); x[i] += k; }",
	"for (int k = 0; k < N * 100; k++) x[i] += k;", // too many rounds
	"for (int k = N; k < 4; k++) x[i] = 1 / (k - k);",
	"for (int j = 0; j < N; j++) for (int k = j + 1; k < N; k++) x[i] += j * 10 + k;",
	"for (int k = 0; k < N; k++) { if (k == int(i) % 5) return; x[i] += k; }",
	"for (int k = 0; k < N; k++) { if (k == int(i) % 5) break; x[i] += k; }",
	"for (int k = 0; k < N; k++) { if (k == int(i) % 5) continue; x[i] += k; }",
	"for (int k = 0; k < N; k++) { for (int j = 0; j < 3; j++) { if (j == k) break; x[i] += j; } }",
	"for (int k = 0; k < N; k++) { switch (k) { case 1: x[i] += 5; break; case 2: x[i] *= 3; default: x[i] += 1; } }",
	"for (int k = 0; k < N; k++) { x[i] += k; k += i % 2; }",
	"for (int k = 0; k < N; k++) { x[i] += k; step(k); }",
	"for (int k = 0; k < N; k++) { auto f = [&] { k++; }; f(); x[i] += k; }",
	"for (int k = 0; k < N; k++) { thread int& r = k; r++; x[i] += k; }",
	"for (int k = 0; k < N; k++) { thread int* p = &k; *p += 1; x[i] += k; }",
	"for (int k = 0; k < N; k++) { x[i] += twice(k) + (k % 2 ? y[k] : 1) +" +
		"((k && y[i] > 0) ? 2 : 0) + (k == 3 || y[k] < 0); }",
	"for (int k = 0; k < N; k++) { int j = 3 - k; j = j * 2; int n = k; n++; x[i] += j * n; }",
	"for (int k = 0; k < N; k++) { threadgroup_barrier(mem_flags::mem_none); x[i] += k; }",
	"do { x[i] += 1; } while (x[i] < N);", "for (int k = 0; ; k++) { if (k == N) break; x[i] += k; }",
	"for (int k = 0, j = 1; k < N; k++) x[i] += k + j++;",
	// elements
	"float a[4]; for (int k = 0; k < N; k++) a[k] = y[k] + i; for (int k = 0; k < N; k++) x[i] += a[3 - k] * a[k];",
	"float a[2][3] = {{1}, {2, 3, 4}}; for (int k = 0; k < N; k++) x[i] += a[k / 2][k % 3]; a[1][1] = 3; x[i] += a[1][1];",
	"float a[5] = {y[i], 2}; for (int k = 0; k < N; k++) a[k + 1] += a[k] * 2; x[i] = a[4];",
	"float a[4] = {}; for (int k = 0; k < N; k++) { const int at = k ^ 1; a[at] = k; } x[i] = a[i % 4] + a[N - 1];",
	"float a[4]; for (int k = 0; k < N; k++) { a[k] = k; fill(a, k); } x[i] = a[0] + a[3];",
	"float a[4] = {1, 2, 3, 4}; thread float& r = a[1]; for (int k = 0; k < N; k++) { r += a[k]; } x[i] = a[1];",
	"int a[4] = {1, 2, 3, 4}; for (int k = 0; k < N; k++) if (a[k] > int(i) % 5) a[k] = 7;" +
		"for (int k = 0; k < N; k++) x[i] += a[k];",
	"bool a[4] = {}; for (int k = 0; k < N; k++) a[k] = y[k] > i;" +
		"for (int k = 0; k < N; k++) x[i] += a[k] ? k : 9;",
	"struct { float v; short n; } a[3]; for (int k = 0; k < N - 1; k++) a[k] = {y[k], short(k)};" +
		"x[i] = a[N / 2].v + a[1].n;",
	"device float* a[2] = {x + 8, x + 64}; for (int k = 0; k < N; k++) a[k % 2][i % 8] += k;",
	"float4 v = 0; for (int k = 0; k < N; k++) v[k] = v[(k + 3) % 4] + y[k]; x[i] = v.x + v.y * v.z - v.w;",
	"float2x3 m = float2x3(1); for (int k = 0; k < N; k++) m[k / 2][k % 3] += y[k];" +
		"x[i] = m[0].x + m[1].z + m[0][1];",
	"float a[4] = {}; for (int k = 0; k < N; k++) a[k] = 1;" +
		"for (int k = 0; k < N; k++) { float b[2]; b[k % 2] = a[k]; x[i] += b[1]; }",
	"simdgroup_float8x8 a[2], b[2][2]; for (int k = 0; k < N / 2; k++) simdgroup_load(a[k], y + 8 * k, 8);" +
		"for (int k = 0; k < N; k++) simdgroup_multiply(b[k / 2][k % 2], a[k % 2], a[k / 2]);" +
		"simdgroup_store(b[1][0], x, 8);",
	"float a[4] = {}; if (n > 9) a[N] = 1; for (int k = 0; k < N; k++) a[k] += k; x[i] += a[3];", // nobody goes there
	"float a[16] = {}; for (int k = 0; k < N * 250; k++) a[k & 15] += k; x[i] = a[3];",
	"float a[2] = {}; for (uint j = i & 31; j < 64; j += 32) a[j / 32] += j * N; x[i] = a[0] - a[1];",
	"float a[4] = {}; auto f = [&](int k) { a[k & 3] += y[k]; }; for (int k = 0; k < N; k++) f(k + i % 2); x[i] = a[1];",
	// faults
	"float a[4] = {}; for (int k = 0; k < N; k++) a[k + 1] = y[k]; x[i] = a[0];",
	"for (int k = 0; k < N; k++) if (i == 40) x[i * 100 * k] = 1;",
	"for (int k = 0; k < N; k++) x[i] += i / k;", "for (int k = 0; k < N; k++) if (k > 7) x[i] += 1 / (k - k);",
}

// TestUnrolledLoopsDoWhatLoopsDo to the last bit, and where they fault it is on the same line.
func TestUnrolledLoopsDoWhatLoopsDo(t *testing.T) {
	t.Parallel()
	for _, body := range unrolledBodies {
		var results [2][]float32
		var messages [2]string
		for j, n := range [...]string{"4", "n"} {
			x, y := make([]float32, 96), make([]float32, 96)
			for i := range x {
				x[i], y[i] = float32(i%7)-3, float32(i%13)*0.75-3
			}
			source := fmt.Sprintf(`void step(thread int& k) { k++; }
float twice(const thread int& k) { float a[3]; for (short j = 0; j < 3; j++) a[j] = j * k; return a[1] + a[2]; }
void fill(thread float (&a)[4], int n) { for (int k = 0; k < n; k++) a[k] += k; }
kernel void test(device float* x, device const float* y, constant int& n, uint i [[thread_position_in_grid]]) {
	%s
}`, strings.ReplaceAll(body, "N", n))
			err := execute(t, source, threads(64), x, y, int32(4))
			results[j] = x
			if err != nil {
				messages[j], _, _ = strings.Cut(err.Error(), ":5:")
			}
		}
		same := func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }
		if messages[0] != messages[1] || !slices.EqualFunc(results[0], results[1], same) {
			t.Errorf("%s\nunrolled:\n%v\n%s\na loop:\n%v\n%s", body, results[0], messages[0], results[1], messages[1])
		}
	}
}

// TestUnrollingIsBounded holds that loops in loops, and in calls, come to no more than so many instructions.
func TestUnrollingIsBounded(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		nestedLoops(6, "x[i] += a + b;"), nestedLoops(20, "x[a] += b;"), nestedLoops(2, "x[i] += f(x[i]);"),
		strings.Repeat(nestedLoops(3, "x[i] += a;"), 100), strings.Repeat(nestedLoops(1, "m = m * m; m += m;"), 20),
		strings.Repeat(nestedLoops(1, "l[a] = l[a + 64];"), 20),
	} {
		source := `struct Large { float4 v[64]; };
float f(float v) { ` + nestedLoops(3, "v += a * b;") + ` return v; }
kernel void test(device float* x, device Large* l, uint i [[thread_position_in_grid]]) {
	float4x4 m(x[i]);
	` + body + `
	x[i] += m[0][0];
}`
		dev := Open(options())
		defer dev.Close()
		k := testKernel(t, dev, source)
		if n := len(k.program.Code); n > 1<<16 {
			t.Errorf("%d instructions", n)
		}
	}
}

// nestedLoops is a body in loops of 60 rounds.
func nestedLoops(n int, body string) string {
	for i := range n {
		v := "abcdefghijklmnopqrst"[n-1-i : n-i]
		body = fmt.Sprintf("for (short %s = 0; %[1]s < 60; %[1]s++) { %s }", v, body)
	}
	return body
}
