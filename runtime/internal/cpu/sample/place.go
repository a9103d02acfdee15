package sample

import (
	"math/bits"

	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// Place is the texel that each lane reads or writes. What is nil is zero in all lanes. Of a cube, Face is its face.
type Place struct {
	X, Y, Z, Face, Layer, Level, Sample *[Lanes]uint32
}

// zeros stands for coordinates that a place lacks.
var zeros [Lanes]uint32

func orZeros(p *[Lanes]uint32) *[Lanes]uint32 {
	if p == nil {
		return &zeros
	}
	return p
}

// Read reads the texels of the lanes of a mask, and returns those that are outside of the texture. They read zero, and
// one for an alpha that the format lacks.
func (v *View) Read(scratch *Scratch, d *pixel.Rows, p *Place, mask uint32) (outside uint32) {
	var at [Lanes]int
	inside := v.Find(&at, p, mask)
	v.info.Gather(&loops, &scratch.Scratch, d, v.data, &at, inside)
	outside = mask &^ inside
	fill(d, v.info.Zero, outside)
	return outside
}

// Write writes the texels of the lanes of a mask, in the order of lanes, and returns those that are outside of the
// texture. They write nothing.
func (v *View) Write(scratch *Scratch, p *Place, s *pixel.Rows, mask uint32) (outside uint32) {
	var at [Lanes]int
	inside := v.Find(&at, p, mask)
	v.info.Scatter(&loops, &scratch.Scratch, v.data, &at, s, inside)
	return mask &^ inside
}

// Find sets at to where the texels of the lanes of a mask are in the view's data, and returns the lanes that have
// one.
func (v *View) Find(at *[Lanes]int, p *Place, mask uint32) (inside uint32) {
	x, y, z := orZeros(p.X), orZeros(p.Y), orZeros(p.Z)
	face, layer, level, sample := orZeros(p.Face), orZeros(p.Layer), orZeros(p.Level), orZeros(p.Sample)
	if p.Face == nil && p.Layer == nil && p.Sample == nil && *level == zeros {
		return v.findFirst(at, x, y, z) & mask
	}
	faces := v.kind.Faces()
	size := v.texel / v.samples
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		if int(level[i]) >= len(v.levels) {
			continue
		}
		l := &v.levels[level[i]]
		if int(x[i]) >= l.Width || int(y[i]) >= l.Height || int(z[i]) >= l.Depth || int(sample[i]) >= v.samples ||
			int(face[i]) >= faces || int(layer[i]) >= v.layers {
			continue
		}
		// There is either a depth, or there are layers and faces.
		slice := int(z[i]) + int(layer[i])*faces + int(face[i])
		at[i] = l.Offset + slice*l.Slice + int(y[i])*l.Row + int(x[i])*v.texel + int(sample[i])*size
		inside |= 1 << i
	}
	return inside
}

// findFirst is Find for all lanes in the first slice of level 0, which is what most kernels read and write.
func (v *View) findFirst(at *[Lanes]int, x, y, z *[Lanes]uint32) (inside uint32) {
	l := &v.levels[0]
	width, height, depth := uint32(l.Width), uint32(l.Height), uint32(l.Depth)
	for i := range at {
		if x[i] < width && y[i] < height && z[i] < depth {
			at[i] = l.Offset + int(z[i])*l.Slice + int(y[i])*l.Row + int(x[i])*v.texel
			inside |= 1 << i
		}
	}
	return inside
}

// fill sets the lanes of a mask to one texel.
func fill(d *pixel.Rows, t pixel.Texel, mask uint32) {
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		d[0][l], d[1][l], d[2][l], d[3][l] = t[0], t[1], t[2], t[3]
	}
}
