// Package calltest calls what package templates generated into its testdata. It
// is a package of its own so that the golden files there can be rewritten when
// they do not compile.
package calltest

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/x448/float16"

	_ "github.com/metalgen/metalgen/internal/ir/pass/verified"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest"
	args "github.com/metalgen/metalgen/templates/testdata/args"
	grids "github.com/metalgen/metalgen/templates/testdata/grids"
	norm "github.com/metalgen/metalgen/templates/testdata/norm"
)

func open(t *testing.T) (*runtime.Device, *runtimetest.Recording) {
	t.Helper()
	dev, rec := runtimetest.New()
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev, rec
}

func buffer[T any](t *testing.T, dev *runtime.Device, n int) runtime.Buffer[T] {
	t.Helper()
	b, err := runtime.NewBuffer[T](dev, n)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func grid(threadgroups, threads int) runtime.Grid {
	return runtime.Grid{Threadgroups: [3]int{threadgroups, 1, 1}, Threads: [3]int{threads, 1, 1}}
}

func TestNorm(t *testing.T) {
	dev, rec := open(t)
	const dim, rows = 100, 3
	a := norm.FusedNormAddF32Args{
		Residual: buffer[float32](t, dev, rows*dim),
		Input:    buffer[float32](t, dev, rows*dim),
		Weight:   buffer[float32](t, dev, dim),
		Output:   buffer[float32](t, dev, rows*dim),
		Dim:      dim,
		Rows:     rows,
		Eps:      1e-6,
	}
	b := dev.NewBatch()
	norm.FusedNormAddF32(b, a)
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := rec.Dispatches()[0]
	if want := grid(rows, 128); d.Grid != want {
		t.Errorf("grid %v, want %v", d.Grid, want)
	}
	if got := d.Threadgroup[0].Bytes; got != 128*4 {
		t.Errorf("%d bytes of threadgroup memory, want those of 128 floats", got)
	}
	if !runtimetest.Bound(d.Buffers[3], a.Output) || d.Buffers[3].Access != runtime.Write {
		t.Errorf("output is %+v", d.Buffers[3])
	}
	if eps, ok := runtimetest.Value[float32](d, 6); !ok || eps != 1e-6 {
		t.Errorf("eps is %v, %v", eps, ok)
	}

	a.Output = a.Output.Slice(0, rows*dim-1)
	b = dev.NewBatch()
	norm.FusedNormAddF32(b, a)
	want := "fused_norm_add_f32: output: need at least 300 elements of float, [rows * dim] (norm.metal:13), have 299"
	if err := b.Run(t.Context()); !errors.Is(err, runtime.ErrTooShort) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestEvery(t *testing.T) {
	dev, rec := open(t)
	a := args.EveryArgs{
		X:         buffer[[4]float16.Float16](t, dev, 5),
		Table:     buffer[runtime.BFloat16](t, dev, 64),
		Counter:   buffer[uint32](t, dev, 1),
		Params:    args.P{Inner: args.Inner{Dim: 10}, How: args.ModeExact, Ne: [2]uint32{0, 1}},
		Count:     7,
		Free:      4,
		Constants: args.ArgsConstants{HasMask: true, How: args.ModeExact},
		Grid:      grid(1, 32),
	}
	b := dev.NewBatch()
	args.Every(b, a)
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := rec.Dispatches()[0]
	if p, ok := runtimetest.Value[args.P](d, 3); !ok || p != a.Params {
		t.Errorf("params are %v, %v", p, ok)
	}
	if has, ok := runtimetest.Constant[bool](d, 0); !ok || !has {
		t.Errorf("has_mask is %v, %v", has, ok)
	}
	lengths := []runtimetest.Length{
		{Index: 0, Name: "scratch", Bytes: 96}, // 21 floats, rounded up
		{Index: 1, Name: "free", Bytes: 16},
		{Index: 3, Name: "single", Bytes: 16},
	}
	if diff := cmp.Diff(lengths, d.Threadgroup); diff != "" {
		t.Error(diff)
	}

	for what, change := range map[string]func(*args.EveryArgs){
		"no grid":             func(a *args.EveryArgs) { a.Grid = runtime.Grid{} },
		"no length":           func(a *args.EveryArgs) { a.Free = 0 },
		"an empty counter":    func(a *args.EveryArgs) { a.Counter = a.Counter.Slice(0, 0) },
		"a short mask":        func(a *args.EveryArgs) { a.Mask = buffer[float32](t, dev, 6) },
		"a negative length":   func(a *args.EveryArgs) { a.Mask, a.Count = buffer[float32](t, dev, 1), -1 },
		"no buffer":           func(a *args.EveryArgs) { a.Counter = runtime.Buffer[uint32]{} },
		"too much to compute": func(a *args.EveryArgs) { a.Params.Inner.Dim = math.MaxUint32 },
	} {
		wrong := a
		change(&wrong)
		b := dev.NewBatch()
		args.Every(b, wrong)
		if err := b.Run(t.Context()); err == nil {
			t.Errorf("%s: no error", what)
		} else {
			t.Logf("%s: %v", what, err)
		}
	}
}

// TestPreload: a kernel with function constants is preloaded where a call gives them values.
func TestPreload(t *testing.T) {
	dev, rec := open(t)
	if left, err := norm.Preload(dev); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
	left, err := args.Preload(dev)
	if err != nil || !slices.Contains(left, "every") {
		t.Error(left, err)
	}
	if diff := cmp.Diff([]string{"fused_norm_add_f32", "taken"}, rec.Prepared()); diff != "" {
		t.Error(diff)
	}
}

func TestGrids(t *testing.T) {
	exact := grid(4, 256)
	exact.Size = [3]int{1000, 1, 1}
	for _, test := range []struct {
		name      string
		got, want runtime.Grid
	}{
		{"fixed", grids.FixedGrid(), grid(8, 32)},
		{"exact", grids.ExactGrid(1000), exact},
		{"rounded", grids.RoundedGrid(257), grid(2, 256)},
		{"rounded, at most", grids.RoundedGrid(math.MaxUint32), grid(1<<24, 256)},
		{"wide", grids.WideGrid(1 << 40), grid(1<<32, 256)},
		{"wide, an overflow", grids.WideGrid(math.MaxUint64), grid(math.MaxInt, 256)},
		{"by threads", grids.ByThreadsGrid(100, 30), grid(4, 32)},
		{"exact by threads", grids.ExactByThreadsGrid(5, 16), runtime.Threads(80).Of(16)},
	} {
		if test.got != test.want {
			t.Errorf("%s: %v, want %v", test.name, test.got, test.want)
		}
	}
}
