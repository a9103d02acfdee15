package storage

import (
	"slices"
	"sync"
)

// Memory of a device with a sanitizer knows more: pointers to a part of it have an address of their own, beyond which
// they do not lead, and what is freed cannot be touched any more where the system can forbid it.

// guard is what such memory has besides.
type guard struct {
	bounded bool // pointers lead nowhere beyond the part that they were made of
	mapped  bool // the system has given the memory

	mu    sync.Mutex
	parts []Part
}

// Part is some bytes of memory that have an address of their own.
type Part struct {
	Offset, Size int
	Address      uint64
}

// NewGuarded is New for a device with a sanitizer. Where it is bounded, pointers to a part of it do not lead beyond.
func NewGuarded(size int, private, bounded bool) (*Memory, error) {
	g := &guard{bounded: bounded}
	if bytes := mapMemory(size); bytes != nil {
		g.mapped = true
		return &Memory{bytes: bytes, private: private, guard: g}, nil
	}
	m, err := New(size, private)
	if err != nil {
		return nil, err
	}
	m.guard = g
	return m, nil
}

// PartAddress returns the address of some bytes, the same each time. All of the memory has none beside its own, nor has
// a part without bytes.
func (m *Memory) PartAddress(offset, size int) uint64 {
	g := m.guard
	if g == nil || !g.bounded || size == 0 || size == len(m.bytes) {
		return 0
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range g.parts {
		if p.Offset == offset && p.Size == size {
			return p.Address
		}
	}
	p := Part{offset, size, addresses.Take(size)}
	g.parts = append(g.parts, p)
	return p.Address
}

// PartsOf returns the parts that have addresses of their own.
func (m *Memory) PartsOf() []Part {
	if m.guard == nil {
		return nil
	}
	m.guard.mu.Lock()
	defer m.guard.mu.Unlock()
	return slices.Clone(m.guard.parts)
}

// Of returns the bytes of a part, all of them where there is none.
func (p *Part) Of(bytes []byte) []byte {
	if p == nil {
		return bytes
	}
	return bytes[p.Offset:][:p.Size:p.Size]
}

// free ends the use of memory.
func (g *guard) free(bytes []byte) {
	for _, p := range g.parts {
		addresses.Free(p.Address)
	}
	g.parts = nil
	if g.mapped {
		forbid(bytes)
	}
}
