package cpu

import (
	"fmt"
	"log/slog"
	"math/bits"

	"github.com/metalgen/metalgen/runtime/internal/cpu/shadow"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// A call states how many elements a kernel touches of a buffer, which may have more. What is touched
// beyond them is a finding, because the next buffer will not have it. Elements that no thread has
// written are a note: a kernel may mean to leave them.

// extentOf returns what the sanitizer looks at of a buffer: nil where there is nothing to find. A
// buffer of several times its shape may be a stack of them, of which no argument says the height.
func extentOf(b *driver.Buffer) *shadow.Extent {
	if !b.Shaped || b.Arg == nil || !b.Arg.Writes && b.Length <= b.Shape {
		return nil
	}
	if b.Length > b.Shape && b.Shape > 0 && b.Length%b.Shape == 0 {
		return nil
	}
	e := shadow.NewExtent(b.Arg.Shape, max(b.Arg.Size, 1), b.Shape)
	if b.Arg.Writes {
		e.WatchWrites()
	}
	return e
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
			if last >= 0 && step >= 0 && low >= 0 && high+size <= o.extent.Bytes {
				switch {
				case !writes || !o.extent.Watches():
					return
				case step <= size:
					o.extent.Mark(low, high-low+size)
					return
				}
			}
		}
		x := f.addresses(in)
		for m := f.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			inExtent(f, in, f.object(x[l]), displacement(x[l])+in.imm, size, l, writes)
		}
	}
}

// inExtent notes what a lane touches of an object.
func inExtent(f *frame, in *instruction, o *object, offset, size int64, lane int, writes bool) {
	e := o.extent
	switch {
	case e == nil || !o.holds(offset, int(size)):
	case offset+size > e.Bytes:
		watcherOf(f).beyond(f, in, o, offset, lane, writes)
	case writes && e.Watches():
		e.Mark(offset, size)
	}
}

// touchMatrixExtent is touchExtent for simdgroup_load and simdgroup_store.
func touchMatrixExtent(f *frame, in *instruction) {
	size := int64(in.d)
	object, offset, row, column := f.matrixMemory(in, f.program.matrices[in.imm], size)
	lane := bits.TrailingZeros32(f.mask) & (width - 1)
	for i := range int64(matrixSide * matrixSide) {
		inExtent(f, in, object, offset+i/matrixSide*row+i%matrixSide*column, size, lane, in.c != 0)
	}
}

// beyond reports what a thread touches beyond a stated shape.
func (w *watcher) beyond(f *frame, in *instruction, o *object, offset int64, lane int, writes bool) {
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
				"the buffer has %d", o.info.elementAt(offset), o.info.name, tuple(thread), does, e.Bytes/e.Element, e.Shape,
				o.size/e.Element),
			Places: []driver.Place{w.place(pos, thread, g.position)},
		}
	})
}

// noteUnwritten says which elements of written buffers and textures no thread has written, when the kernel has run to
// its end: in the log, or as a finding where the grid is smaller than the one that the source states.
func (s *sanitizer) noteUnwritten() {
	if s == nil {
		return
	}
	for i := range s.dispatch.objects {
		o := &s.dispatch.objects[i]
		if o.extent == nil || !o.extent.Watches() {
			continue
		}
		count, first := o.extent.Unwritten()
		if count == 0 {
			continue
		}
		what := fmt.Sprintf("no thread writes %d of the %s; the first of them is %s",
			count, extentText(o), o.elementAt(first))
		if s.dispatch.grid.Short != "" && s.checks&driver.CheckGrid != 0 {
			s.tooSmall(o, what)
			continue
		}
		if o.texture != nil || s.checks&driver.CheckShape == 0 {
			continue
		}
		(&driver.Message{
			Level: slog.LevelInfo, Kernel: s.dispatch.program.name, Line: fmt.Sprintf("%s:%d", o.info.pos.Filename, o.info.pos.Line),
			Text: what, Subsystem: "metalgen", Category: driver.CheckShape.String(),
		}).Send(s.dispatch.logger())
	}
}

// tooSmall reports a grid that is smaller than the stated one, with what it leaves unwritten of an object.
func (s *sanitizer) tooSmall(o *object, unwritten string) {
	key := findingKey{kind: driver.CheckGrid, object: o.info.name}
	s.found.add(key, 0, func() driver.Finding {
		return driver.Finding{
			Kind: driver.CheckGrid, Kernel: s.dispatch.program.name,
			Msg:    fmt.Sprintf("too small a grid: %s, so %s; leave Grid unset, or set a larger one", s.dispatch.grid.Short, unwritten),
			Places: []driver.Place{s.place(o.info.pos, [3]int{}, [3]int{})},
		}
	})
}

// extentText says of what elements can be unwritten.
func extentText(o *object) string {
	e := o.extent
	if o.texture != nil {
		return fmt.Sprintf("%d texels of level 0 of %s", e.Bytes/e.Element, o.info.name)
	}
	return fmt.Sprintf("%d elements that the shape of %s states, %s", e.Bytes/e.Element, o.info.name, e.Shape)
}
