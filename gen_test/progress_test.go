package gen_test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

// progress keeps what it is called with, and that no two calls are at the same time.
type progress struct {
	calls   []string
	running atomic.Bool
	overlap atomic.Bool
}

func (p *progress) report(done, total int) {
	if p.running.Swap(true) {
		p.overlap.Store(true)
	}
	p.calls = append(p.calls, fmt.Sprintf("%d/%d", done, total))
	p.running.Store(false)
}

func TestProgressCountsWhatIsDone(t *testing.T) {
	onFakeInPieces := func(n int, o runtime.Options) func(*testing.T) *runtime.Device {
		return func(t *testing.T) *runtime.Device {
			dev, _ := openFake(t, fakemetal.Options{Piece: n, Runtime: o, NoLog: true})
			return dev
		}
	}
	for _, device := range []struct {
		name string
		open func(t *testing.T) *runtime.Device
		each int // calls that are done at once
	}{
		{"cpu", func(t *testing.T) *runtime.Device {
			dev, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { dev.Close() })
			return dev
		}, 1},
		{"recording", func(t *testing.T) *runtime.Device { dev, _ := open(t); return dev }, 1},
		{"recording without a log", func(t *testing.T) *runtime.Device {
			dev, _ := open(t, runtimetest.NoLog())
			return dev
		}, 1},
		{"the Metal driver", onFakeInPieces(0, runtime.Options{}), 128},
		{"the Metal driver in pieces", onFakeInPieces(3, runtime.Options{}), 3},
		{"the Metal driver with times", onFakeInPieces(0, runtime.Options{Times: true}), 1},
	} {
		t.Run(device.name, func(t *testing.T) {
			dev := device.open(t)
			x, y := upload(t, dev, []float32{1, 2, 3, 4}), newBuffer[float32](t, dev, 4)
			record := func(b *runtime.Batch, calls int) {
				for i := range calls {
					switch i % 3 {
					case 0:
						gen.SwigluFused(b, gen.SwigluFusedArgs{Gate: x, Up: x, Out: y, Dim: 4})
					case 1:
						runtime.Copy(b, x, y)
					case 2:
						none := x.Slice(0, 0)
						gen.SwigluFused(b, gen.SwigluFusedArgs{Gate: none, Up: none, Out: none}) // of nothing: it does not count
						gen.SwigluFused(b, gen.SwigluFusedArgs{Gate: y, Up: x, Out: x, Dim: 4})
					}
				}
			}
			b := dev.NewBatch()
			for _, total := range []int{7, 1, 0, 12} {
				var want []string
				for done := min(device.each, total); total > 0; done = min(done+device.each, total) {
					want = append(want, fmt.Sprintf("%d/%d", done, total))
					if done == total {
						break
					}
				}
				p := &progress{}
				record(b, total)
				if err := b.Run(t.Context(), runtime.WithProgress(nil), runtime.WithProgress(p.report)); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(p.calls, want) || p.overlap.Load() {
					t.Errorf("%d calls: got %s, want %s (at once: %v)", total, p.calls, want, p.overlap.Load())
				}
				p = &progress{}
				record(b, total)
				if err := b.Submit(runtime.WithProgress(p.report)); err != nil {
					t.Fatal(err)
				}
				if err := b.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(p.calls, want) {
					t.Errorf("%d calls, submitted: got %s, want %s", total, p.calls, want)
				}
				record(b, total) // which nobody asks about
				if err := b.Run(t.Context()); err != nil || !slices.Equal(p.calls, want) {
					t.Errorf("%d calls without progress: %s, %v", total, p.calls, err)
				}
			}
		})
	}
}

// What is done before a fault counts, and nothing after it.
func TestProgressEndsWithAFault(t *testing.T) {
	dev, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	x := upload(t, dev, []float32{1, 2, 3, 4})
	b := dev.NewBatch()
	for i := range 6 {
		if i == 3 { // no shape of its scores is stated
			gen.AttnSoftmaxBatched(b, gen.AttnSoftmaxBatchedArgs{
				Scores: x, SeqLen: 4, SeqStride: 4, Grid: groups(2, 1, 1, 32, 1, 1),
			})
			continue
		}
		gen.SwigluFused(b, gen.SwigluFusedArgs{Gate: x, Up: x, Out: x, Dim: 4})
	}
	p := &progress{}
	if err := b.Run(t.Context(), runtime.WithProgress(p.report)); err == nil {
		t.Error("no fault")
	}
	if want := []string{"1/6", "2/6", "3/6"}; !slices.Equal(p.calls, want) {
		t.Errorf("got %s, want %s", p.calls, want)
	}
}

func TestProgressAllocatesNothing(t *testing.T) {
	dev, err := runtime.OpenWith(runtime.Options{Device: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	x := upload(t, dev, []float32{1, 2, 3, 4})
	b, ctx, last := dev.NewBatch(), t.Context(), 0
	report := func(done, _ int) { last = done }
	step := func() {
		for range 5 {
			gen.SwigluFused(b, gen.SwigluFusedArgs{Gate: x, Up: x, Out: x, Dim: 4})
		}
		if err := b.Run(ctx, runtime.WithProgress(report)); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 { // until there is machine code
		step()
	}
	if n := testing.AllocsPerRun(20, step); n != 0 || last != 5 {
		t.Errorf("%v allocations, %d calls", n, last)
	}
}
