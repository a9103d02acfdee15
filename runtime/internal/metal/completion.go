package metal

import (
	"sync"

	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// One goroutine of a device waits for the command buffers that are on their way, one after the other. Metal would also
// call a block at the end of each, but a call from C into Go takes longer and allocates. So no more than one thread of
// this process waits for a GPU, and none where nothing runs.

// flight is a piece whose command buffer is on its way.
type flight struct {
	commands objc.ID
	recorder *recorder
	number   int // of the piece
	piece    *piece
	era      *era
}

// flights are those of a device, in the order of their commit as far as there is one.
type flights struct {
	mu      sync.Mutex
	list    []flight
	awaited bool // the goroutine runs
}

// launch adds a flight, whose command buffer is committed.
func (d *Device) launch(f flight) {
	a := &d.flights
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = append(a.list, f)
	if !a.awaited {
		a.awaited = true
		d.jobs.Add(1)
		go d.awaits()
	}
}

// next returns the first flight, or false where there is none: then nobody waits any more.
func (a *flights) next() (f flight, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.list) == 0 {
		a.awaited = false
		return f, false
	}
	f = a.list[0]
	n := copy(a.list, a.list[1:]) // they are at most maxRunning
	a.list[n] = flight{}
	a.list = a.list[:n]
	return f, true
}

// awaitFlights waits for the end of all flights.
func (d *Device) awaitFlights() {
	defer d.jobs.Done()
	for f, ok := d.flights.next(); ok; f, ok = d.flights.next() {
		objc.WithPool(f.land)
	}
}

// land waits for the end of the command buffer and releases it, of which this process has no further use. It is called
// within a pool.
func (f *flight) land() {
	f.commands.Send(selWaitUntilCompleted)
	r := f.recorder
	d, p := r.device, f.piece
	err := gpuError(objc.ID(f.commands.Send(selError)), p)
	t := times(f.commands)
	f.commands.Release()
	f.era.Done()
	<-d.running
	if err != nil {
		p.signalAll() // a later piece may wait for that
	}
	d.ended(r, f.number, p, err, t)
}
