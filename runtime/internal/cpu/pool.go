package cpu

import (
	"sync"

	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
)

// pool returns the pool of threadgroups for a program of the kernel.
func (k *kernel) pool(p *interp.Code) *pool {
	if p == k.program {
		return &k.pools[0]
	}
	return &k.pools[1]
}

// pool keeps threadgroups with their memory from one dispatch to the next.
type pool struct {
	mu   sync.Mutex
	idle []*interp.Threadgroup
}

// take returns a threadgroup that is not in use.
func (p *pool) take() *interp.Threadgroup {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		g := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return g
	}
	return &interp.Threadgroup{}
}

// release returns a threadgroup to the pool. It must not keep buffers alive.
func (p *pool) release(g *interp.Threadgroup) {
	if !g.Reset() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, g)
}
