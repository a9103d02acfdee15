package driver

import (
	"sync"

	"github.com/metalgen/metalgen/runtime/bind"
)

// Samplers hands out the IDs of a device that makes nothing of a sampler. The zero Samplers are ready for use.
type Samplers struct {
	mu  sync.RWMutex
	ids map[bind.Sampler]uint64
	all []bind.Sampler // by their IDs, from 1 on
}

// ID returns the ID of a sampler, the same for the same sampler.
func (s *Samplers) ID(of bind.Sampler) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id, ok := s.ids[of]; ok {
		return id
	}
	if s.ids == nil {
		s.ids = map[bind.Sampler]uint64{}
	}
	s.all = append(s.all, of)
	id := uint64(len(s.all))
	s.ids[of] = id
	return id
}

// Find returns the sampler with an ID, or reports false where there is none.
func (s *Samplers) Find(id uint64) (bind.Sampler, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if id == 0 || id > uint64(len(s.all)) {
		return bind.Sampler{}, false
	}
	return s.all[id-1], true
}

// All returns the samplers by their IDs, which count from 1 on.
func (s *Samplers) All() []bind.Sampler {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.all
}
