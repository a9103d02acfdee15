package runtime

import (
	"sync"
	"sync/atomic"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// resource is what a device has made for the program: the memory of buffers, or a texture.
//
// It is destroyed by Close, or when the last reference is dropped. Both wait for those in use, so whatever hands made
// to the driver, or touches its bytes, does so within add, guard or part, or in a driver that holds it for a batch.
// Only Data gives the bytes away: what its caller does with them is the caller's.
type resource struct {
	dev  *Device
	made freer // a driver.Memory or a driver.Texture

	// host are the bytes of memory as the host sees them; nil where it does not, and once the memory is destroyed.
	host atomic.Pointer[[]byte]

	// refs counts the owner, until Free, and the batches with calls that use it, in its lower half. The upper half is
	// where the last of these batches keeps it, if it still does.
	refs  atomic.Uint64
	freed atomic.Bool

	wrapped any // the caller's slice, kept reachable, or nil where the memory is the device's own

	// What addresses knows of it: the address of memory to which there are pointers, and the IDs of the textures that
	// show what was made.
	at      uint64
	inParts bool // parts of it have addresses of their own
	ids     []uint64

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

// guard calls f, while neither Close nor Free destroys the resource. It returns ErrFreed where one of them has been
// called, and else what f returns.
func (r *resource) guard(f func() error) error {
	r.dev.life.RLock()
	defer r.dev.life.RUnlock()
	if !r.retain() { // which is so where the device is closed, too
		return ErrFreed
	}
	defer r.drop()
	return f()
}

// part returns the texture that shows what key says of what was made. It is made when first asked for, and freed with
// the resource.
func (r *resource) part(key any, make func(driver.Device) (driver.Texture, error)) (t driver.Texture, err error) {
	err = r.guard(func() (err error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if known, ok := r.parts[key]; ok {
			t = known
			return nil
		}
		if t, err = make(r.dev.drv); err != nil {
			return ours(err)
		}
		if r.parts == nil {
			r.parts = map[any]driver.Texture{}
		}
		r.parts[key] = t
		return nil
	})
	return t, err
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

// held is a resource that a batch keeps.
type held struct {
	*resource
	call   int          // the first that uses it, as siteOf takes it
	kernel *bind.Kernel // of that call
	arg    string       // of that call

	// The references in it that calls have followed, nil where there are none, and how often those had been written.
	arguments *arguments
	writes    uint64
}

// hold keeps a resource for the time of the batch, or reports false when it was freed. To keep it again costs no atomic
// operation but loads. Messages name the argument.
func (b *Batch) hold(r *resource, arg string) bool {
	if at := int(r.refs.Load() >> 32); at < len(b.held) && b.held[at].resource == r {
		return !r.freed.Load()
	}
	if !r.retainAt(len(b.held)) {
		return false
	}
	*next(&b.held) = held{resource: r, call: len(b.sites) + 1, kernel: b.call.kernel, arg: arg}
	return true
}

// release drops a reference, and the resource with the last one, unless Close has destroyed it.
func (r *resource) release() {
	r.dev.life.RLock()
	defer r.dev.life.RUnlock()
	r.drop()
}

// drop is release for those that have life locked.
func (r *resource) drop() {
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
	r.host.Store(nil)
	r.made.Free()
}
