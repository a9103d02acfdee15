package cpu

import (
	"sync"
	"time"
)

// crew are the goroutines of a device. They wait for work from one batch to the next, with the
// stacks that they have come to: to grow that of a new one takes longer than a small dispatch.
type crew struct {
	wakeful bool // those that have nothing to do look for work a little before they sleep

	mu    sync.Mutex
	idle  []chan func()
	ended bool
}

// stayAwake is how long a worker that has nothing to do stays awake: to wake one takes twice as long.
const stayAwake = 20 * time.Microsecond

// do has a goroutine call f.
func (c *crew) do(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.idle); n > 0 {
		c.idle[n-1] <- f
		c.idle = c.idle[:n-1]
		return
	}
	go c.work(f)
}

// work calls f, and then what it is handed.
func (c *crew) work(f func()) {
	next := make(chan func(), 1)
	for f != nil {
		f()
		f = nil // which may lead to the device, and keep that alive
		if !c.rest(next) {
			return
		}
		if c.wakeful {
			for start := time.Now(); len(next) == 0 && time.Since(start) < stayAwake; {
			}
		}
		f = <-next
	}
}

// rest makes a goroutine one that is idle, unless the crew has ended.
func (c *crew) rest(next chan func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.idle = append(c.idle, next)
	}
	return !c.ended
}

// end lets the goroutines go: those that work do when they have done that.
func (c *crew) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, next := range c.idle {
		next <- nil
	}
	c.idle, c.ended = nil, true
}
