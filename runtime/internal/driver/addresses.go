package driver

import (
	"cmp"
	"slices"
	"sync"
)

// Addresses hands out the addresses of a device that has memory of the host's, whose own addresses kernels must not
// depend on. The zero Addresses are ready for use.
//
// No address is used again before all have been used once, so that one of memory that is gone is noticed.
type Addresses struct {
	mu    sync.Mutex
	next  uint64
	taken []span // by where they begin
}

type span struct{ from, to uint64 }

// The addresses are from firstAddress to less than MaxAddress, in pages, with one that nobody has after each memory.
const (
	MaxAddress   = uint64(1) << 46
	firstAddress = uint64(1) << 32
	addressPage  = uint64(1) << 14
)

// Take returns the address of so many bytes, or 0 where there are no more.
func (a *Addresses) Take(size int) uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	need := (uint64(size)+addressPage-1)&^(addressPage-1) + addressPage
	at, wrapped := max(a.next, firstAddress), false
	for {
		i := a.after(at)
		if i > 0 && a.taken[i-1].to > at {
			at = a.taken[i-1].to
			continue
		}
		switch {
		case i < len(a.taken) && need > a.taken[i].from-at:
			at = a.taken[i].to
		case at+need <= MaxAddress:
			a.taken = slices.Insert(a.taken, i, span{at, at + need})
			a.next = at + need
			return at
		case wrapped:
			return 0
		default:
			at, wrapped = firstAddress, true
		}
	}
}

// Free takes an address back.
func (a *Addresses) Free(address uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := a.after(address); i > 0 && a.taken[i-1].from == address {
		a.taken = slices.Delete(a.taken, i-1, i)
	}
}

// after returns the index of the first span that begins after an address.
func (a *Addresses) after(address uint64) int {
	i, _ := slices.BinarySearchFunc(a.taken, address, func(s span, at uint64) int {
		return cmp.Or(cmp.Compare(s.from, at), -1)
	})
	return i
}
