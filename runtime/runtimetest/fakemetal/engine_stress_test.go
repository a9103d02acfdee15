//go:build linux && (amd64 || arm64)

package fakemetal_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

var long = flag.Bool("long", false, "run the long tests whole")

// What engines do, on many goroutines: batches in pieces, kept and submitted again, grown and reset, started before
// they are recorded, with copies from the program and events, with mistakes in between, in memory that comes and
// goes, and on Metal with command buffers that fail. Each has the results that it should have, or an error of a known
// type.
func TestManyBatchesOfEveryKind(t *testing.T) {
	batches := 1500
	if *long {
		batches = 10000
	}
	check := func(t *testing.T, dev *runtime.Device, mishap func(r *rand.Rand)) {
		var group sync.WaitGroup
		var mistakes, mishaps atomic.Int64
		const goroutines = 16
		for g := range goroutines {
			group.Go(func() {
				e := engine{dev: dev, random: rand.New(rand.NewPCG(28, uint64(g))), b: dev.NewBatch(), event: newEvent(t, dev)}
				for e.runs < batches/goroutines {
					if mishap != nil && e.random.IntN(40) == 0 {
						mishap(e.random)
					}
					err := e.step(t)
					if mishap != nil && isMishap(err) {
						e.mishaps++
						e.b.Reset()
						err = e.event.Signal(e.value) // as the batch would have, if it was submitted
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
				e.event.Free()
				mistakes.Add(int64(e.mistakes))
				mishaps.Add(int64(e.mishaps))
			})
		}
		group.Wait()
		if n := mistakes.Load(); n == 0 || n > int64(batches) {
			t.Errorf("%d mistakes in %d batches", n, batches)
		}
		if n := mishaps.Load(); mishap != nil && n == 0 {
			t.Error("no mishaps")
		}
		dev.Trim()
		if m := dev.Memory(); m.Reusable != 0 {
			t.Errorf("%+v after Trim", m)
		}
	}
	t.Run("cpu", func(t *testing.T) {
		dev, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
		if err != nil {
			t.Fatal(err)
		}
		defer dev.Close()
		check(t, dev, nil)
		if n := dev.Memory().Allocated; n != 0 {
			t.Errorf("%d bytes are left", n)
		}
	})
	for _, machine := range []fakemetal.Options{{}, {Discrete: true}} {
		t.Run(fmt.Sprintf("metal, discrete %v", machine.Discrete), func(t *testing.T) {
			machine.NoLog, machine.Piece = true, 3
			machine.Runtime = runtime.Options{Reuse: 1 << 20, Wired: 4 << 20, Linger: time.Minute}
			dev, _ := fakemetal.Open(t, machine)
			check(t, dev, func(r *rand.Rand) {
				kinds := []metaltest.FaultKind{metaltest.CommandError, metaltest.OutOfMemory}
				metaltest.Fail(kinds[r.IntN(len(kinds))], metaltest.Fault{Skip: r.IntN(3), Code: metaltest.ErrorPageFault})
			})
		})
	}
}

// isMishap reports whether an error is what a program gets to see where the GPU fails, or has no memory.
func isMishap(err error) bool {
	_, gpu := errors.AsType[*runtime.GPUError](err)
	_, memory := errors.AsType[*runtime.MemoryError](err)
	return gpu || memory
}

// engine makes batches of one goroutine, and knows what they compute.
type engine struct {
	dev                     *runtime.Device
	random                  *rand.Rand
	b                       *runtime.Batch
	event                   runtime.SharedEvent
	value                   uint64 // of the event, once all is done
	runs, mistakes, mishaps int
}

// step records a batch, runs it once or several times, and frees what it used.
func (e *engine) step(t *testing.T) error {
	n := 1 << e.random.IntN(13)
	if e.random.IntN(16) == 0 {
		n = 20_000 // more than what is copied from the program at a time
	}
	x, err := runtime.NewPrivateBuffer[float32](e.dev, n)
	if err != nil {
		return err
	}
	defer x.Free()
	y, err := runtime.NewBuffer[float32](e.dev, n)
	if err != nil {
		return err
	}
	defer y.Free()
	if y.Data()[n-1] != 0 {
		return errors.New("a new buffer is not of zeros")
	}
	keep, runs := e.random.IntN(2) == 0, 1
	switch {
	case keep:
		e.b.Keep()
		runs = 1 + e.random.IntN(4)
	case e.random.IntN(2) == 0:
		e.b.Start()
	}
	runtime.CopyFrom(e.b, x, ones(n))
	by := float32(1)
	for range runs {
		for range 1 + e.random.IntN(5) { // in a kept batch they follow those of the last run
			from := x
			if by > 1 {
				from = y
			}
			scaled(e.b, from, y, 2, n)
			by *= 2
			if !keep && e.random.IntN(4) == 0 {
				e.meet()
			}
		}
		if e.random.IntN(8) == 0 {
			return e.mistake(t, x, y, n)
		}
		e.runs++
		if err := e.run(t); err != nil {
			return err
		}
		if got := y.Data(); got[0] != by || got[n-1] != by {
			return fmt.Errorf("a wrong result: %v and %v, want %v", got[0], got[n-1], by)
		}
		if have := e.event.Value(); have != e.value {
			return fmt.Errorf("the event has the value %d, want %d", have, e.value)
		}
	}
	if keep {
		e.b.Reset()
	}
	return nil
}

// meet has the batch signal its event, wait for the program, which waits for that, and signal it again.
func (e *engine) meet() {
	signalled := e.value + 1
	e.value += 3
	e.b.SignalEvent(e.event, signalled)
	e.b.WaitForEvent(e.event, signalled+1)
	e.b.SignalEvent(e.event, e.value)
	event := e.event
	go func() {
		if event.Wait(context.Background(), signalled) == nil {
			_ = event.Signal(signalled + 1)
		}
	}()
}

// run waits in one of the ways that there are.
func (e *engine) run(t *testing.T) error {
	if e.random.IntN(2) == 0 {
		return e.b.Run(t.Context())
	}
	if err := e.b.Submit(); err != nil {
		return err
	}
	<-e.b.Done()
	return e.b.Wait(t.Context())
}

// mistake makes one and looks at the error.
func (e *engine) mistake(t *testing.T, x, y runtime.Buffer[float32], n int) error {
	e.mistakes++
	defer e.b.Reset()
	want := runtime.ErrTooShort
	if e.random.IntN(2) == 0 {
		scaled(e.b, x, y.Slice(0, n-1), 2, n)
	} else {
		gone, err := runtime.NewBuffer[float32](e.dev, n)
		if err != nil {
			return err
		}
		want = runtime.ErrFreed
		gone.Free()
		runtime.Copy(e.b, gone, x)
	}
	err := e.b.Run(t.Context())
	if e.value = max(e.value, e.event.Value()); isMishap(err) { // before the mistake, in a batch that was started
		return nil
	}
	if err := e.event.Signal(e.value); err != nil { // as the batch would have
		return err
	}
	var a *runtime.ArgError
	if !errors.Is(err, want) || !errors.As(err, &a) || a.Call.Number == 0 {
		return errors.Join(errors.New("another error than expected"), err)
	}
	return nil
}

func ones(n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = 1
	}
	return list
}
