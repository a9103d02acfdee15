package runtime

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Event is something that took time: a device ran a batch, or somebody waited for it. [Options.Trace] receives them.
type Event struct {
	Kind       EventKind
	Name       string // of the kernel of a dispatch, "Copy", "Encode", or of what was compiled: a kernel or a file
	Batch      uint64 // the number of the batch, in the order in which those of the device were submitted, from 1
	Start, End time.Time
	Grid       Grid // of a dispatch, as Bytes is: see [DispatchTimes]
	Bytes      int
	Call       CallSite // of a dispatch, a call that ran nothing, or one that had something compiled
}

// EventKind is what an [Event] is about.
type EventKind uint8

// The kinds of events.
const (
	BatchEvent    EventKind = iota // a device worked on a batch
	DispatchEvent                  // a device worked on a call or a copy of a batch
	WaitEvent                      // Wait or Run waited for a batch
	CompileEvent                   // a kernel or a source was compiled; Batch is 0
	IdleEvent                      // a call ran nothing, because a size is 0; Start and End are when it was recorded
)

// String returns "batch", "dispatch", "wait", "compile" or "idle".
func (k EventKind) String() string {
	if int(k) >= len(eventKinds) {
		return fmt.Sprintf("EventKind(%d)", uint8(k))
	}
	return eventKinds[k]
}

var eventKinds = [...]string{"batch", "dispatch", "wait", "compile", "idle"}

// traceVariable names the file that events are written to.
const traceVariable = "METALGEN_TRACE"

// tracer tells what a device does.
type tracer struct {
	drv       driver.Device
	hooks     []func(Event)
	submitted atomic.Uint64 // batches
}

// newTracer returns what the options and the environment ask for, or nil for nothing. It has the device measure what
// events tell.
func newTracer(o *driver.Options, hook func(Event)) (*tracer, error) {
	t := &tracer{}
	if hook != nil {
		t.hooks = append(t.hooks, hook)
	}
	if path := os.Getenv(traceVariable); path != "" {
		file, err := traceFileAt(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", traceVariable, err)
		}
		t.hooks = append(t.hooks, file.hook(t))
	}
	if len(t.hooks) == 0 {
		return nil, nil
	}
	o.Times, o.Compiled = true, t.compiled
	return t, nil
}

func (t *tracer) emit(e Event) {
	for _, hook := range t.hooks {
		hook(e)
	}
}

func (t *tracer) compiled(c driver.Compilation) {
	e := Event{Kind: CompileEvent, Name: c.Name, Start: c.Start, End: c.End}
	if s, ok := c.For.(*recording); ok {
		e.Call = s.site()
	}
	t.emit(e)
}

// ranNothing tells of the calls of a batch that had nothing to do.
func (t *tracer) ranNothing(batch uint64, calls []idleCall) {
	for _, c := range calls {
		t.emit(Event{Kind: IdleEvent, Name: c.kernel, Batch: batch, Start: c.at, End: c.at, Call: c.call})
	}
}

// waited tells of a batch that is done, and of who has waited for it since.
func (t *tracer) waited(batch uint64, since time.Time, r *Result) {
	now := time.Now()
	if r.End > 0 {
		zero := now.Add(-t.drv.Clock())
		for _, d := range r.dispatches {
			if d.End == 0 {
				continue // it did not run: the batch failed before
			}
			t.emit(Event{
				Kind: DispatchEvent, Name: d.Kernel, Batch: batch, Start: zero.Add(d.Start), End: zero.Add(d.End),
				Grid: d.Grid, Bytes: d.Bytes, Call: d.Call,
			})
		}
		t.emit(Event{Kind: BatchEvent, Batch: batch, Start: zero.Add(r.Start), End: zero.Add(r.End)})
	}
	t.emit(Event{Kind: WaitEvent, Batch: batch, Start: since, End: now})
}
