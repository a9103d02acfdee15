package cpu

import (
	"math"
	"math/bits"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu/sample"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// The methods of textures (section 6.12). imm is the number of a textureCall, which has
// the registers.

// textureOps are the operations of methods. imm is the number of the textureCall.
var textureOps = map[tree.TextureMethod]operation{
	tree.TextureRead:          readTexels,
	tree.TextureWrite:         writeTexels,
	tree.TextureSample:        sampleTexels,
	tree.TextureSampleCompare: compareTexels,
	tree.TextureGather:        gatherTexels,
	tree.TextureGatherCompare: gatherCompared,
	tree.TextureWidth:         textureSize(func(t *texture, level int) int { return t.extent(level, 0) }),
	tree.TextureHeight:        textureSize(func(t *texture, level int) int { return t.extent(level, 1) }),
	tree.TextureDepth:         textureSize(func(t *texture, level int) int { return t.extent(level, 2) }),
	tree.TextureArraySize:     textureSize(func(t *texture, _ int) int { return t.spec.Length }),
	tree.TextureLevels:        textureSize(func(t *texture, _ int) int { return t.spec.Levels }),
	tree.TextureSamples:       textureSize(func(t *texture, _ int) int { return t.spec.Samples }),
}

// textureCallOf returns the call of an instruction.
func (f *frame) textureCallOf(in *instruction) *textureCall { return &f.program.textures[in.imm] }

// eachTexture calls do for each texture that active lanes call a method of, with those lanes. Of one that was left out
// of the call it clears the results d, if there are any. What is no texture for the method is a fault: memory may hold
// any number, and unions too.
func (f *frame) eachTexture(
	in *instruction, c *textureCall, d *pixel.Rows, do func(o *object, mask uint32),
) {
	f.eachHandle(c.texture, f.mask, func(o *object, mask uint32) {
		switch {
		case o.texture != nil && suits(o.texture, c):
			do(o, mask)
		case mask != 0 && !o.missing:
			f.wrongHandle(in, c.texture, c.typ, o, mask)
		case d != nil:
			clearLanes(d, mask)
		}
	})
}

// suits reports whether a texture is of the type that a call of a method is for, and may be used so. A Usage of 0 says
// nothing.
func suits(t *texture, c *textureCall) bool {
	return t.spec.Type == c.form && c.sees&(1<<t.texels) != 0 && (t.spec.Usage == 0 || t.spec.Usage&c.usage != 0)
}

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

// placeOf returns where a call reads or writes.
func placeOf(f *frame, c *textureCall) sample.Place {
	return sample.Place{
		X: wordsOf[uint32](f, c.coord[0]), Y: wordsOf[uint32](f, c.coord[1]), Z: wordsOf[uint32](f, c.coord[2]),
		Face: wordsOf[uint32](f, c.face), Layer: wordsOf[uint32](f, c.layer), Level: wordsOf[uint32](f, c.level),
		Sample: wordsOf[uint32](f, c.sample),
	}
}

// pointOf returns where a call samples.
func pointOf(f *frame, c *textureCall) sample.Point {
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

// rowsOf returns the lanes of the results of a call.
func rowsOf(f *frame, c *textureCall) (d pixel.Rows) {
	for i, r := range c.results {
		d[i] = at[uint32](f, r).vector()
	}
	return d
}

// rowOfLanes returns the texel of lane 0 where all lanes read or write one texture. Of the other lanes it is the same texel,
// or if the call goes along a row, the one that is so many to the right. It reports false where it is neither.
func rowOfLanes(f *frame, c *textureCall) (o *object, first sample.Texel, along, ok bool) {
	handle, x := at[uint64](f, c.texture), at[uint32](f, c.coord[0])
	if !handle.uniform() || !x.linear || x.step > 1 || x.base > math.MaxUint32-width || c.sample != 0 {
		return nil, first, false, false
	}
	if o = f.object(handle.base); o.texture == nil || !suits(o.texture, c) {
		return nil, first, false, false
	}
	ok = true
	same := func(r int32) int {
		if r == 0 {
			return 0
		}
		index := at[uint32](f, r)
		ok = ok && index.uniform()
		return int(index.base)
	}
	first = sample.Texel{
		X: int(x.base), Y: same(c.coord[1]), Z: same(c.coord[2]), Face: same(c.face), Layer: same(c.layer),
		Level: same(c.level),
	}
	return o, first, x.step == 1, ok
}

func readTexels(f *frame, in *instruction) {
	c := f.textureCallOf(in)
	if o, first, along, ok := rowOfLanes(f, c); ok {
		if along {
			d := rowsOf(f, c)
			o.texture.view.ReadRow(&f.group.texels, &d, first)
			return
		}
		texel := o.texture.view.ReadOne(first)
		for i, r := range c.results {
			at[uint32](f, r).set(texel[i])
		}
		return
	}
	d, at := rowsOf(f, c), placeOf(f, c)
	f.eachTexture(in, c, &d, func(o *object, mask uint32) { o.texture.view.Read(&f.group.texels, &d, &at, mask) })
}

// clearLanes sets the lanes of a mask to what there is in a texture that is not there.
func clearLanes(d *pixel.Rows, mask uint32) { d.Set(&pixel.Texels{}, mask) }

func writeTexels(f *frame, in *instruction) {
	c := f.textureCallOf(in)
	var texels pixel.Rows
	for i, r := range c.texel {
		if texels[i] = &noLanes; r != 0 {
			texels[i] = at[uint32](f, r).lanes()
		}
	}
	if o, first, along, ok := rowOfLanes(f, c); ok && along {
		if outside := o.texture.view.WriteRow(&f.group.texels, first, &texels, f.mask); outside != 0 {
			at := placeOf(f, c)
			f.wroteOutside(in, o, &at, outside)
		}
		return
	}
	at := placeOf(f, c)
	f.eachTexture(in, c, nil, func(o *object, mask uint32) {
		outside := o.texture.view.Write(&f.group.texels, &at, &texels, mask)
		f.wroteOutside(in, o, &at, outside)
	})
}

// wroteOutside has the sanitizer, if there is one, know of lanes that write outside of a texture.
func (f *frame) wroteOutside(in *instruction, o *object, place *sample.Place, lanes uint32) {
	if f.group.watch != nil && lanes != 0 {
		f.group.watch.Outside(f, in, o, place, lanes)
	}
}

// noLanes is the components that a call does not write.
var noLanes [width]uint32

// sampling calls do for each pair of a texture and a sampler that lanes sample with.
func (f *frame) sampling(
	in *instruction, c *textureCall, d *pixel.Rows, do func(t *object, s *bind.Sampler, mask uint32),
) {
	f.eachTexture(in, c, d, func(t *object, mask uint32) {
		f.eachHandle(c.sampler, mask, func(s *object, mask uint32) {
			if s.sampler == nil {
				f.wrongHandle(in, c.sampler, tree.SamplerType, s, mask)
			}
			do(t, s.sampler, mask)
		})
	})
}

func sampleTexels(f *frame, in *instruction) {
	c := f.textureCallOf(in)
	d, at := rowsOf(f, c), pointOf(f, c)
	f.sampling(in, c, &d, func(t *object, s *bind.Sampler, mask uint32) {
		t.texture.view.Sample(&f.group.texels, &d, s, &at, mask)
	})
}

func compareTexels(f *frame, in *instruction) {
	c := f.textureCallOf(in)
	d, at, value := rowsOf(f, c), pointOf(f, c), wordsOf[float32](f, c.compare)
	f.sampling(in, c, &d, func(t *object, s *bind.Sampler, mask uint32) {
		t.texture.view.SampleCompare(&f.group.texels, &d, s, &at, value, mask)
	})
}

func gatherTexels(f *frame, in *instruction) {
	c := f.textureCallOf(in)
	d, at := rowsOf(f, c), pointOf(f, c)
	f.sampling(in, c, &d, func(t *object, s *bind.Sampler, mask uint32) {
		t.texture.view.Gather(&f.group.texels, &d, s, &at, c.component, mask)
	})
}

func gatherCompared(f *frame, in *instruction) {
	c := f.textureCallOf(in)
	d, at, value := rowsOf(f, c), pointOf(f, c), wordsOf[float32](f, c.compare)
	f.sampling(in, c, &d, func(t *object, s *bind.Sampler, mask uint32) {
		t.texture.view.GatherCompare(&f.group.texels, &d, s, &at, value, mask)
	})
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
			if t := f.sized(in, c, handles.base, f.mask); t != nil {
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
			if t := f.sized(in, c, lanes[l], 1<<l); t != nil {
				sizes[l] = uint32(size(t, level))
			}
		}
		*d.vector() = sizes
	}
}

// sized returns the texture that lanes ask for its size, nil where it is null or was left out of the call.
func (f *frame) sized(in *instruction, c *textureCall, handle uint64, lanes uint32) *texture {
	o := f.object(handle)
	if o.texture == nil && !o.isNull() && lanes != 0 {
		f.wrongHandle(in, c.texture, c.typ, o, lanes)
	}
	return o.texture
}

// isNullTexture reports for each lane whether the texture in a is not there.
func isNullTexture(f *frame, in *instruction) {
	null := uint32(0)
	for l, h := range at[uint64](f, in.a).lanes() {
		if f.object(h).isNull() {
			null |= 1 << l
		}
	}
	*maskAt(f, in.d) = null
}

// texelAddresses sets d to pointers to the texels of lanes, and the mask c to the lanes that
// have one.
func texelAddresses(f *frame, in *instruction) {
	c := f.textureCallOf(in)
	place := placeOf(f, c)
	pointers, handles := at[uint64](f, in.d).vector(), at[uint64](f, c.texture).lanes()
	inside := uint32(0)
	f.eachTexture(in, c, nil, func(o *object, mask uint32) {
		var offsets [width]int
		found := o.texture.view.Find(&offsets, &place, mask)
		for m := found; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			pointers[l] = handles[l] + uint64(offsets[l])
		}
		if inside |= found; c.writes {
			f.wroteOutside(in, o, &place, mask&^found)
			if f.group.watch != nil {
				f.group.watch.Written(o, &offsets, found)
			}
		}
	})
	*maskAt(f, in.c) = inside
}
