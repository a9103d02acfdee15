package interp

import (
	"math"
	"math/bits"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/cpu/sample"
	"github.com/metalgen/metalgen/runtime/internal/cpu/storage"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// The methods of textures (section 6.12). imm is the number of a program.TextureCall, which has
// the registers.

// textureOps are the operations of methods. imm is the number of the program.TextureCall.
var textureOps = map[tree.TextureMethod]Operation{
	tree.TextureRead:          readTexels,
	tree.TextureWrite:         writeTexels,
	tree.TextureSample:        sampleTexels,
	tree.TextureSampleCompare: compareTexels,
	tree.TextureGather:        gatherTexels,
	tree.TextureGatherCompare: gatherCompared,
	tree.TextureWidth:         textureSize(func(t *storage.Texture, level int) int { return t.Extent(level, 0) }),
	tree.TextureHeight:        textureSize(func(t *storage.Texture, level int) int { return t.Extent(level, 1) }),
	tree.TextureDepth:         textureSize(func(t *storage.Texture, level int) int { return t.Extent(level, 2) }),
	tree.TextureArraySize:     textureSize(func(t *storage.Texture, _ int) int { return t.Spec.Length }),
	tree.TextureLevels:        textureSize(func(t *storage.Texture, _ int) int { return t.Spec.Levels }),
	tree.TextureSamples:       textureSize(func(t *storage.Texture, _ int) int { return t.Spec.Samples }),
}

// TextureCallOf returns the call of an instruction.
func (f *Frame) TextureCallOf(in *program.Instruction) *program.TextureCall {
	return &f.Code.Textures[in.Imm]
}

// EachTexture calls do for each texture that active lanes call a method of, with those lanes. Of one that was left out
// of the call it clears the results d, if there are any. What is no texture for the method is a fault: memory may hold
// any number, and unions too.
func (f *Frame) EachTexture(
	in *program.Instruction, c *program.TextureCall, d *pixel.Rows, do func(o *Object, mask uint32),
) {
	f.EachHandle(c.Texture, f.Mask, func(o *Object, mask uint32) {
		switch {
		case o.Texture != nil && suits(o.Texture, c):
			do(o, mask)
		case mask != 0 && !o.Missing:
			f.wrongHandle(in, c.Texture, c.Type, o, mask)
		case d != nil:
			clearLanes(d, mask)
		}
	})
}

func suits(t *storage.Texture, c *program.TextureCall) bool {
	return c.Suits(t.Spec.Type, t.Kind, t.Spec.Usage)
}

// EachHandle calls do for each texture, or sampler, that active lanes have in a register,
// with those lanes.
func (f *Frame) EachHandle(r int32, mask uint32, do func(o *Object, mask uint32)) {
	handles := At[uint64](f, r)
	if handles.uniform() {
		do(f.Object(handles.Base), mask)
		return
	}
	lanes := handles.Lanes()
	for mask != 0 {
		h := lanes[bits.TrailingZeros32(mask)]
		same := uint32(0)
		for m := mask; m != 0; m &= m - 1 {
			if l := bits.TrailingZeros32(m); lanes[l] == h {
				same |= 1 << l
			}
		}
		do(f.Object(h), same)
		mask &^= same
	}
}

// wordsOf returns the lanes of a register, nil for none.
func wordsOf[T int32 | uint32 | float32](f *Frame, r int32) *[width]T {
	if r == 0 {
		return nil
	}
	return At[T](f, r).Lanes()
}

// PlaceOf returns where a call reads or writes.
func PlaceOf(f *Frame, c *program.TextureCall) sample.Place {
	return sample.Place{
		X: wordsOf[uint32](f, c.Coord[0]), Y: wordsOf[uint32](f, c.Coord[1]), Z: wordsOf[uint32](f, c.Coord[2]),
		Face: wordsOf[uint32](f, c.Face), Layer: wordsOf[uint32](f, c.Layer), Level: wordsOf[uint32](f, c.Level),
		Sample: wordsOf[uint32](f, c.Sample),
	}
}

// PointOf returns where a call samples.
func PointOf(f *Frame, c *program.TextureCall) sample.Point {
	p := sample.Point{
		X: wordsOf[float32](f, c.Coord[0]), Y: wordsOf[float32](f, c.Coord[1]), Z: wordsOf[float32](f, c.Coord[2]),
		Layer: wordsOf[uint32](f, c.Layer), Level: wordsOf[float32](f, c.Level), Least: wordsOf[float32](f, c.Least),
		OffsetX: wordsOf[int32](f, c.Offset[0]), OffsetY: wordsOf[int32](f, c.Offset[1]),
		OffsetZ: wordsOf[int32](f, c.Offset[2]),
	}
	for i, step := range c.Gradient {
		for k, r := range step {
			p.Gradient[i][k] = wordsOf[float32](f, r)
		}
	}
	return p
}

// rowsOf returns the lanes of the results of a call.
func rowsOf(f *Frame, c *program.TextureCall) (d pixel.Rows) {
	for i, r := range c.Results {
		d[i] = At[uint32](f, r).vector()
	}
	return d
}

// rowOfLanes returns the texel of lane 0 where all lanes read or write one texture. Of the other lanes it is the same
// texel, or if the call goes along a row, the one that is so many to the right. It reports false where it is neither.
func rowOfLanes(f *Frame, c *program.TextureCall) (o *Object, first sample.Texel, along, ok bool) {
	handle, x := At[uint64](f, c.Texture), At[uint32](f, c.Coord[0])
	if !handle.uniform() || !x.Linear || x.Step > 1 || x.Base > math.MaxUint32-width || c.Sample != 0 {
		return nil, first, false, false
	}
	if o = f.Object(handle.Base); o.Texture == nil || !suits(o.Texture, c) {
		return nil, first, false, false
	}
	ok = true
	same := func(r int32) int {
		if r == 0 {
			return 0
		}
		index := At[uint32](f, r)
		ok = ok && index.uniform()
		return int(index.Base)
	}
	first = sample.Texel{
		X: int(x.Base), Y: same(c.Coord[1]), Z: same(c.Coord[2]), Face: same(c.Face), Layer: same(c.Layer),
		Level: same(c.Level),
	}
	return o, first, x.Step == 1, ok
}

func readTexels(f *Frame, in *program.Instruction) {
	c := f.TextureCallOf(in)
	if o, first, along, ok := rowOfLanes(f, c); ok {
		if along {
			d := rowsOf(f, c)
			o.Texture.Access.ReadRow(&f.Group.texels, &d, first)
			return
		}
		texel := o.Texture.Access.ReadOne(first)
		for i, r := range c.Results {
			At[uint32](f, r).Set(texel[i])
		}
		return
	}
	d, at := rowsOf(f, c), PlaceOf(f, c)
	f.EachTexture(in, c, &d, func(o *Object, mask uint32) { o.Texture.Access.Read(&f.Group.texels, &d, &at, mask) })
}

// clearLanes sets the lanes of a mask to what there is in a texture that is not there.
func clearLanes(d *pixel.Rows, mask uint32) { d.Set(&pixel.Texels{}, mask) }

func writeTexels(f *Frame, in *program.Instruction) {
	c := f.TextureCallOf(in)
	var texels pixel.Rows
	for i, r := range c.Texel {
		if texels[i] = &noLanes; r != 0 {
			texels[i] = At[uint32](f, r).Lanes()
		}
	}
	if o, first, along, ok := rowOfLanes(f, c); ok && along {
		if outside := o.Texture.Access.WriteRow(&f.Group.texels, first, &texels, f.Mask); outside != 0 {
			at := PlaceOf(f, c)
			f.wroteOutside(in, o, &at, outside)
		}
		return
	}
	at := PlaceOf(f, c)
	f.EachTexture(in, c, nil, func(o *Object, mask uint32) {
		outside := o.Texture.Access.Write(&f.Group.texels, &at, &texels, mask)
		f.wroteOutside(in, o, &at, outside)
	})
}

// wroteOutside has the sanitizer, if there is one, know of lanes that write outside of a texture.
func (f *Frame) wroteOutside(in *program.Instruction, o *Object, place *sample.Place, lanes uint32) {
	if f.Group.Watch != nil && lanes != 0 {
		f.Group.Watch.Outside(f, in, o, place, lanes)
	}
}

// noLanes is the components that a call does not write.
var noLanes [width]uint32

// Sampling calls do for each pair of a texture and a sampler that lanes sample with.
func (f *Frame) Sampling(
	in *program.Instruction, c *program.TextureCall, d *pixel.Rows, do func(t *Object, s *bind.Sampler, mask uint32),
) {
	f.EachTexture(in, c, d, func(t *Object, mask uint32) {
		f.EachHandle(c.Sampler, mask, func(s *Object, mask uint32) {
			if s.Sampler == nil {
				f.wrongHandle(in, c.Sampler, tree.SamplerType, s, mask)
			}
			do(t, s.Sampler, mask)
		})
	})
}

func sampleTexels(f *Frame, in *program.Instruction) {
	c := f.TextureCallOf(in)
	d, at := rowsOf(f, c), PointOf(f, c)
	f.Sampling(in, c, &d, func(t *Object, s *bind.Sampler, mask uint32) {
		t.Texture.Access.Sample(&f.Group.texels, &d, s, &at, mask)
	})
}

func compareTexels(f *Frame, in *program.Instruction) {
	c := f.TextureCallOf(in)
	d, at, value := rowsOf(f, c), PointOf(f, c), wordsOf[float32](f, c.Compare)
	f.Sampling(in, c, &d, func(t *Object, s *bind.Sampler, mask uint32) {
		t.Texture.Access.SampleCompare(&f.Group.texels, &d, s, &at, value, mask)
	})
}

func gatherTexels(f *Frame, in *program.Instruction) {
	c := f.TextureCallOf(in)
	d, at := rowsOf(f, c), PointOf(f, c)
	f.Sampling(in, c, &d, func(t *Object, s *bind.Sampler, mask uint32) {
		t.Texture.Access.Gather(&f.Group.texels, &d, s, &at, c.Component, mask)
	})
}

func gatherCompared(f *Frame, in *program.Instruction) {
	c := f.TextureCallOf(in)
	d, at, value := rowsOf(f, c), PointOf(f, c), wordsOf[float32](f, c.Compare)
	f.Sampling(in, c, &d, func(t *Object, s *bind.Sampler, mask uint32) {
		t.Texture.Access.GatherCompare(&f.Group.texels, &d, s, &at, value, mask)
	})
}

// textureSize returns the operation of a method that asks for a size, which is 0 of a
// texture that is not there.
func textureSize(size func(t *storage.Texture, level int) int) Operation {
	return func(f *Frame, in *program.Instruction) {
		c := f.TextureCallOf(in)
		d := At[uint32](f, c.Results[0])
		handles := At[uint64](f, c.Texture)
		if handles.uniform() && (c.Level == 0 || At[uint32](f, c.Level).uniform()) {
			n := 0
			if t := f.sized(in, c, handles.Base, f.Mask); t != nil {
				level := uint32(0)
				if c.Level != 0 {
					level = At[uint32](f, c.Level).Base
				}
				n = size(t, int(level))
			}
			d.Set(uint32(n))
			return
		}
		lanes, levels := handles.Lanes(), wordsOf[uint32](f, c.Level)
		var sizes [width]uint32
		for m := f.Mask; m != 0; m &= m - 1 {
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
func (f *Frame) sized(in *program.Instruction, c *program.TextureCall, handle uint64, lanes uint32) *storage.Texture {
	o := f.Object(handle)
	if o.Texture == nil && !o.isNull() && lanes != 0 {
		f.wrongHandle(in, c.Texture, c.Type, o, lanes)
	}
	return o.Texture
}

// isNullTexture reports for each lane whether the texture in a is not there.
func isNullTexture(f *Frame, in *program.Instruction) {
	null := uint32(0)
	for l, h := range At[uint64](f, in.A).Lanes() {
		if f.Object(h).isNull() {
			null |= 1 << l
		}
	}
	*MaskAt(f, in.D) = null
}

// texelAddresses sets d to pointers to the texels of lanes, and the mask c to the lanes that
// have one.
func texelAddresses(f *Frame, in *program.Instruction) {
	c := f.TextureCallOf(in)
	place := PlaceOf(f, c)
	pointers, handles := At[uint64](f, in.D).vector(), At[uint64](f, c.Texture).Lanes()
	inside := uint32(0)
	f.EachTexture(in, c, nil, func(o *Object, mask uint32) {
		var offsets [width]int
		found := o.Texture.Access.Find(&offsets, &place, mask)
		for m := found; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			pointers[l] = handles[l] + uint64(offsets[l])
		}
		if inside |= found; c.Writes {
			f.wroteOutside(in, o, &place, mask&^found)
			if f.Group.Watch != nil {
				f.Group.Watch.Written(o, &offsets, found)
			}
		}
	})
	*MaskAt(f, in.C) = inside
}
