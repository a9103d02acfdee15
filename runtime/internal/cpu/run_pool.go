package cpu

import "sync"

// pool returns the pool of threadgroups for a program of the kernel.
func (k *kernel) pool(p *code) *pool {
	if p == k.program {
		return &k.pools[0]
	}
	return &k.pools[1]
}

// pool keeps threadgroups with their memory from one dispatch to the next.
type pool struct {
	mu   sync.Mutex
	idle []*threadgroup
}

// take returns a threadgroup that is not in use.
func (p *pool) take() *threadgroup {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		g := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return g
	}
	return &threadgroup{}
}

// release returns a threadgroup to the pool. It must not keep buffers alive.
func (p *pool) release(g *threadgroup) {
	if !g.reset() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, g)
}
