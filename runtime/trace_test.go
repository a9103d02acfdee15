package runtime_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/metalgen/metalgen/runtime"
)

// traced opens a CPU device, and returns what it has traced so far.
func traced(t *testing.T) (*runtime.Device, func() []runtime.Event) {
	t.Helper()
	var mu sync.Mutex
	var list []runtime.Event
	dev, err := runtime.OpenWith(runtime.Options{Device: "cpu", Trace: func(e runtime.Event) {
		mu.Lock()
		defer mu.Unlock()
		list = append(list, e)
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev, func() []runtime.Event {
		mu.Lock()
		defer mu.Unlock()
		l := list
		list = nil
		return l
	}
}

func TestATraceHasEachCompilationDispatchBatchAndWait(t *testing.T) {
	began := time.Now()
	dev, events := traced(t)
	x, y := newBuffer[uint32](t, dev, 32), newBuffer[uint32](t, dev, 32)
	b := dev.NewBatch()
	type event struct {
		kind  runtime.EventKind
		name  string
		batch uint64
	}
	run := func(want ...event) {
		t.Helper()
		countTo(b, x, 3)
		runtime.Copy(b, y, x)
		countTo(b, y, 1)
		mustRun(t, b)
		list := events()
		if len(list) != len(want) {
			t.Fatalf("got %v", list)
		}
		last := began
		for i, e := range list {
			if have := (event{e.Kind, e.Name, e.Batch}); have != want[i] {
				t.Errorf("event %d: %v, want %v", i, have, want[i])
			}
			if e.Start.Before(began) || e.End.Before(e.Start) || e.End.After(time.Now()) {
				t.Errorf("%v lasts from %v to %v", e.Kind, e.Start, e.End)
			}
			if e.Kind == runtime.DispatchEvent {
				if e.Start.Before(last) {
					t.Errorf("%s began %v before the one before it had ended", e.Name, last.Sub(e.Start))
				}
				last = e.End
			}
		}
		batch := list[len(list)-2]
		if first, end := list[len(list)-5], list[len(list)-3]; batch.Start.After(first.Start) || batch.End.Before(end.End) {
			t.Errorf("dispatches from %v to %v in a batch from %v to %v", first.Start, end.End, batch.Start, batch.End)
		}
	}
	of := func(n uint64) []event {
		return []event{
			{runtime.DispatchEvent, "count", n}, {runtime.DispatchEvent, "Copy", n}, {runtime.DispatchEvent, "count", n},
			{runtime.BatchEvent, "", n}, {runtime.WaitEvent, "", n},
		}
	}
	run(append([]event{{runtime.CompileEvent, "count", 0}}, of(1)...)...)
	run(of(2)...)
	if have := b.Result().Dispatches(); len(have) != 3 || have[1].Kernel != "Copy" || have[2].Duration() < 0 ||
		have[2].Start < have[1].End {
		t.Errorf("the result has %v", have)
	}
	mustRun(t, b)
	if list := events(); list != nil {
		t.Errorf("an empty batch: %v", list)
	}
}

func TestATraceWithoutEventsIsAnEmptyArray(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.json")
	t.Setenv("METALGEN_TRACE", path)
	traced(t)
	text, err := os.ReadFile(path)
	var events []any
	if err != nil || json.Unmarshal(text, &events) != nil || len(events) > 0 {
		t.Errorf("%v, %q", err, text)
	}
}

func TestDispatchesAreMeasuredWhereAskedFor(t *testing.T) {
	for _, want := range []bool{false, true} {
		dev, err := runtime.OpenWith(runtime.Options{Device: "cpu", Times: want})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { dev.Close() })
		b := dev.NewBatch()
		countTo(b, newBuffer[uint32](t, dev, 32), 1)
		mustRun(t, b)
		if have := b.Result().Dispatches(); (len(have) == 1) != want {
			t.Errorf("Times %v: %v", want, have)
		}
	}
}

func TestEventKindsHaveNames(t *testing.T) {
	for kind, want := range map[runtime.EventKind]string{
		runtime.BatchEvent: "batch", runtime.DispatchEvent: "dispatch", runtime.WaitEvent: "wait",
		runtime.CompileEvent: "compile", 9: "EventKind(9)",
	} {
		if kind.String() != want {
			t.Errorf("got %v, want %s", kind, want)
		}
	}
}
