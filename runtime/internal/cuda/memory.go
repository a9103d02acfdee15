package cuda

import (
	"errors"
	"sync"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cuda/libcuda"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// memory is memory of the GPU, or of the host where it stays in its place and the GPU reaches it over the bus.
type memory struct {
	device  *Device
	host    unsafe.Pointer // nil of private memory
	address uint64         // where kernels find it
	size    int            // as asked for
	taken   int            // of the GPU or of the host
	wrapped bool
	// readOnly is set for wrapped memory that kernels must not write.
	readOnly bool
}

// Bytes returns the memory, nil where it is private.
func (m *memory) Bytes() []byte {
	if m.host == nil {
		return nil
	}
	return unsafe.Slice((*byte)(m.host), m.size)
}

// Address returns where kernels find the memory.
func (m *memory) Address() uint64 { return m.address }

// Free releases the memory, or keeps it for what comes.
func (m *memory) Free() { m.device.memory.free(m) }

// at returns where kernels find a part of memory of this device.
func at(m driver.Memory, offset int) uint64 { return m.(*memory).address + uint64(offset) }

// pool keeps memory that has been freed. Its device stays usable until the last memory is freed, after Close too.
type pool struct {
	device *Device

	mu     sync.Mutex
	idle   map[poolKey][]*memory
	kept   int // bytes that are idle
	used   int // bytes that are not
	alive  int // memories
	closed bool
}

type poolKey struct {
	private bool
	taken   int
}

// granule is what lengths are rounded up to: small memory to a power of two.
const granule = 2 << 20

func rounded(size int) int {
	if size >= granule {
		return (size + granule - 1) &^ (granule - 1)
	}
	n := 256
	for n < size {
		n *= 2
	}
	return n
}

// NewMemory allocates, or takes what has been freed.
func (d *Device) NewMemory(size int, storage driver.Storage) (driver.Memory, error) {
	private := storage&driver.StoragePrivate != 0
	m, err := d.memory.take(private, rounded(size))
	if err != nil {
		return nil, err
	}
	if m == nil {
		use := d.Memory()
		return nil, &driver.MemoryError{Device: d.name, Need: size, Use: use}
	}
	m.size = size
	if storage&driver.StorageOverwritten == 0 {
		if err := d.clear(m); err != nil {
			m.Free()
			return nil, err
		}
	}
	return m, nil
}

// take returns memory of so many bytes, nil where there is none left.
func (p *pool) take(private bool, taken int) (*memory, error) {
	if m := p.reuse(private, taken); m != nil {
		return m, nil
	}
	d := p.device
	m := &memory{device: d, taken: taken}
	allocate := func() (string, libcuda.Result) {
		var r libcuda.Result
		if private {
			m.address, r = d.lib.MemAlloc(taken)
			return "cuMemAlloc", r
		}
		if m.host, r = d.lib.MemHostAlloc(taken); r != libcuda.Success {
			return "cuMemHostAlloc", r
		}
		m.address, r = d.lib.MemHostGetDevicePointer(m.host)
		return "cuMemHostGetDevicePointer", r
	}
	err := d.try(allocate)
	if isOutOfMemory(err) {
		d.Trim()
		err = d.try(allocate)
	}
	switch {
	case isOutOfMemory(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used += taken
	p.alive++
	return m, nil
}

func isOutOfMemory(err error) bool {
	e, ok := errors.AsType[*libcuda.Error](err)
	return ok && e.Result == libcuda.OutOfMemory
}

func (p *pool) reuse(private bool, taken int) *memory {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := poolKey{private, taken}
	list := p.idle[key]
	if len(list) == 0 {
		return nil
	}
	m := list[len(list)-1]
	p.idle[key] = list[:len(list)-1]
	p.kept -= taken
	p.used += taken
	p.alive++
	return m
}

// clear makes all bytes of memory 0. No job uses it.
func (d *Device) clear(m *memory) error {
	if m.host != nil {
		clear(m.Bytes())
		return nil
	}
	return d.try(func() (string, libcuda.Result) {
		if r := d.lib.MemsetD8Async(m.address, 0, m.taken, d.stream); r != libcuda.Success {
			return "cuMemsetD8Async", r
		}
		return "", libcuda.Success
	})
}

// free takes memory back.
func (p *pool) free(m *memory) {
	p.mu.Lock()
	p.alive--
	keeps := false
	if !m.wrapped {
		p.used -= m.taken
		if keeps = !p.closed && p.kept+m.taken <= p.device.options.Reuse; keeps {
			if p.idle == nil {
				p.idle = map[poolKey][]*memory{}
			}
			key := poolKey{m.host == nil, m.taken}
			p.idle[key] = append(p.idle[key], &memory{device: m.device, host: m.host, address: m.address, taken: m.taken})
			p.kept += m.taken
		}
	}
	last := p.closed && p.alive == 0
	p.mu.Unlock()
	if !keeps {
		p.device.with(func() { p.release(m) })
	}
	if last {
		p.device.lib.PrimaryCtxRelease(p.device.device)
	}
}

// release gives memory back to the driver.
func (p *pool) release(m *memory) {
	switch {
	case m.wrapped:
		p.device.lib.MemHostUnregister(m.host)
	case m.host != nil:
		p.device.lib.MemFreeHost(m.host)
	default:
		p.device.lib.MemFree(m.address)
	}
}

// trim releases what is idle. The context is current.
func (p *pool) trim() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.kept = nil, 0
	p.mu.Unlock()
	for _, list := range idle {
		for _, m := range list {
			p.release(m)
		}
	}
}

// close ends the use of the context when the last memory is freed.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	last := p.alive == 0
	p.mu.Unlock()
	if last {
		p.device.lib.PrimaryCtxRelease(p.device.device)
	}
}

// Trim releases what is kept of freed memory.
func (d *Device) Trim() { d.with(d.memory.trim) }

// Memory returns how much the GPU has in all, and how much this process has asked for.
func (d *Device) Memory() driver.MemoryUse {
	var total int
	d.with(func() { _, total, _ = d.lib.MemGetInfo() })
	p := &d.memory
	p.mu.Lock()
	defer p.mu.Unlock()
	return driver.MemoryUse{Recommended: total, Allocated: p.used + p.kept, Reusable: p.kept}
}

// WrapMemory has the pages of bytes stay where they are.
func (d *Device) WrapMemory(bytes []byte, readOnly bool) (driver.Memory, error) {
	page := d.limits.PageSize
	m := &memory{device: d, host: unsafe.Pointer(unsafe.SliceData(bytes)), size: len(bytes), wrapped: true,
		taken: (len(bytes) + page - 1) &^ (page - 1), readOnly: readOnly}
	err := d.try(func() (string, libcuda.Result) {
		if r := d.lib.MemHostRegister(m.host, m.taken, readOnly); r != libcuda.Success {
			return "cuMemHostRegister", r
		}
		var r libcuda.Result
		m.address, r = d.lib.MemHostGetDevicePointer(m.host)
		return "cuMemHostGetDevicePointer", r
	})
	if err != nil {
		return nil, err
	}
	d.memory.mu.Lock()
	defer d.memory.mu.Unlock()
	d.memory.alive++
	return m, nil
}
