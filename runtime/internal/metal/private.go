package metal

import (
	"sync"
	"sync/atomic"

	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// Private memory is where the host cannot see it, and so it is for the GPU to
// write zeros there.

// privateAddresses is where the next private memory begins, for hazards: the upper
// half of all addresses, which the host has no memory in.
var privateAddresses atomic.Uintptr

const firstPrivate = ^uintptr(0)>>1 + 1

// privates are the addresses of private buffers. A buffer that is wrapped as well has the same ones there.
type privates struct {
	mu     sync.Mutex
	ranges map[objc.ID]privateRange
}

type privateRange struct {
	end  uintptr
	uses int
}

// add returns the addresses of a buffer, which no other one has.
func (p *privates) add(id objc.ID, length uintptr) (start, end uintptr) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r, known := p.ranges[id]
	if !known {
		r.end = firstPrivate + privateAddresses.Add(length)
	}
	if p.ranges == nil {
		p.ranges = map[objc.ID]privateRange{}
	}
	r.uses++
	p.ranges[id] = r
	return r.end - length, r.end
}

// remove removes a buffer that is about to be released, if it is private.
func (p *privates) remove(id objc.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r, known := p.ranges[id]; r.uses > 1 {
		r.uses--
		p.ranges[id] = r
	} else if known {
		delete(p.ranges, id)
	}
}

// zero fills a part of a buffer and waits for that. It is called within a pool.
func (d *Device) zero(id objc.ID, at, length uintptr) error {
	return d.blit(func(encoder objc.ID) { encoder.Send(selFillBuffer, uintptr(id), at, length, 0) })
}
