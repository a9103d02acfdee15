//go:build linux && (amd64 || arm64)

package metal

import (
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

func TestErrorsOfTheGPUNameTheKernels(t *testing.T) {
	for _, code := range []driver.GPUErrorCode{
		driver.GPUInternal, driver.GPUTimeout, driver.GPUPageFault, driver.GPUAccessRevoked, driver.GPUNotPermitted,
		driver.GPUOutOfMemory,
		driver.GPUInvalidResource, driver.GPUMemoryless, driver.GPUDeviceRemoved, driver.GPUStackOverflow, 77,
	} {
		t.Run(code.String(), func(t *testing.T) {
			d := start(t, metaltest.Options{})
			watched := metaltest.Watch(d)
			x, y := newMemory(t, watched, 64), newMemory(t, watched, 64)
			for _, c := range []struct {
				steps []any
				want  []string
			}{
				{[]any{raised(whole(x, 64), driver.Buffer{})}, []string{"raise"}},
				{[]any{
					raised(whole(x, 64), driver.Buffer{}), planned(whole(y, 12), 1), raised(whole(x, 64), driver.Buffer{}),
					[2]driver.Buffer{whole(y, 64), whole(x, 64)},
				}, []string{"raise", "plan", "copy16"}},
			} {
				step := func(r driver.Recorder) error { return all(r, c.steps...) }
				metaltest.Fail(metaltest.CommandError, metaltest.Fault{Code: int(code), Text: "it says so"})
				err := batch(t, watched, step)
				var e *driver.GPUError
				if !errors.As(err, &e) || e.Code != code || e.Msg != "it says so" || !slices.Equal(e.Kernels, c.want) {
					t.Errorf("got %#v", err)
				}
				if err := batch(t, watched, step); err != nil {
					t.Errorf("the next batch: %v", err)
				}
			}
		})
	}
}

func TestBatchesBehindOneThatRunsForTooLongRun(t *testing.T) {
	var dispatches atomic.Int64
	d := start(t, metaltest.Options{
		Watchdog: time.Millisecond,
		Execute: func(ctx context.Context, _ metaltest.Dispatch) error {
			if dispatches.Add(1) > 1 {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		},
	})
	x := newMemory(t, d, 64)
	step := func(r driver.Recorder) error {
		return all(r, raised(whole(x, 64), driver.Buffer{}), raised(whole(x, 64), driver.Buffer{}))
	}
	var e *driver.GPUError
	if err := batch(t, d, step); !errors.As(err, &e) || e.Code != driver.GPUTimeout || dispatches.Load() != 1 {
		t.Errorf("%d dispatches, %v", dispatches.Load(), err)
	}
	if err := batch(t, d, step); err != nil || dispatches.Load() != 3 {
		t.Errorf("%d dispatches, %v", dispatches.Load(), err)
	}
}

func TestErrorsOfOthersAreInternalOnesOfTheGPU(t *testing.T) {
	start(t, metaltest.Options{})
	objc.WithPool(func() {
		class, err := objc.Class("NSError")
		if err != nil {
			t.Fatal(err)
		}
		domain, err := objc.NewString("SomeDomain")
		if err != nil {
			t.Fatal(err)
		}
		defer domain.Release()
		id := objc.ID(class.Send(objc.Selector("errorWithDomain:code:userInfo:", "@@q@"), uintptr(domain), 3, 0))
		var e *driver.GPUError
		p := &piece{kernels: []*driver.Kernel{&raiseKernel}}
		if err := gpuError(id, p); !errors.As(err, &e) || e.Code != driver.GPUInternal ||
			!strings.Contains(e.Msg, "SomeDomain 3") {
			t.Errorf("got %v", err)
		}
	})
	if err := gpuError(0, nil); err != nil {
		t.Errorf("no error is %v", err)
	}
}

// What a batch uses is kept by the runtime. That Metal retained it too would cost a call a buffer.
func TestCommandBuffersDoNotRetainWhatTheyUse(t *testing.T) {
	d := start(t, metaltest.Options{})
	isFenced(t, d)
	got := map[string]int{}
	for _, m := range metaltest.Log() {
		if strings.HasPrefix(m.Selector, "commandBuffer") {
			got[m.Selector]++
		}
	}
	if want := (map[string]int{"commandBufferWithUnretainedReferences": 1}); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestASubmitThatFailsLeavesNothingBehind(t *testing.T) {
	for _, c := range []struct {
		kind metaltest.FaultKind
		want error
	}{{metaltest.NoCommandBuffer, errNoCommandBuffer}, {metaltest.NoEncoder, errNoEncoder}} {
		t.Run(c.want.Error(), func(t *testing.T) {
			d := start(t, metaltest.Options{})
			watched := metaltest.Watch(d)
			x := newMemory(t, watched, 64)
			r, err := watched.NewRecorder()
			if err != nil {
				t.Fatal(err)
			}
			step := func(r driver.Recorder) error { return r.Record(raised(whole(x, 64), driver.Buffer{})) }
			metaltest.Fail(c.kind, metaltest.Fault{Times: 3 * maxRunning})
			for range 3 * maxRunning {
				if err := batchOn(t, r, step); !errors.Is(err, c.want) {
					t.Fatalf("got %v", err)
				}
				if n := len(d.running); n != 0 {
					t.Fatalf("%d jobs run", n)
				}
			}
			if err := batchOn(t, r, step); err != nil || x.Bytes()[0] != 1 {
				t.Errorf("%v, x[0] = %d", err, x.Bytes()[0])
			}
		})
	}
}

// hanging submits batches, the first of which hangs, until no more may run.
func hanging(t *testing.T, d *Device, x driver.Memory, n int) []driver.Job {
	t.Helper()
	metaltest.Fail(metaltest.Hang, metaltest.Fault{})
	var jobs []driver.Job
	for range n {
		r := d.newRecorder()
		if err := r.Record(raised(whole(x, 64), driver.Buffer{})); err != nil {
			t.Fatal(err)
		}
		job, err := r.Submit()
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, job)
	}
	return jobs
}

func TestWaitGivesUpWithItsContextAndMayBeCalledAgain(t *testing.T) {
	d := start(t, metaltest.Options{})
	x := newMemory(t, d, 64)
	job := hanging(t, d, x, 1)[0]
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	for range 2 {
		if done, err := job.Wait(short); done || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("done %v, %v", done, err)
		}
	}
	metaltest.Resume()
	if done, err := job.Wait(t.Context()); !done || err != nil {
		t.Errorf("done %v, %v", done, err)
	}
	if done, err := job.Wait(short); !done || err != nil {
		t.Errorf("asked again: done %v, %v", done, err)
	}
	if x.Bytes()[0] != 1 {
		t.Errorf("x[0] = %d", x.Bytes()[0])
	}
}

// isBlocked reports that a channel is not closed soon.
func isBlocked(c chan struct{}) bool {
	select {
	case <-c:
		return false
	case <-time.After(20 * time.Millisecond):
		return true
	}
}

func TestSubmitDoesNotWaitWhereTheQueueIsFullAndCloseWaitsForAllJobs(t *testing.T) {
	metaltest.Start(t, metaltest.Options{Execute: metaltest.CPU(t)})
	d, err := OpenLibrary(fakePath(t), nil, -1, driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := d.NewMemory(64, driver.StorageShared)
	if err != nil {
		t.Fatal(err)
	}
	jobs := hanging(t, d, x, maxRunning+1) // one batch more than the queue takes
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		d.Close()
	}()
	if !isBlocked(closed) {
		t.Error("closed while jobs run")
	}
	metaltest.Resume()
	<-closed
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, job := range jobs {
		if done, err := job.Wait(ended); !done || err != nil {
			t.Errorf("done %v, %v", done, err)
		}
	}
	if x.Bytes()[0] != maxRunning+1 {
		t.Errorf("x[0] = %d", x.Bytes()[0])
	}
	x.Free()
}

// TestTenThousandBatchesAtOnce has goroutines take turns with fewer recorders, each
// with numbers of its own.
func TestTenThousandBatchesAtOnce(t *testing.T) {
	batches := 500
	if *long {
		batches = 10000
	}
	const goroutines, recorders = 16, 5
	// a cheap kernel: what the CPU device makes of it is the business of other tests
	raise := func(_ context.Context, d metaltest.Dispatch) error {
		b := d.Buffers[0].Bytes
		for i := 0; i+4 <= len(b); i += 4 {
			binary.LittleEndian.PutUint32(b[i:], binary.LittleEndian.Uint32(b[i:])+1)
		}
		return nil
	}
	d := start(t, metaltest.Options{Quiet: true, Execute: raise})
	watched := metaltest.Watch(d)
	idle := make(chan driver.Recorder, recorders)
	for range recorders {
		r, err := watched.NewRecorder()
		if err != nil {
			t.Fatal(err)
		}
		idle <- r
	}
	var wg sync.WaitGroup
	rounds := batches / goroutines
	for range goroutines {
		own, shared := newMemory(t, watched, 128), newMemory(t, watched, 64)
		wg.Go(func() {
			for range rounds {
				r := <-idle
				err := batchOn(t, r, func(r driver.Recorder) error {
					first, second := whole(own, 64), driver.Buffer{Memory: own, Offset: 64, Length: 64}
					return all(r, raised(first, driver.Buffer{}), raised(second, driver.Buffer{}), raised(first, driver.Buffer{}),
						raised(whole(shared, 64), driver.Buffer{}))
				})
				idle <- r
				if err != nil {
					t.Error(err)
					return
				}
			}
			for i, want := range []int{2 * rounds, rounds} {
				if got := binary.LittleEndian.Uint32(own.Bytes()[64*i+4:]); got != uint32(want) {
					t.Errorf("%d instead of %d", got, want)
				}
			}
		})
	}
	wg.Wait()
	n := metaltest.Count()
	if want := uint64(rounds * goroutines); n.CommandBuffers != want || n.Barriers != want || n.Needless != 0 ||
		len(d.running) != 0 {
		t.Errorf("%+v, %d jobs run; want %d command buffers with a barrier each", n, len(d.running), want)
	}
}
