package driver

import "sync"

// Ending has a channel of a job that is closed when it is done. It is made when somebody first asks for it. The zero
// Ending is that of a job that is not done.
type Ending struct {
	mu   sync.Mutex
	done bool
	c    chan struct{}
}

// Begin makes the job one that is not done.
func (d *Ending) Begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done, d.c = false, nil
}

// End makes the job one that is done.
func (d *Ending) End() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.c != nil && !d.done {
		close(d.c)
	}
	d.done = true
}

// Ended reports whether the job is done.
func (d *Ending) Ended() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.done
}

// Done returns the channel.
func (d *Ending) Done() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.c == nil {
		d.c = make(chan struct{})
		if d.done {
			close(d.c)
		}
	}
	return d.c
}
