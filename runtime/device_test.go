package runtime_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest"
)

func TestDeviceServesManyGoroutines(t *testing.T) {
	dev, rec := open(t)
	shared := normArgs(t, dev, 2, 64)
	const goroutines, rounds = 16, 20
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			b := dev.NewBatch()
			for range rounds {
				own, err := runtime.NewBuffer[float32](dev, 128)
				if err != nil {
					t.Error(err)
					return
				}
				a := shared
				a.Output = own
				own.Data()[0] = 1
				Norm(b, a)
				own.Free()
				if err := b.Run(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := len(rec.Dispatches()); n != goroutines*rounds {
		t.Errorf("%d dispatches, want %d", n, goroutines*rounds)
	}
	if n := rec.Live(); n != 4 {
		t.Errorf("%d allocations are left, want the 4 shared ones", n)
	}
}

func TestCloseReleasesAllMemoryAndEndsUse(t *testing.T) {
	dev, rec := runtimetest.New()
	a := normArgs(t, dev, 1, 64)
	b, recorded := dev.NewBatch(), dev.NewBatch()
	Norm(recorded, a)
	for range 2 {
		if err := dev.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if n := rec.Live(); n != 0 {
		t.Errorf("%d allocations are left", n)
	}
	if a.Input.Data() != nil {
		t.Error("memory can still be reached")
	}
	a.Input.Free()
	if _, err := runtime.NewBuffer[int](dev, 1); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("NewBuffer: %v", err)
	}
	Norm(b, a)
	if err := b.Run(t.Context()); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("recorded after Close: %v", err)
	}
	if err := recorded.Run(t.Context()); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("recorded before Close: %v", err)
	}
}

func TestCloseEndsTheWaitForSubmittedBatches(t *testing.T) {
	dev, _ := runtimetest.New(runtimetest.HoldJobs())
	b := dev.NewBatch()
	Norm(b, normArgs(t, dev, 1, 64))
	if err := b.Submit(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- b.Wait(t.Context()) }()
	time.Sleep(time.Millisecond)
	if err := dev.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestCloseAndUseMayRace(t *testing.T) {
	dev, rec := runtimetest.New()
	shared := normArgs(t, dev, 1, 64)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			b := dev.NewBatch()
			for {
				Norm(b, shared)
				err := b.Run(t.Context())
				if errors.Is(err, runtime.ErrClosed) || errors.Is(err, runtime.ErrFreed) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	time.Sleep(5 * time.Millisecond)
	if err := dev.Close(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if n := rec.Live(); n != 0 {
		t.Errorf("%d allocations are left", n)
	}
}

func TestANilDeviceSaysSo(t *testing.T) {
	var dev *runtime.Device
	b := dev.NewBatch()
	runtime.Copy(b, runtime.Buffer[int32]{}, runtime.Buffer[int32]{})
	ran := false
	_, newErr := runtime.NewBuffer[int32](dev, 1)
	_, uploadErr := runtime.Upload(dev, []int32{1})
	for name, err := range map[string]error{
		"new": newErr, "upload": uploadErr, "preload": dev.Preload(&norm), "batch": b.Run(t.Context()),
		"capture": dev.Capture("a.gputrace", func() error { ran = true; return nil }),
	} {
		if !errors.Is(err, runtime.ErrNoDevice) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := dev.Close(); err != nil || ran || dev.String() != "no device" {
		t.Errorf("close: %v, ran: %v, name: %s", err, ran, dev)
	}
}
