package cpu

import (
	"slices"
	"sync"
)

// shares are the threadgroups of a dispatch that nobody has taken, a share for each worker. A worker goes through its
// own from the first to the last: neighbours often read what lies side by side, and what a core fetches ahead is then
// for itself. One that has no more takes half of what another has.
type shares struct {
	mu   sync.Mutex
	list []share
}

// share is threadgroups in a row.
type share struct{ from, to int64 }

func (s share) size() int64 { return s.to - s.from }

// divide makes shares of some threadgroups for some workers.
func (s *shares) divide(total, workers int64) {
	s.list = slices.Grow(s.list[:0], int(workers))[:workers]
	from := int64(0)
	for i := range s.list {
		to := from + (total-from)/(workers-int64(i))
		s.list[i] = share{from, to}
		from = to
	}
}

// take returns threadgroups for a worker, in a row, or none where there are no more: some of its share at a time, so
// that it does not wait long for another at the end.
func (s *shares) take(worker int64) share {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := &s.list[worker]
	if own.size() == 0 {
		most := own
		for i := range s.list {
			if s.list[i].size() > most.size() {
				most = &s.list[i]
			}
		}
		own.from, own.to = most.from+most.size()/2, most.to
		most.to = own.from
	}
	taken := share{own.from, own.from + min(max(own.size()/4, 1), 256, own.size())}
	own.from = taken.to
	return taken
}

// left reports whether there are threadgroups that nobody has taken.
func (s *shares) left() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.list, func(s share) bool { return s.size() > 0 })
}

// cut leaves those before one only.
func (s *shares) cut(at int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.list {
		own := &s.list[i]
		own.to = min(own.to, at)
		own.from = min(own.from, own.to)
	}
}
