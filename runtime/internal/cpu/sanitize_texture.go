package cpu

import (
	"fmt"
	"math/bits"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu/sample"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Texels that methods read and write race as other memory does. Metal ignores what is written outside of
// a texture, so it is a mistake that lets the kernel run through.

// Operations that say which texels the call of a method behind them is going to touch.
var touchesOf = map[tree.TextureMethod]operation{
	tree.TextureRead:          touchTexels(false),
	tree.TextureWrite:         touchTexels(true),
	tree.TextureSample:        touchSamples((*sample.View).EachSampled),
	tree.TextureSampleCompare: touchSamples((*sample.View).EachSampled),
	tree.TextureGather:        touchSamples((*sample.View).EachGathered),
	tree.TextureGatherCompare: touchSamples((*sample.View).EachGathered),
}

// touchTexels returns the operation for texels by their indexes.
func touchTexels(writes bool) operation {
	return func(f *frame, in *instruction) {
		c := f.textureCallOf(in)
		place := c.place(f)
		f.eachTexture(in, c, nil, func(o *object, mask uint32) {
			if o.watched == notWatched {
				return
			}
			v := f.group.watch.begin(f, in, o, writes, false)
			size := o.texture.spec.Format.Info().Size
			var at [width]int
			for m := o.texture.view.Find(&at, &place, mask); m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m)
				v.Lane(l, o.address(int64(at[l])), size)
			}
		})
	}
}

// touchSamples returns the operation for texels that a sampler finds. They race where the texture shares memory with
// something that the kernel writes.
func touchSamples(
	each func(v *sample.View, s *bind.Sampler, p *sample.Point, mask uint32, do func(lane, at int)),
) operation {
	return func(f *frame, in *instruction) {
		c := f.textureCallOf(in)
		point := c.point(f)
		f.sampling(in, c, nil, func(t *object, s *bind.Sampler, mask uint32) {
			if t.watched == notWatched {
				return
			}
			v := f.group.watch.begin(f, in, t, false, false)
			size := t.texture.spec.Format.Info().Size
			each(t.texture.view, s, &point, mask, func(lane, at int) {
				v.Lane(lane, t.address(int64(at)), size)
			})
		})
	}
}

// touchTexels adds what says which texels a call touches.
func (b *builder) touchTexels(method tree.TextureMethod, call int64) {
	run := touchesOf[method]
	if run == nil {
		return
	}
	b.mayPause()
	if b.sanitize {
		b.emitSite(b.pos, instruction{run: run, imm: call}, site{})
	}
}

// decidesTexel is decides for what is written to a texture, of which components that its format lacks do
// not matter.
func (b *builder) decidesTexel(texture int32, texel value) {
	for i, r := range texel {
		u := b.of[r]
		if u == 0 {
			continue
		}
		b.emit(instruction{run: func(f *frame, in *instruction) {
			f.eachHandle(texture, f.mask, func(o *object, mask uint32) {
				if o.texture != nil && o.texture.spec.Format.Info().Has(i) {
					f.useIn(mask, in, unsetAt(f, u), "writes it to a texture")
				}
			})
		}})
	}
}

// writesTexture reports whether the kernel may write an object that is a texture.
func (o *object) writesTexture() bool {
	t := o.info.element.Texture
	return t != nil && t.Access.Writes()
}

// outside reports lanes that write outside of a texture.
func (w *watch) outside(f *frame, in *instruction, o *object, place *sample.Place, lanes uint32) {
	if lanes == 0 || !w.looksFor(driver.CheckShape) {
		return
	}
	g, d := w.threadgroup, w.threadgroup.dispatch
	pos := d.program.positions[in.pos]
	key := findingKey{kind: driver.CheckShape, object: o.info.name, first: pos}
	for ; lanes != 0; lanes &= lanes - 1 {
		w.found.add(key, g.number(), func() driver.Finding {
			lane := bits.TrailingZeros32(lanes)
			thread, view, texel := g.thread(f, lane), o.texture.view, place.Of(lane)
			return driver.Finding{
				Kind: driver.CheckShape, Kernel: d.program.name, Group: g.position,
				Msg: fmt.Sprintf("%s%s is outside of %s: thread %s writes it, which does nothing; the texture has %s",
					o.info.name, view.Name(texel), o.info.name, tuple(thread), view.Bound(texel)),
				Places: []driver.Place{d.place(pos, thread, g.position)},
			}
		})
	}
}
