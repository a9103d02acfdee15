package metal

import (
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
		m.start, m.end = privateRange(length)
	})
	return m, err
}

// privateRange returns addresses that no other memory has.
func privateRange(length uintptr) (start, end uintptr) {
	end = firstPrivate + privateAddresses.Add(length)
	return end - length, end
}

// zero fills a buffer and waits for that. It is called within a pool.
func (d *Device) zero(id objc.ID, length uintptr) error {
	return d.blit(func(encoder objc.ID) { encoder.Send(selFillBuffer, uintptr(id), 0, length, 0) })
}
