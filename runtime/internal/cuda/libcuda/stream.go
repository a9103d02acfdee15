package libcuda

import "unsafe"

// Flags of streams, of events and of captures (cuda.h).
const (
	streamNonBlocking   = 1
	eventBlockingSync   = 1
	captureThreadLocal  = 1
	eventDefaultAndSync = eventBlockingSync
)

// StreamCreate returns a stream that no other waits for.
func (l *Library) StreamCreate() (Stream, Result) {
	var s Stream
	r := l.call(cuStreamCreate, uintptr(unsafe.Pointer(&s)), streamNonBlocking)
	return s, r
}

// StreamDestroy ends a stream.
func (l *Library) StreamDestroy(s Stream) Result { return l.call(cuStreamDestroy, uintptr(s)) }

// StreamSynchronize waits until all of a stream is done.
func (l *Library) StreamSynchronize(s Stream) Result { return l.call(cuStreamSynchronize, uintptr(s)) }

// EventCreate returns an event that has times. Whoever waits for it sleeps.
func (l *Library) EventCreate() (Event, Result) {
	var e Event
	r := l.call(cuEventCreate, uintptr(unsafe.Pointer(&e)), eventDefaultAndSync)
	return e, r
}

// EventDestroy ends an event.
func (l *Library) EventDestroy(e Event) Result { return l.call(cuEventDestroy, uintptr(e)) }

// EventRecord has an event happen when all of a stream so far is done.
func (l *Library) EventRecord(e Event, s Stream) Result {
	return l.call(cuEventRecord, uintptr(e), uintptr(s))
}

// StreamWaitEvent has what is sent to a stream later wait for an event. If the event is part of a capture, the stream
// is from then on.
func (l *Library) StreamWaitEvent(s Stream, e Event) Result {
	return l.call(cuStreamWaitEvent, uintptr(s), uintptr(e), 0)
}

// EventSynchronize waits for an event.
func (l *Library) EventSynchronize(e Event) Result { return l.call(cuEventSynchronize, uintptr(e)) }

// EventElapsedTime returns the milliseconds between two events that have happened.
func (l *Library) EventElapsedTime(start, end Event) (float32, Result) {
	var ms float32
	r := l.call(cuEventElapsedTime, uintptr(unsafe.Pointer(&ms)), uintptr(start), uintptr(end))
	return ms, r
}

// StreamBeginCapture has what this thread sends to a stream become a graph, until StreamEndCapture. Other streams
// become part of that by events, and have to be waited for again.
func (l *Library) StreamBeginCapture(s Stream) Result {
	return l.call(cuStreamBeginCapture, uintptr(s), captureThreadLocal)
}

// StreamEndCapture returns the graph.
func (l *Library) StreamEndCapture(s Stream) (Graph, Result) {
	var g Graph
	r := l.call(cuStreamEndCapture, uintptr(s), uintptr(unsafe.Pointer(&g)))
	return g, r
}

// GraphInstantiate makes a graph one that can be launched.
func (l *Library) GraphInstantiate(g Graph) (Exec, Result) {
	var e Exec
	r := l.call(cuGraphInstantiate, uintptr(unsafe.Pointer(&e)), uintptr(g), 0)
	return e, r
}

// GraphLaunch starts a graph in the order of a stream.
func (l *Library) GraphLaunch(e Exec, s Stream) Result {
	return l.call(cuGraphLaunch, uintptr(e), uintptr(s))
}

// GraphExecDestroy ends what GraphInstantiate has made.
func (l *Library) GraphExecDestroy(e Exec) Result { return l.call(cuGraphExecDestroy, uintptr(e)) }

// GraphDestroy ends a graph.
func (l *Library) GraphDestroy(g Graph) Result { return l.call(cuGraphDestroy, uintptr(g)) }
