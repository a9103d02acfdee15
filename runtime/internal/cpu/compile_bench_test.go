package cpu

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/ir/pass"
	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
	"github.com/metalgen/metalgen/runtime/internal/cpu/assemble"
)

// BenchmarkCompile compiles every kernel of shaders/ from its parsed library, as
// the first call of a kernel does, and reports the one that takes longest.
func BenchmarkCompile(b *testing.B) {
	var trees []*parser.Tree
	files, _ := filepath.Glob("../../../shaders/*.metal")
	for _, file := range files {
		unit, _ := preprocess.Run(filepath.Base(file), file, nil)
		tree, errs := parser.Parse(unit)
		if errs.HasErrors() {
			b.Fatal(errs)
		}
		trees = append(trees, tree)
	}
	benchmarkCompile(b, trees, 1)
}

// BenchmarkCompileGGML does so with one in ten kernels of ggml.
func BenchmarkCompileGGML(b *testing.B) {
	p := openProject(b, "ggml")
	unit, errs := preprocess.Run("ggml-metal.metal", filepath.Join(p.dir, "ggml-metal.metal"), &p.options)
	if errs.HasErrors() {
		b.Fatal(errs)
	}
	tree, errs := parser.Parse(unit)
	if errs.HasErrors() {
		b.Fatal(errs)
	}
	benchmarkCompile(b, []*parser.Tree{tree}, 10)
}

// benchmarkCompile compiles one in each kernels of libraries.
func benchmarkCompile(b *testing.B, trees []*parser.Tree, each int) {
	defer func(verify func(pass.Pass, *ir.Kernel) error) { pass.Each = verify }(pass.Each)
	pass.Each = nil
	kernels := 0
	var worst time.Duration // the least time of the slowest kernel
	least := map[string]time.Duration{}
	b.ReportAllocs()
	for b.Loop() {
		kernels = 0
		for _, tree := range trees {
			program, _ := msl.Analyze(tree)
			for i, k := range program.Kernels {
				if i%each > 0 {
					continue
				}
				kernels++
				start := time.Now()
				fn, errs := program.Body(k)
				if errs.HasErrors() {
					b.Fatal(errs)
				}
				if _, err := compile(k, fn, assemble.Options{Hoist: true, Plain: true}, nil); err != nil {
					b.Fatal(err)
				}
				took := time.Since(start)
				if old, ok := least[k.Name]; !ok || took < old {
					least[k.Name] = took
				}
			}
		}
	}
	for _, took := range least {
		worst = max(worst, took)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*kernels), "µs/kernel")
	b.ReportMetric(float64(worst.Microseconds()), "µs/slowest")
}

// BenchmarkLoad parses and analyses the largest library of shaders/, as the first
// call of one of its kernels does.
func BenchmarkLoad(b *testing.B) {
	file := "../../../shaders/moe_combine.metal"
	for b.Loop() {
		unit, _ := preprocess.Run(filepath.Base(file), file, nil)
		tree, errs := parser.Parse(unit)
		if errs.HasErrors() {
			b.Fatal(errs)
		}
		msl.Analyze(tree)
	}
}
