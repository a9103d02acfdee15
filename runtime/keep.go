package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Keep has the batch keep its calls when a run of it ends, so that Submit or Run runs the same calls again, without
// recording them. What changes from run to run is in buffers: arguments that are values are those of the recording.
// What is recorded between two runs is added to the calls. Keep may be called at any time before Submit.
//
// A batch that is kept keeps its first mistake too, and what its calls use: Free of a buffer releases the memory no
// sooner than [Batch.Reset]. A kept batch cannot run any more once a buffer or texture of its calls was freed: the
// error is an [*ArgError] with [ErrFreed]. Nor can it run once [WriteArguments] has changed references that its calls
// follow: then the error is an [*ArgError] with [ErrRewritten]. It cannot wait for events or signal them, because the
// value of an event is good for one run; batches before and after it can.
//
// A run costs a fraction of recording the calls anew. Where possible, Metal keeps the calls as commands of the GPU, in
// an MTLIndirectCommandBuffer; otherwise the same messages are sent again.
func (b *Batch) Keep() {
	b.mustExist()
	if b.submitted {
		b.fail(fmt.Errorf("Keep: %w", ErrSubmitted))
		return
	}
	if b.started {
		b.fail(errKeptStarted)
		return
	}
	b.kept = true
}

// Reset empties the batch: it has no calls and no mistake any more, and is not kept. If the batch is submitted, Wait
// empties it. If it is started, Reset waits until what was recorded has run.
func (b *Batch) Reset() {
	b.mustExist()
	b.kept = false
	if b.started && !b.submitted && b.Submit() == nil {
		_ = b.Wait(context.Background())
	}
	if !b.submitted {
		b.reset()
	}
}

var errKeptEvent = errors.New(
	"a batch that is kept cannot do it, because the value of an event is good for one run: use another batch")

// checkKept makes what has happened since the calls were recorded the mistake of the batch.
func (b *Batch) checkKept() {
	if b.err != nil {
		return
	}
	if e := &b.event; e.number > 0 {
		b.fail(&CallError{Kernel: e.kernel.Name, Err: errKeptEvent, Call: CallSite{Number: e.number, Label: e.label}})
		return
	}
	for i := range b.held {
		h := &b.held[i]
		switch {
		case h.freed.Load():
			b.fail(b.gone(h, "one that was freed since then", ErrFreed))
			return
		case h.rewritten():
			b.fail(b.gone(h, "one in which references lead elsewhere now", ErrRewritten))
			return
		}
	}
	if b.rec != nil {
		b.rec.Keep()
	}
}

// gone returns the error of a resource that is not what it was when the call was recorded.
func (b *Batch) gone(h *held, have string, err error) error {
	return &ArgError{
		Kernel: h.kernel.Name, Arg: h.arg, Need: "the buffer or texture that the kept call was recorded with", Have: have,
		Err: err, Call: b.siteOf(h.call),
	}
}

// follows notes that a call of the batch follows references in memory that it holds. Their lock is held.
func (b *Batch) follows(r *resource, in *arguments) {
	at := int(r.refs.Load() >> 32)
	if at >= len(b.held) || b.held[at].resource != r { // another batch holds it too
		at = slices.IndexFunc(b.held, func(h held) bool { return h.resource == r })
	}
	b.held[at].arguments, b.held[at].writes = in, in.writes
}

// rewritten reports whether references that calls have followed have changed since.
func (h *held) rewritten() bool {
	if h.arguments == nil {
		return false
	}
	h.arguments.mu.Lock()
	defer h.arguments.mu.Unlock()
	return h.arguments.writes != h.writes
}
