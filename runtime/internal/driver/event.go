package driver

import "sync"

// Event is a number that only rises. Jobs wait until it is high enough, and raise it.
type Event interface {
	// Value returns the number.
	Value() uint64

	// Signal raises the number. One that is as high as that already stays.
	Signal(value uint64)

	// Reached returns a channel that is closed when the number is at least so high, or when the event is freed. Until
	// then it is the same one for the same value.
	Reached(value uint64) <-chan struct{}

	// Has reports which of the two has closed the channel of Reached.
	Has(value uint64) bool

	// Free releases the event. It is called once, from any goroutine, when no job uses the event any more.
	Free()
}

// Counter is an Event of the host's own. The zero Counter is ready for use.
type Counter struct {
	mu      sync.Mutex
	value   uint64
	freed   bool
	waiting map[uint64]chan struct{} // by the values that somebody waits for
}

// Value returns the number.
func (c *Counter) Value() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.value
}

// Signal raises the number, and wakes those who wait for no more.
func (c *Counter) Signal(value uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.value = max(c.value, value)
	for want, reached := range c.waiting {
		if want <= c.value {
			close(reached)
			delete(c.waiting, want)
		}
	}
}

// Reached returns a channel that is closed when the number is at least so high.
func (c *Counter) Reached(value uint64) <-chan struct{} {
	reached, _ := c.Await(value)
	return reached
}

// Await is Reached, and says whether nobody has waited for the value yet.
func (c *Counter) Await(value uint64) (reached <-chan struct{}, first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.freed || value <= c.value {
		return closed, false
	}
	if known, ok := c.waiting[value]; ok {
		return known, false
	}
	made := make(chan struct{})
	if c.waiting == nil {
		c.waiting = map[uint64]chan struct{}{}
	}
	c.waiting[value] = made
	return made, true
}

// closed is closed.
var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Has reports whether the number is at least so high.
func (c *Counter) Has(value uint64) bool { return c.Value() >= value }

// Free wakes all who wait.
func (c *Counter) Free() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.freed = true
	for _, reached := range c.waiting {
		close(reached)
	}
	clear(c.waiting)
}
