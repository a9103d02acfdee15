package cpu

import (
	"math/bits"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu/sample"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// The methods of textures (section 6.12). imm is the number of a textureCall, which has
// the registers.

// textureCallOf returns the call of an instruction.
func (f *frame) textureCallOf(in *instruction) *textureCall { return &f.program.textures[in.imm] }

// eachHandle calls do for each texture, or sampler, that active lanes have in a register,
// with those lanes.
func (f *frame) eachHandle(r int32, mask uint32, do func(o *object, mask uint32)) {
	handles := at[uint64](f, r)
	if handles.uniform() {
		do(f.object(handles.base), mask)
		return
	}
	lanes := handles.lanes()
	for mask != 0 {
		h := lanes[bits.TrailingZeros32(mask)]
		same := uint32(0)
		for m := mask; m != 0; m &= m - 1 {
			if l := bits.TrailingZeros32(m); lanes[l] == h {
				same |= 1 << l
			}
		}
		do(f.object(h), same)
		mask &^= same
	}
}

// wordsOf returns the lanes of a register, nil for none.
func wordsOf[T int32 | uint32 | float32](f *frame, r int32) *[width]T {
	if r == 0 {
		return nil
	}
	return at[T](f, r).lanes()
}

// place returns where a call reads or writes.
func (c *textureCall) place(f *frame) sample.Place {
	return sample.Place{
		X: wordsOf[uint32](f, c.coord[0]), Y: wordsOf[uint32](f, c.coord[1]), Z: wordsOf[uint32](f, c.coord[2]),
		Face: wordsOf[uint32](f, c.face), Layer: wordsOf[uint32](f, c.layer), Level: wordsOf[uint32](f, c.level),
		Sample: wordsOf[uint32](f, c.sample),
	}
}

// point returns where a call samples.
func (c *textureCall) point(f *frame) sample.Point {
	p := sample.Point{
		X: wordsOf[float32](f, c.coord[0]), Y: wordsOf[float32](f, c.coord[1]), Z: wordsOf[float32](f, c.coord[2]),
		Layer: wordsOf[uint32](f, c.layer), Level: wordsOf[float32](f, c.level), Least: wordsOf[float32](f, c.least),
		OffsetX: wordsOf[int32](f, c.offset[0]), OffsetY: wordsOf[int32](f, c.offset[1]),
		OffsetZ: wordsOf[int32](f, c.offset[2]),
	}
	for i, step := range c.gradient {
		for k, r := range step {
			p.Gradient[i][k] = wordsOf[float32](f, r)
		}
	}
	return p
}

// set sets the results of a call.
func (c *textureCall) set(f *frame, texels *pixel.Texels) {
	for i := range c.count {
		*at[uint32](f, c.results[i]).vector() = texels[i]
	}
}

func readTexels(f *frame, in *instruction) {
	c := f.textureCallOf(in)
	var texels pixel.Texels
	at := c.place(f)
	f.eachHandle(c.texture, f.mask, func(o *object, mask uint32) {
		if o.texture != nil {
			o.texture.view.Read(&texels, &at, mask)
		}
	})
	c.set(f, &texels)
}

func writeTexels(f *frame, in *instruction) {
	c := f.textureCallOf(in)
	var texels pixel.Texels
	for i, r := range c.texel {
		if r != 0 {
			texels[i] = *at[uint32](f, r).lanes()
		}
	}
	at := c.place(f)
	f.eachHandle(c.texture, f.mask, func(o *object, mask uint32) {
		if o.texture != nil {
			outside := o.texture.view.Write(&at, &texels, mask)
			f.group.watch.outside(f, in, o, &at, outside)
		}
	})
}

// sampling calls do for each pair of a texture and a sampler that lanes sample with.
func (f *frame) sampling(c *textureCall, do func(v *sample.View, s *bind.Sampler, mask uint32)) {
	f.eachHandle(c.texture, f.mask, func(t *object, mask uint32) {
		if t.texture == nil {
			return
		}
		f.eachHandle(c.sampler, mask, func(s *object, mask uint32) {
			sampler := s.sampler
			if sampler == nil {
				sampler = &defaultSampler
			}
			do(t.texture.view, sampler, mask)
		})
	})
}

func sampleTexels(f *frame, in *instruction) {
	c := f.textureCallOf(in)
	var texels pixel.Texels
	at := c.point(f)
	f.sampling(c, func(v *sample.View, s *bind.Sampler, mask uint32) { v.Sample(&texels, s, &at, mask) })
	c.set(f, &texels)
}

func compareTexels(f *frame, in *instruction) {
	c := f.textureCallOf(in)
	var texels pixel.Texels
	at, value := c.point(f), wordsOf[float32](f, c.compare)
	f.sampling(c, func(v *sample.View, s *bind.Sampler, mask uint32) { v.SampleCompare(&texels, s, &at, value, mask) })
	c.set(f, &texels)
}

func gatherTexels(f *frame, in *instruction) {
	c := f.textureCallOf(in)
	var texels pixel.Texels
	at := c.point(f)
	f.sampling(c, func(v *sample.View, s *bind.Sampler, mask uint32) { v.Gather(&texels, s, &at, c.component, mask) })
	c.set(f, &texels)
}

func gatherCompared(f *frame, in *instruction) {
	c := f.textureCallOf(in)
	var texels pixel.Texels
	at, value := c.point(f), wordsOf[float32](f, c.compare)
	f.sampling(c, func(v *sample.View, s *bind.Sampler, mask uint32) { v.GatherCompare(&texels, s, &at, value, mask) })
	c.set(f, &texels)
}

// textureSize returns the operation of a method that asks for a size, which is 0 of a
// texture that is not there.
func textureSize(size func(t *texture, level int) int) operation {
	return func(f *frame, in *instruction) {
		c := f.textureCallOf(in)
		d := at[uint32](f, c.results[0])
		handles := at[uint64](f, c.texture)
		if handles.uniform() && (c.level == 0 || at[uint32](f, c.level).uniform()) {
			n := 0
			if t := f.object(handles.base).texture; t != nil {
				level := uint32(0)
				if c.level != 0 {
					level = at[uint32](f, c.level).base
				}
				n = size(t, int(level))
			}
			d.set(uint32(n))
			return
		}
		lanes, levels := handles.lanes(), wordsOf[uint32](f, c.level)
		var sizes [width]uint32
		for m := f.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			level := 0
			if levels != nil {
				level = int(levels[l])
			}
			if t := f.object(lanes[l]).texture; t != nil {
				sizes[l] = uint32(size(t, level))
			}
		}
		*d.vector() = sizes
	}
}

// isNullTexture reports for each lane whether the texture in a is not there.
func isNullTexture(f *frame, in *instruction) {
	null := uint32(0)
	for l, h := range at[uint64](f, in.a).lanes() {
		if f.object(h).texture == nil {
			null |= 1 << l
		}
	}
	*maskAt(f, in.d) = null
}

// texelAddresses sets d to pointers to the texels of lanes, and the mask c to the lanes that
// have one.
func texelAddresses(f *frame, in *instruction) {
	c := f.textureCallOf(in)
	place := c.place(f)
	pointers, handles := at[uint64](f, in.d).vector(), at[uint64](f, c.texture).lanes()
	inside := uint32(0)
	f.eachHandle(c.texture, f.mask, func(o *object, mask uint32) {
		if o.texture == nil {
			return
		}
		var offsets [width]int
		found := o.texture.view.Find(&offsets, &place, mask)
		for m := found; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			pointers[l] = handles[l] + uint64(offsets[l])
		}
		if inside |= found; c.writes {
			f.group.watch.outside(f, in, o, &place, mask&^found)
		}
	})
	*maskAt(f, in.c) = inside
}
