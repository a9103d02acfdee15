package generate

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// benchSources are the sources to measure with, and their size. METALGEN_BENCH names others than those of this
// repository, as the command line does: "dir -r -Idir -DNAME=1".
func benchSources(b *testing.B) (cfg Config, size int64) {
	cfg.In = filepath.FromSlash("../../../../shaders")
	for i, word := range strings.Fields(os.Getenv("METALGEN_BENCH")) {
		switch {
		case i == 0:
			cfg.In = word
		case word == "-r":
			cfg.Recursive = true
		case strings.HasPrefix(word, "-I"):
			cfg.Include = append(cfg.Include, word[2:])
		case strings.HasPrefix(word, "-D"):
			cfg.Define = append(cfg.Define, word[2:])
		default:
			b.Fatal("METALGEN_BENCH: unknown flag ", word)
		}
	}
	dirs, err := sourceDirs(cfg)
	if err != nil {
		b.Fatal(err)
	}
	for _, d := range dirs {
		for _, name := range d.files {
			info, err := os.Stat(filepath.Join(cfg.In, d.rel, name))
			if err != nil {
				b.Fatal(err)
			}
			size += info.Size()
		}
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
// to take less than 150 ms, or of METALGEN_BENCH. ggml-metal.metal, with BFLOAT kernels
// (-DGGML_METAL_HAS_BF16=1) and -I of its headers, is to take less than 1 s.
func BenchmarkVet(b *testing.B) {
	cfg, size := benchSources(b)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if all, err := Vet(cfg); err != nil || Failed(all) {
			b.Fatal(err)
		}
	}
}
