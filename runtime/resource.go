package runtime

import (
	"sync"
	"sync/atomic"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// resource is what a device has made for the program: the memory of buffers, or a texture.
type resource struct {
	dev  *Device
	made freer // a driver.Memory or a driver.Texture

	// refs counts the owner, until Free, and the batches with calls that use it, in its lower half. The upper half is
	// where the last of these batches keeps it, if it still does.
	refs  atomic.Uint64
	freed atomic.Bool

	wrapped any // the caller's slice, kept reachable, or nil where the memory is the device's own

	// What addresses knows of it: the address of memory to which there are pointers, and the IDs of the textures that
	// show what was made.
	at  uint64
	ids []uint64

	mu    sync.Mutex
	parts map[any]driver.Texture // textures that show what was made, by what they show; they are freed before it
}

type freer interface{ Free() }

// add makes something for the program, which the device owns from then on.
func (d *Device) add(r *resource, make func(driver.Device) (freer, error)) (err error) {
	d.life.RLock()
	defer d.life.RUnlock()
	if d.closed {
		return ErrClosed
	}
	if r.made, err = make(d.drv); err != nil {
		return ours(err)
	}
	r.dev = d
	r.refs.Store(1)

	d.mu.Lock()
	defer d.mu.Unlock()
	d.resources[r] = struct{}{}
	return nil
}

// part returns the texture that shows what key says of what was made. It is made when first asked for, and freed with
// the resource.
func (r *resource) part(key any, make func(driver.Device) (driver.Texture, error)) (driver.Texture, error) {
	r.dev.life.RLock()
	defer r.dev.life.RUnlock()
	if !r.retain() { // which is so where the device is closed, too
		return nil, ErrFreed
	}
	defer r.release()
	r.mu.Lock()
	defer r.mu.Unlock()
	if t, ok := r.parts[key]; ok {
		return t, nil
	}
	t, err := make(r.dev.drv)
	if err != nil {
		return nil, ours(err)
	}
	if r.parts == nil {
		r.parts = map[any]driver.Texture{}
	}
	r.parts[key] = t
	return t, nil
}

// free drops the owner's reference, once.
func (r *resource) free() {
	if !r.freed.Swap(true) {
		r.release()
	}
}

// retain adds a reference, or reports false when the resource was freed.
func (r *resource) retain() bool { return r.retainAt(0) }

// retainAt is retain for a batch that keeps the resource as the one of a number.
func (r *resource) retainAt(number int) bool {
	for !r.freed.Load() {
		// Not Add: a Free in between may have let the last reference go.
		n := r.refs.Load()
		if uint32(n) > 0 && r.refs.CompareAndSwap(n, uint64(number)<<32|uint64(uint32(n)+1)) {
			return true
		}
	}
	return false
}

// hold keeps a resource for the time of the batch, or reports false when it was freed. To keep it again costs no atomic
// operation but loads.
func (b *Batch) hold(r *resource) bool {
	if at := int(r.refs.Load() >> 32); at < len(b.held) && b.held[at] == r {
		return !r.freed.Load()
	}
	if !r.retainAt(len(b.held)) {
		return false
	}
	b.held = append(b.held, r)
	return true
}

// release drops a reference, and the resource with the last one, unless Close has freed it.
func (r *resource) release() {
	if uint32(r.refs.Add(^uint64(0))) > 0 {
		return
	}
	d := r.dev
	d.mu.Lock()
	_, live := d.resources[r]
	delete(d.resources, r)
	d.mu.Unlock()
	if live {
		r.destroy()
	}
}

// destroy frees what was made, once nobody uses it any more.
func (r *resource) destroy() {
	for _, part := range r.parts {
		part.Free()
	}
	r.dev.addresses.remove(r)
	r.made.Free()
}
