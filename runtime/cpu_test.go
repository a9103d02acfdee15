package runtime_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

var countSource = `using namespace metal;
kernel void count(device uint* x [[buffer(0)]], constant uint& turns [[buffer(1)]],
	uint i [[thread_position_in_grid]]) {
	for (uint n = 0; n < turns || turns == 0; n++) {
		x[i] += 1;
	}
}
kernel void broken(device uint* x [[buffer(0)]]) { x[0] = y; }
`

var countLibrary = bind.Library{File: "count.metal", Source: &countSource}

var countArgs = []bind.Arg{
	{Kind: bind.BufferArg, Index: 0, Name: "x", Type: "uint", Size: 4, Align: 4, Access: runtime.ReadWrite},
	{Kind: bind.ValueArg, Index: 1, Name: "turns", Type: "uint", Size: 4, Align: 4},
}

var (
	count  = bind.Kernel{Name: "count", Library: &countLibrary, Pos: "count.metal:2", Args: countArgs}
	broken = bind.Kernel{Name: "broken", Library: &countLibrary, Pos: "count.metal:8", Args: countArgs[:1]}
)

func openCPU(t *testing.T) *runtime.Device {
	t.Helper()
	t.Setenv("METALGEN_DEVICE", "cpu")
	dev, err := runtime.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

func countTo(b *runtime.Batch, x runtime.Buffer[uint32], turns uint32) {
	c := b.Call(&count)
	c.Buffer(0, x.View(), 32)
	bind.Value(c, 1, turns)
	c.Dispatch(runtime.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{32, 1, 1}})
}

func TestTheSteadyStateAllocatesNothingOnTheCPUDevice(t *testing.T) {
	dev := openCPU(t)
	x, y := newBuffer[uint32](t, dev, 32), newBuffer[uint32](t, dev, 32)
	b, ctx := dev.NewBatch(), t.Context()
	const calls = 100
	step := func() {
		for i := range uint32(calls) {
			countTo(b, x, i%3+1)
		}
		runtime.Copy(b, y, x)
		if err := b.Run(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if allocs := testing.AllocsPerRun(20, step); allocs != 0 {
		t.Errorf("%v allocations in a run of %d calls and a copy", allocs, calls)
	}
}

func TestContextThatEndsStopsTheKernelAndFreesTheBatch(t *testing.T) {
	dev := openCPU(t)
	x := newBuffer[uint32](t, dev, 32)
	b := dev.NewBatch()
	for _, wait := range []func(context.Context) error{
		func(ctx context.Context) error { return b.Run(ctx) },
		func(ctx context.Context) error {
			if err := b.Submit(); err != nil {
				return err
			}
			return b.Wait(ctx)
		},
	} {
		// On a busy machine the time may be over before the kernel runs: then it gets more.
		var err error
		for time := 10 * time.Millisecond; ; time *= 2 {
			countTo(b, x, 0) // without end
			ctx, cancel := context.WithTimeout(t.Context(), time)
			err = wait(ctx)
			cancel()
			if err == nil || !strings.Contains(err.Error(), "stopped before it ran") {
				break
			}
		}
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "count: count.metal:4:") {
			t.Errorf("got %v", err)
		}
	}
	before := x.Data()[0]
	countTo(b, x, 5)
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := x.Data()[0] - before; got != 5 {
		t.Errorf("counted to %d, want 5", got)
	}
}

func TestKernelThatDoesNotCompileIsAnErrorOfTheCall(t *testing.T) {
	dev := openCPU(t)
	b := dev.NewBatch()
	c := b.Call(&broken)
	c.Buffer(0, newBuffer[uint32](t, dev, 1).View(), 1)
	c.Dispatch(runtime.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{1, 1, 1}})
	wantCompileError(t, b.Run(t.Context()))
	countTo(b, newBuffer[uint32](t, dev, 32), 1) // the device goes on
	if err := b.Run(t.Context()); err != nil {
		t.Error(err)
	}
}

var macroSource = `#define GENERATED 7
#line 1 "macro.metal"
#ifndef N
#define N 2
#endif
kernel void macro(device int* x [[buffer(0)]]) {
	x[0] = N;
	x[1] = GENERATED;
#ifdef EMPTY
	x[2] = 1 EMPTY;
#endif
}
`

var macroLibrary = bind.Library{File: "macro.metal", Source: &macroSource}

var macro = bind.Kernel{Name: "macro", Library: &macroLibrary, Pos: "macro.metal:4", Args: []bind.Arg{
	{Kind: bind.BufferArg, Index: 0, Name: "x", Type: "int", Size: 4, Align: 4, Access: runtime.Write},
}}

func TestMacrosReachTheKernel(t *testing.T) {
	for _, c := range []struct {
		macros map[string]string
		want   [3]int32
	}{
		{nil, [3]int32{2, 7, 0}},
		{map[string]string{"N": "5"}, [3]int32{5, 7, 0}},
		{map[string]string{"N": "HALF(8)", "HALF(x)": "((x) / 2)", "EMPTY": ""}, [3]int32{4, 7, 1}},
		{map[string]string{"GENERATED": "8"}, [3]int32{2, 7, 0}}, // the source has the last word
	} {
		dev, err := runtime.OpenWith(runtime.Options{Device: "cpu", Macros: c.macros})
		if err != nil {
			t.Fatal(err)
		}
		x := newBuffer[int32](t, dev, 3)
		b := dev.NewBatch()
		call := b.Call(&macro)
		call.Buffer(0, x.View(), 3)
		call.Dispatch(one)
		if err := b.Run(t.Context()); err != nil {
			t.Error(err)
		} else if got := [3]int32(x.Data()); got != c.want {
			t.Errorf("%v: got %v, want %v", c.macros, got, c.want)
		}
		dev.Close()
	}
}

func TestMacroThatIsNoneIsACompileError(t *testing.T) {
	dev, err := runtime.OpenWith(runtime.Options{Device: "cpu", Macros: map[string]string{"2N": "5"}})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	compile, ok := errors.AsType[*runtime.CompileError](dev.Preload(&macro))
	if !ok || compile.Diagnostics[0].Pos != "<command line>:1:1" {
		t.Errorf("got %+v", compile)
	}
}

func TestAKeptBatchRunsAgainAfterItWasStopped(t *testing.T) {
	dev := openCPU(t)
	x := newBuffer[uint32](t, dev, 32)
	b := dev.NewBatch()
	b.Keep()
	countTo(b, x, 3)
	stuck := dev.NewBatch()
	countTo(stuck, newBuffer[uint32](t, dev, 32), 0)
	if err := stuck.Submit(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := b.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if err := stuck.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	for i := range uint32(16) { // the device has machine code of the kernel after that
		if err := b.Run(t.Context()); err != nil || x.Data()[31] != 3*(i+1) {
			t.Errorf("run %d: %v, %v", i, x.Data()[31], err)
		}
	}
	if allocs := testing.AllocsPerRun(20, func() { _ = b.Run(t.Context()) }); allocs != 0 {
		t.Errorf("%v allocations in a run", allocs)
	}
	b.Reset()
}
