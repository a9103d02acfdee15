package runtime_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

var doubleSource = `#include <metal_stdlib>
using namespace metal;
// metalgen:grid (n, 1, 1)
kernel void twice(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant uint& n [[buffer(2)]],
	uint i [[thread_position_in_grid]], uint threads [[threads_per_grid]]) {
	for (uint k = i; k < (STRIDES ? n : min(n, threads)); k += threads) y[k] = 2 * x[k];
}
`

// doubling returns what metalgen makes of the kernel, which goes through all elements in strides, or does one a thread.
func doubling(strides string) func(b *runtime.Batch, x, y runtime.Buffer[float32], n uint32, grid runtime.Grid) {
	source := "#define STRIDES " + strides + "\n#line 1\n" + doubleSource
	kernel := bind.Kernel{
		Name: "twice", Library: &bind.Library{File: "twice.metal", Source: &source}, Pos: "twice.metal:4",
		Grid: "(n, 1, 1) threads", GridPos: "twice.metal:3",
		Args: []bind.Arg{
			{Kind: bind.BufferArg, Index: 0, Name: "x", Type: "float", Size: 4, Align: 4, Access: bind.Read, Shape: "[n]"},
			{Kind: bind.BufferArg, Index: 1, Name: "y", Type: "float", Size: 4, Align: 4, Access: bind.Write, Shape: "[n]"},
			{Kind: bind.ValueArg, Index: 2, Name: "n", Type: "uint", Size: 4, Align: 4},
		},
	}
	return func(b *runtime.Batch, x, y runtime.Buffer[float32], n uint32, grid runtime.Grid) {
		grid.Default(runtime.Threads(int(n)).Of(64))
		c := b.Call(&kernel)
		c.Buffer(0, x.View(), int(n))
		c.Buffer(1, y.View(), int(n))
		bind.Value(c, 2, n)
		c.Dispatch(grid)
	}
}

// sanitized opens the CPU device with all checks, without a log.
func sanitized(t *testing.T, checks runtime.Checks) *runtime.Device {
	t.Helper()
	dev, err := runtime.OpenWith(runtime.Options{Device: "cpu", Sanitize: checks, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

func TestACallThatRunsNothingOverElementsIsAFinding(t *testing.T) {
	dev := sanitized(t, runtime.CheckAll)
	twice := doubling("false")
	x, y := newBuffer[float32](t, dev, 100), newBuffer[float32](t, dev, 100)
	b := dev.NewBatch()
	for range 2 { // the batch is empty after an error
		twice(b, x, y, 0, runtime.Grid{})
		err := b.Run(t.Context())
		const want = "twice: twice.metal:4: idle call: it runs over 0 threadgroups in x (the source states (n, 1, 1) " +
			"threads, twice.metal:3), but y has 100 elements; set the size that is 0, or pass buffers without elements"
		if found, ok := errors.AsType[*runtime.Findings](err); !ok || found.Error() != want ||
			found.List[0].Kind != runtime.CheckIdle {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	twice(b, x, y, 0, runtime.Grid{})
	swapHalves(b, x)
	found, ok := errors.AsType[*runtime.Findings](b.Run(t.Context()))
	if !ok || len(found.List) != 2 || found.List[0].Kind != runtime.CheckRace || found.List[1].Kind != runtime.CheckIdle {
		t.Errorf("beside a race: %v", found)
	}

	twice(b, x.Slice(0, 0), y.Slice(0, 0), 0, runtime.Grid{})
	mustRun(t, b)
	b = sanitized(t, runtime.CheckAll&^runtime.CheckIdle).NewBatch()
	twice(b, runtime.Buffer[float32]{}, runtime.Buffer[float32]{}, 0, runtime.Grid{})
	if err := b.Run(t.Context()); !errors.Is(err, runtime.ErrNilBuffer) {
		t.Errorf("every argument forgotten: %v", err)
	}
}

// A smaller grid than the stated one is a mistake where it leaves elements that the kernel should write.
func TestAGridThatIsTooSmallIsAFinding(t *testing.T) {
	dev := sanitized(t, runtime.CheckAll)
	x, y := newBuffer[float32](t, dev, 100), newBuffer[float32](t, dev, 100)
	one := runtime.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{32, 1, 1}}
	b := dev.NewBatch()
	doubling("false")(b, x, y, 100, one)
	err := b.Run(t.Context())
	const want = "too small a grid: the grid of the call has 32 threads in x, and the source states 100, " +
		"(n, 1, 1) threads (twice.metal:3), so no thread writes 68 of the 100 elements that the shape of y states, [n]; " +
		"the first of them is y[32]; leave Grid unset, or set a larger one\n"
	if found, ok := errors.AsType[*runtime.Findings](err); !ok || !strings.Contains(found.Error(), want) ||
		found.List[0].Kind != runtime.CheckGrid {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	doubling("true")(b, x, y, 100, one)
	doubling("false")(b, x, y, 100, runtime.Grid{Threadgroups: [3]int{13, 1, 1}, Threads: [3]int{8, 1, 1}})
	mustRun(t, b)
}

func TestATraceHasCallsThatRunNothing(t *testing.T) {
	dev, events := traced(t)
	none := newBuffer[float32](t, dev, 0)
	b := dev.NewBatch()
	doubling("false")(b, none, none, 0, runtime.Grid{})
	mustRun(t, b)
	if list := events(); len(list) != 1 || list[0].Kind != runtime.IdleEvent || list[0].Name != "twice" {
		t.Errorf("traced %v", list)
	}
}
