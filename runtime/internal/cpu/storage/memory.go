package storage

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Memory is a piece of the Go heap, or bytes that the caller keeps.
type Memory struct {
	bytes    []byte
	private  bool // the host must not see it, as it would not on a GPU
	readOnly bool // kernels must not write it
	counted  counted

	once    sync.Once // sets address, where anybody asks for it
	address uint64

	guard *guard // of a device with a sanitizer, or nil
}

// Wrap returns the bytes as they are.
func Wrap(bytes []byte, readOnly bool) *Memory {
	return &Memory{bytes: bytes, readOnly: readOnly}
}

// Count counts the memory in a number until it is freed.
func (m *Memory) Count(in *atomic.Int64) { m.counted = countIn(in, len(m.bytes)) }

// counted are bytes among those that a device has allocated, or none.
type counted struct {
	in   *atomic.Int64
	size int64
}

// countIn counts bytes in a number until they are freed.
func countIn(in *atomic.Int64, size int) counted {
	in.Add(int64(size))
	return counted{in, int64(size)}
}

func (c *counted) free() {
	if c.in != nil {
		c.in.Add(-c.size)
	}
}

// alignment of memory: a cache line.
const alignment = 64

// New allocates. It is an error if the machine has not as much.
func New(size int, private bool) (m *Memory, err error) {
	if size > 1<<40 {
		return nil, fmt.Errorf("%d bytes are more than the CPU device allocates", size)
	}
	defer func() {
		if r := recover(); r != nil {
			m, err = nil, fmt.Errorf("no memory for %d bytes", size)
		}
	}()
	const much = 1 << 24 // less is not asked for, which for more takes no time beside clearing it
	if size >= much && !SystemHas(size) {
		return nil, fmt.Errorf("the system has no memory for %d bytes", size)
	}
	if limit := debug.SetMemoryLimit(-1); int64(size) > limit {
		return nil, fmt.Errorf("%d bytes are more than the memory limit of %d", size, limit)
	}
	bytes := make([]byte, size+alignment-1)
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(bytes)))) & (alignment - 1)
	return &Memory{bytes: bytes[skip : skip+size : skip+size], private: private}, nil
}

// Bytes returns the whole allocation, or nil where the host must not see it.
func (m *Memory) Bytes() []byte {
	if m.private {
		return nil
	}
	return m.bytes
}

// BytesAt returns the bytes of a buffer.
func BytesAt(b *driver.Buffer) []byte { return BytesIn(b.Memory)[b.Offset : b.Offset+b.Length] }

// BytesIn returns the bytes of memory. In tests it may be of another type.
func BytesIn(m driver.Memory) []byte {
	if own, ok := m.(*Memory); ok {
		return own.bytes
	}
	return m.Bytes()
}

// IsReadOnly reports whether no kernel may write memory.
func IsReadOnly(m driver.Memory) bool {
	own, ok := m.(*Memory)
	return ok && own.readOnly
}

// Address returns the address of the memory. It is not an address of the host.
func (m *Memory) Address() uint64 {
	m.once.Do(func() { m.address = addresses.Take(len(m.bytes)) })
	return m.address
}

// addresses are those of all CPU devices, and the IDs of their textures, so that a pointer of one leads nowhere on
// another.
var addresses driver.Addresses

// Free leaves the memory to the garbage collector.
func (m *Memory) Free() {
	if m.guard != nil {
		m.guard.free(m.bytes)
	}
	m.counted.free()
	m.bytes = nil
	if m.address != 0 {
		addresses.Free(m.address)
	}
}
