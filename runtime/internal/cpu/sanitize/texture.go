package sanitize

import (
	"fmt"
	"math/bits"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/cpu/sample"
	"github.com/metalgen/metalgen/runtime/internal/cpu/shadow"
	"github.com/metalgen/metalgen/runtime/internal/cpu/storage"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Texels that methods read and write race as other memory does. What is written outside of a texture is lost, and what
// is read there is zero at best, so it is a mistake that lets the kernel run through.

// touchTexels returns the operation for texels by their indexes.
func touchTexels(writes bool) interp.Operation {
	return func(f *interp.Frame, in *program.Instruction) {
		c := f.TextureCallOf(in)
		place := interp.PlaceOf(f, c)
		f.EachTexture(in, c, nil, func(o *interp.Object, mask uint32) {
			var at [width]int
			inside := o.Texture.Access.Find(&at, &place, mask)
			switch {
			case !writes:
				watcherOf(f).outside(f, in, o, &place, mask&^inside, "reads it, which is zero at best")
			case o.Extent != nil:
				markTexels(o.Extent, &at, inside)
			}
			if o.Watched == interp.NotWatched {
				return
			}
			v := watcherOf(f).begin(f, in, o, writes, false)
			size := o.Texture.Spec.Format.Info().Size
			for m := inside; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m)
				v.Lane(l, addressIn(o, int64(at[l])), size)
			}
		})
	}
}

// ExtentOfTexture returns what the sanitizer looks at of a texture that is written: the texels of level 0. It is nil
// where they do not lie one after the other, because the texture shows a part of a buffer.
func ExtentOfTexture(t *storage.Texture) *shadow.Extent {
	l, size := &t.Levels[0], t.Spec.Format.Info().Size
	if l.Offset != 0 || l.Row != l.Width*size || t.Spec.Samples > 1 {
		return nil
	}
	e := shadow.NewExtent("", size, l.Slice)
	e.WatchWrites()
	return e
}

// markTexels notes that texels of lanes were written.
func markTexels(e *shadow.Extent, at *[width]int, lanes uint32) {
	for m := lanes; m != 0; m &= m - 1 {
		if offset := int64(at[bits.TrailingZeros32(m)]); offset < e.Bytes {
			e.Mark(offset, e.Element)
		}
	}
}

// touchSamples returns the operation for texels that a sampler finds. They race where the texture shares memory with
// something that the kernel writes.
func touchSamples(
	each func(v *sample.View, s *bind.Sampler, p *sample.Point, mask uint32, do func(lane, at int)),
) interp.Operation {
	return func(f *interp.Frame, in *program.Instruction) {
		c := f.TextureCallOf(in)
		point := interp.PointOf(f, c)
		f.Sampling(in, c, nil, func(t *interp.Object, s *bind.Sampler, mask uint32) {
			if t.Watched == interp.NotWatched {
				return
			}
			v := watcherOf(f).begin(f, in, t, false, false)
			size := t.Texture.Spec.Format.Info().Size
			each(t.Texture.Access, s, &point, mask, func(lane, at int) {
				v.Lane(lane, addressIn(t, int64(at)), size)
			})
		})
	}
}

// writesTexture reports whether the kernel may write an object that is a texture.
func writesTexture(o *interp.Object) bool {
	t := o.Info.Element.Texture
	return t != nil && t.Access.Writes()
}

// Outside reports lanes that write outside of a texture.
func (w *watcher) Outside(f *interp.Frame, in *program.Instruction, o *interp.Object, place *sample.Place,
	lanes uint32) {
	w.outside(f, in, o, place, lanes, "writes it, which does nothing")
}

// Written notes the texels that lanes have written, where the sanitizer wants to know.
func (w *watcher) Written(o *interp.Object, at *[width]int, lanes uint32) {
	if o.Extent != nil {
		markTexels(o.Extent, at, lanes)
	}
}

// outside reports lanes that read or write outside of a texture.
func (w *watcher) outside(f *interp.Frame, in *program.Instruction, o *interp.Object, place *sample.Place,
	lanes uint32, does string) {
	if lanes == 0 || !w.looksFor(driver.CheckShape) {
		return
	}
	g, d := w.threadgroup, w.threadgroup.Dispatch
	pos := d.Code.Positions[in.Pos]
	key := findingKey{kind: driver.CheckShape, object: o.Info.Name, first: pos}
	for ; lanes != 0; lanes &= lanes - 1 {
		w.found.add(key, g.Number(), func() driver.Finding {
			lane := bits.TrailingZeros32(lanes)
			thread, view, texel := g.Thread(f, lane), o.Texture.Access, place.Of(lane)
			return driver.Finding{
				Kind: driver.CheckShape, Kernel: d.Code.Name, Group: g.Position,
				Msg: fmt.Sprintf("%s%s is outside of %s: thread %s %s; the texture has %s",
					o.Info.Name, view.Name(texel), o.Info.Name, program.Tuple(thread), does, view.Bound(texel)),
				Places: []driver.Place{w.place(pos, thread, g.Position)},
			}
		})
	}
}
