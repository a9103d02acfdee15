package cpu

import (
	"fmt"
	"log/slog"
	"math/bits"
	"sync/atomic"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// A call states how many elements a kernel touches of a buffer, which may have more. What is touched
// beyond them is a finding, because the next buffer will not have it. Elements that no thread has
// written are a note: a kernel may mean to leave them.

// extent is the stated shape of a buffer.
type extent struct {
	shape   string // as the source states it
	element int64  // bytes of one
	bytes   int64
	written []atomic.Pointer[writtenPage] // nil where the kernel does not write it
}

// writtenPage has a bit for each byte that a thread has written.
type writtenPage [pageWords]atomic.Uint64

const (
	pageWords = 1 << 9
	pageBytes = 64 * pageWords
)

// extentOf returns what the sanitizer looks at of a buffer: nil where there is nothing to find. A
// buffer of several times its shape may be a stack of them, of which no argument says the height.
func extentOf(b *driver.Buffer) *extent {
	if !b.Shaped || b.Arg == nil || !b.Arg.Writes && b.Length <= b.Shape {
		return nil
	}
	if b.Length > b.Shape && b.Shape > 0 && b.Length%b.Shape == 0 {
		return nil
	}
	e := &extent{shape: b.Arg.Shape, element: int64(max(b.Arg.Size, 1)), bytes: int64(b.Shape)}
	if b.Arg.Writes {
		e.watchWrites()
	}
	return e
}

// watchWrites has the extent know what was written.
func (e *extent) watchWrites() {
	e.written = make([]atomic.Pointer[writtenPage], (e.bytes+pageBytes-1)/pageBytes)
}

// mark notes that bytes were written.
func (e *extent) mark(offset, size int64) {
	for size > 0 {
		slot := &e.written[offset/pageBytes]
		page := slot.Load()
		if page == nil {
			slot.CompareAndSwap(nil, new(writtenPage))
			page = slot.Load()
		}
		first := offset % 64
		n := min(64-first, size)
		ones := ^uint64(0) >> (64 - n) << first
		if word := &page[offset%pageBytes/64]; word.Load()&ones != ones {
			word.Or(ones)
		}
		offset, size = offset+n, size-n
	}
}

// marked reports whether a byte of some was written.
func (e *extent) marked(offset, size int64) bool {
	for ; size > 0; offset, size = offset+1, size-1 {
		page := e.written[offset/pageBytes].Load()
		if page != nil && page[offset%pageBytes/64].Load()>>(offset%64)&1 != 0 {
			return true
		}
	}
	return false
}

// touchExtent returns the operation that compares what the access after it touches with the shape of its buffer: d bytes,
// else with the fields of that access.
func touchExtent(writes bool) operation {
	return func(f *frame, in *instruction) {
		size := int64(in.d)
		if base, step, ok := f.address(in); ok {
			o := f.object(base)
			if o.extent == nil {
				return
			}
			first, last := activeRange(f.mask)
			low := displacement(base) + in.imm + int64(first)*step
			high := low + int64(last-first)*step
			if last >= 0 && step >= 0 && low >= 0 && high+size <= o.extent.bytes {
				switch {
				case !writes || o.extent.written == nil:
					return
				case step <= size:
					o.extent.mark(low, high-low+size)
					return
				}
			}
		}
		x := f.addresses(in)
		for m := f.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			f.inExtent(in, f.object(x[l]), displacement(x[l])+in.imm, size, l, writes)
		}
	}
}

// inExtent notes what a lane touches of an object.
func (f *frame) inExtent(in *instruction, o *object, offset, size int64, lane int, writes bool) {
	e := o.extent
	switch {
	case e == nil || !o.holds(offset, int(size)):
	case offset+size > e.bytes:
		f.group.watch.beyond(f, in, o, offset, lane, writes)
	case writes && e.written != nil:
		e.mark(offset, size)
	}
}

// touchMatrixExtent is touchExtent for simdgroup_load and simdgroup_store.
func touchMatrixExtent(f *frame, in *instruction) {
	size := int64(in.d)
	object, offset, row, column := f.matrixMemory(in, f.program.matrices[in.imm], size)
	lane := bits.TrailingZeros32(f.mask) & (width - 1)
	for i := range int64(matrixSide * matrixSide) {
		f.inExtent(in, object, offset+i/matrixSide*row+i%matrixSide*column, size, lane, in.c != 0)
	}
}

// beyond reports what a thread touches beyond a stated shape.
func (w *watch) beyond(f *frame, in *instruction, o *object, offset int64, lane int, writes bool) {
	if !w.looksFor(driver.CheckShape) {
		return
	}
	g, d, e := w.threadgroup, w.threadgroup.dispatch, o.extent
	pos := d.program.positions[in.pos]
	w.found.add(findingKey{kind: driver.CheckShape, object: o.info.name, first: pos}, g.number(), func() driver.Finding {
		does := "reads"
		if writes {
			does = "writes"
		}
		thread := g.thread(f, lane)
		return driver.Finding{
			Kind: driver.CheckShape, Kernel: d.program.name, Group: g.position,
			Msg: fmt.Sprintf("%s is beyond the shape of %s: thread %s %s it, but the call states %d elements, %s; "+
				"the buffer has %d", o.info.elementAt(offset), o.info.name, tuple(thread), does, e.bytes/e.element, e.shape,
				o.size/e.element),
			Places: []driver.Place{d.place(pos, thread, g.position)},
		}
	})
}

// noteUnwritten says which elements of written buffers and textures no thread has written, when the kernel has run to
// its end: in the log, or as a finding where the grid is smaller than the one that the source states.
func (d *dispatch) noteUnwritten() {
	for i := range d.objects {
		o := &d.objects[i]
		if o.extent == nil || o.extent.written == nil {
			continue
		}
		count, first := o.extent.unwritten()
		if count == 0 {
			continue
		}
		what := fmt.Sprintf("no thread writes %d of the %s; the first of them is %s",
			count, o.extent.text(o), o.elementAt(first))
		if d.grid.Short != "" && d.sanitizer.checks&driver.CheckGrid != 0 {
			d.tooSmall(o, what)
			continue
		}
		if o.texture != nil || d.sanitizer.checks&driver.CheckShape == 0 {
			continue
		}
		(&driver.Message{
			Level: slog.LevelInfo, Kernel: d.program.name, Line: fmt.Sprintf("%s:%d", o.info.pos.Filename, o.info.pos.Line),
			Text: what, Subsystem: "metalgen", Category: driver.CheckShape.String(),
		}).Send(d.kernel.device.options.Logger())
	}
}

// tooSmall reports a grid that is smaller than the stated one, with what it leaves unwritten of an object.
func (d *dispatch) tooSmall(o *object, unwritten string) {
	key := findingKey{kind: driver.CheckGrid, object: o.info.name}
	d.sanitizer.found.add(key, 0, func() driver.Finding {
		return driver.Finding{
			Kind: driver.CheckGrid, Kernel: d.program.name,
			Msg:    fmt.Sprintf("too small a grid: %s, so %s; leave Grid unset, or set a larger one", d.grid.Short, unwritten),
			Places: []driver.Place{d.place(o.info.pos, [3]int{}, [3]int{})},
		}
	})
}

// unwritten returns how many elements no thread has written, and the offset of the first of them.
func (e *extent) unwritten() (count, first int64) {
	for at := int64(0); at+e.element <= e.bytes; at += e.element {
		if !e.marked(at, e.element) {
			if count++; count == 1 {
				first = at
			}
		}
	}
	return count, first
}

// text says of what elements can be unwritten.
func (e *extent) text(o *object) string {
	if o.texture != nil {
		return fmt.Sprintf("%d texels of level 0 of %s", e.bytes/e.element, o.info.name)
	}
	return fmt.Sprintf("%d elements that the shape of %s states, %s", e.bytes/e.element, o.info.name, e.shape)
}
