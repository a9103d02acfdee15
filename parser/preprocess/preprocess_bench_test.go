package preprocess

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// kernelText is a source of n kernels as people write them: about two fifths
// comments, many short lines.
func kernelText(n int) string {
	var b strings.Builder
	b.WriteString("#include <metal_stdlib>\nusing namespace metal;\n#define TG_SIZE 256\n#define HALF(n) ((n) / 2)\n\n")
	for i := range n {
		fmt.Fprintf(&b, `
// Scales x by a weight of its column and adds what was there before, one
// thread an element.
//
// Grid: (rows * dim, 1, 1)
// Threads: (256, 1, 1)
kernel void scale_add_%d(
    device const float* x      [[buffer(0)]], // [rows, dim]
    device const float* weight [[buffer(1)]], // [dim]
    device float*       out    [[buffer(2)]], // [rows, dim]
    constant uint&      dim    [[buffer(3)]],
    constant uint&      rows   [[buffer(4)]],
    uint tid [[thread_position_in_grid]]
) {
    if (tid >= rows * dim) return;
    uint column = tid %% dim;
    threadgroup float shared[TG_SIZE];
    shared[tid %% HALF(TG_SIZE)] = 0.5f;
    out[tid] = fma(x[tid], weight[column], out[tid]) + shared[0] * 1.0e-3f;
}
`, i)
	}
	return b.String()
}

func BenchmarkPreprocess(b *testing.B) {
	for _, kernels := range []int{1, 160} {
		text := []byte(kernelText(kernels))
		b.Run(fmt.Sprintf("kernels=%d", kernels), func(b *testing.B) {
			benchmarkText(b, text)
		})
	}
	// A source of one's own: METALGEN_BENCH=file.
	if file := os.Getenv("METALGEN_BENCH"); file != "" {
		b.Run("file", func(b *testing.B) {
			text, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			benchmarkText(b, text)
		})
	}
}

func benchmarkText(b *testing.B, text []byte) {
	opt := &Options{ReadFile: func(string) ([]byte, error) { return text, nil }}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	tokens := 0
	for b.Loop() {
		unit, errs := Run("main.metal", "main.metal", opt)
		if len(errs) > 0 {
			b.Fatal(errs)
		}
		tokens = len(unit.Tokens)
	}
	b.ReportMetric(float64(tokens), "tokens")
}
