package runtime_test

import (
	"context"
	"errors"
	"testing"

	"github.com/metalgen/metalgen/runtime"
)

func TestResultIsThatOfTheLastRun(t *testing.T) {
	dev := openCPU(t)
	x := newBuffer[uint32](t, dev, 32)
	b := dev.NewBatch()
	zero := func(when string) {
		t.Helper()
		if r := b.Result(); r.Start != 0 || r.End != 0 || r.Duration() != 0 || r.Dispatches() != nil {
			t.Errorf("%s: %+v", when, r)
		}
	}
	ran := func() runtime.Result {
		t.Helper()
		r := b.Result()
		if r.Start <= 0 || r.End < r.Start || r.Duration() != r.End-r.Start {
			t.Errorf("got %+v", r)
		}
		return r
	}
	zero("before")

	countTo(b, x, 100)
	mustRun(t, b)
	first := ran()
	countTo(b, x, 100)
	if err := b.Submit(); err != nil {
		t.Fatal(err)
	}
	zero("while it runs")
	if err := b.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if second := ran(); second.Start < first.End {
		t.Errorf("%+v began before %+v ended", second, first)
	}

	mustRun(t, b)
	zero("empty")
	countTo(b, x, 1)
	mustRun(t, b)
	ran()
	runtime.Copy(b, x.Slice(0, 0), x.Slice(0, 0))
	mustRun(t, b)
	zero("nothing copied")
	countTo(b, x, 1)
	mustRun(t, b)
	countTo(b, runtime.Buffer[uint32]{}, 1)
	if err := b.Run(t.Context()); err == nil {
		t.Error("no error")
	}
	zero("after a mistake")
	countTo(b, x, 1)
	mustRun(t, b)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	countTo(b, x, 1)
	if err := b.Run(ended); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	zero("not run")
}
