package fakemetal_test

import (
	"errors"
	"flag"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

var long = flag.Bool("long", false, "run the long tests whole")

// What engines do, on many goroutines: batches in pieces, kept and submitted again, grown and reset, with mistakes in
// between, in memory that comes and goes. Each has the results that it should have, or an error of a known type.
func TestManyBatchesOfEveryKind(t *testing.T) {
	batches := 1500
	if *long {
		batches = 10000
	}
	check := func(t *testing.T, dev *runtime.Device) {
		var group sync.WaitGroup
		var mistakes atomic.Int64
		const goroutines = 16
		for g := range goroutines {
			group.Go(func() {
				e := engine{dev: dev, random: rand.New(rand.NewPCG(28, uint64(g))), b: dev.NewBatch()}
				for e.runs < batches/goroutines {
					if err := e.step(t); err != nil {
						t.Error(err)
						return
					}
				}
				mistakes.Add(int64(e.mistakes))
			})
		}
		group.Wait()
		if n := mistakes.Load(); n == 0 || n > int64(batches) {
			t.Errorf("%d mistakes in %d batches", n, batches)
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
		check(t, dev)
		if n := dev.Memory().Allocated; n != 0 {
			t.Errorf("%d bytes are left", n)
		}
	})
	t.Run("metal", func(t *testing.T) {
		dev, _ := fakemetal.Open(t, fakemetal.Options{
			NoLog: true, Piece: 3, Runtime: runtime.Options{Reuse: 1 << 20},
		})
		check(t, dev)
	})
}

// engine makes batches of one goroutine, and knows what they compute.
type engine struct {
	dev            *runtime.Device
	random         *rand.Rand
	b              *runtime.Batch
	runs, mistakes int
}

// step records a batch, runs it once or several times, and frees what it used.
func (e *engine) step(t *testing.T) error {
	n := 1 << e.random.IntN(13)
	x, err := runtime.Upload(e.dev, ones(n))
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
	keep := e.random.IntN(2) == 0
	if keep {
		e.b.Keep()
	}
	by, runs := float32(1), 1
	if keep {
		runs = 1 + e.random.IntN(4)
	}
	for range runs {
		for range 1 + e.random.IntN(5) { // in a kept batch they follow those of the last run
			from := x
			if by > 1 {
				from = y
			}
			scaled(e.b, from, y, 2, n)
			by *= 2
		}
		if e.random.IntN(8) == 0 {
			return e.mistake(x, y, n)
		}
		e.runs++
		if err := e.run(t); err != nil {
			return err
		}
		if got := y.Data(); got[0] != by || got[n-1] != by {
			return errors.New("a wrong result")
		}
	}
	if keep {
		e.b.Reset()
	}
	return nil
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
func (e *engine) mistake(x, y runtime.Buffer[float32], n int) error {
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
		e.b.Keep()
		runtime.Copy(e.b, gone, x)
		gone.Free()
	}
	err := e.b.Submit()
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
