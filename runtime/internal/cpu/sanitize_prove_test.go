package cpu

import (
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// runOn executes a random program on a device, and returns what it leaves in memory.
func (p *racerProgram) runOn(t *testing.T, dev *Device) ([]uint32, error) {
	memory, out := make([]uint32, racerGlobal.size()/4+2), make([]uint32, p.total)
	err := executeOn(t.Context(), t, dev, p.source(), p.grid(), memory, shared(racerShared+16), out, p.input)
	return slices.Concat(memory, out), err
}

// proved returns how many dispatches of a device's kernels have proved that there is nothing to find.
func proved(dev *Device) (n int64) {
	for _, k := range dev.kernels {
		if k.proving != nil {
			n += k.proving.proved.Load()
		}
	}
	return n
}

// provingSeeds make programs that mostly prove that there is nothing to find. Two of them are wrong.
var provingSeeds = []uint64{4, 6, 7, 11, 20, 21, 29}

// TestProofsHideNoFinding runs random programs with and without proofs. Some lack a barrier or an atomic. What the
// sanitizer reports of them is the same.
func TestProofsHideNoFinding(t *testing.T) {
	t.Parallel()
	if kind := Open(options()).nativeKind; kind == nil {
		t.Skip("there is no machine code")
	}
	var right, wrong, proofs int64
	seeds := programsToTry(0, 1000)
	if !*long && *programs == 0 {
		seeds = slices.Values(provingSeeds)
	}
	for seed := range seeds {
		p := newRacerProgram(seed)
		if len(p.all(racerHandsOver)) > 0 {
			continue // what it does depends on which threadgroup comes last
		}
		if seed%2 == 0 {
			p.breakOne(rand.New(rand.NewPCG(seed, 14)))
		}
		devs := [2]*Device{}
		var results [2][]uint32
		var errs [2]error
		for i := range devs {
			devs[i] = Open(driver.Options{Sanitize: driver.CheckAll})
			devs[i].provesAfter = int64(-i)
			results[i], errs[i] = p.runOn(t, devs[i])
		}
		var all [2][]string
		for i, err := range errs {
			if f, ok := errors.AsType[*driver.Findings](err); ok {
				for _, one := range f.List { // of threadgroups that run at once, others may be named each time
					where := one.Kind.String()
					for _, place := range one.Places {
						where += " " + place.Pos
					}
					all[i] = append(all[i], where)
				}
				slices.Sort(all[i])
			} else if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, p.source())
			}
		}
		proofs += proved(devs[0])
		if !slices.Equal(all[0], all[1]) {
			t.Errorf("seed %d: %q, and without a proof %q\n%s", seed, all[0], all[1], p.source())
		}
		if len(all[1]) == 0 {
			right++
			if !slices.Equal(results[0], results[1]) {
				t.Errorf("seed %d: other results\n%s", seed, p.source())
			}
		} else {
			wrong++
		}
	}
	t.Logf("%d programs are right, of which %d prove it, and %d wrong", right, proofs, wrong)
	if 4*proofs < right || wrong < 2 {
		t.Error("too few of either")
	}
}

// TestRightKernelsProve that there is nothing to find, and wrong ones do not.
func TestRightKernelsProve(t *testing.T) {
	t.Parallel()
	if Open(options()).nativeKind == nil {
		t.Skip("there is no machine code")
	}
	for _, tt := range []struct {
		name, body string
		right      bool
	}{
		{"each thread has its element", "x[i] = 2 * x[i];", true},
		{"two threads have one", "x[i / 2] = 3;", false},
		{"a thread reads its neighbour's", "x[i] = x[(i + 1) % 256];", false},
		{"pointers that move", "for (device uint* p = x + i; p < x + 256; p += 256) *p += 1;", true},
		{"a sum", `s[t] = x[i];
	threadgroup_barrier(mem_flags::mem_threadgroup);
	for (uint n = 32; n > 0; n /= 2) {
		if (t < n) s[t] += s[t + n];
		threadgroup_barrier(mem_flags::mem_threadgroup);
	}
	x[i] = s[0];`, true},
		{"a sum that lacks a barrier", `s[t] = x[i];
	threadgroup_barrier(mem_flags::mem_threadgroup);
	for (uint n = 32; n > 0; n /= 2) {
		if (t < n) s[t] += s[t + n];
	}
	threadgroup_barrier(mem_flags::mem_threadgroup);
	x[i] = s[0];`, false},
		{"what all have read is written after a barrier", `s[t] = t;
	threadgroup_barrier(mem_flags::mem_threadgroup);
	uint v = s[63 - t];
	threadgroup_barrier(mem_flags::mem_threadgroup);
	s[t] = v;
	x[i] = s[t];`, true},
		{"and without one", `s[t] = t;
	threadgroup_barrier(mem_flags::mem_threadgroup);
	uint v = s[63 - t];
	s[t] = v;
	x[i] = s[t];`, false},
		{"memory of the threadgroup that nobody has written", "x[i] = s[t];", false},
		{"atomics", "atomic_fetch_add_explicit((device atomic_uint*)x + i / 4, 1, memory_order_relaxed);", true},
		{"an atomic and what is none", `atomic_fetch_add_explicit((device atomic_uint*)x + i, 1, memory_order_relaxed);
	if (i > 0) x[i - 1] = 1;`, false},
		{"an array of the thread", `uint a[9];
	for (uint k = 0; k < 9; k++) a[k] = k * i;
	x[i] = a[i % 9];`, true},
		{"an array with a hole", `uint a[9];
	for (uint k = 0; k < 8; k++) a[k] = k * i;
	x[i] = a[i % 9];`, false},
		{"a thread returns before a barrier", `if (t == 63) return;
	s[t] = t;
	threadgroup_barrier(mem_flags::mem_threadgroup);
	x[i] = s[0];`, false},
		{"one returns after it", `s[t] = t;
	threadgroup_barrier(mem_flags::mem_threadgroup);
	if (t == 63) return;
	x[i] = s[0];`, true},
	} {
		source := `#include <metal_stdlib>
using namespace metal;
kernel void test(device uint* x, uint i [[thread_position_in_grid]], uint t [[thread_position_in_threadgroup]]) {
	threadgroup uint s[64];
	` + tt.body + "\n}"
		dev := Open(driver.Options{Sanitize: driver.CheckAll})
		dev.provesAfter = 0
		grid := driver.Grid{Threadgroups: [3]int{4, 1, 1}, Threads: [3]int{64, 1, 1}}
		err := executeOn(t.Context(), t, dev, source, grid, make([]uint32, 256))
		if right := proved(dev) == 1; right != tt.right || (err == nil) != tt.right {
			t.Errorf("%s: proved is %t, and %v", tt.name, right, err)
		}
	}
}

// TestMostKernelsProve counts the kernels of shaders/, and of the projects that METALGEN_PROJECTS names, that can be
// asked for a proof.
func TestMostKernelsProve(t *testing.T) {
	c := &corpus{dir: "../../../shaders", failures: map[string]*failure{}}
	if n, of := countProvable(t, "shaders", c); 10*n < 6*of {
		t.Error("too few")
	}
	for _, entry := range strings.Fields(os.Getenv("METALGEN_PROJECTS")) {
		name, dir, _ := strings.Cut(entry, "=")
		options := sourcesOf(name, dir)
		c := &corpus{dir: options.In, options: options, failures: map[string]*failure{}}
		if name == "mlx" {
			c.sample = 5
		}
		countProvable(t, name, c)
	}
}

func countProvable(t *testing.T, name string, c *corpus) (n, of int) {
	files, err := c.files()
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	dev := Open(driver.Options{Sanitize: driver.CheckAll})
	defer dev.Close()
	reasons := map[string]int{}
	for _, file := range files {
		c.eachKernel(file, func(parsed *msl.Program, i int) {
			if ok, err := provable(dev, parsed, i); err != nil {
				of++
				reasons[err.Error()]++
			} else if ok {
				of++
				n++
			}
		})
	}
	t.Logf("%s: %d of %d kernels can be asked for a proof; the others: %s", name, n, of, listed(reasons))
	return n, of
}

// provable reports whether a kernel can be asked for a proof, or why not. It reports false for one that is wrong.
func provable(dev *Device, parsed *msl.Program, i int) (ok bool, err error) {
	checked := parsed.Kernels[i]
	if checked.Errors.HasErrors() {
		return false, nil
	}
	fn, errs := parsed.Body(checked)
	if errs.HasErrors() {
		return false, nil
	}
	program, err := compile(checked, fn, dev.building(true), nil)
	if err != nil {
		return false, nil
	}
	p := &proving{}
	p.device = dev
	return true, p.compile(&kernel{device: dev, checked: checked, fn: fn, program: program}, nil)
}
