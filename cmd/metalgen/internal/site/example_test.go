package site

import (
	"strings"
	"testing"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/generate"
	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/templates"
)

// TestAGridWithoutExample builds the page of a grid that depends on more sizes than are searched for, and of one for
// which no sizes are good.
func TestAGridWithoutExample(t *testing.T) {
	dir := t.TempDir()
	writeTree(t, dir, []templates.File{{Name: "a.metal", Data: []byte(`
struct P { uint n[9]; };
// metalgen:grid (p.n[0] + p.n[1] + p.n[2] + p.n[3] + p.n[4] + p.n[5] + p.n[6] + p.n[7] + p.n[8], 1, 1)
kernel void many(constant P& p, device float* x) {}
// metalgen:threadgroups (4000000000, 4000000000, n)
// metalgen:threads (n * 2000, 1, 1)
kernel void large(constant uint& n, device float* x, uint i [[threadgroup_position_in_grid]]) {}
`)}})
	files, _ := build(t, generate.Config{In: dir})
	for _, f := range files {
		if text := string(f.Data); strings.HasPrefix(f.Name, "a.metal/") &&
			(!strings.Contains(text, "threadgroups</th>") || strings.Contains(text, `class="grid"`)) {
			t.Errorf("%s: %s", f.Name, text)
		}
	}
}

// TestExamplesAreWhatGeneratedCodeComputes compares grids of pages with those that the generated functions return.
func TestExamplesAreWhatGeneratedCodeComputes(t *testing.T) {
	_, all := ofShaders(t)
	kernels := map[string]*binding.Kernel{}
	for _, s := range all[0].Package.Sources {
		for _, k := range s.Kernels {
			kernels[k.Go] = k
			if k.Geometry == nil {
				continue
			}
			e, ok := newExample(k)
			if !ok || product(e.threadgroups) < 1 || product(e.threads) < 1 || product(e.threads) > maxThreads ||
				product(e.size) < 1 || product(e.size) > product(e.threadgroups)*product(e.threads) {
				t.Errorf("%s: %+v", k.Go, e)
			}
		}
	}
	for name, grid := range map[string]func(n []uint32) runtime.Grid{
		"SwigluFused":        func(n []uint32) runtime.Grid { return gen.SwigluFusedGrid(n[0]) },
		"FusedNormAddF32":    func(n []uint32) runtime.Grid { return gen.FusedNormAddF32Grid(n[0], n[1]) },
		"SwigluFusedBatched": func(n []uint32) runtime.Grid { return gen.SwigluFusedBatchedGrid(n[0], n[1]) },
	} {
		k := kernels[name]
		e, _ := newExample(k)
		var sizes []uint32
		for _, l := range k.Geometry.Leaves {
			sizes = append(sizes, uint32(e.sizes[l]))
		}
		if want := grid(sizes); want.Threadgroups != e.threadgroups || want.Threads != e.threads {
			t.Errorf("%s of %v: %v of %v, generated code says %+v", name, sizes, e.threadgroups, e.threads, want)
		}
	}
}
