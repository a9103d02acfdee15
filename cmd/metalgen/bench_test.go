package main

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// BenchmarkProcess measures what go generate waits for: a whole run of the
// command, with all files written. METALGEN_BENCH names another directory of
// sources than that of this repository.
func BenchmarkProcess(b *testing.B) {
	in := cmp.Or(os.Getenv("METALGEN_BENCH"), filepath.FromSlash("../../shaders"))
	sources, err := filepath.Glob(filepath.Join(in, "*.metal"))
	if err != nil || len(sources) == 0 {
		b.Fatal(sources, err)
	}
	var size int64
	for _, s := range sources {
		info, err := os.Stat(s)
		if err != nil {
			b.Fatal(err)
		}
		size += info.Size()
	}
	bin := filepath.Join(b.TempDir(), "metalgen.exe") // Windows wants the ending
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for _, bench := range []struct {
		name  string
		fresh bool // the output exists already
	}{{"new", false}, {"fresh", true}} {
		b.Run(bench.name, func(b *testing.B) {
			out := filepath.Join(b.TempDir(), "gen")
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				if !bench.fresh {
					b.StopTimer()
					if err := os.RemoveAll(out); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
				}
				if msg, err := exec.Command(bin, "-in", in, "-out", out).CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, msg)
				}
			}
		})
	}
}
