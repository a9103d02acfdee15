package shadow

import "sync"

// Fences order what barriers do not: what a thread has done before a fence that releases, and
// an atomic store behind it, comes before what another does behind an atomic load that sees
// the store, and a fence that acquires. So a threadgroup may read what others have written
// once a counter says that all have come.
//
// A fence of one thread counts for its threadgroup: it releases what the threadgroup has done
// before its last barrier, and what the thread's simd-group has done, and it acquires what any
// thread of it has seen. So nothing that is in order is reported; a fence by the wrong thread
// may pass.

// release is what the fences of a threadgroup let others see: of each simd-group, what it has
// done up to a step.
type release struct {
	steps [spaces][MaxSimdgroups]uint32
}

// acquired is what the loads of one atomic have seen: the first n releases to it.
type acquired struct {
	*published
	n int
}

// published are the releases to one atomic, in order.
type published struct {
	mu      sync.Mutex
	n       int
	byGroup map[uint32][]numbered
}

// numbered is a release with the number of those before it.
type numbered struct {
	*release
	number int
}

// syncs are the atomics of a memory to which something was released.
type syncs struct {
	mu sync.Mutex
	at map[uintptr]*published
}

// forget forgets all of them.
func (s *syncs) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = nil
}

// of returns what is published by the atomic at an address.
func (s *syncs) of(address uintptr) *published {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at == nil {
		s.at = map[uintptr]*published{}
	}
	p := s.at[address]
	if p == nil {
		p = &published{byGroup: map[uint32][]numbered{}}
		s.at[address] = p
	}
	return p
}

// Fence is atomic_thread_fence by a simd-group, with an order that releases, acquires or
// does both.
func (g *Group) Fence(simdgroup int, flags Flags, releases, acquires bool) {
	if acquires {
		g.acquired = append(g.acquired, g.observed...)
		g.observed = nil
	}
	if !releases {
		return
	}
	r := &release{}
	if g.released != nil {
		*r = *g.released
	}
	for space := range spaces {
		if flags&space.Of() == 0 {
			continue
		}
		for i := range g.clocks {
			c := &g.clocks[i]
			upTo := c.group[space] - 1
			if i == simdgroup {
				upTo = c.now
			}
			r.steps[space][i] = max(r.steps[space][i], upTo)
		}
	}
	g.released = r
}

// Sync says that the simd-group that touches memory does so by an atomic. It sees what others
// have published there and, if it writes, publishes what the fences of its threadgroup have
// released.
func (v *View) Sync(address uintptr, writes bool) {
	g := v.group
	p := v.memory.syncs.of(address)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n > 0 {
		g.observed = append(g.observed, acquired{p, p.n})
	}
	if writes && g.released != nil {
		p.byGroup[g.id] = append(p.byGroup[g.id], numbered{g.released, p.n})
		p.n++
	}
}

// unlessFenced returns whether fences have ordered an earlier access of another simd-group.
func (v *View) unlessFenced(old entry, group uint32) order {
	for _, a := range v.group.acquired {
		if a.sees(old, group, v.space) {
			return ordered
		}
	}
	return unordered
}

// sees reports whether an access is among what was released.
func (a acquired) sees(old entry, group uint32, space Space) bool {
	a.published.mu.Lock()
	defer a.published.mu.Unlock()
	for _, r := range a.published.byGroup[group] {
		if r.number < a.n && old.step() <= r.steps[space][old.simdgroup()] {
			return true
		}
	}
	return false
}
