package shadow

import "sync/atomic"

// Extent is the stated shape of a buffer.
type Extent struct {
	Shape   string // as the source states it
	Element int64  // bytes of one
	Bytes   int64
	written []atomic.Pointer[writtenPage] // nil where the kernel does not write it
}

// writtenPage has a bit for each byte that a thread has written.
type writtenPage [writtenWords]atomic.Uint64

// wholePage stands for a page all of whose bytes were written.
var wholePage = func() *writtenPage {
	p := new(writtenPage)
	for i := range p {
		p[i].Store(^uint64(0))
	}
	return p
}()

const (
	writtenWords = 1 << 9
	writtenBytes = 64 * writtenWords
)

// NewExtent returns the extent of a buffer with elements of some bytes, which shape says how many there are of.
func NewExtent(shape string, element, bytes int) *Extent {
	return &Extent{Shape: shape, Element: int64(element), Bytes: int64(bytes)}
}

// Watches reports whether the extent knows what was written.
func (e *Extent) Watches() bool { return e.written != nil }

// WatchWrites has the extent know what was written.
func (e *Extent) WatchWrites() {
	e.written = make([]atomic.Pointer[writtenPage], (e.Bytes+writtenBytes-1)/writtenBytes)
}

// Mark notes that bytes were written.
func (e *Extent) Mark(offset, size int64) {
	for size > 0 {
		slot := &e.written[offset/writtenBytes]
		page := slot.Load()
		if end := min(offset/writtenBytes*writtenBytes+writtenBytes, e.Bytes); page == wholePage ||
			offset%writtenBytes == 0 && offset+size >= end {
			slot.Store(wholePage)
			offset, size = end, offset+size-end
			continue
		}
		if page == nil {
			slot.CompareAndSwap(nil, new(writtenPage))
			page = slot.Load()
		}
		first := offset % 64
		n := min(64-first, size)
		ones := ^uint64(0) >> (64 - n) << first
		if word := &page[offset%writtenBytes/64]; word.Load()&ones != ones {
			word.Or(ones)
		}
		offset, size = offset+n, size-n
	}
}

// marked reports whether a byte of some was written.
func (e *Extent) marked(offset, size int64) bool {
	for ; size > 0; offset, size = offset+1, size-1 {
		page := e.written[offset/writtenBytes].Load()
		if page != nil && page[offset%writtenBytes/64].Load()>>(offset%64)&1 != 0 {
			return true
		}
	}
	return false
}

// Unwritten returns how many elements no thread has written, and the offset of the first of them.
func (e *Extent) Unwritten() (count, first int64) {
	for at := int64(0); at+e.Element <= e.Bytes; at += e.Element {
		if e.written[at/writtenBytes].Load() == wholePage {
			at += (writtenBytes - at%writtenBytes - 1) / e.Element * e.Element // all that begin there
			continue
		}
		if !e.marked(at, e.Element) {
			if count++; count == 1 {
				first = at
			}
		}
	}
	return count, first
}
