package metal

import (
	"sync"

	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// Metal tells the end of a command buffer by calling a block, on a thread of its own. So no thread of this process
// waits for a GPU.

var selAddCompletedHandler = objc.Selector("addCompletedHandler:", "v@?")

// flight is a piece whose command buffer is on its way.
type flight struct {
	recorder *recorder
	number   int // of the piece
	piece    *piece
	era      *era
}

// inFlight are pieces by their command buffers.
type inFlight struct {
	mu    sync.Mutex
	byIDs map[objc.ID]flight
}

// flights are those of all devices: there is one block, because a block stays for ever.
var flights = inFlight{byIDs: map[objc.ID]flight{}}

func (f *inFlight) add(commands objc.ID, of flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.byIDs[commands] = of
}

func (f *inFlight) take(commands objc.ID) (flight, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	of, ok := f.byIDs[commands]
	delete(f.byIDs, commands)
	return of, ok
}

// completionBlock returns the block that Metal calls.
var completionBlock = sync.OnceValues(func() (uintptr, error) {
	return objc.NewBlock(func(commands, _ objc.ID, _ uintptr, _ objc.ID) {
		if of, ok := flights.take(commands); ok {
			of.land(commands)
		}
	})
})

// land releases the command buffer, which this process no longer needs.
func (f flight) land(commands objc.ID) {
	r := f.recorder
	d, p := r.device, f.piece
	objc.WithPool(func() {
		err := gpuError(objc.ID(commands.Send(selError)), p)
		t := times(commands)
		commands.Release()
		f.era.Done()
		<-d.running
		if err != nil {
			p.signalAll() // a later piece may wait for that
		}
		d.ended(r, f.number, p, err, t)
	})
}
