package generate

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

// benchSources is the directory of sources to measure with, and their size.
// METALGEN_BENCH names another than that of this repository.
func benchSources(b *testing.B) (cfg Config, size int64) {
	cfg.In = os.Getenv("METALGEN_BENCH")
	if cfg.In == "" {
		cfg.In = filepath.FromSlash("../../../../shaders")
	}
	dirs, err := sourceDirs(cfg)
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range dirs[0].files {
		info, err := os.Stat(filepath.Join(cfg.In, name))
		if err != nil {
			b.Fatal(err)
		}
		size += info.Size()
	}
	if os.Getenv("GOGC") == "" { // as the command does
		percent := debug.SetGCPercent(800)
		b.Cleanup(func() { debug.SetGCPercent(percent) })
	}
	return cfg, size
}

// BenchmarkLoad measures the way from the files to the model.
func BenchmarkLoad(b *testing.B) {
	cfg, size := benchSources(b)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if all, err := Load(cfg, packageName); err != nil || Failed(all) {
			b.Fatal(err)
		}
	}
}

// BenchmarkGenerate measures all but the writing.
func BenchmarkGenerate(b *testing.B) {
	cfg, size := benchSources(b)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if all, err := Run(cfg, packageName, ""); err != nil || Failed(all) {
			b.Fatal(err)
		}
	}
}

// BenchmarkVet measures the checks of all bodies, reading included: of shaders/, which is
// to take less than 150 ms, or of METALGEN_BENCH. ggml-metal.metal, with BFLOAT kernels and
// -I of its headers in METALGEN_BENCH_INCLUDE, is to take less than 1 s.
func BenchmarkVet(b *testing.B) {
	cfg, size := benchSources(b)
	if dir := os.Getenv("METALGEN_BENCH_INCLUDE"); dir != "" {
		cfg.Include, cfg.Define = []string{dir}, []string{"GGML_METAL_HAS_BF16=1"}
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if all, err := Vet(cfg); err != nil || Failed(all) {
			b.Fatal(err)
		}
	}
}
