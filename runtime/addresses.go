package runtime

import (
	"cmp"
	"slices"
	"sync"
)

// addresses are those of the allocations of a device to which there are pointers, and the IDs of its textures and
// samplers to which there are references.
type addresses struct {
	mu       sync.RWMutex
	list     []addressed // in order
	textures map[uint64]*texture
	samplers map[uint64]struct{}
}

type addressed struct {
	from uint64
	size int // in bytes
	*allocation
}

// of returns the address of an allocation, which is alive.
func (t *addresses) of(a *allocation) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if a.at == 0 {
		at := a.mem.Address()
		if at == 0 {
			return noNumber
		}
		a.at = at
		t.list = slices.Insert(t.list, t.behind(at), addressed{at, a.size, a})
	}
	return a.at
}

// addPart adds the address of a part of an allocation.
func (t *addresses) addPart(a *allocation, at uint64, size int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := t.behind(at)
	if i > 0 && t.list[i-1].from == at {
		return
	}
	t.list = slices.Insert(t.list, i, addressed{at, size, a})
	a.inParts = true
}

// find returns the allocation that an address points into or to the end of, or nil.
func (t *addresses) find(address uint64) *allocation {
	t.mu.RLock()
	defer t.mu.RUnlock()
	i := t.behind(address) - 1
	if i < 0 || address-t.list[i].from > uint64(t.list[i].size) {
		return nil
	}
	return t.list[i].allocation
}

// ofTexture returns the ID of a texture, which is alive.
func (t *addresses) ofTexture(tex *texture) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := tex.tex.ID()
	if id == 0 {
		return noNumber
	}
	if t.textures[id] == nil {
		if t.textures == nil {
			t.textures = map[uint64]*texture{}
		}
		t.textures[id] = tex
		tex.ids = append(tex.ids, id)
	}
	return id
}

// findTexture returns the texture with an ID, or nil.
func (t *addresses) findTexture(id uint64) *texture {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.textures[id]
}

// addSampler adds the ID of a sampler.
func (t *addresses) addSampler(id uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.samplers == nil {
		t.samplers = map[uint64]struct{}{}
	}
	t.samplers[id] = struct{}{}
}

// hasSampler reports whether a sampler has an ID.
func (t *addresses) hasSampler(id uint64) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	_, ok := t.samplers[id]
	return ok
}

// remove forgets what is about to be freed: an allocation, a texture with its views, or both.
func (t *addresses) remove(r *resource) {
	if r.at == 0 && len(r.ids) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if r.at != 0 {
		i := t.behind(r.at) - 1
		t.list = slices.Delete(t.list, i, i+1)
	}
	if r.inParts {
		t.list = slices.DeleteFunc(t.list, func(a addressed) bool { return &a.resource == r })
	}
	for _, id := range r.ids {
		delete(t.textures, id)
	}
}

// behind returns the index of the first allocation after an address.
func (t *addresses) behind(address uint64) int {
	i, _ := slices.BinarySearchFunc(t.list, address, func(a addressed, at uint64) int {
		return cmp.Or(cmp.Compare(a.from, at), -1)
	})
	return i
}
