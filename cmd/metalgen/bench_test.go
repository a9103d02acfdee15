package main

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// BenchmarkProcess measures what go generate waits for: a whole run of the command, with all files
// written, and on Linux the memory that it has at most. METALGEN_BENCH names other sources than
// those of this repository, "dir -r -Idir". All of MLX is to take less than 1.2 s and 400 MB on a
// quiet machine, ggml less than 0.2 s.
func BenchmarkProcess(b *testing.B) {
	args := []string{"-quiet", "-in"}
	for _, word := range strings.Fields(cmp.Or(os.Getenv("METALGEN_BENCH"), filepath.FromSlash("../../shaders"))) {
		if flag := word[:min(2, len(word))]; flag == "-I" || flag == "-D" {
			args, word = append(args, flag), word[2:]
		}
		args = append(args, word)
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
			b.ReportAllocs()
			peak := 0.0
			for b.Loop() {
				if !bench.fresh {
					b.StopTimer()
					if err := os.RemoveAll(out); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
				}
				run := exec.Command(bin, append(args, "-out", out)...)
				if msg, err := run.CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, msg)
				}
				peak = max(peak, peakMemory(run.ProcessState))
			}
			if peak > 0 {
				b.ReportMetric(peak/1e6, "MB-peak")
			}
		})
	}
}

// peakMemory returns how many bytes a process had at most, or 0 where that is not known.
func peakMemory(p *os.ProcessState) float64 {
	if runtime.GOOS != "linux" {
		return 0
	}
	return 1024 * float64(reflect.ValueOf(p.SysUsage()).Elem().FieldByName("Maxrss").Int()) // a *syscall.Rusage
}
