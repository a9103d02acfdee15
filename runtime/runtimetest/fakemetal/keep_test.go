package fakemetal_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

// onDevices runs a test on the CPU device, and through the driver of Metal.
func onDevices(t *testing.T, test func(t *testing.T, dev *runtime.Device)) {
	t.Run("cpu", func(t *testing.T) {
		dev, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
		if err != nil {
			t.Fatal(err)
		}
		defer dev.Close()
		test(t, dev)
	})
	for _, o := range []struct {
		name    string
		options fakemetal.Options
	}{
		{"metal", fakemetal.Options{}},
		{"metal in pieces", fakemetal.Options{Piece: 2}},
		{"metal without unified memory", fakemetal.Options{Discrete: true}},
		{"metal with labels", fakemetal.Options{Runtime: runtime.Options{Labels: true}}},
	} {
		t.Run(o.name, func(t *testing.T) {
			dev, _ := fakemetal.Open(t, o.options)
			test(t, dev)
		})
	}
}

// kept records y = 2x and y = 10y.
func kept(t *testing.T, dev *runtime.Device) (b *runtime.Batch, x, y runtime.Buffer[float32]) {
	t.Helper()
	x, y = upload(t, dev, 1, 2, 3), upload(t, dev, 0, 0, 0)
	b = dev.NewBatch()
	scaled(b, x, y, 2, 3)
	scaled(b, y, y, 10, 3)
	return b, x, y
}

func mustRun(t *testing.T, b *runtime.Batch) {
	t.Helper()
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestAKeptBatchRunsAgainOnWhatIsInItsBuffersThen(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		b, x, y := kept(t, dev)
		b.Keep()
		for i := range 5 {
			x.Data()[0] = float32(i)
			mustRun(t, b)
			if want := []float32{20 * float32(i), 40, 60}; !slices.Equal(y.Data(), want) {
				t.Fatalf("run %d: %v, want %v", i, y.Data(), want)
			}
		}
		b.Reset()
		x.Data()[0] = 100
		mustRun(t, b)
		if y.Data()[0] != 80 {
			t.Error("a batch that was reset has calls")
		}
		scaled(b, x, y, 1, 3)
		mustRun(t, b)
		y.Data()[0] = 0
		mustRun(t, b)
		if y.Data()[0] != 0 {
			t.Error("a batch that was reset is kept")
		}
	})
}

func TestCallsAreAddedToAKeptBatch(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		b, _, y := kept(t, dev)
		z := upload(t, dev, 0, 0, 0)
		b.Keep()
		mustRun(t, b)
		for i := range 4 { // each reads what the one before wrote
			scaled(b, y, z, 1, 3)
			scaled(b, z, y, 2, 3)
			clear(y.Data())
			mustRun(t, b)
			if want := 20 * float32(int(2)<<i); y.Data()[0] != want {
				t.Fatalf("with %d calls more: %v, want %v", i+1, y.Data(), want)
			}
		}
		b.Reset()
	})
}

func TestResetEmptiesASubmittedBatchAfterItsRun(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		b, _, y := kept(t, dev)
		b.Keep()
		if err := b.Submit(); err != nil {
			t.Fatal(err)
		}
		b.Reset()
		if err := b.Wait(t.Context()); err != nil || y.Data()[0] != 20 {
			t.Error(y.Data(), err)
		}
		clear(y.Data())
		mustRun(t, b)
		if y.Data()[0] != 0 {
			t.Error("the batch has calls after its run")
		}
	})
}

func TestAKeptBatchKnowsWhatWasFreed(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		b, x, _ := kept(t, dev)
		b.Keep()
		mustRun(t, b)
		x.Free()
		for range 2 {
			err := b.Run(t.Context())
			var e *runtime.ArgError
			if !errors.As(err, &e) || e.Kernel != "scale" || e.Arg != "x" || e.Call.Number != 1 ||
				!errors.Is(err, runtime.ErrFreed) {
				t.Fatalf("got %v", err)
			}
		}
		b.Reset()
		mustRun(t, b)
	})
}

func TestAMistakeOfAKeptBatchStaysUntilReset(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		b, x, y := kept(t, dev)
		b.Keep()
		scaled(b, x, y.Slice(0, 2), 1, 3)
		for range 2 {
			if err := b.Run(t.Context()); !errors.Is(err, runtime.ErrTooShort) {
				t.Fatalf("got %v", err)
			}
		}
		if y.Data()[0] != 0 {
			t.Error("a batch with a mistake has run")
		}
		b.Reset()
		scaled(b, x, y, 1, 3)
		mustRun(t, b)
	})
}

func TestACallThatComesTooLateIsNoMistakeOfTheNextRun(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		b, x, y := kept(t, dev)
		b.Keep()
		if err := b.Submit(); err != nil {
			t.Fatal(err)
		}
		scaled(b, x, y, 7, 3)
		if err := b.Wait(t.Context()); !errors.Is(err, runtime.ErrSubmitted) {
			t.Errorf("got %v", err)
		}
		mustRun(t, b)
		if y.Data()[0] != 20 {
			t.Errorf("got %v", y.Data())
		}
		b.Reset()
	})
}

func TestAKeptBatchOutlivesAnEndedContext(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		b, _, y := kept(t, dev)
		b.Keep()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := b.Run(ctx); !errors.Is(err, context.Canceled) || y.Data()[0] != 0 {
			t.Errorf("got %v and %v", err, y.Data())
		}
		mustRun(t, b)
		if y.Data()[0] != 20 {
			t.Error("the calls are gone")
		}
		b.Reset()
	})
}

func TestAKeptBatchOfAClosedDevice(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		b, _, _ := kept(t, dev)
		b.Keep()
		mustRun(t, b)
		if err := dev.Close(); err != nil {
			t.Fatal(err)
		}
		if err := b.Run(t.Context()); !errors.Is(err, runtime.ErrFreed) {
			t.Errorf("got %v", err)
		}
		b.Reset()
	})
}

func TestWhatCannotBeKept(t *testing.T) {
	dev, _ := fakemetal.Open(t, fakemetal.Options{})
	b, x, y := kept(t, dev)
	if err := b.Submit(); err != nil {
		t.Fatal(err)
	}
	b.Keep()
	if err := b.Wait(t.Context()); !errors.Is(err, runtime.ErrSubmitted) {
		t.Errorf("Keep of a submitted batch: %v", err)
	}
	scaled(b, x, y, 2, 3)
	b.SignalEvent(newEvent(t, dev), 1)
	b.Keep()
	var e *runtime.CallError
	if err := b.Run(t.Context()); !errors.As(err, &e) {
		t.Errorf("an event: %v", err)
	}
	b.Reset()
}

var leadSource = `#include <metal_stdlib>
using namespace metal;
struct Lead { device const float* from; uint n; };
kernel void lead(device const Lead& l [[buffer(0)]], device float* y [[buffer(1)]],
                 uint i [[thread_position_in_grid]]) {
	if (i < l.n) y[i] = l.from[i];
}
`

var lead = bind.Kernel{
	Name:    "lead",
	Library: &bind.Library{File: "lead.metal", Source: &leadSource},
	Args: []bind.Arg{
		{Kind: bind.BufferArg, Index: 0, Name: "l", Type: "Lead", Size: 16, Align: 8, Access: runtime.Read, Pointers: true,
			Fields: []bind.Field{
				{Name: "from", Type: "device float*", Offset: 0, Access: runtime.Read},
				{Name: "n", Type: "uint", Offset: 8},
			}},
		{Kind: bind.BufferArg, Index: 1, Name: "y", Type: "float", Size: 4, Align: 4, Access: runtime.Write},
	},
}

type leadArgs struct {
	From runtime.Pointer[float32]
	N    uint32
	_    uint32
}

// What references lead to is known when a call is recorded: where they lead elsewhere later, the calls are recorded
// anew. What is beside them may change.
func TestAKeptBatchKnowsWhenReferencesChange(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		x, other, y := upload(t, dev, 1, 2, 3), upload(t, dev, 7, 8, 9), upload(t, dev, 0, 0, 0)
		args, err := runtime.UploadArguments(dev, []leadArgs{{From: x.Pointer(), N: 2}})
		if err != nil {
			t.Fatal(err)
		}
		record := func(b *runtime.Batch) {
			c := b.Call(&lead)
			c.Buffer(0, args.View(), 1)
			c.Buffer(1, y.View(), 3)
			c.Dispatch(runtime.Threads(3).Of(32))
		}
		b := dev.NewBatch()
		b.Keep()
		record(b)
		mustRun(t, b)
		if want := []float32{1, 2, 0}; !slices.Equal(y.Data(), want) {
			t.Fatalf("%v, want %v", y.Data(), want)
		}
		write := func(l leadArgs) {
			if err := runtime.WriteArguments(args, []leadArgs{l}); err != nil {
				t.Fatal(err)
			}
		}
		write(leadArgs{From: x.Pointer(), N: 3})
		mustRun(t, b)
		if want := []float32{1, 2, 3}; !slices.Equal(y.Data(), want) {
			t.Fatalf("%v, want %v", y.Data(), want)
		}
		write(leadArgs{From: other.Pointer(), N: 3})
		if err := b.Run(t.Context()); !errors.Is(err, runtime.ErrRewritten) {
			t.Fatalf("got %v", err)
		}
		b.Reset()
		b.Keep()
		record(b)
		mustRun(t, b)
		if want := []float32{7, 8, 9}; !slices.Equal(y.Data(), want) {
			t.Fatalf("%v, want %v", y.Data(), want)
		}
		b.Reset()
	})
}
