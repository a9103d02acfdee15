package cpu

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/internal/cpu/assemble"
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/isa/amd64"
	"github.com/metalgen/metalgen/runtime/internal/cpu/isa/arm64"
	"github.com/metalgen/metalgen/runtime/internal/cpu/machine"
	"github.com/metalgen/metalgen/runtime/internal/cpu/native"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// allMachines are those that code is made for, on whatever machine the tests run.
var allMachines = []struct {
	name string
	make machine.Kind
}{{"AVX-512", amd64.NewAVX512}, {"AVX2", amd64.NewAVX2}, {"NEON", arm64.New}}

var codeDir = flag.String("code", "", "a folder for the machine code of all kernels: KERNEL.MACHINE.bin")

// TestMachineCodeIsMadeOfAllKernels of shaders/, and of 99 in 100 of the projects that METALGEN_PROJECTS names and that
// compile. It logs how many there are for each machine, and which operations the code leaves to the interpreter.
func TestMachineCodeIsMadeOfAllKernels(t *testing.T) {
	c := &corpus{dir: "../../../shaders", failures: map[string]*failure{}}
	countMachineCode(t, "shaders", c, 100)
	for _, entry := range strings.Fields(os.Getenv("METALGEN_PROJECTS")) {
		name, dir, _ := strings.Cut(entry, "=")
		options := sourcesOf(name, dir)
		c := &corpus{dir: options.In, options: options, failures: map[string]*failure{}}
		if name == "mlx" { // which has 17,000
			c.sample = 20
		}
		countMachineCode(t, name, c, 99)
	}
}

// madeCode counts the kernels with code for a machine.
type madeCode struct {
	made, whole   int
	givenBy, fail map[string]int // by operation, and by reason
	bytes         int
}

func countMachineCode(t *testing.T, name string, c *corpus, percent int) {
	files, err := c.files()
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	counts, kernels := make([]madeCode, len(allMachines)), 0
	for i := range counts {
		counts[i].givenBy, counts[i].fail = map[string]int{}, map[string]int{}
	}
	for _, file := range files {
		c.eachProgram(file, func(p *interp.Code) {
			kernels++
			for i, m := range allMachines {
				code := counts[i].add(p.Program, m.make)
				if *codeDir == "" || code == nil {
					continue
				}
				path := filepath.Join(*codeDir, p.Program.Name+"."+m.name+".bin")
				if err := os.WriteFile(path, code.Bytes, 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	for i, m := range allMachines {
		n := &counts[i]
		t.Logf("%s: %d of %d kernels become machine code with %s, %d of them wholly; %d bytes each", name, n.made,
			kernels, m.name, n.whole, n.bytes/max(1, n.made))
		t.Logf("   the others leave to the interpreter: %s", listed(n.givenBy))
		if len(n.fail) > 0 {
			t.Logf("   none: %s", listed(n.fail))
		}
		if 100*n.made < percent*kernels {
			t.Errorf("%s: %d of %d kernels become machine code with %s", name, n.made, kernels, m.name)
		}
	}
}

// TestPointersOfBothSidesOfAnIfKeepTheirObject so that what they point to is loaded in machine code: MLX moves matrices
// by batches in that way.
func TestPointersOfBothSidesOfAnIfKeepTheirObject(t *testing.T) {
	t.Parallel()
	source := `#include <metal_stdlib>
using namespace metal;
kernel void test(device const float* x, device float* y, constant int& n, constant uint& by,
	uint i [[thread_position_in_grid]]) {
	if (n > 0) {
		for (int k = n; k > 0; k /= 2) x += k * by;
	} else {
		x += by;
		y[1] = 2;
	}
	y[i] = x[i];
}`
	dev := Open(driver.Options{})
	defer dev.Close()
	k := testKernel(t, dev, source)
	p := k.program.Program
	for _, m := range allMachines {
		code, err := machine.Make(p, machine.CountingInRows(p), nil, m.make, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, pc := range code.Given {
			t.Errorf("%s: instruction %d is left to the interpreter in\n%s", m.name, pc, p)
		}
	}
}

// BenchmarkMachineCode makes machine code of all kernels of shaders/, for each machine.
func BenchmarkMachineCode(b *testing.B) {
	c := &corpus{dir: "../../../shaders", failures: map[string]*failure{}}
	files, err := c.files()
	if err != nil {
		b.Fatal(err)
	}
	var programs []*program.Program
	for _, file := range files {
		c.eachProgram(file, func(p *interp.Code) { programs = append(programs, p.Program) })
	}
	for _, m := range allMachines {
		b.Run(m.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, p := range programs {
					if _, err := machine.Make(p, machine.CountingInRows(p), nil, m.make, nil); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(programs)), "µs/kernel")
		})
	}
}

// listed is counts as text, the greatest first.
func listed(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, counts[name])
	}
	return strings.Join(names, ", ")
}

func (n *madeCode) add(p *program.Program, kind machine.Kind) *native.Code {
	code, err := machine.Make(p, machine.CountingInRows(p), nil, kind, nil)
	if err != nil {
		n.fail[err.Error()]++
		return nil
	}
	n.made++
	n.bytes += len(code.Bytes)
	if len(code.Given) == 0 {
		n.whole++
	}
	here := map[string]bool{}
	for _, pc := range code.Given {
		in := &p.Code[pc]
		op := in.Op.String()
		if in.Flow != program.FlowNone {
			op = "recursion"
		} else if in.Op >= program.OpTextures && in.Op < program.OpLoads {
			op = "texture"
		}
		here[op] = true
	}
	for op := range here {
		n.givenBy[op]++
	}
	return code
}

// eachProgram calls f with the kernels of a source that compile.
func (c *corpus) eachProgram(file string, f func(p *interp.Code)) {
	c.eachKernel(file, func(parsed *msl.Program, i int) {
		if p, err := programOf(parsed, i); err == nil {
			f(p)
		}
	})
}

// eachKernel calls f with the kernels of a source, or with a sample of them.
func (c *corpus) eachKernel(file string, f func(parsed *msl.Program, i int)) {
	parsed, errs := c.analyze(file)
	if errs.HasErrors() {
		return
	}
	step := 1
	if c.sample > 0 {
		step = max(1, len(parsed.Kernels)/c.sample)
	}
	for i := 0; i < len(parsed.Kernels); i += step {
		f(parsed, i)
	}
}

// programOf compiles a kernel.
func programOf(program *msl.Program, i int) (p *interp.Code, err error) {
	k := program.Kernels[i]
	defer interp.RecoverInternal(&err, k.Name)
	if k.Errors.HasErrors() {
		return nil, parser.ErrorList(k.Errors)
	}
	fn, errs := program.Body(k)
	if errs.HasErrors() {
		return nil, errs
	}
	return compile(k, fn, assemble.Options{Hoist: true, Plain: true}, nil)
}
