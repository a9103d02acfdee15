package sanitize

import (
	"fmt"
	"log/slog"
	"math/bits"

	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/cpu/shadow"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// A call states how many elements a kernel touches of a buffer, which may have more. What is touched
// beyond them is a finding, because the next buffer will not have it. Elements that no thread has
// written are a note: a kernel may mean to leave them.

// ExtentOf returns what the sanitizer looks at of a buffer: nil where there is nothing to find. A
// buffer of several times its shape may be a stack of them, whose height no argument says.
func ExtentOf(b *driver.Buffer) *shadow.Extent {
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

// touchExtent returns the operation that compares what the access after it touches with the shape of its buffer: d
// bytes, else with the fields of that access.
func touchExtent(writes bool) interp.Operation {
	return func(f *interp.Frame, in *program.Instruction) {
		size := int64(in.D)
		if base, step, ok := f.Address(in); ok {
			o := f.Object(base)
			if o.Extent == nil {
				return
			}
			first, last := interp.ActiveRange(f.Mask)
			low := program.Displacement(base) + in.Imm + int64(first)*step
			high := low + int64(last-first)*step
			if last >= 0 && step >= 0 && low >= 0 && high+size <= o.Extent.Bytes {
				switch {
				case !writes || !o.Extent.Watches():
					return
				case step <= size:
					o.Extent.Mark(low, high-low+size)
					return
				}
			}
		}
		x := f.Addresses(in)
		for m := f.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			inExtent(f, in, f.Object(x[l]), program.Displacement(x[l])+in.Imm, size, l, writes)
		}
	}
}

// inExtent notes what a lane touches of an object.
func inExtent(f *interp.Frame, in *program.Instruction, o *interp.Object, offset, size int64, lane int, writes bool) {
	e := o.Extent
	switch {
	case e == nil || !o.Holds(offset, int(size)):
	case offset+size > e.Bytes:
		watcherOf(f).beyond(f, in, o, offset, lane, writes)
	case writes && e.Watches():
		e.Mark(offset, size)
	}
}

// touchMatrixExtent is touchExtent for simdgroup_load and simdgroup_store.
func touchMatrixExtent(f *interp.Frame, in *program.Instruction) {
	size := int64(in.D)
	object, offset, row, column := f.MatrixMemory(in, f.Code.Matrices[in.Imm], size)
	lane := bits.TrailingZeros32(f.Mask) & (width - 1)
	for i := range int64(interp.MatrixSide * interp.MatrixSide) {
		inExtent(f, in, object, offset+i/interp.MatrixSide*row+i%interp.MatrixSide*column, size, lane, in.C != 0)
	}
}

// beyond reports what a thread touches beyond a stated shape.
func (w *watcher) beyond(f *interp.Frame, in *program.Instruction, o *interp.Object, offset int64, lane int,
	writes bool) {
	if !w.looksFor(driver.CheckShape) {
		return
	}
	g, d, e := w.threadgroup, w.threadgroup.Dispatch, o.Extent
	pos := d.Code.Positions[in.Pos]
	w.found.add(findingKey{kind: driver.CheckShape, object: o.Info.Name, first: pos}, g.Number(),
		func() driver.Finding {
			does := "reads"
			if writes {
				does = "writes"
			}
			thread := g.Thread(f, lane)
			return driver.Finding{
				Kind: driver.CheckShape, Kernel: d.Code.Name, Group: g.Position,
				Msg: fmt.Sprintf("%s is beyond the shape of %s: thread %s %s it, but the call states %d elements, %s; "+
					"the buffer has %d", o.Info.ElementAt(offset), o.Info.Name, program.Tuple(thread), does,
					e.Bytes/e.Element, e.Shape, o.Size/e.Element),
				Places: []driver.Place{w.place(pos, thread, g.Position)},
			}
		})
}

// NoteUnwritten says which elements of written buffers and textures no thread has written, when the kernel has run to
// its end: in the log, or as a finding where the grid is smaller than the one that the source states.
func (s *Sanitizer) NoteUnwritten() {
	if s == nil {
		return
	}
	for i := range s.dispatch.Objects {
		o := &s.dispatch.Objects[i]
		if o.Extent == nil || !o.Extent.Watches() {
			continue
		}
		count, first := o.Extent.Unwritten()
		if count == 0 {
			continue
		}
		what := fmt.Sprintf("no thread writes %d of the %s; the first of them is %s",
			count, extentText(o), o.ElementAt(first))
		if s.dispatch.Grid.Short != "" && s.checks&driver.CheckGrid != 0 {
			s.tooSmall(o, what)
			continue
		}
		if o.Texture != nil || s.checks&driver.CheckShape == 0 {
			continue
		}
		(&driver.Message{
			Level: slog.LevelInfo, Kernel: s.dispatch.Code.Name, Line: fmt.Sprintf("%s:%d", o.Info.Pos.Filename,
				o.Info.Pos.Line),
			Text: what, Subsystem: "metalgen", Category: driver.CheckShape.String(),
		}).Send(s.dispatch.Logger())
	}
}

// tooSmall reports a grid that is smaller than the stated one, with what it leaves unwritten of an object.
func (s *Sanitizer) tooSmall(o *interp.Object, unwritten string) {
	key := findingKey{kind: driver.CheckGrid, object: o.Info.Name}
	s.found.add(key, 0, func() driver.Finding {
		return driver.Finding{
			Kind: driver.CheckGrid, Kernel: s.dispatch.Code.Name,
			Msg: fmt.Sprintf("too small a grid: %s, so %s; leave Grid unset, or set a larger one",
				s.dispatch.Grid.Short, unwritten),
			Places: []driver.Place{s.place(o.Info.Pos, [3]int{}, [3]int{})},
		}
	})
}

// extentText says of what elements can be unwritten.
func extentText(o *interp.Object) string {
	e := o.Extent
	if o.Texture != nil {
		return fmt.Sprintf("%d texels of level 0 of %s", e.Bytes/e.Element, o.Info.Name)
	}
	return fmt.Sprintf("%d elements that the shape of %s states, %s", e.Bytes/e.Element, o.Info.Name, e.Shape)
}
