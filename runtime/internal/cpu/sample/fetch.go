package sample

import (
	"math/bits"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// footprint is the texels of one level that the lanes of a mask filter.
type footprint struct {
	axes  [3]axis
	level [Lanes]int32
	slice [Lanes]int32 // the layer, or of a cube the first face of the layer
	face  [Lanes]int32
}

// locate finds the texels around a point, in the levels given.
func (v *View) locate(t *footprint, s *bind.Sampler, p *Point, level *[Lanes]int32, linear, mask uint32) {
	t.level = *level
	if p.Layer != nil {
		faces := int32(v.kind.Faces())
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			t.slice[l] = faces * int32(min(int(p.Layer[l]), v.layers-1))
		}
	}
	if v.kind.Faces() > 1 {
		v.locateOnCube(t, p, linear, mask)
		return
	}
	coordinates := [3]*[Lanes]float32{p.X, p.Y, p.Z}
	offsets := [3]*[Lanes]int32{p.OffsetX, p.OffsetY, p.OffsetZ}
	modes := s.Addresses()
	for k := range v.kind.Dimensions() {
		var u [Lanes]float64
		var size [Lanes]int32
		c, offset := coordinates[k], offsets[k]
		if offset == nil {
			offset = &noOffset
		}
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			size[l] = v.levels[level[l]].size(k)
			if c != nil {
				u[l] = texels(c[l], size[l], s, modes[k])
			}
		}
		t.axes[k].locate(&u, &size, offset, modes[k], linear, mask)
	}
}

var noOffset [Lanes]int32

// size returns the width, height or depth of a level.
func (l *Level) size(axis int) int32 { return int32([3]int{l.Width, l.Height, l.Depth}[axis]) }

func (v *View) locateOnCube(t *footprint, p *Point, linear, mask uint32) {
	var x, y [Lanes]float64
	var size [Lanes]int32
	at := func(c *[Lanes]float32, l int) float64 {
		if c == nil {
			return 0
		}
		return float64(c[l])
	}
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		size[l] = v.levels[t.level[l]].size(0)
		t.face[l], x[l], y[l] = onCube(&[3]float64{at(p.X, l), at(p.Y, l), at(p.Z, l)}, size[l])
		if linear>>l&1 == 0 {
			// The far edges of a face belong to its last texels.
			x[l], y[l] = min(x[l], float64(size[l])-0.5), min(y[l], float64(size[l])-0.5)
		}
	}
	t.axes[0].locate(&x, &size, &noOffset, unbounded, linear, mask)
	t.axes[1].locate(&y, &size, &noOffset, unbounded, linear, mask)
}

// fetch decodes one texel of the footprint of each lane. Its bits choose between the two of each coordinate.
func (v *View) fetch(scratch *Scratch, d *pixel.Rows, t *footprint, corner int, border pixel.Texel, mask uint32) {
	var at [Lanes]int
	inside := v.find(&at, t, corner, mask)
	v.info.Gather(&loops, &scratch.Scratch, d, v.data, &at, inside)
	fill(d, border, mask&^inside)
}

// find sets at to where that texel is in the view's data, and returns the lanes that have one there.
func (v *View) find(at *[Lanes]int, t *footprint, corner int, mask uint32) (inside uint32) {
	i, j, k := &t.axes[0].texel[corner&1], &t.axes[1].texel[corner>>1&1], &t.axes[2].texel[corner>>2]
	cube := v.kind.Faces() > 1
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		level := &v.levels[t.level[l]]
		x, y, z := i[l], j[l], t.slice[l]+k[l]
		if cube {
			face, size := t.face[l], int32(level.Width)
			if uint32(x) >= uint32(size) || uint32(y) >= uint32(size) {
				face, x, y = overEdge(face, x, y, size)
			}
			z += face
		} else if x|y|k[l] < 0 {
			continue
		}
		at[l] = level.Offset + int(z)*level.Slice + int(y)*level.Row + int(x)*v.texel
		inside |= 1 << l
	}
	return inside
}

// border returns what is outside of the texture for the addressing modes that have such a thing.
func (v *View) border(s *bind.Sampler) pixel.Texel {
	modes := s.Addresses()
	for _, mode := range modes[:v.kind.Dimensions()] {
		if mode == bind.ClampToZero {
			return v.info.Zero
		}
	}
	one := v.info.One()
	switch s.Border {
	case bind.OpaqueBlack:
		return pixel.Texel{3: one}
	case bind.OpaqueWhite:
		return pixel.Texel{one, one, one, one}
	}
	return pixel.Texel{}
}

// filters reports whether the texels are numbers between which there are others.
func (v *View) filters() bool { return v.info.Type == pixel.Floating || v.info.Type == pixel.Depth }
