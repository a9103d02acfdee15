//go:build linux && (amd64 || arm64)

package metal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
)

func TestABatchIsCutByItsDispatchesAndByTheirBytes(t *testing.T) {
	for _, c := range []struct {
		most   pieceSize
		lots   []int // bytes of dispatches
		pieces []int // dispatches of each
	}{
		{pieceSize{3, 1 << 20}, []int{64, 64, 64}, []int{3}},
		{pieceSize{3, 1 << 20}, []int{64, 64, 64, 64}, []int{3, 1}},
		{pieceSize{1, 1 << 20}, []int{64, 64}, []int{1, 1}},
		{pieceSize{99, 128}, []int{64, 64, 64, 256, 64}, []int{2, 2, 1}},
		{pieceSize{99, 1}, []int{256, 256}, []int{1, 1}},
	} {
		for _, discrete := range []bool{false, true} {
			t.Run(fmt.Sprint(c.most, c.lots, discrete), func(t *testing.T) {
				d := start(t, metaltest.Options{Discrete: discrete})
				d.most = c.most
				x := newMemory(t, d, 256)
				r := d.newRecorder()
				sizes := func() (list []int) {
					for _, p := range r.pieces[:r.count] {
						list = append(list, len(p.kernels))
					}
					return list
				}
				for range 2 { // the second time with the storage of the first
					if err := batchOn(t, r, func(driver.Recorder) error {
						for _, bytes := range c.lots {
							if err := r.Record(raised(whole(x, bytes), driver.Buffer{})); err != nil {
								return err
							}
						}
						if have := sizes(); !slices.Equal(have, c.pieces) {
							t.Errorf("%v: %v, want %v", c.most, have, c.pieces)
						}
						return nil
					}); err != nil {
						t.Error(err)
					}
				}
				if have := int(x.Bytes()[0]); have != 2*len(c.lots) {
					t.Errorf("%v: %d, want %d", c.most, have, 2*len(c.lots))
				}
				if n := metaltest.Count(); n.CommandBuffers != uint64(2*len(c.pieces)) || n.Encoders != n.CommandBuffers {
					t.Errorf("%v: %+v", c.most, n)
				}
			})
		}
	}
}

func TestOnePieceThatFailsIsTheErrorOfItsBatch(t *testing.T) {
	d := startWith(t, metaltest.Options{}, driver.Options{Piece: 2})
	watched := metaltest.Watch(d)
	x, y := newMemory(t, watched, 64), newMemory(t, watched, 64)
	step := func(r driver.Recorder) error {
		return all(r, raised(whole(x, 64), driver.Buffer{}), raised(whole(x, 64), driver.Buffer{}),
			planned(whole(y, 12), 1), planned(whole(y, 12), 1), raised(whole(x, 64), driver.Buffer{}))
	}
	d.labels.Store(true)
	for _, c := range []struct {
		fail    []string // the pieces
		kernels []string
	}{{[]string{"plan"}, []string{"plan"}}, {[]string{"raise"}, []string{"raise"}},
		{[]string{"plan", "raise"}, []string{"raise"}}} {
		for i, name := range c.fail {
			metaltest.Fail(metaltest.CommandError,
				metaltest.Fault{Name: name, Code: int(driver.GPUPageFault), Text: fmt.Sprint(i)})
		}
		err := batch(t, watched, step)
		var e *driver.GPUError
		if !errors.As(err, &e) || e.Code != driver.GPUPageFault || !slices.Equal(e.Kernels, c.kernels) {
			t.Errorf("%v failed: %#v", c.fail, err)
		}
		if err := batch(t, watched, step); err != nil {
			t.Errorf("the next batch: %v", err)
		}
	}
}

func TestAPieceThatCannotBeCommittedIsTheErrorOfTheJob(t *testing.T) {
	d := startWith(t, metaltest.Options{}, driver.Options{Piece: 1})
	watched := metaltest.Watch(d)
	x := newMemory(t, watched, 64)
	for _, c := range []struct {
		kind metaltest.FaultKind
		want error
	}{{metaltest.NoCommandBuffer, errNoCommandBuffer}, {metaltest.NoEncoder, errNoEncoder}} {
		clear(x.Bytes())
		r, err := watched.NewRecorder()
		if err != nil {
			t.Fatal(err)
		}
		metaltest.Fail(metaltest.Hang, metaltest.Fault{})
		raise := raised(whole(x, 64), driver.Buffer{})
		if err := all(r, slices.Repeat([]any{raise}, maxRunning+2)...); err != nil {
			t.Fatal(err)
		}
		job, err := r.Submit()
		if err != nil {
			t.Fatal(err)
		}
		for len(d.running) < maxRunning { // the rest has no place
			runtime.Gosched()
		}
		metaltest.Fail(c.kind, metaltest.Fault{})
		metaltest.Resume()
		if done, err := job.Wait(t.Context()); !done || !errors.Is(err, c.want) || x.Bytes()[0] != maxRunning {
			t.Errorf("done %v, %v, %d pieces ran", done, err, x.Bytes()[0])
		} else if e, ok := errors.AsType[*driver.CallError](err); !ok || e.Call != maxRunning+1 || e.Kernel != "raise" {
			t.Errorf("%#v: want call %d", err, maxRunning+1)
		}
		r.Reset()
		if err := batchOn(t, r, func(r driver.Recorder) error { return all(r, raise, raise) }); err != nil {
			t.Errorf("the next batch: %v", err)
		}
	}
}

// TestBatchesInPiecesFailOneByOne has goroutines run batches in pieces while mishaps happen to some. Each mishap is a
// typed error of one batch, and the fake finds whatever is left behind.
func TestBatchesInPiecesFailOneByOne(t *testing.T) {
	batches := 480
	if *long {
		batches = 10000
	}
	const goroutines = 16
	d := startWith(t, metaltest.Options{}, driver.Options{Piece: 2})
	watched := metaltest.Watch(d)
	var failures, mishaps atomic.Int64
	var group sync.WaitGroup
	for g := range goroutines {
		x := newMemory(t, watched, 64)
		random := rand.New(rand.NewPCG(1, uint64(g)))
		group.Go(func() {
			r, err := watched.NewRecorder()
			if err != nil {
				t.Error(err)
				return
			}
			for range batches / goroutines {
				if random.IntN(4) == 0 {
					kinds := []metaltest.FaultKind{metaltest.CommandError, metaltest.NoCommandBuffer, metaltest.NoEncoder}
					metaltest.Fail(kinds[random.IntN(len(kinds))], metaltest.Fault{Code: int(driver.GPUInternal), Text: "by chance"})
					mishaps.Add(1)
				}
				before := binary.LittleEndian.Uint32(x.Bytes())
				err := batchOn(t, r, func(r driver.Recorder) error {
					return all(r, slices.Repeat([]any{raised(whole(x, 64), driver.Buffer{})}, 5)...)
				})
				var e *driver.GPUError
				switch after := binary.LittleEndian.Uint32(x.Bytes()); {
				case err == nil && after != before+5:
					t.Errorf("%d, want %d", after, before+5)
				case err == nil:
				case errors.As(err, &e) && e.Msg == "by chance", errors.Is(err, errNoCommandBuffer), errors.Is(err, errNoEncoder):
					failures.Add(1)
				default:
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if failures.Load() == 0 || failures.Load() > mishaps.Load() {
		t.Errorf("%d batches failed of %d mishaps", failures.Load(), mishaps.Load())
	}
	if n := len(d.running); n != 0 || len(flights.byIDs) != 0 {
		t.Errorf("%d command buffers run, %d are on their way", n, len(flights.byIDs))
	}
	for _, m := range metaltest.Log() {
		if m.Selector == "waitUntilCompleted" {
			t.Fatal("a thread waited for a GPU")
		}
	}
}

// BenchmarkPieces commits 64 dispatches in one piece, and in eight.
func BenchmarkPieces(b *testing.B) {
	for _, pieces := range []int{1, 8} {
		b.Run(fmt.Sprint(pieces), func(b *testing.B) {
			const dispatches = 64
			d := startWith(b, metaltest.Options{Bench: true}, driver.Options{Piece: dispatches / pieces})
			list := norms(b, d)
			r := d.newRecorder()
			b.ReportAllocs()
			for b.Loop() {
				for i := range dispatches {
					if err := r.Record(list[i%len(list)]); err != nil {
						b.Fatal(err)
					}
				}
				job, err := r.Submit()
				if err != nil {
					b.Fatal(err)
				}
				if done, err := job.Wait(b.Context()); !done || err != nil {
					b.Fatal(done, err)
				}
				r.Reset()
			}
		})
	}
}
