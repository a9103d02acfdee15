package build

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// BenchmarkKernel builds all kernels of the shaders of this repository.
func BenchmarkKernel(b *testing.B) {
	type checked struct {
		k  *tree.Kernel
		fn *tree.Func
	}
	var kernels []checked
	files, err := filepath.Glob("../../../shaders/*.metal")
	if err != nil {
		b.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		p := analyzed(b, file, string(source))
		for _, k := range p.Kernels {
			fn, errs := p.BodyUntil(k, never)
			if errs.HasErrors() {
				b.Fatal(errs)
			}
			kernels = append(kernels, checked{k, fn})
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, c := range kernels {
			if _, err := Kernel(c.k, c.fn, Options{Device: "the test device"}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(kernels)), "ns/kernel")
}
