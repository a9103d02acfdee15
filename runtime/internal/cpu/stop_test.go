package cpu

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// stopOnceRunning runs a kernel until it has set a[1], and stops it then.
func stopOnceRunning(t *testing.T, native int64, seed uint64, source string, grid driver.Grid) error {
	t.Helper()
	dev := Open(driver.Options{Schedule: seed})
	defer dev.Close()
	if dev.nativeAfter >= 0 { // else the processor has no native code, or a schedule none
		dev.nativeAfter = native
	}
	d, results := dispatchOf(t, dev, source, grid, make([]int32, 4))
	rec, err := dev.NewRecorder()
	if err != nil {
		t.Fatal(err)
	}
	if err := rec.Record(d); err != nil {
		t.Fatal(err)
	}
	job, err := rec.Submit()
	if err != nil {
		t.Fatal(err)
	}
	running := (*int32)(unsafe.Pointer(&results[0].memory.Bytes()[4]))
	for atomic.LoadInt32(running) == 0 {
		time.Sleep(time.Millisecond)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	done, err := job.Wait(ctx)
	if !done {
		t.Errorf("not done: %v", err)
	}
	return err
}

func TestStoppedKernelsSayWhereTheyWere(t *testing.T) {
	t.Parallel()
	many := driver.Grid{Threadgroups: [3]int{1 << 20, 1 << 20, 1}, Threads: [3]int{64, 1, 1}}
	for _, test := range []struct {
		name, source string
		grid         driver.Grid
		thread       int // -1 where it depends
		lines        []int
	}{
		{"a loop", `kernel void test(device volatile int* a, uint i [[thread_position_in_grid]]) {
	a[1] = 1;
	for (int k = 0; a[0] == 0; k++) {
		a[2] += k;
	}
	a[3] = 1;
}`, threads(128), 0, []int{3}},
		{"a loop of some threads", `kernel void test(device volatile int* a, uint i [[thread_position_in_grid]]) {
	if (i < 70) return;
	a[1] = 1;

	while (a[0] == 0) {}
}`, threads(128), 70, []int{5}},
		{"an inner loop", `kernel void test(device volatile int* a, uint i [[thread_position_in_grid]]) {
	a[1] = 1;
	for (;;) {
		do {
			a[2] += 1;
		} while (a[0] == 0);
	}
}`, threads(32), 0, []int{5}},
		{"a loop with a barrier", `kernel void test(device volatile int* a, uint i [[thread_position_in_grid]]) {
	threadgroup int g[8];
	a[1] = 1;
	for (;;) {
		g[i & 7] = i;
		threadgroup_barrier(mem_flags::mem_threadgroup);
		a[2] = g[2];
	}
}`, threads(128), -1, []int{3, 5, 6, 7}}, // simd-groups may not have begun
		{"a recursion", `int down(int n, device volatile int* a) {
	return n > 100 ? 0 : down(n + 1, a) + a[2];
}
kernel void test(device volatile int* a) {
	a[1] = 1;
	while (a[0] == 0) a[3] = down(0, a);
}`, threads(32), 0, []int{2, 6}},
		{"more threadgroups than anybody waits for", `kernel void test(device volatile int* a) {
	a[1] = 1;
}`, many, -1, []int{1, 2}},
	} {
		for _, native := range []int64{-1, 0} {
			for _, seed := range []uint64{0, 7} {
				t.Run(fmt.Sprintf("%s, native after %d, schedule %d", test.name, native, seed), func(t *testing.T) {
					t.Parallel()
					err := stopOnceRunning(t, native, seed, test.source, test.grid)
					e, ok := errors.AsType[*driver.StoppedError](err)
					if !ok || !errors.Is(err, context.Canceled) {
						t.Fatalf("got %v", err)
					}
					at := false
					for _, line := range test.lines {
						at = at || strings.HasPrefix(e.Pos, fmt.Sprintf("test.metal:%d:", line))
					}
					if !at || e.Kernel != "test" {
						t.Errorf("stopped at %s, want a line of %v: %v", e.Pos, test.lines, err)
					}
					if test.thread >= 0 && seed == 0 && e.Thread != [3]int{test.thread, 0, 0} {
						t.Errorf("stopped in thread %v, want %d: %v", e.Thread, test.thread, err)
					}
					for i := range e.Group {
						if n := test.grid.Threads[i]; e.Thread[i]/n != e.Group[i] {
							t.Errorf("thread %v is not of threadgroup %v", e.Thread, e.Group)
						}
					}
					want := "test: " + e.Pos + ": stopped while it ran, in thread ("
					if got := err.Error(); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "): context canceled") {
						t.Errorf("got %s", got)
					}
				})
			}
		}
	}
}

// A fault that was found is reported, although a simd-group before it never ends.
func TestAnEndlessLoopDoesNotHideAFault(t *testing.T) {
	t.Parallel()
	for _, native := range []int64{-1, 0} {
		err := stopOnceRunning(t, native, 0, `kernel void test(device volatile int* a, uint i [[thread_position_in_grid]]) {
	threadgroup int g[128];
	g[i] = i;
	if (uint(g[i]) != i) return; // simd-groups run from the last to the first
	if (i >= 64) a[1000] = 1;
	if (i < 32) {
		a[1] = 1;
		while (a[0] == 0) {}
	}
}`, threads(128))
		if e, ok := errors.AsType[*driver.Fault](err); !ok || e.Thread != [3]int{64, 0, 0} {
			t.Errorf("native after %d: %v", native, err)
		}
	}
}

// What is kept of several errors does not depend on the order in which workers come to them.
func TestTheFirstErrorIsTheSameInAnyOrder(t *testing.T) {
	stop := func(at string) error { return &driver.StoppedError{Pos: at, Err: interp.ErrStopped} }
	type failure struct {
		at  int64
		err error
	}
	for _, test := range []struct {
		want     string
		failures []failure
	}{
		{"b", []failure{{7, &driver.Fault{Msg: "a"}}, {5, &driver.Fault{Msg: "b"}}, {9, &driver.Fault{Msg: "c"}}}},
		{"a", []failure{{7, &driver.Fault{Msg: "a"}}, {5, stop("b")}, {1, stop("c")}}},
		{"c", []failure{{7, stop("a")}, {5, stop("b")}, {1, stop("c")}}},
	} {
		for first := range test.failures {
			for step := 1; step < len(test.failures); step++ {
				var r runner
				for i := range test.failures {
					f := test.failures[(first+i*step)%len(test.failures)]
					r.fail(f.at, f.err)
				}
				got := ""
				if e, ok := errors.AsType[*driver.StoppedError](r.err); ok {
					got = e.Pos
				} else if e, ok := errors.AsType[*driver.Fault](r.err); ok {
					got = e.Msg
				}
				if got != test.want {
					t.Errorf("from %d in steps of %d: kept %v, want %s", first, step, r.err, test.want)
				}
			}
		}
	}
}
