package metal

// Dispatches of one encoder may overlap, except across a barrier. A barrier is
// needed before a dispatch that reads bytes which an earlier one since the last
// barrier writes, or writes bytes which one reads or writes.

// span is a range of bytes of one allocation that a dispatch touches.
type span struct {
	memory     uintptr // of the MTLBuffer
	start, end int
	writes     bool
	next       int32 // in the same bucket, or -1
}

// hazards are the spans touched since the last barrier, in buckets by memory: a
// layer of a model touches hundreds, of which one dispatch meets few.
type hazards struct {
	spans   []span
	buckets [hazardBuckets]int32 // index of the first span plus one
	touched []uint8              // buckets that are not empty
}

const hazardBuckets = 64

func bucketOf(memory uintptr) uint8 {
	return uint8((memory>>4 ^ memory>>10 ^ memory>>16) % hazardBuckets)
}

// conflicts reports whether a dispatch that touches s must wait.
func (h *hazards) conflicts(s *span) bool {
	for i := h.buckets[bucketOf(s.memory)]; i != 0; i = h.spans[i-1].next {
		old := &h.spans[i-1]
		if old.memory == s.memory && (old.writes || s.writes) && old.start < s.end && s.start < old.end {
			return true
		}
	}
	return false
}

// add notes what a dispatch touches.
func (h *hazards) add(s span) {
	if s.start >= s.end {
		return
	}
	b := bucketOf(s.memory)
	for i := h.buckets[b]; i != 0; i = h.spans[i-1].next {
		// what touches a span of its kind becomes part of it: rows that dispatches
		// write one after the other are one span, and a weight that all read is one
		old := &h.spans[i-1]
		if old.memory == s.memory && old.writes == s.writes && s.start <= old.end && old.start <= s.end {
			old.start, old.end = min(old.start, s.start), max(old.end, s.end)
			return
		}
	}
	if s.next = h.buckets[b]; s.next == 0 {
		h.touched = append(h.touched, b)
	}
	h.spans = append(h.spans, s)
	h.buckets[b] = int32(len(h.spans))
}

// clear forgets all spans: there is a barrier.
func (h *hazards) clear() {
	for _, b := range h.touched {
		h.buckets[b] = 0
	}
	h.spans, h.touched = h.spans[:0], h.touched[:0]
}
