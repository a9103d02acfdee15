package cuda

import (
	"github.com/metalgen/metalgen/runtime/internal/cuda/libcuda"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Events are the host's: a job that has one is sent by a goroutine, which waits for it between two items.

// eventStep is what an item does with an event.
type eventStep struct {
	of      driver.Event // nil where there is none
	value   uint64
	signals bool // it does not wait
}

// NewEvent returns an event of value 0.
func (d *Device) NewEvent() (driver.Event, error) { return &driver.Counter{}, nil }

// WaitForEvent has what is recorded later wait.
func (r *recorder) WaitForEvent(e driver.Event, value uint64) {
	r.next().event = eventStep{of: e, value: value}
	r.count++
}

// SignalEvent has the event signalled between what was recorded and what will be.
func (r *recorder) SignalEvent(e driver.Event, value uint64) {
	r.next().event = eventStep{of: e, value: value, signals: true}
	r.count++
}

// hasEvents reports whether the job has to be sent by the sender.
func (r *recorder) hasEvents() bool {
	for _, i := range r.items[:r.count] {
		if i.event.of != nil {
			return true
		}
	}
	return false
}

// pass waits for an event, or signals it when all that was sent before is done. The context is current.
func (r *recorder) pass(s *eventStep) error {
	d := r.device
	if !s.signals {
		select {
		case <-s.of.Reached(s.value):
			return nil
		case <-r.stopping:
			return &driver.StoppedError{Kernel: "WaitForEvent", Err: r.reason()}
		case <-d.closing:
			return &driver.StoppedError{Kernel: "WaitForEvent"}
		}
	}
	result := d.lib.StreamSynchronize(d.stream)
	s.of.Signal(s.value)
	return d.lib.Error("cuStreamSynchronize", result)
}

// signalAll signals what the job would have, where it ended early: what waits for that goes on, and finds the error
// in the job.
func (r *recorder) signalAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.pieces[:r.ready] {
		for _, i := range p.items {
			if i.event.signals {
				i.event.of.Signal(i.event.value)
			}
		}
	}
}

// ordered sends a job, behind those that wait for an event. Where it may wait itself, or has to behind others, the
// sender does it later.
func (d *Device) ordered(r *recorder) (err error) {
	d.sending.Lock()
	defer d.sending.Unlock()
	if !r.hasEvents() && d.sender.empty() {
		d.with(func() {
			if err = r.send(); err != nil {
				d.lib.StreamSynchronize(d.stream)
			}
		})
		if err == nil {
			d.waiter.add(r)
		}
		return err
	}
	d.sender.add(r)
	return nil
}

// sendLast has the sender send a job after those that it has.
func (d *Device) sendLast(r *recorder) {
	d.sending.Lock()
	defer d.sending.Unlock()
	d.sender.add(r)
}

// sendLater sends the jobs of the sender's queue, each when those before it have been sent.
func (d *Device) sendLater(r *recorder) {
	if r.failed = r.send(); r.failed != nil {
		d.lib.StreamSynchronize(d.stream)
	}
	d.waiter.add(r)
}

// waitFor finishes a job when it is done.
func (d *Device) waitFor(r *recorder) {
	if r.failed != nil {
		r.finish(libcuda.Success)
		return
	}
	r.finish(d.lib.EventSynchronize(r.end))
}
