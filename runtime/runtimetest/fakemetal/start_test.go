package fakemetal_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

// What has run before Submit is told by an event.
func TestAStartedBatchRunsWhileItIsRecorded(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		e := newEvent(t, dev)
		x, y := upload(t, dev, 1, 2), upload(t, dev, 0, 0)
		b := dev.NewBatch()
		value := uint64(0)
		for range 3 {
			scaled(b, x, y, 2, 2)
			value++
			b.SignalEvent(e, value)
			b.Start()
			if err := e.Wait(t.Context(), value); err != nil || y.Data()[0] != 2 {
				t.Fatalf("%v; %v before Submit", err, y.Data())
			}
			scaled(b, y, y, 10, 2)
			value++
			b.SignalEvent(e, value)
			b.Start()
			if err := e.Wait(t.Context(), value); err != nil || y.Data()[0] != 20 {
				t.Fatalf("%v; %v after another Start", err, y.Data())
			}
			value++
			b.SignalEvent(e, value)
			for range 200 { // with which pieces are full
				scaled(b, y, y, 1, 2)
			}
			if err := e.Wait(t.Context(), value); err != nil {
				t.Fatal(err)
			}
			late := upload(t, dev, 5, 5) // made since
			scaled(b, late, y, 3, 2)
			if err := b.Submit(); err != nil {
				t.Fatal(err)
			}
			<-b.Done()
			if err := b.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			if want := []float32{15, 15}; !slices.Equal(y.Data(), want) {
				t.Errorf("%v, want %v", y.Data(), want)
			}
		}
	})
}

// The batches run in the order of their Start, and are recorded and submitted in the opposite one.
func TestStartedBatchesRunInTheOrderOfTheirStart(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 5
		state := upload(t, dev, 1)
		var batches []*runtime.Batch
		var seen []runtime.Buffer[float32]
		for range n {
			b := dev.NewBatch()
			b.Start()
			batches, seen = append(batches, b), append(seen, upload(t, dev, 0))
		}
		last := dev.NewBatch() // is not started
		scaled(last, state, state, 100, 1)
		if err := last.Submit(); err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		turn := make([]chan struct{}, n+1)
		for i := range turn {
			turn[i] = make(chan struct{})
		}
		close(turn[n])
		for i, b := range batches {
			group.Go(func() {
				for range 30 {
					scaled(b, state, seen[i], 1, 1)
				}
				<-turn[i+1]
				scaled(b, state, state, 2, 1)
				if err := b.Submit(); err != nil {
					t.Error(err)
				}
				close(turn[i])
				if err := b.Wait(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if err := last.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		for i, s := range seen {
			if want := float32(int(1) << i); s.Data()[0] != want {
				t.Errorf("batch %d found %v, want %v", i, s.Data()[0], want)
			}
		}
		if state.Data()[0] != 3200 {
			t.Errorf("%v in the end, want 3200", state.Data()[0])
		}
	})
}

func TestAMistakeOfAStartedBatchLetsRunWhatWasBefore(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		x, y := upload(t, dev, 1, 2), upload(t, dev, 0, 0)
		b := dev.NewBatch()
		b.Start()
		scaled(b, x, y, 2, 2)
		scaled(b, x, y.Slice(0, 1), 3, 2)
		scaled(b, x, y, 4, 2)
		if err := b.Submit(); err != nil {
			t.Errorf("Submit: %v", err)
		}
		err := b.Wait(t.Context())
		e, ok := errors.AsType[*runtime.ArgError](err)
		if !errors.Is(err, runtime.ErrTooShort) || !ok || e.Call.Number != 2 {
			t.Errorf("Wait: %v", err)
		}
		if want := []float32{2, 4}; !slices.Equal(y.Data(), want) {
			t.Errorf("%v, want %v", y.Data(), want)
		}
		clear(y.Data())
		mustRun(t, b)
		if y.Data()[0] != 0 {
			t.Error("the batch is not empty")
		}
	})
}

func TestAStartedBatchIsEndedByResetOrClose(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		x, y := upload(t, dev, 1, 2), upload(t, dev, 0, 0)
		b, after := dev.NewBatch(), dev.NewBatch()
		b.Start()
		scaled(b, x, y, 2, 2)
		scaled(after, y, y, 10, 2)
		if err := after.Submit(); err != nil {
			t.Fatal(err)
		}
		b.Reset()
		if err := after.Wait(t.Context()); err != nil || y.Data()[0] != 20 {
			t.Errorf("%v; %v", err, y.Data())
		}
		mustRun(t, b)
		b.Start()
		mustRun(t, b) // with no calls

		e := newEvent(t, dev)
		scaled(b, x, y, 2, 2)
		b.SignalEvent(e, 1)
		b.Start()
		if err := e.Wait(t.Context(), 1); err != nil { // the device waits for more calls then
			t.Fatal(err)
		}
		scaled(b, x, y, 3, 2)
		empty := dev.NewBatch()
		empty.Start()
		if err := dev.Close(); err != nil {
			t.Fatal(err)
		}
		for _, b := range []*runtime.Batch{b, empty} {
			if err := b.Submit(); !errors.Is(err, runtime.ErrClosed) {
				t.Errorf("Submit after Close: %v", err)
			}
			b.Reset()
		}
		b.Start()
		if err := b.Run(t.Context()); !errors.Is(err, runtime.ErrClosed) {
			t.Errorf("Start after Close: %v", err)
		}
	})
}

func TestWhatCannotBeStarted(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		b, _, y := kept(t, dev)
		b.Keep()
		b.Start()
		if err := b.Run(t.Context()); err == nil || y.Data()[0] != 0 {
			t.Errorf("a batch that is kept: %v", err)
		}
		b.Reset()
		b.Start()
		b.Keep()
		if err := b.Run(t.Context()); err == nil {
			t.Error("a batch that is started can be kept")
		}
		mustRun(t, b)
		if err := b.Submit(); err != nil {
			t.Fatal(err)
		}
		b.Start()
		if err := b.Wait(t.Context()); !errors.Is(err, runtime.ErrSubmitted) {
			t.Errorf("a batch that is submitted: %v", err)
		}
		clear(y.Data())
		scaled(b, y, y, 3, 3)
		scaled(b, y, y.Slice(0, 1), 3, 3)
		b.Start()
		if err := b.Submit(); !errors.Is(err, runtime.ErrTooShort) {
			t.Errorf("a batch with a mistake: %v", err)
		}
		none := new(runtime.Batch)
		none.Start()
		if err := none.Run(t.Context()); !errors.Is(err, runtime.ErrNoDevice) {
			t.Errorf("a batch of no device: %v", err)
		}
	})
}

func TestAStartedBatchRunsThoughTheContextHasEnded(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		e := newEvent(t, dev)
		x, y := upload(t, dev, 1, 2), upload(t, dev, 0, 0)
		b := dev.NewBatch()
		b.Start()
		b.WaitForEvent(e, 1)
		scaled(b, x, y, 2, 2)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := b.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if err := e.Signal(1); err != nil {
			t.Fatal(err)
		}
		if err := b.Wait(t.Context()); err != nil && !errors.Is(err, runtime.ErrNotSubmitted) {
			t.Error(err) // the CPU device has stopped it
		}
	})
}

func TestProgressAndTimesOfAStartedBatchAreThoseOfAllOfIt(t *testing.T) {
	check := func(t *testing.T, dev *runtime.Device, times bool) {
		e := newEvent(t, dev)
		x, y := upload(t, dev, 1, 2), upload(t, dev, 0, 0)
		for turn := range uint64(2) {
			b := dev.NewBatch()
			b.Start()
			for range 20 {
				scaled(b, x, y, 2, 2)
			}
			b.SignalEvent(e, turn+1)
			b.Start()
			if err := e.Wait(t.Context(), turn+1); err != nil {
				t.Fatal(err)
			}
			total := 20
			if turn == 1 {
				scaled(b, x, y, 2, 2)
				total++
			}
			var done []int
			progress := runtime.WithProgress(func(n, of int) {
				if of != total {
					t.Errorf("%d of %d, want %d", n, of, total)
				}
				done = append(done, n)
			})
			if err := b.Run(t.Context(), progress); err != nil {
				t.Fatal(err)
			}
			if len(done) == 0 || done[len(done)-1] != total || !slices.IsSorted(done) ||
				len(slices.Compact(slices.Clone(done))) != len(done) {
				t.Errorf("progress %v, want up to %d", done, total)
			}
			if n := len(b.Result().Dispatches()); times && n != total {
				t.Errorf("%d times, want %d", n, total)
			}
		}
	}
	onDevices(t, func(t *testing.T, dev *runtime.Device) { check(t, dev, false) })
	for _, name := range []string{"cpu", "metal"} {
		t.Run(name+" with times", func(t *testing.T) {
			if name == "metal" {
				dev, _ := fakemetal.Open(t, fakemetal.Options{Runtime: runtime.Options{Times: true}})
				check(t, dev, true)
				return
			}
			dev, err := runtime.OpenWith(runtime.Options{Device: "cpu", Times: true})
			if err != nil {
				t.Fatal(err)
			}
			defer dev.Close()
			check(t, dev, true)
		})
	}
}

var faultySource = `#include <metal_stdlib>
using namespace metal;
kernel void faulty(device float* y [[buffer(0)]], uint i [[thread_position_in_grid]]) { y[i + 1000000] = 1; }
`

var faulty = bind.Kernel{
	Name:    "faulty",
	Library: &bind.Library{File: "faulty.metal", Source: &faultySource},
	Args: []bind.Arg{
		{Kind: bind.BufferArg, Index: 0, Name: "y", Type: "float", Size: 4, Align: 4, Access: runtime.Write},
	},
}

// A kernel that fails ends its batch, which does not know yet what will be recorded. Nobody waits for an event of it.
func TestAStartedBatchThatFailsSignalsWhatIsRecordedLater(t *testing.T) {
	check := func(t *testing.T, dev *runtime.Device) {
		e := newEvent(t, dev)
		y := upload(t, dev, 0, 0)
		b := dev.NewBatch()
		c := b.Call(&faulty)
		c.Buffer(0, y.View(), 2)
		c.Dispatch(runtime.Threads(2).Of(2))
		b.SignalEvent(e, 1)
		b.Start()
		if err := e.Wait(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		scaled(b, y, y, 2, 2)
		b.SignalEvent(e, 2)
		if err := b.Submit(); err != nil {
			t.Fatal(err)
		}
		if err := e.Wait(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
		if err := b.Wait(t.Context()); err == nil {
			t.Error("the batch has not failed")
		}
	}
	t.Run("cpu", func(t *testing.T) {
		dev, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
		if err != nil {
			t.Fatal(err)
		}
		defer dev.Close()
		check(t, dev)
	})
	t.Run("metal", func(t *testing.T) {
		dev, _ := fakemetal.Open(t, fakemetal.Options{AllowFaults: true})
		check(t, dev)
	})
}
