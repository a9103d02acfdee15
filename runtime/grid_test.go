package runtime_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

// fill is a kernel without arguments, whose grid nothing states.
var fill = bind.Kernel{Name: "fill", Library: &normLibrary, Pos: "norm.metal:40", Positions: true}

// byGroups is a kernel that does not read the positions of its threads.
var byGroups = bind.Kernel{Name: "by_groups", Library: &normLibrary, Pos: "norm.metal:41"}

// stated is the same with a stated grid.
var stated = bind.Kernel{Name: "fill", Library: &normLibrary, Grid: "(n / m, 1, 1) threads", GridPos: "norm.metal:39"}

func TestGridIsCheckedBeforeDispatch(t *testing.T) {
	type grid = runtime.Grid
	for _, c := range []struct {
		name   string
		kernel *bind.Kernel
		grid   grid
		want   string // "" when it must be accepted
	}{
		{"full", &fill, grid{Threadgroups: [3]int{8, 2, 1}, Threads: [3]int{32, 32, 1}}, ""},
		{"partly filled", &fill, runtime.Threads(1000, 3).Of(256, 2), ""},
		{"as many threads as fit", &fill, runtime.Threads(math.MaxUint32).Of(256), ""},
		{"zero, nothing stated", &fill, grid{},
			"fill: nothing in norm.metal states its grid; set Grid, as " +
				"Threads(n).Of(256) or Threadgroups(n).Of(256)"},
		{"zero, stated", &stated, grid{},
			"fill: grid of (0, 0, 0) threadgroups of (0, 0, 0) threads: need Threadgroups " +
				"(Threads(n).Of(256) computes them), have " +
				"none set; the source states (n / m, 1, 1) threads (norm.metal:39)"},
		{"no threadgroups", &fill, grid{Threads: [3]int{32, 1, 1}, Size: [3]int{32, 1, 1}},
			"fill: grid of (0, 0, 0) threadgroups of (32, 1, 1) threads, (32, 1, 1) threads in all: need Threadgroups " +
				"(Threads(n).Of(256) computes them), have none set"},
		{"no threads", &fill, grid{Threadgroups: [3]int{32, 1, 1}},
			"fill: grid of (32, 1, 1) threadgroups of (0, 0, 0) threads: need Threads, have none set"},
		{"empty", &stated, grid{Threadgroups: [3]int{0, 1, 1}, Threads: [3]int{32, 1, 1}},
			"fill: grid of (0, 1, 1) threadgroups of (32, 1, 1) threads: need at least 1 in every dimension, have " +
				"Threadgroups[0] = 0; the source states (n / m, 1, 1) threads (norm.metal:39)"},
		{"empty of no threads", &fill, runtime.Threads(0).Of(32),
			"fill: grid of (0, 1, 1) threadgroups of (32, 1, 1) threads, (0, 1, 1) threads in all: need at least 1 in every " +
				"dimension, have Threadgroups[0] = 0"},
		{"negative", &fill, grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{1, -1, 1}},
			"fill: grid of (1, 1, 1) threadgroups of (1, -1, 1) threads: need at least 1 in every dimension, have Threads[1] " +
				"= -1"},
		{"negative size", &fill, grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{1, 1, 1}, Size: [3]int{1, 1, -5}},
			"fill: grid of (1, 1, 1) threadgroups of (1, 1, 1) threads, (1, 1, -5) threads in all: need at least 1 in every " +
				"dimension, have Size[2] = -5"},
		{"divided by zero", &fill, runtime.Threads(8).Of(8, 0),
			"fill: grid of (1, overflow, 1) threadgroups of (8, 0, 1) threads, (8, 1, 1) threads in all: need numbers that " +
				"fit, have Threadgroups[1] that overflows or divides by zero"},
		{"too many threads in a dimension", &fill, grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{1, 2048, 1}},
			"fill: grid of (1, 1, 1) threadgroups of (1, 2048, 1) threads: need at most 1024 threads per threadgroup in " +
				"dimension 1, have 2048"},
		{"too many threads in all", &fill, grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{64, 32, 1}},
			"fill: grid of (1, 1, 1) threadgroups of (64, 32, 1) threads: need at most 1024 threads per threadgroup, have 2048"},
		{"beyond 32 bits", &fill, grid{Threadgroups: [3]int{1, 1 << 23, 1}, Threads: [3]int{1, 512, 1}},
			"fill: grid of (1, 8388608, 1) threadgroups of (1, 512, 1) threads: need at most 4294967295 threads in dimension " +
				"1, have 8388608 threadgroups of 512 threads"},
		{"beyond 32 bits, by threadgroups", &byGroups, grid{Threadgroups: [3]int{1, 1 << 23, 1}, Threads: [3]int{1, 512, 1}},
			""},
		{"threadgroups beyond 32 bits", &byGroups, grid{Threadgroups: [3]int{1 << 32, 1, 1}, Threads: [3]int{32, 1, 1}},
			"by_groups: grid of (4294967296, 1, 1) threadgroups of (32, 1, 1) threads: need at most 4294967295 threadgroups " +
				"in dimension 0, have 4294967296"},
		{"size that does not fit", &fill,
			grid{Threadgroups: [3]int{3, 1, 1}, Threads: [3]int{256, 1, 1}, Size: [3]int{1000, 1, 1}},
			"fill: grid of (3, 1, 1) threadgroups of (256, 1, 1) threads, (1000, 1, 1) threads in all: need Threadgroups[0] = " +
				"4 for Size[0] = 1000 in threadgroups of 256, have 3"},
		{"size of one dimension only", &fill,
			grid{Threadgroups: [3]int{4, 1, 1}, Threads: [3]int{256, 1, 1}, Size: [3]int{1000}},
			"fill: grid of (4, 1, 1) threadgroups of (256, 1, 1) threads, (1000, 0, 0) threads in all: need at least 1 in " +
				"every dimension, have Size[1] = 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dev, rec := open(t)
			b := dev.NewBatch()
			b.Call(c.kernel).Dispatch(c.grid)
			err := b.Run(t.Context())
			if c.want != "" {
				wantError[*runtime.GridError](t, err, c.want)
				if n := len(rec.Dispatches()); n != 0 {
					t.Errorf("%d dispatches", n)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := rec.Dispatches()[0].Grid; got != c.grid {
				t.Errorf("dispatched %v, want %v", got, c.grid)
			}
		})
	}
}

func TestGridsThatComeToNothing(t *testing.T) {
	dev, rec := open(t)
	type grid = runtime.Grid
	for _, c := range []struct {
		name  string
		grid  grid // of the caller
		empty bool // where the stated shapes of what is written come to nothing
		// where the source states it
		stated string // "" where nothing runs
	}{
		{"no threadgroups", grid{Threadgroups: [3]int{2, 0, 1}, Threads: [3]int{32, 1, 1}}, true, ""},
		{"of no threads in all", runtime.Threads(0).Of(32), true, ""},
		{"of no threads, in threadgroups of as many", runtime.Threads(0).Of(0), false, ""},
		{"threadgroups of no threads", grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{0, 1, 1}}, false, ""},
		{"all zero", runtime.Threads(0, 0, 0).Of(0, 0, 0), false, ""},
		{"no threads set", grid{Threadgroups: [3]int{1, 1, 1}}, false, ""},
		{"negative", grid{Threadgroups: [3]int{0, -1, 1}, Threads: [3]int{32, 1, 1}}, false, "Threadgroups[0] = 0"},
		{"negative size", runtime.Threads(0, -1).Of(32), false, "Threadgroups[0] = 0"},
		{"overflow", grid{Threadgroups: [3]int{math.MaxInt, 1, 0}, Threads: [3]int{32, 1, 1}}, false,
			"Threadgroups[0] that overflows or divides by zero"},
		{"size that does not fit", grid{Threadgroups: [3]int{3, 1, 1}, Threads: [3]int{32, 1, 1}, Size: [3]int{9, 1, 1}},
			false, "3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := func(k *bind.Kernel, g grid, need int) error {
				rec.Clear()
				b := dev.NewBatch()
				call := b.Call(k)
				if k == &sums {
					call.Buffer(0, newBuffer[float32](t, dev, 4).View(), 0)
					call.Buffer(1, newBuffer[float32](t, dev, 4).View(), need)
				}
				call.Dispatch(g)
				err := b.Run(t.Context())
				if n := len(rec.Dispatches()); n != 0 {
					t.Errorf("%d dispatches", n)
				}
				return err
			}
			var stated grid
			stated.Default(c.grid)
			if err := run(&fill, stated, 0); (err == nil) != (c.stated == "") || err != nil &&
				!strings.Contains(err.Error(), ", have "+c.stated) {
				t.Errorf("stated: %v", err)
			}
			for need, empty := range []bool{c.empty, false} {
				if err := run(&sums, c.grid, need); (err == nil) != empty {
					t.Errorf("of the caller, %d elements: %v", need, err)
				}
			}
			if err := run(&fill, c.grid, 0); err == nil {
				t.Error("of the caller, and nothing says what is written: no error")
			}
		})
	}
	g := runtime.Threads(8).Of(4)
	var stated grid
	if stated.Default(g); stated != g {
		t.Errorf("a grid that is not empty changes: %v", stated)
	}
}

// Of a call that runs nothing, all else is checked.
func TestCallsOfNothingAreChecked(t *testing.T) {
	dev, rec := open(t)
	none := newBuffer[float32](t, dev, 0)
	nothing := NormArgs{Residual: none, Input: none, Weight: newBuffer[float32](t, dev, 64), Output: none, Dim: 64}
	freed := newBuffer[float32](t, dev, 4)
	freed.Free()
	for _, c := range []struct {
		name   string
		change func(a *NormArgs)
		is     error
	}{
		{"in order", func(*NormArgs) {}, nil},
		{"no buffer of a shape", func(a *NormArgs) { a.Weight = runtime.Buffer[float32]{} }, runtime.ErrNilBuffer},
		{"no buffer of the shape that comes to nothing", func(a *NormArgs) { a.Input = runtime.Buffer[float32]{} },
			runtime.ErrNilBuffer},
		{"a short one", func(a *NormArgs) { a.Weight = a.Weight.Slice(0, 63) }, runtime.ErrTooShort},
		{"a freed one", func(a *NormArgs) { a.Output = freed }, runtime.ErrFreed},
	} {
		a := nothing
		c.change(&a)
		b := dev.NewBatch()
		Norm(b, a)
		if err := b.Run(t.Context()); !errors.Is(err, c.is) {
			t.Errorf("%s: %v", c.name, err)
		}
		if n := len(rec.Dispatches()); n != 0 {
			t.Errorf("%s: %d dispatches", c.name, n)
		}
	}
	b, ctx := dev.NewBatch(), t.Context()
	if n := testing.AllocsPerRun(10, func() {
		Norm(b, nothing)
		if err := b.Run(ctx); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestGridsAreMadeOfUpToThreeNumbers(t *testing.T) {
	type grid = runtime.Grid
	for _, c := range []struct{ got, want grid }{
		{runtime.Threads(1000, 4).Of(256, 4),
			grid{Threadgroups: [3]int{4, 1, 1}, Threads: [3]int{256, 4, 1}, Size: [3]int{1000, 4, 1}}},
		{runtime.Threads(5, 5, 5).Of(2, 2, 2),
			grid{Threadgroups: [3]int{3, 3, 3}, Threads: [3]int{2, 2, 2}, Size: [3]int{5, 5, 5}}},
		{runtime.Threadgroups(8).Of(256), grid{Threadgroups: [3]int{8, 1, 1}, Threads: [3]int{256, 1, 1}}},
		{runtime.Threadgroups(8, 2).Of(), grid{Threadgroups: [3]int{8, 2, 1}, Threads: [3]int{1, 1, 1}}},
	} {
		if c.got != c.want {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
	dev, _ := open(t)
	for _, c := range []struct {
		grid grid
		want string
	}{
		{runtime.Threads(8, 8, 8, 8).Of(32), "grid of more than 3 dimensions: need 1 to 3 numbers for each"},
		{runtime.Threads(8).Of(8, 8, 8, 8), "more than 3 dimensions"},
		{runtime.Threadgroups(8, 8, 8, 8).Of(32), "more than 3 dimensions"},
	} {
		b := dev.NewBatch()
		b.Call(&fill).Dispatch(c.grid)
		if err := b.Run(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestThreadsPerThreadgroupSaturates(t *testing.T) {
	g := runtime.Grid{Threads: [3]int{1 << 40, 1 << 40, 1}}
	if n := g.ThreadsPerThreadgroup(); n != math.MaxInt {
		t.Errorf("got %d", n)
	}
}
