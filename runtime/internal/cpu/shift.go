package cpu

import (
	"sync"
	"sync/atomic"
	"time"
)

// shift is the helpers of a dispatch while it runs. Nobody waits for one that has yet to come: one that comes too late
// finds the shift ended, and has no part in it.
type shift struct {
	mu     sync.Mutex
	places int64 // for helpers; 0 where the shift has ended
	joined int64
	inside atomic.Int64 // of those that have joined: changes with mu held
	left   sync.Cond    // when none is inside any more
}

// begin begins a shift with places for some helpers.
func (s *shift) begin(places int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left.L = &s.mu
	s.places, s.joined = places, 0
}

// join returns the number of a worker, from 1 on, where there is a place for one.
func (s *shift) join() (worker int64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.joined >= s.places {
		return 0, false
	}
	s.joined++
	s.inside.Add(1)
	return s.joined, true
}

// leave ends the part of a worker that has joined.
func (s *shift) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inside.Add(-1) == 0 {
		s.left.Signal()
	}
}

// end waits until no helper is inside, and lets none join any more.
func (s *shift) end() {
	for start := time.Now(); s.inside.Load() > 0 && time.Since(start) < stayAwake; {
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.places = 0
	for s.inside.Load() > 0 {
		s.left.Wait()
	}
}
