//go:build linux && (amd64 || arm64)

package metal

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// newEvent returns an MTLSharedEvent, and functions that tell its value and set it.
func newEvent(t *testing.T, d *Device) (wrapped driver.Event, value func() int, set func(int)) {
	t.Helper()
	var event objc.ID
	objc.WithPool(func() { event = objc.ID(d.id.Send(selNewSharedEvent)) })
	t.Cleanup(func() { objc.WithPool(event.Release) })
	value = func() (v int) {
		objc.WithPool(func() { v = int(event.Send(selSignaledValue)) })
		return v
	}
	set = func(v int) { objc.WithPool(func() { event.Send(selSetSignaledValue, uintptr(v)) }) }
	return wrapEvent(t, d, event), value, set
}

// rescue signals an event where a test waits for ever, and fails the test. The result says that it does not.
func rescue(t *testing.T, signal func(int)) (done func()) {
	timer := time.AfterFunc(10*time.Second, func() {
		t.Error("a call waits for the event")
		signal(1)
	})
	return func() { timer.Stop() }
}

// A batch waits for what its own program signals, after other calls of that program. So none of these may wait for it.
func TestNothingWaitsForABatchThatWaitsForAnEvent(t *testing.T) {
	for _, c := range []struct {
		name   string
		pieces int
	}{{"with room for more", 2}, {"with no room", maxRunning}, {"with pieces that are left over", maxRunning + 3}} {
		t.Run(c.name, func(t *testing.T) {
			d := startWith(t, metaltest.Options{}, driver.Options{Piece: 1})
			x := newMemory(t, metaltest.Watch(d), 64)
			raise := raised(whole(x, 64), driver.Buffer{})
			event, _, signal := newEvent(t, d)
			var jobs []driver.Job
			submit := func(n int, r *recorder) {
				if err := all(r, slices.Repeat([]any{raise}, n)...); err != nil {
					t.Error(err)
					return
				}
				job, err := r.Submit()
				if err != nil {
					t.Error(err)
					return
				}
				jobs = append(jobs, job)
			}
			file := pages(t, 2)
			defer rescue(t, signal)()
			first := d.newRecorder()
			first.WaitForEvent(event, 1)
			submit(c.pieces, first)
			for _, n := range []int{1, 2, maxRunning, 1} {
				submit(n, d.newRecorder())
			}
			for _, bytes := range [][]byte{file[:len(file)/2], file[len(file)/2:]} {
				m, err := d.WrapMemory(bytes, false)
				if err != nil {
					t.Fatal(err)
				}
				m.Free()
			}
			signal(1)
			for i, job := range jobs {
				if done, err := job.Wait(t.Context()); !done || err != nil {
					t.Errorf("job %d: %v, %v", i, done, err)
				}
			}
			if have, want := int(binary.LittleEndian.Uint32(x.Bytes())), c.pieces+4+maxRunning; have != want {
				t.Errorf("%d dispatches ran, want %d", have, want)
			}
		})
	}
}

// A wrap of memory that is wrapped already waits for what runs, but others do not wait for the wrap.
func TestNothingWaitsForAWrapThatWaits(t *testing.T) {
	d := start(t, metaltest.Options{})
	event, _, signal := newEvent(t, d)
	file := pages(t, 1)
	wrap := func() driver.Memory {
		m, err := d.WrapMemory(file, false)
		if err != nil {
			t.Error(err)
		}
		return m
	}
	low := wrap()
	defer low.Free()
	r := d.newRecorder()
	r.WaitForEvent(event, 1)
	if err := r.Record(raised(whole(low, 64), driver.Buffer{})); err != nil {
		t.Fatal(err)
	}
	jobs := make([]driver.Job, 2)
	var err error
	if jobs[0], err = r.Submit(); err != nil {
		t.Fatal(err)
	}
	wrapped := make(chan struct{})
	var both driver.Memory
	go func() {
		defer close(wrapped)
		both = wrap()
	}()
	if !isBlocked(wrapped) {
		t.Error("wrapped while a batch runs")
	}
	again := d.newRecorder()
	if err := again.Record(raised(whole(low, 64), driver.Buffer{})); err != nil {
		t.Fatal(err)
	}
	defer rescue(t, signal)()
	if jobs[1], err = again.Submit(); err != nil {
		t.Fatal(err)
	}
	signal(1)
	<-wrapped
	both.Free()
	for _, job := range jobs {
		if done, err := job.Wait(t.Context()); !done || err != nil {
			t.Error(done, err)
		}
	}
	if file[0] != 2 {
		t.Errorf("%d dispatches ran", file[0])
	}
}

// Whoever waits for an event of a batch that fails goes on, and finds the error there.
func TestEventsOfPiecesThatFailAreSignalled(t *testing.T) {
	for _, c := range []struct {
		name string
		kind metaltest.FaultKind
		skip int // command buffers, encoders or ends that are as they should be
		want error
	}{
		{"no command buffer for the second piece", metaltest.NoCommandBuffer, 1, errNoCommandBuffer},
		{"no encoder for the third", metaltest.NoEncoder, 2, errNoEncoder},
		{"the first fails on the GPU", metaltest.CommandError, 0, nil},
		{"the last fails on the GPU", metaltest.CommandError, 2, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := startWith(t, metaltest.Options{}, driver.Options{Piece: 1})
			x := newMemory(t, d, 64)
			raise := raised(whole(x, 64), driver.Buffer{})
			event, value, _ := newEvent(t, d)
			if err := batch(t, d, func(r driver.Recorder) error { return r.Record(raise) }); err != nil {
				t.Fatal(err) // with a pipeline
			}
			metaltest.Fail(c.kind, metaltest.Fault{Skip: c.skip, Code: int(driver.GPUPageFault)})
			r := d.newRecorder()
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
			done, err := job.Wait(t.Context())
			var gpu *driver.GPUError
			if !done || c.want != nil && !errors.Is(err, c.want) || c.want == nil && !errors.As(err, &gpu) {
				t.Errorf("got %v, %v", done, err)
			}
			if v := value(); v != 3 {
				t.Errorf("the event has the value %d", v)
			}
		})
	}
}

// A batch that was never submitted signals nothing: its caller knows.
func TestABatchThatIsNotSubmittedSignalsNothing(t *testing.T) {
	d := start(t, metaltest.Options{})
	event, value, _ := newEvent(t, d)
	metaltest.Fail(metaltest.NoCommandBuffer, metaltest.Fault{})
	r := d.newRecorder()
	r.SignalEvent(event, 1)
	if _, err := r.Submit(); !errors.Is(err, errNoCommandBuffer) {
		t.Errorf("got %v", err)
	}
	if v := value(); v != 0 {
		t.Errorf("the event has the value %d", v)
	}
}

// Nothing of a batch runs whose first piece cannot be committed, and the batches after it do.
func TestABatchInPiecesThatIsNotSubmittedIsNotInTheWay(t *testing.T) {
	d := startWith(t, metaltest.Options{}, driver.Options{Piece: 1})
	x := newMemory(t, d, 64)
	raise := raised(whole(x, 64), driver.Buffer{})
	pair := func(r driver.Recorder) error { return all(r, raise, raise) }
	if err := batch(t, d, pair); err != nil {
		t.Fatal(err)
	}
	metaltest.Fail(metaltest.NoCommandBuffer, metaltest.Fault{})
	if err := batch(t, d, pair); !errors.Is(err, errNoCommandBuffer) {
		t.Errorf("got %v", err)
	}
	for range 2 {
		if err := batch(t, d, pair); err != nil {
			t.Error(err)
		}
	}
	d.jobs.Wait() // a batch leaves the queue after it is done
	if x.Bytes()[0] != 6 || len(d.submits.queue) != 0 {
		t.Errorf("%d dispatches ran, want 6; %d batches wait", x.Bytes()[0], len(d.submits.queue))
	}
}
