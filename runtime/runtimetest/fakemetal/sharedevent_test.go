package fakemetal_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

func newEvent(t *testing.T, dev *runtime.Device) runtime.SharedEvent {
	t.Helper()
	e, err := runtime.NewSharedEvent(dev)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Free)
	return e
}

func TestBatchesAndTheProgramWaitForEachOther(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		e := newEvent(t, dev)
		x, y := upload(t, dev, 1, 2), upload(t, dev, 0, 0)
		b := dev.NewBatch()
		scaled(b, x, y, 2, 2)
		b.SignalEvent(e, 1)
		b.WaitForEvent(e, 2)
		scaled(b, x, y, 3, 2) // reads what the program writes between the two
		b.SignalEvent(e, 3)
		for turn := range uint64(3) {
			if turn > 0 { // with values above those of the turn before
				b.SignalEvent(e, 3*turn+1)
				b.WaitForEvent(e, 3*turn+2)
				scaled(b, x, y, 3, 2)
				b.SignalEvent(e, 3*turn+3)
			}
			x.Data()[0] = 1
			if err := b.Submit(); err != nil {
				t.Fatal(err)
			}
			if err := e.Wait(t.Context(), 3*turn+1); err != nil || e.Value() != 3*turn+1 {
				t.Fatalf("%v; value %d", err, e.Value())
			}
			x.Data()[0] = 10
			if err := e.Signal(3*turn + 2); err != nil {
				t.Fatal(err)
			}
			if err := e.Wait(t.Context(), 3*turn+3); err != nil {
				t.Fatal(err)
			}
			if err := b.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			if want := []float32{30, 6}; !slices.Equal(y.Data(), want) {
				t.Errorf("%v, want %v", y.Data(), want)
			}
		}
	})
}

func TestAnEventOnlyRises(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		e := newEvent(t, dev)
		for _, v := range []uint64{5, 3, 5, 0} {
			if err := e.Signal(v); err != nil || e.Value() != 5 {
				t.Errorf("after a signal of %d: %d, %v", v, e.Value(), err)
			}
		}
		if err := e.Wait(t.Context(), 5); err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := e.Wait(ctx, 5); err != nil {
			t.Errorf("a value that is there, and a context that has ended: %v", err)
		}
		for range 3 {
			if err := e.Wait(ctx, 6); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		}
	})
}

func TestABatchThatWaitsForAnEventCanBeStopped(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		e, after := newEvent(t, dev), newEvent(t, dev)
		x, y := upload(t, dev, 1, 2), upload(t, dev, 0, 0)
		b, behind := dev.NewBatch(), dev.NewBatch()
		b.WaitForEvent(e, 1)
		scaled(b, x, y, 2, 2)
		b.SignalEvent(after, 1)
		if err := b.Submit(); err != nil {
			t.Fatal(err)
		}
		behind.SignalEvent(after, 2)
		if err := behind.Submit(); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := b.Wait(ctx)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if _, stopped := errors.AsType[*runtime.StoppedError](err); !stopped { // a GPU cannot be
			if after.Value() != 0 {
				t.Error("the event was signalled before its batch has ended")
			}
			if err := e.Signal(1); err != nil {
				t.Error(err)
			}
			if err := b.Wait(t.Context()); err != nil || y.Data()[0] != 2 {
				t.Error(err, y.Data())
			}
		} else if y.Data()[0] != 0 || after.Value() == 0 {
			t.Errorf("the stopped batch has run, or its event has the value 0: %v", y.Data())
		}
		if err := after.Wait(t.Context(), 2); err != nil {
			t.Error(err)
		}
		if err := behind.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestWhoeverWaitsForAnEventGoesOnWhenItsDeviceIsClosed(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		e := newEvent(t, dev)
		result := make(chan error)
		go func() { result <- e.Wait(t.Context(), 1) }()
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
		if err := <-result; !errors.Is(err, runtime.ErrFreed) {
			t.Errorf("got %v", err)
		}
		if e.Value() != 0 || e.MTLSharedEvent() != 0 {
			t.Error("an event of a closed device has a value, or an object")
		}
	})
}

func TestMistakesWithEvents(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		cpu, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
		if err != nil {
			t.Fatal(err)
		}
		defer cpu.Close()
		freed := newEvent(t, dev)
		freed.Free()
		b := dev.NewBatch()
		for _, c := range []struct {
			record func()
			kernel string
			want   error
		}{
			{func() { b.WaitForEvent(newEvent(t, cpu), 1) }, "WaitForEvent", runtime.ErrOtherDevice},
			{func() { b.SignalEvent(newEvent(t, cpu), 1) }, "SignalEvent", runtime.ErrOtherDevice},
			{func() { b.WaitForEvent(freed, 1) }, "WaitForEvent", runtime.ErrFreed},
			{func() { b.SignalEvent(runtime.SharedEvent{}, 1) }, "SignalEvent", nil},
		} {
			c.record()
			err := b.Run(t.Context())
			e, ok := errors.AsType[*runtime.CallError](err)
			if !ok || e.Kernel != c.kernel || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("got %v, want %s: %v", err, c.kernel, c.want)
			}
		}
		if err := freed.Signal(1); !errors.Is(err, runtime.ErrFreed) {
			t.Errorf("Signal of a freed event: %v", err)
		}
		if err := freed.Wait(t.Context(), 0); !errors.Is(err, runtime.ErrFreed) {
			t.Errorf("Wait for a freed event: %v", err)
		}
		var zero runtime.SharedEvent
		zero.Free()
		if zero.Value() != 0 || zero.MTLSharedEvent() != 0 || zero.Signal(1) == nil ||
			zero.Wait(t.Context(), 0) == nil {
			t.Error("the zero SharedEvent is one")
		}
		if _, err := runtime.NewSharedEvent(nil); !errors.Is(err, runtime.ErrNoDevice) {
			t.Errorf("got %v", err)
		}
		dev.Close()
		if _, err := runtime.NewSharedEvent(dev); !errors.Is(err, runtime.ErrClosed) {
			t.Errorf("got %v", err)
		}
	})
}

// A batch keeps what it waits for and signals.
func TestAnEventLivesUntilItsBatchesAreDone(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		first, second := newEvent(t, dev), newEvent(t, dev)
		b := dev.NewBatch()
		b.WaitForEvent(first, 1)
		b.SignalEvent(second, 1)
		if err := b.Submit(); err != nil {
			t.Fatal(err)
		}
		second.Free()
		if err := first.Signal(1); err != nil {
			t.Fatal(err)
		}
		if err := b.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestAnMTLSharedEventIsWrapped(t *testing.T) {
	dev, _ := fakemetal.Open(t, fakemetal.Options{})
	e := newEvent(t, dev)
	object := e.MTLSharedEvent()
	same, err := runtime.WrapMTLSharedEvent(dev, object)
	if err != nil {
		t.Fatal(err)
	}
	if same.MTLSharedEvent() != object {
		t.Errorf("the object is %x, of %x", same.MTLSharedEvent(), object)
	}
	result := make(chan error, 2)
	for _, one := range []runtime.SharedEvent{e, same} {
		go func() { result <- one.Wait(t.Context(), 7) }()
	}
	b := dev.NewBatch()
	b.SignalEvent(same, 7)
	mustRun(t, b)
	for range 2 {
		if err := <-result; err != nil {
			t.Error(err)
		}
	}
	// the one that was freed is not told any more, and the other is
	same.Free()
	go func() { result <- e.Wait(t.Context(), 8) }()
	if err := e.Signal(8); err != nil {
		t.Error(err)
	}
	if err := <-result; err != nil {
		t.Error(err)
	}
	if e.Value() != 8 {
		t.Errorf("value %d", e.Value())
	}
	x := upload(t, dev, 1)
	buffer, _ := x.MTLBuffer()
	for _, other := range []uintptr{0, buffer} {
		if _, err := runtime.WrapMTLSharedEvent(dev, other); err == nil {
			t.Errorf("%x is wrapped", other)
		}
	}
}

// An event of a batch that was stopped has its value once the batch is done, whichever call asks first.
func TestAStoppedBatchHasSignalledBeforeItIsDone(t *testing.T) {
	dev, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for range 50 {
		e, after := newEvent(t, dev), newEvent(t, dev)
		b := dev.NewBatch()
		b.WaitForEvent(e, 1)
		b.SignalEvent(after, 1)
		if err := b.Submit(); err != nil {
			t.Fatal(err)
		}
		done := b.Done()
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		err := b.Wait(ctx)
		<-done
		if after.Value() != 1 || !errors.Is(err, context.Canceled) {
			t.Fatalf("value %d, %v", after.Value(), err)
		}
	}
}
