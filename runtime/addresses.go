package runtime

import (
	"cmp"
	"slices"
	"sync"
)

// addresses are those of the allocations of a device to which there are pointers.
type addresses struct {
	mu   sync.RWMutex
	list []addressed // in order
}

type addressed struct {
	from uint64
	*allocation
}

// of returns the address of an allocation, which is alive.
func (t *addresses) of(a *allocation) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if a.at == 0 {
		at := a.mem.Address()
		if at == 0 {
			return noPointers
		}
		a.at = at
		t.list = slices.Insert(t.list, t.behind(at), addressed{at, a})
	}
	return a.at
}

// find returns the allocation that an address leads into, or to the end of; nil where there is none.
func (t *addresses) find(address uint64) *allocation {
	t.mu.RLock()
	defer t.mu.RUnlock()
	i := t.behind(address) - 1
	if i < 0 || address-t.list[i].from > uint64(t.list[i].size) {
		return nil
	}
	return t.list[i].allocation
}

// remove forgets an allocation, which is about to be freed.
func (t *addresses) remove(r *resource) {
	if r.at == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	i := t.behind(r.at) - 1
	t.list = slices.Delete(t.list, i, i+1)
}

// behind returns the index of the first allocation behind an address.
func (t *addresses) behind(address uint64) int {
	i, _ := slices.BinarySearchFunc(t.list, address, func(a addressed, at uint64) int {
		return cmp.Or(cmp.Compare(a.from, at), -1)
	})
	return i
}
