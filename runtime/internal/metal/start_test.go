//go:build linux && (amd64 || arm64)

package metal

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
)

// The first pieces of a batch that is started are small, so that the GPU has something to do soon.
func TestPiecesOfAStartedBatchGrow(t *testing.T) {
	d := start(t, metaltest.Options{})
	x := newMemory(t, d, 64)
	raise := raised(whole(x, 64), driver.Buffer{})
	r := d.newRecorder()
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	if err := all(r, slices.Repeat([]any{raise}, 600)...); err != nil {
		t.Fatal(err)
	}
	var sizes []int
	for _, p := range r.pieces[:r.count] {
		sizes = append(sizes, len(p.kernels))
	}
	if want := []int{16, 32, 64, 128, 128, 128, 104}; !slices.Equal(sizes, want) {
		t.Errorf("pieces of %v dispatches, want %v", sizes, want)
	}
	job, err := r.Submit()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := job.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := metaltest.Count().CommandBuffers; n != 7 {
		t.Errorf("%d command buffers, want 7", n)
	}
	r.Reset()
	if err := batchOn(t, r, func(r driver.Recorder) error {
		return all(r, slices.Repeat([]any{raise}, 100)...)
	}); err != nil {
		t.Fatal(err)
	}
	if n := metaltest.Count().CommandBuffers; n != 8 {
		t.Errorf("%d command buffers for the next batch, want 1", n-7)
	}
}

// No command buffer is spent on what is not there.
func TestAStartedBatchHasNoEmptyPieces(t *testing.T) {
	d := start(t, metaltest.Options{})
	x := newMemory(t, d, 64)
	raise := raised(whole(x, 64), driver.Buffer{})
	r := d.newRecorder()
	for _, c := range []struct {
		dispatches [3]int // before a Start, between two, and after
		want       uint64
	}{{[3]int{0, 0, 0}, 0}, {[3]int{1, 0, 0}, 1}, {[3]int{0, 0, 1}, 1}, {[3]int{2, 3, 4}, 3}, {[3]int{0, 1, 0}, 1}} {
		metaltest.ResetLog()
		job, err := jobOn(t, r, func(driver.Recorder) error {
			for i, n := range c.dispatches {
				if err := all(r, slices.Repeat([]any{raise}, n)...); err != nil {
					return err
				}
				if i < 2 {
					if err := r.Start(); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if n := metaltest.Count().CommandBuffers; n != c.want {
			t.Errorf("%v dispatches: %d command buffers, want %d", c.dispatches, n, c.want)
		}
		if job.Times().End > 0 != (c.want > 0) {
			t.Errorf("%v dispatches: times %+v", c.dispatches, job.Times())
		}
		r.Reset()
	}
}

// A piece that fails, or cannot be committed, is the error of the batch, and what waits for its events goes on.
func TestPiecesOfAStartedBatchThatFail(t *testing.T) {
	for _, c := range []struct {
		kind metaltest.FaultKind
		skip int
	}{
		{metaltest.CommandError, 0}, {metaltest.CommandError, 2},
		{metaltest.NoCommandBuffer, 0}, {metaltest.NoCommandBuffer, 1}, {metaltest.NoEncoder, 2},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			d := start(t, metaltest.Options{})
			x := newMemory(t, d, 64)
			raise := raised(whole(x, 64), driver.Buffer{})
			if err := run(t, d, raise); err != nil {
				t.Fatal(err) // with a pipeline
			}
			event, value, _ := newEvent(t, d)
			metaltest.Fail(c.kind, metaltest.Fault{Skip: c.skip, Code: int(driver.GPUPageFault)})
			r, behind := d.newRecorder(), d.newRecorder()
			if err := r.Start(); err != nil {
				t.Fatal(err)
			}
			if err := behind.Record(raise); err != nil {
				t.Fatal(err)
			}
			next, err := behind.Submit()
			if err != nil {
				t.Fatal(err)
			}
			for v := range uint64(3) {
				r.WaitForEvent(event, v)
				if err := r.Record(raise); err != nil {
					t.Fatal(err)
				}
				r.SignalEvent(event, v+1)
			}
			job, err := r.Submit()
			if err != nil {
				t.Fatal(err)
			}
			if done, err := job.Wait(t.Context()); !done || err == nil {
				t.Errorf("%v, %v: the batch has not failed", done, err)
			} else if _, isGPU := errors.AsType[*driver.GPUError](err); isGPU != (c.kind == metaltest.CommandError) {
				t.Errorf("got %v", err)
			}
			if v := value(); v != 3 {
				t.Errorf("the event has the value %d", v)
			}
			if done, err := next.Wait(t.Context()); !done || err != nil {
				t.Errorf("the batch behind: %v, %v", done, err)
			}
			r.Reset()
			behind.Reset()
		})
	}
}

// What is allocated while a batch is recorded that was started is resident when it runs.
func TestMemoryMadeAfterStartIsResident(t *testing.T) {
	d := start(t, metaltest.Options{})
	r := d.newRecorder()
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	toldOfResidency()
	x := newMemory(t, d, 64)
	if _, err := jobOn(t, r, func(driver.Recorder) error {
		return r.Record(raised(whole(x, 64), driver.Buffer{}))
	}); err != nil {
		t.Fatal(err)
	}
	if want, have := []string{"addAllocation:", "commit", "requestResidency"}, toldOfResidency(); !slices.Equal(
		slices.Compact(have), want) {
		t.Errorf("told %q, want %q", have, want)
	}
	r.Reset()
}
