package runtime_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest"
)

func TestBatchRunsCallsInOrder(t *testing.T) {
	dev, rec := open(t)
	a := normArgs(t, dev, 2, 64)
	b := dev.NewBatch()
	Norm(b, a)
	b.Call(&fill).Dispatch(one)
	if n := len(rec.Dispatches()); n != 0 {
		t.Errorf("recording dispatched %d calls", n)
	}
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := rec.Dispatches()
	if len(got) != 2 || got[0].Kernel != "fused_norm_add_f32" || got[1].Kernel != "fill" {
		t.Fatalf("dispatched %+v", got)
	}
	if got[0].Grid != NormGrid(64, 2) || !runtimetest.Bound(got[0].Buffers[3], a.Output) {
		t.Errorf("dispatched %+v", got[0])
	}
	if eps, ok := runtimetest.Value[float32](got[0], 6); !ok || eps != 1e-6 {
		t.Errorf("eps = %v", eps)
	}
}

func TestEmptyBatchRuns(t *testing.T) {
	dev, _ := open(t)
	b := dev.NewBatch()
	if err := b.Run(t.Context()); err != nil {
		t.Error(err)
	}
	if err := b.Submit(); err != nil {
		t.Error(err)
	}
	if err := b.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestFirstMistakeIsKeptAndNothingRuns(t *testing.T) {
	dev, rec := open(t)
	good := normArgs(t, dev, 1, 64)
	bad, worse := good, good
	bad.Weight = runtime.Buffer[float32]{}
	worse.Input = runtime.Buffer[float32]{}

	b := dev.NewBatch()
	Norm(b, good)
	Norm(b, bad)
	Norm(b, worse)
	Norm(b, good)
	var arg *runtime.ArgError
	if err := b.Run(t.Context()); !errors.As(err, &arg) || arg.Arg != "weight" {
		t.Errorf("got %v", err)
	}
	if n := len(rec.Dispatches()); n != 0 {
		t.Errorf("%d dispatches", n)
	}

	if b.Err() != nil {
		t.Error("the batch is not empty after its error")
	}
	Norm(b, good)
	if err := b.Run(t.Context()); err != nil || len(rec.Dispatches()) != 1 {
		t.Errorf("recorded again: %d dispatches, %v", len(rec.Dispatches()), err)
	}
}

func TestSubmittedBatchCannotBeUsedUntilWait(t *testing.T) {
	dev, rec := open(t)
	b := dev.NewBatch()
	b.Call(&fill).Dispatch(one)
	if err := b.Submit(); err != nil {
		t.Fatal(err)
	}
	if err := b.Submit(); !errors.Is(err, runtime.ErrSubmitted) {
		t.Errorf("second Submit: %v", err)
	}
	if err := b.Run(t.Context()); !errors.Is(err, runtime.ErrSubmitted) {
		t.Errorf("Run: %v", err)
	}
	b.Call(&fill).Dispatch(one)
	if !errors.Is(b.Err(), runtime.ErrSubmitted) {
		t.Errorf("Err: %v", b.Err())
	}
	if err := b.Wait(t.Context()); !errors.Is(err, runtime.ErrSubmitted) {
		t.Errorf("Wait: %v", err)
	}
	b.Call(&fill).Dispatch(one)
	if err := b.Run(t.Context()); err != nil || len(rec.Dispatches()) != 2 {
		t.Errorf("recorded again: %d dispatches, %v", len(rec.Dispatches()), err)
	}
}

func TestWaitWithoutSubmitIsAnError(t *testing.T) {
	dev, _ := open(t)
	if err := dev.NewBatch().Wait(t.Context()); !errors.Is(err, runtime.ErrNotSubmitted) {
		t.Errorf("got %v", err)
	}
}

func TestWaitEndsWithItsContextAndCanGoOn(t *testing.T) {
	dev, rec := open(t, runtimetest.HoldJobs())
	b := dev.NewBatch()
	b.Call(&fill).Dispatch(one)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond) // it must not be over before Run
	defer cancel()
	if err := b.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Run: %v", err)
	}
	if err := b.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Wait: %v", err)
	}
	if err := b.Submit(); !errors.Is(err, runtime.ErrSubmitted) {
		t.Errorf("Submit while it runs: %v", err)
	}
	rec.Finish(nil)
	if err := b.Wait(t.Context()); err != nil {
		t.Errorf("Wait to the end: %v", err)
	}
	b.Call(&fill).Dispatch(one)
	if err := b.Run(t.Context()); err != nil {
		t.Errorf("recorded again: %v", err)
	}
}

func TestRunWithAnEndedContextRunsNothing(t *testing.T) {
	dev, rec := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b := dev.NewBatch()
	b.Call(&fill).Dispatch(one)
	if err := b.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := b.Run(t.Context()); err != nil || len(rec.Dispatches()) != 0 {
		t.Errorf("%d dispatches, %v", len(rec.Dispatches()), err)
	}
}

func TestFailureOfTheDeviceIsReturned(t *testing.T) {
	broken := errors.New("device lost")
	t.Run("at Submit", func(t *testing.T) {
		dev, rec := open(t, runtimetest.FailSubmit(broken))
		a := normArgs(t, dev, 1, 64)
		b := dev.NewBatch()
		Norm(b, a)
		if err := b.Run(t.Context()); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
		if err := b.Run(t.Context()); err != nil {
			t.Errorf("the batch is not empty after its error: %v", err)
		}
		a.Input.Free()
		if n := rec.Live(); n != 3 {
			t.Errorf("%d allocations, want 3", n)
		}
	})
	t.Run("at Wait", func(t *testing.T) {
		dev, rec := open(t, runtimetest.HoldJobs())
		b := dev.NewBatch()
		b.Call(&fill).Dispatch(one)
		if err := b.Submit(); err != nil {
			t.Fatal(err)
		}
		rec.Finish(broken)
		if err := b.Wait(t.Context()); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
	})
}

func TestNilBatchPanicsWithAnExplanation(t *testing.T) {
	var b *runtime.Batch
	for name, use := range map[string]func(){
		"Call":   func() { b.Call(&fill) },
		"Err":    func() { _ = b.Err() },
		"Keep":   func() { b.Keep() },
		"Done":   func() { b.Done() },
		"Label":  func() { b.Label("x") },
		"Reset":  func() { b.Reset() },
		"Run":    func() { _ = b.Run(t.Context()) },
		"Submit": func() { _ = b.Submit() },
		"Wait":   func() { _ = b.Wait(t.Context()) },
	} {
		func() {
			defer func() {
				if text, ok := recover().(string); !ok || !strings.Contains(text, "nil *Batch; Device.NewBatch makes one") {
					t.Errorf("%s panics with %q", name, text)
				}
			}()
			use()
		}()
	}
}

func TestZeroBatchIsAnError(t *testing.T) {
	var b runtime.Batch
	b.Call(&fill).Dispatch(one)
	wantError[*runtime.CallError](t, b.Run(t.Context()),
		"fill (norm.metal:40): no device: the batch was not made by Device.NewBatch, or by that of a nil *Device")
}

// steady returns a batch of 64 calls and a function that records and runs it.
func steady(t testing.TB) func() {
	dev, _ := open(t, runtimetest.NoLog())
	a := normArgs(t, dev, 2, 4096)
	b, ctx := dev.NewBatch(), t.Context()
	return func() {
		for range 64 {
			Norm(b, a)
		}
		if err := b.Run(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	if allocs := testing.AllocsPerRun(100, steady(t)); allocs != 0 {
		t.Errorf("%v allocations in a run of 64 calls", allocs)
	}
}

func BenchmarkCall(b *testing.B) {
	run := steady(b)
	b.ReportAllocs()
	for b.Loop() {
		run()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/64, "ns/call")
}

func TestAKeptBatchDoesNotAllocate(t *testing.T) {
	dev, _ := open(t, runtimetest.NoLog())
	a := normArgs(t, dev, 2, 4096)
	b, ctx := dev.NewBatch(), t.Context()
	b.Keep()
	for range 64 {
		Norm(b, a)
	}
	if allocs := testing.AllocsPerRun(100, func() {
		if err := b.Run(ctx); err != nil {
			t.Fatal(err)
		}
	}); allocs != 0 {
		t.Errorf("%v allocations in a run of 64 kept calls", allocs)
	}
	b.Reset()
}

// What a kept batch uses lives until its Reset.
func TestAKeptBatchKeepsWhatItUsesUntilReset(t *testing.T) {
	dev, rec := open(t)
	a := normArgs(t, dev, 1, 64)
	b := dev.NewBatch()
	b.Keep()
	Norm(b, a)
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.Input.Free()
	if n := rec.Live(); n != 4 {
		t.Errorf("%d allocations while the batch is kept, want 4", n)
	}
	wantError[*runtime.ArgError](t, b.Run(t.Context()), "fused_norm_add_f32: input: need the buffer or texture that the "+
		"kept call was recorded with, have one that was freed since then")
	b.Reset()
	if n := rec.Live(); n != 3 {
		t.Errorf("%d allocations after Reset, want 3", n)
	}
}
