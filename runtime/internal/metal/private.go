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

// newPrivate makes a buffer for the device only.
func (d *Device) newPrivate(size int) (m *memory, err error) {
	// macOS fills whole words only (Apple: fillBuffer:range:value: of MTLBlitCommandEncoder)
	length := uintptr(size+3) &^ 3
	objc.WithPool(func() {
		id := objc.ID(d.id.Send(selNewBuffer, length, storagePrivate))
		if id == 0 {
			err = d.noMemory(size)
			return
		}
		if err = d.zero(id, length); err != nil {
			id.Release()
			return
		}
		d.wired.add(id)
		m = &memory{device: d, id: id}
		m.start, m.end = d.privates.add(id, length)
	})
	return m, err
}

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

// remove removes what is about to be released. Other buffers are none of these.
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

// zero fills a buffer and waits for that. It is called within a pool.
func (d *Device) zero(id objc.ID, length uintptr) error {
	return d.blit(func(encoder objc.ID) { encoder.Send(selFillBuffer, uintptr(id), 0, length, 0) })
}
