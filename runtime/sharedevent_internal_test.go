package runtime

import (
	"context"
	"errors"
	goruntime "runtime"
	"testing"
)

func TestAnEventThatWasWaitedForIsReleasedByFree(t *testing.T) {
	dev, err := OpenWith(Options{Device: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	e, err := NewSharedEvent(dev)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Wait(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	e.Free()
	if n := len(dev.resources); n != 0 {
		t.Errorf("the device has %d resources", n)
	}
}

// Free lets the event live until those who wait for it have given up.
func TestFreeWaitsForThoseWhoWait(t *testing.T) {
	dev, err := OpenWith(Options{Device: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	e, err := NewSharedEvent(dev)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	waited := make(chan error)
	go func() { waited <- e.Wait(ctx, 1) }()
	for e.e.refs.Load() == 1 { // it does not wait yet
		goruntime.Gosched()
	}
	e.Free()
	cancel()
	if err := <-waited; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if n := len(dev.resources); n != 0 {
		t.Errorf("the device has %d resources", n)
	}
}
