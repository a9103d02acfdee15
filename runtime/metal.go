package runtime

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// errNotMetal is the reason where only a Metal device will do.
var errNotMetal = fmt.Errorf("%w: the device is not a Metal device", errors.ErrUnsupported)

// MTLDevice returns the id<MTLDevice> of a Metal device, for programs that send messages of their own. It returns 0 for
// other devices, and after [Device.Close]. Retain the object to use it longer than that.
func (d *Device) MTLDevice() uintptr { return d.object(driver.Metal.Device) }

// MTLCommandQueue returns the id<MTLCommandQueue> that batches go through, under the conditions of [Device.MTLDevice].
// Its command buffers run in order with batches that touch the same buffers and textures.
func (d *Device) MTLCommandQueue() uintptr { return d.object(driver.Metal.Queue) }

// object returns an object of a device of Metal that is open, and 0 of others.
func (d *Device) object(of func(driver.Metal) uintptr) uintptr {
	m := d.metal()
	if m == nil {
		return 0
	}
	d.life.RLock()
	defer d.life.RUnlock()
	if d.closed {
		return 0
	}
	return of(m)
}

// metal returns what a device of Metal has besides, or nil.
func (d *Device) metal() driver.Metal {
	if d == nil {
		return nil
	}
	return d.drv.Metal()
}

// MTLBuffer returns the id<MTLBuffer> that the elements of b are in, and where they begin, in bytes. It returns zeros
// for a buffer without memory, and on a device that is not a Metal device. The object lives until Free, unless it is
// retained.
func (b Buffer[T]) MTLBuffer() (buffer uintptr, offset int) {
	if b.mem == nil || b.mem.mistake != nil || b.mem.freed.Load() {
		return 0, 0
	}
	m := b.mem.dev.metal()
	if m == nil {
		return 0, 0
	}
	shown := func() error {
		buffer, offset = m.Buffer(b.mem.mem), m.Offset(b.mem.mem)+b.offset
		return nil
	}
	if b.mem.guard(shown) != nil {
		return 0, 0
	}
	return buffer, offset
}

// WrapMTLBuffer returns a buffer of all elements of an id<MTLBuffer> of the device that other code has made. access is
// what kernels may do with it: [Read] or [ReadWrite]. The buffer keeps a reference to the object until Free. Data
// returns nil for an MTLBuffer with private or managed storage.
//
// Metal has to track hazards of the object, as it does by default. If the object shows the bytes of another wrapped
// buffer, the batches of both are ordered as [WrapBuffer] says. On a device that is not a Metal device the error wraps
// [errors.ErrUnsupported].
func WrapMTLBuffer[T any](dev *Device, buffer uintptr, access Access) (Buffer[T], error) {
	elem := reflect.TypeFor[T]()
	a := newAllocation()
	a.readOnly, a.wrapped = access&Write == 0, buffer
	size := 0
	err := a.make(dev, elem, 0, func(d driver.Device, _ int) (driver.Memory, error) {
		m := d.Metal()
		if m == nil {
			return nil, errNotMetal
		}
		if err := checkWrapAccess(access); err != nil {
			return nil, err
		}
		mem, n, err := m.WrapBuffer(buffer, a.readOnly)
		size = n
		return mem, err
	})
	if err != nil {
		return Buffer[T]{}, fmt.Errorf("WrapMTLBuffer of elements of %v: %w", elem, err)
	}
	a.size = size
	return Buffer[T]{mem: a, length: size / sizeof[T]()}, nil
}

// encoding is the kernel that messages about an Encode name.
var encoding = bind.Kernel{Name: "Encode"}

// Encode adds to the batch what encode sends to an id<MTLComputeCommandEncoder>, for kernels that are not metalgen's.
// It runs in order with the calls of the batch where they touch the same buffers and textures. The encoder has no state
// set, and its dispatches may overlap except across barriers. encode must not end it.
//
// encode is called once for each run, during [Batch.Submit] or soon afterwards, or from [Batch.Start] on, on any
// goroutine and within an autorelease pool. The batch keeps no references: what encode uses has to live until the batch
// is done. It must not use the batch, nor submit, wrap or free anything, nor close the device.
//
// On a device that is not a Metal device it is a mistake of the batch that wraps [errors.ErrUnsupported].
func (b *Batch) Encode(encode func(encoder uintptr)) {
	b.addToMetal(&encoding, func(r driver.MetalRecorder) error {
		if encode == nil {
			return errors.New("the function is nil")
		}
		r.Encode(encode)
		b.noteCall()
		return nil
	})
}

// addToMetal adds what only a device of Metal can.
func (b *Batch) addToMetal(k *bind.Kernel, add func(r driver.MetalRecorder) error) {
	b.mustExist()
	c := &b.call
	if !c.beginOther(b, k) || b.rec == nil {
		return
	}
	r := b.rec.Metal()
	if r == nil {
		c.Fail(errNotMetal)
		return
	}
	if err := add(r); err != nil {
		c.Fail(err)
		return
	}
	b.recorded = true
}
