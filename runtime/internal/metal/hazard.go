package metal

import "slices"

// Dispatches of one encoder may overlap, except across a barrier. A barrier is
// needed before a dispatch that reads bytes which an earlier one since the last
// barrier writes, or writes bytes which one reads or writes.

// span is a range of addresses that a dispatch touches. Two MTLBuffers may be views
// of the same bytes of the host, so it is addresses that tell what meets what.
type span struct {
	start, end uintptr
	writes     bool
	texture    bool // it is texels
}

// hazards are what was touched since the last barrier.
type hazards struct {
	read, written ranges
	scope         uintptr // MTLBarrierScope: whether it was buffers, textures or both
}

// Apple: MTLBarrierScope in MTLCommandBuffer.h.
const (
	barrierScopeBuffers  = 1 << 0
	barrierScopeTextures = 1 << 1
)

// scopeOf returns what a barrier for what touches s is about.
func scopeOf(s span) uintptr {
	if s.texture {
		return barrierScopeTextures
	}
	return barrierScopeBuffers
}

// conflicts reports whether a dispatch that touches s must wait.
func (h *hazards) conflicts(s span) bool {
	return h.written.meet(s) || s.writes && h.read.meet(s)
}

// add adds what a dispatch touches.
func (h *hazards) add(s span) {
	h.scope |= scopeOf(s)
	if s.writes {
		h.written.add(s)
	} else {
		h.read.add(s)
	}
}

// clear forgets all spans: there is a barrier.
func (h *hazards) clear() { h.read, h.written, h.scope = h.read[:0], h.written[:0], 0 }

// ranges is a set of addresses, as ranges in their order that do not touch: rows
// that dispatches write one after the other are one, and so is a weight that all
// of them read. A layer of a model comes to a few dozen.
type ranges []struct{ start, end uintptr }

// from returns the index of the first range that ends at an address or after it.
func (r ranges) from(at uintptr) int {
	low, high := 0, len(r)
	for low < high {
		if middle := (low + high) / 2; r[middle].end < at {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// meet reports whether an address of s is in the set.
func (r ranges) meet(s span) bool {
	i := r.from(s.start + 1)
	return i < len(r) && r[i].start < s.end && s.start < s.end
}

// add puts the addresses of s into the set.
func (r *ranges) add(s span) {
	if s.start == s.end {
		return
	}
	first := r.from(s.start)
	last := first
	for ; last < len(*r) && (*r)[last].start <= s.end; last++ {
		s.start, s.end = min(s.start, (*r)[last].start), max(s.end, (*r)[last].end)
	}
	if last == first {
		*r = slices.Insert(*r, first, struct{ start, end uintptr }{s.start, s.end})
		return
	}
	(*r)[first].start, (*r)[first].end = s.start, s.end
	if last > first+1 {
		*r = slices.Delete(*r, first+1, last)
	}
}
