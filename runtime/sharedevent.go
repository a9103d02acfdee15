package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// SharedEvent is a number that only rises. Batches, the program, and on Metal other queues and processes use it to wait
// for each other. It begins as 0. Like a [Buffer] it is a small value, whose copies are the same event, and it lives
// until Free or [Device.Close].
//
// The zero SharedEvent is not an event. Using it in a batch is a mistake, and its methods return errors or 0.
type SharedEvent struct{ e *sharedEvent }

type sharedEvent struct {
	resource
	event driver.Event
}

var errNoEvent = errors.New("the SharedEvent is zero; NewSharedEvent makes one")

// NewSharedEvent returns an event of value 0: an MTLSharedEvent on Metal.
func NewSharedEvent(dev *Device) (SharedEvent, error) {
	return newSharedEvent("NewSharedEvent", dev, driver.Device.NewEvent)
}

// WrapMTLSharedEvent returns the event of an id<MTLSharedEvent> that other code has made. It keeps a reference to the
// object until Free. On a device that is not a Metal device the error wraps [errors.ErrUnsupported].
func WrapMTLSharedEvent(dev *Device, event uintptr) (SharedEvent, error) {
	return newSharedEvent("WrapMTLSharedEvent", dev, func(d driver.Device) (driver.Event, error) {
		m := d.Metal()
		if m == nil {
			return nil, errNotMetal
		}
		return m.WrapEvent(event)
	})
}

func newSharedEvent(by string, dev *Device, make func(driver.Device) (driver.Event, error)) (SharedEvent, error) {
	if dev == nil {
		return SharedEvent{}, fmt.Errorf("%s: %w", by, errNilDevice)
	}
	e := &sharedEvent{}
	if err := dev.add(&e.resource, func(d driver.Device) (_ freer, err error) {
		e.event, err = make(d)
		return e.event, err
	}); err != nil {
		return SharedEvent{}, fmt.Errorf("%s: %w", by, err)
	}
	return SharedEvent{e}, nil
}

// Value returns the number. It is 0 once the event is freed.
func (e SharedEvent) Value() (value uint64) {
	_ = e.use(func() { value = e.e.event.Value() })
	return value
}

// Signal raises the number to value, unless it is as high already. After Free it returns [ErrFreed].
func (e SharedEvent) Signal(value uint64) error {
	if err := e.use(func() { e.e.event.Signal(value) }); err != nil {
		return fmt.Errorf("Signal: %w", err)
	}
	return nil
}

// Wait waits until the number is value or greater. If ctx ends first, the error wraps that of ctx. If the device is
// closed first, or the event was freed before, it wraps [ErrFreed].
func (e SharedEvent) Wait(ctx context.Context, value uint64) error {
	if e.e == nil {
		return fmt.Errorf("Wait: %w", errNoEvent)
	}
	if !e.e.retain() { // so that only Close destroys it meanwhile
		return fmt.Errorf("Wait: %w", ErrFreed)
	}
	defer e.e.release()
	var reached <-chan struct{}
	if err := e.use(func() { reached = e.e.event.Reached(value) }); err != nil {
		return fmt.Errorf("Wait: %w", err)
	}
	select {
	case <-reached:
	default:
		select {
		case <-reached:
		case <-ctx.Done():
			return fmt.Errorf("Wait: the event has not reached %d: %w", value, ctx.Err())
		}
	}
	if !e.e.event.Has(value) {
		return fmt.Errorf("Wait: the event has not reached %d: %w", value, ErrFreed)
	}
	return nil
}

// MTLSharedEvent returns the id<MTLSharedEvent> of an event of a Metal device, or 0 on other devices. The object lives
// until Free, unless it is retained.
func (e SharedEvent) MTLSharedEvent() (object uintptr) {
	_ = e.use(func() {
		if m := e.e.dev.metal(); m != nil {
			object = m.Event(e.e.event)
		}
	})
	return object
}

// Free releases the event once all batches that wait for it or signal it are done, and all calls of Wait have returned.
// Freeing twice, or freeing the zero SharedEvent, does nothing.
func (e SharedEvent) Free() {
	if e.e != nil {
		e.e.free()
	}
}

// use calls f while the event cannot be destroyed.
func (e SharedEvent) use(f func()) error {
	if e.e == nil {
		return errNoEvent
	}
	return e.e.guard(func() error {
		f()
		return nil
	})
}

// What messages about these name.
var (
	waiting    = bind.Kernel{Name: "WaitForEvent"}
	signalling = bind.Kernel{Name: "SignalEvent"}
)

// WaitForEvent makes later calls wait until an event has at least the given value. Batches that are submitted later
// wait as well, so none of them may be the one that signals the event. An event of another device is a mistake of the
// batch that wraps [ErrOtherDevice].
func (b *Batch) WaitForEvent(e SharedEvent, value uint64) {
	b.addEvent(&waiting, e, func(r driver.Recorder) { r.WaitForEvent(e.e.event, value) })
}

// SignalEvent gives an event a value when everything recorded before is done. If the batch fails or is stopped, the
// event gets the value anyway, so that nothing waits for ever; Wait returns the error. An event of another device is a
// mistake of the batch that wraps [ErrOtherDevice].
func (b *Batch) SignalEvent(e SharedEvent, value uint64) {
	b.addEvent(&signalling, e, func(r driver.Recorder) { r.SignalEvent(e.e.event, value) })
}

func (b *Batch) addEvent(k *bind.Kernel, e SharedEvent, add func(r driver.Recorder)) {
	b.mustExist()
	c := &b.call
	switch {
	case !c.beginOther(b, k) || b.rec == nil:
	case e.e == nil:
		c.Fail(errNoEvent)
	case e.e.dev != b.dev:
		c.Fail(ErrOtherDevice)
	case !b.hold(&e.e.resource, "event"):
		c.Fail(ErrFreed)
	default:
		add(b.rec)
		b.event = site{b.number, b.label, k}
		b.recorded = true
	}
}
