package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// A run is a command that prints numbers as go test -bench does.
type run struct {
	name    string
	dir     string // of the repository
	command []string
	env     []string
}

// runs are in the order of their turns.
var runs = []run{
	{name: "machine code", dir: "gen_test", command: bench(kernels)},
	{name: "interpreter", dir: "gen_test", command: bench(kernels), env: []string{"METALGEN_NATIVE=off"}},
	{
		name: "suite", dir: "tools",
		command: []string{"go", "run", "./benchmarks", "-suite", ".*", "-time", "50ms", "-on", suiteOn},
	},
	{name: "first call", dir: "gen_test", command: bench("FirstCall")},
	{name: "cores", dir: "gen_test", command: bench("Cores")},
	{name: "library", dir: "runtime/internal/cpu", command: bench("Math|Gemm|Dispatch$")},
	{name: "encode", dir: "gen_test", command: bench("Encode/.*/(FusedNorm|MoeCombine|ResizeB)")},
	{name: "driver", dir: "runtime/internal/metal", command: bench("Dispatch$")},
	{name: "images", dir: "gen_test/peers", command: bench(".")},
	{name: "generate", dir: "cmd/metalgen", command: bench("Process")},
}

// suiteOn is what runs the suite: where there is AVX-512, AVX2 by itself as well.
var suiteOn = func() string {
	on := "metalgen,pocl,interpreter"
	if hasAVX512() {
		on += ",avx2"
	}
	return on
}()

const kernels = "FusedNormAddF32$|SwigluFused$|DequantMatvec4bit$|DequantMatvec4bitV3$|MlaSdpaFolded$"

func bench(pattern string) []string {
	return []string{"go", "test", "-run", "^$", "-bench", pattern, "-benchtime", "0.3s"}
}

// numbers has the best of each number, by the name of the run, that of the benchmark and the unit.
type numbers map[string]map[string]map[string]float64

func (all numbers) add(root string, r run) error {
	cmd := exec.Command(r.command[0], r.command[1:]...)
	cmd.Dir = filepath.Join(root, r.dir)
	cmd.Env = append(os.Environ(), r.env...)
	var mistakes bytes.Buffer
	cmd.Stderr = &mistakes
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%w\n%s%s", err, out, &mistakes)
	}
	results := benchfmt.NewReader(bytes.NewReader(out), r.name)
	for results.Scan() {
		result, ok := results.Result().(*benchfmt.Result)
		if !ok {
			continue // a line of something else
		}
		name := withoutCores(result.Name)
		for _, v := range result.Values {
			all.note(r.name, name, v.Unit, v.Value)
		}
	}
	return results.Err()
}

// note keeps a value if it is the best.
func (all numbers) note(run, benchmark, unit string, v float64) {
	if all[run] == nil {
		all[run] = map[string]map[string]float64{}
	}
	if all[run][benchmark] == nil {
		all[run][benchmark] = map[string]float64{}
	}
	units := all[run][benchmark]
	if old, found := units[unit]; !found || strings.HasSuffix(unit, "/s") == (v > old) {
		units[unit] = v
	}
}

// join keeps the better of each number.
func (all numbers) join(more numbers) {
	for run, benchmarks := range more {
		for benchmark, units := range benchmarks {
			for unit, v := range units {
				all.note(run, benchmark, unit, v)
			}
		}
	}
}

// withoutCores returns a name without the number of cores at its end.
func withoutCores(name benchfmt.Name) string {
	base, parts := name.Parts()
	for _, p := range parts {
		if p[0] != '-' {
			base = append(base[:len(base):len(base)], p...)
		}
	}
	return string(base)
}
