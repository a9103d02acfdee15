package shadow

import (
	"slices"
	"sync"
)

// Fences order what barriers do not: what a thread has done before a fence that releases, and
// an atomic store after it, comes before what another does after an atomic load that sees
// the store, and a fence that acquires. So a threadgroup may read what others have written
// once a counter says that all have come. What was acquired is released along with the rest.
//
// A fence of one thread counts for its threadgroup: it releases what the threadgroup has done
// before its last barrier, and what the thread's simd-group has done, and it acquires what any
// thread of it has seen. So nothing that is in order is reported; a fence by the wrong thread
// may pass. An atomic keeps all that was ever published there, and where there is no room for
// that, a thread that sees the atomic sees everything.

// release is what the fences of a threadgroup let others see: of each simd-group, what it has
// done up to a step, and what it has acquired itself.
type release struct {
	steps [spaces][]uint32
	via   []acquired
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
	lost    bool // some are not kept
}

// numbered is a release with the number of those before it.
type numbered struct {
	*release
	number int
}

// maxNumbered bounds the releases of a threadgroup to one atomic that are kept apart.
const maxNumbered = 4

// The bytes that the fences take: for each atomic, and for each release to one.
const (
	publishedBytes = 256
	numberedBytes  = 192
)

// syncs are the atomics of a memory to which something was released.
type syncs struct {
	mu    sync.Mutex
	at    map[uintptr]*published
	taken int // bytes
	full  bool
	rest  published // what stands for all others where there is no room for more
}

// fences is what a threadgroup knows of fences.
type fences struct {
	own      []acquired         // what the atomic that goes on has published itself
	released *release           // by the last fence: what a later atomic of the threadgroup publishes
	observed map[*published]int // by atomics since the last fence
	acquired []acquired         // only ever appended to: releases share it
	upTo     map[*published]int // what is acquired of each
}

// ForgetFences forgets what atomics in the memory have published.
func (m *Memory) ForgetFences() {
	s := &m.syncs
	s.mu.Lock()
	defer s.mu.Unlock()
	m.spare.Add(int64(s.taken))
	s.at, s.taken, s.full = nil, 0, false
}

// published returns what the atomic at an address has published, or nil. To publish more there
// may be too little room.
func (m *Memory) published(address uintptr, more bool) *published {
	s := &m.syncs
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.at[address]
	if p != nil || !more && !s.full {
		return p
	}
	s.full = s.full || !m.takeForFences(publishedBytes)
	if s.full {
		return &s.rest
	}
	if s.at == nil {
		s.at = map[uintptr]*published{}
	}
	p = &published{byGroup: map[uint32][]numbered{}}
	s.at[address] = p
	return p
}

// takeForFences reports whether there is room for some bytes more. The lock of syncs is held.
func (m *Memory) takeForFences(n int) bool {
	if !m.take(n) {
		return false
	}
	m.syncs.taken += n
	return true
}

// Fence is atomic_thread_fence by a simd-group, with an order that releases, acquires or
// does both.
func (g *Group) Fence(simdgroup int, flags Flags, releases, acquires bool) {
	f := &g.fences
	if acquires {
		for p, n := range f.observed {
			if n > f.upTo[p] {
				if f.upTo == nil {
					f.upTo = map[*published]int{}
				}
				f.upTo[p] = n
				f.acquired = append(f.acquired, acquired{p, n})
			}
		}
		clear(f.observed)
	}
	if !releases {
		return
	}
	r := &release{via: slices.Clip(f.acquired)}
	for space := range spaces {
		if f.released != nil {
			r.steps[space] = slices.Clone(f.released.steps[space])
		}
		if flags&space.Of() == 0 {
			continue
		}
		for i := range g.clocks {
			c := &g.clocks[i]
			upTo := c.group[space] - 1
			if i == simdgroup {
				upTo = c.now
			}
			if upTo > 0 {
				r.steps[space] = append(r.steps[space], make([]uint32, max(0, i+1-len(r.steps[space])))...)
				r.steps[space][i] = max(r.steps[space][i], upTo)
			}
		}
	}
	f.released = r
}

// Publish says that the simd-group that touches memory is going to change an atomic. Others may
// see there what the fences of its threadgroup have released.
func (v *View) Publish(address uintptr) {
	f := &v.group.fences
	if f.released == nil {
		return
	}
	p := v.memory.published(address, true)
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.lost {
		v.publish(p, f.released)
	}
}

// Observe says that the simd-group has loaded or changed an atomic. It sees what others had
// published there: who asks afterwards misses nothing of it, while others go on.
func (v *View) Observe(address uintptr) {
	f := &v.group.fences
	p := v.memory.published(address, false)
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.n
	if slices.Contains(f.own, acquired{p, n}) {
		n-- // the last is its own
	}
	if n > f.upTo[p] {
		if f.observed == nil {
			f.observed = map[*published]int{}
		}
		f.observed[p] = n
	}
}

// Observed ends an atomic.
func (g *Group) Observed() { g.fences.own = g.fences.own[:0] }

// publish adds a release of the threadgroup to an atomic.
func (v *View) publish(p *published, r *release) {
	id := v.group.id
	list := p.byGroup[id]
	last := len(list) - 1
	switch {
	case last >= 0 && list[last].release == r:
		return
	case last+1 == maxNumbered:
		list[last].release = r // as if it were as early as the last
		return
	}
	v.memory.syncs.mu.Lock()
	p.lost = !v.memory.takeForFences(numberedBytes)
	v.memory.syncs.mu.Unlock()
	if p.lost {
		p.byGroup = nil
	} else {
		p.byGroup[id] = append(list, numbered{r, p.n})
	}
	p.n++
	v.group.fences.own = append(v.group.fences.own, acquired{p, p.n})
}

// unlessFenced returns how two accesses race unless fences have ordered the earlier one.
func (v *View) unlessFenced(otherwise order, old entry, group uint32) order {
	if list := v.group.fences.acquired; len(list) > 0 && visible(list, old, group, v.space) {
		return ordered
	}
	return otherwise
}

// visible reports whether an access is among what was released to some atomics, or was acquired
// before that.
func visible(list []acquired, old entry, group uint32, space Space) bool {
	visited := map[*published]int{}
	for len(list) > 0 {
		a := list[len(list)-1]
		list = slices.Clip(list[:len(list)-1])
		if visited[a.published] >= a.n {
			continue
		}
		visited[a.published] = a.n
		more, ok := a.sees(old, group, space)
		if ok {
			return true
		}
		list = append(list, more...)
	}
	return false
}

// sees reports whether an access is among what was released to an atomic, and returns what was
// acquired before.
func (a acquired) sees(old entry, group uint32, space Space) (more []acquired, ok bool) {
	a.published.mu.Lock()
	defer a.published.mu.Unlock()
	if a.lost {
		return nil, true
	}
	for _, r := range a.byGroup[group] {
		steps, i := r.steps[space], old.simdgroup()
		if r.number < a.n && i < len(steps) && old.step() <= steps[i] {
			return nil, true
		}
	}
	for _, list := range a.byGroup {
		for _, r := range slices.Backward(list) { // what an earlier one has, the last has too
			if r.number < a.n {
				more = append(more, r.via...)
				break
			}
		}
	}
	return more, false
}
