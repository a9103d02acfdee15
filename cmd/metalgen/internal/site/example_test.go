package site

import (
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime"
)

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
