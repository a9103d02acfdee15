package metal

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

var (
	selNewSharedEvent   = objc.Selector("newSharedEvent", "@")
	selSignaledValue    = objc.Selector("signaledValue", "Q")
	selSetSignaledValue = objc.Selector("setSignaledValue:", "vQ")
	selNotify           = objc.Selector("notifyListener:atValue:block:", "v@Q@?")
	selEncodeWait       = objc.Selector("encodeWaitForEvent:value:", "v@Q")
	selEncodeSignal     = objc.Selector("encodeSignalEvent:value:", "v@Q")
)

// event is an MTLSharedEvent. Its Counter has the greatest value that was waited for and reached.
type event struct {
	driver.Counter
	id       objc.ID
	listener objc.ID
	block    uintptr    // that Metal calls when the event has a value
	mu       sync.Mutex // held while the host signals
}

// NewEvent makes an MTLSharedEvent.
func (d *Device) NewEvent() (driver.Event, error) {
	var id objc.ID
	objc.WithPool(func() { id = objc.ID(d.id.Send(selNewSharedEvent)) })
	if id == 0 {
		return nil, fmt.Errorf("%s gives no MTLSharedEvent", d.name)
	}
	return d.newEvent(id)
}

// newEvent takes over a reference to an MTLSharedEvent.
func (d *Device) newEvent(id objc.ID) (_ driver.Event, err error) {
	e := &event{id: id}
	if e.listener, e.block, err = d.listener.open(); err != nil {
		objc.WithPool(id.Release)
		return nil, err
	}
	return e, nil
}

// WrapEvent takes an MTLSharedEvent of the program's own.
func (n native) WrapEvent(of uintptr) (driver.Event, error) {
	id := objc.ID(of)
	switch {
	case id == 0:
		return nil, errors.New("the MTLSharedEvent is nil")
	case !id.Responds(selSetSignaledValue):
		return nil, errors.New("the object is no MTLSharedEvent")
	}
	return n.d.newEvent(id.Retain())
}

// Event returns the MTLSharedEvent.
func (n native) Event(e driver.Event) uintptr { return uintptr(e.(*event).id) }

// Value asks Metal, which the GPU and other programs may have told.
func (e *event) Value() (v uint64) {
	objc.WithPool(func() { v = uint64(e.id.Send(selSignaledValue)) })
	return v
}

// Signal gives the event a value, unless it has a greater one: Metal would take it back.
func (e *event) Signal(value uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	objc.WithPool(func() {
		if uint64(e.id.Send(selSignaledValue)) < value {
			e.id.Send(selSetSignaledValue, uintptr(value))
		}
	})
}

// Reached has Metal call a block once the event has the value.
func (e *event) Reached(value uint64) <-chan struct{} {
	reached, first := e.Await(value)
	if first {
		listening.add(e)
		objc.WithPool(func() { e.id.Send(selNotify, uintptr(e.listener), uintptr(value), e.block) })
		if e.Value() >= value { // before Metal was asked
			e.Counter.Signal(value)
		}
	}
	return reached
}

// Free releases the event.
func (e *event) Free() {
	listening.remove(e)
	e.Counter.Free()
	objc.WithPool(func() {
		e.id.Release()
		e.listener.Release()
	})
}

// listener is an MTLSharedEventListener, which has a queue on which it calls blocks. It is made with the first event.
type listener struct {
	mu sync.Mutex
	id objc.ID
}

// open returns a reference to the listener, which the caller releases, and what it calls.
func (l *listener) open() (id objc.ID, block uintptr, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if block, err = notificationBlock(); err != nil {
		return 0, 0, err
	}
	if l.id == 0 {
		objc.WithPool(func() { l.id, err = objc.New("MTLSharedEventListener") })
	}
	if err != nil {
		return 0, 0, err
	}
	return l.id.Retain(), block, nil
}

func (l *listener) release() { l.id.Release() }

// listeners are the events of all devices that the program waits for, by their objects: there is one block, because a
// block stays for ever. An object may be wrapped more than once.
type listeners struct {
	mu     sync.Mutex
	events map[objc.ID][]*event
}

var listening = listeners{events: map[objc.ID][]*event{}}

// notificationBlock returns the block that Metal calls, with the event and its value.
var notificationBlock = sync.OnceValues(func() (uintptr, error) {
	return objc.NewBlock(func(id, value objc.ID, _ uintptr, _ objc.ID) { listening.tell(id, uint64(value)) })
})

func (l *listeners) add(e *event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.events[e.id], e) {
		l.events[e.id] = append(l.events[e.id], e)
	}
}

func (l *listeners) remove(e *event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	rest := slices.DeleteFunc(l.events[e.id], func(other *event) bool { return other == e })
	if len(rest) == 0 {
		delete(l.events, e.id)
	} else {
		l.events[e.id] = rest
	}
}

func (l *listeners) tell(id objc.ID, value uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.events[id] {
		e.Counter.Signal(value)
	}
}

// eventValue is an event and a value of it.
type eventValue struct {
	event *event
	value uintptr
}

// WaitForEvent begins a piece that waits.
func (r *recorder) WaitForEvent(e driver.Event, value uint64) {
	if !r.isEmpty() {
		r.begin()
	}
	r.waits = append(r.waits, eventValue{e.(*event), uintptr(value)})
}

// SignalEvent ends a piece.
func (r *recorder) SignalEvent(e driver.Event, value uint64) {
	r.signals = append(r.signals, eventValue{e.(*event), uintptr(value)})
}

// signalAll has the host signal the events of a piece that failed, unless the GPU has. So nobody waits for ever; the
// job has the error.
func (p *piece) signalAll() {
	for _, s := range p.signals {
		s.event.Signal(uint64(s.value))
	}
}
