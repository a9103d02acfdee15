package cpu

import "github.com/metalgen/metalgen/runtime/internal/driver"

// eventStep is what a batch does with an event between two dispatches.
type eventStep struct {
	of      driver.Event // nil where there is none
	value   uint64
	signals bool // it does not wait
}

// WaitForEvent has what is recorded later wait.
func (r *recorder) WaitForEvent(e driver.Event, value uint64) {
	r.next().event = eventStep{of: e, value: value}
	r.add(0)
}

// SignalEvent has the event signalled between what was recorded and what will be.
func (r *recorder) SignalEvent(e driver.Event, value uint64) {
	r.next().event = eventStep{of: e, value: value, signals: true}
	r.add(0)
}

// waits reports whether the dispatch may wait for something else than the dispatches before it.
func (d *recorded) waits() bool { return d.postponed != nil || d.event.of != nil && !d.event.signals }

// pass signals the event, or waits for it and returns the error of a batch that is stopped meanwhile.
func (s *eventStep) pass(r *recorder) error {
	if s.signals {
		s.of.Signal(s.value)
		return nil
	}
	select {
	case <-s.of.Reached(s.value):
		return nil
	case <-r.stopped:
		return &driver.StoppedError{Kernel: "WaitForEvent"}
	}
}

// signalAll signals what the batch would have, where it ended early: what waits for that goes on, and finds the
// error in the batch.
func (r *recorder) signalAll() {
	for _, d := range r.released() {
		if d.event.signals {
			d.event.of.Signal(d.event.value)
		}
	}
}
