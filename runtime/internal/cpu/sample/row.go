package sample

import "github.com/metalgen/metalgen/runtime/internal/pixel"

// Most kernels read and write texels side by side, or one in all lanes: these need no index of each lane. They are for
// textures without several samples.

// row returns where a texel's row begins, and how many texels it has: none if it is outside of the texture.
func (v *View) row(t Texel) (at, width int) {
	faces := v.kind.Faces()
	if t.Level >= len(v.levels) || t.Face >= faces || t.Layer >= v.layers {
		return 0, 0
	}
	l := &v.levels[t.Level]
	if t.Y >= l.Height || t.Z >= l.Depth {
		return 0, 0
	}
	return l.Offset + (t.Z+t.Layer*faces+t.Face)*l.Slice + t.Y*l.Row, l.Width
}

// ReadOne reads one texel.
func (v *View) ReadOne(t Texel) pixel.Texel {
	if at, width := v.row(t); t.X < width {
		return v.info.Decode(v.data[at+t.X*v.texel:])
	}
	return v.info.Zero
}

// ReadRow reads for each lane the texel that is so many to the right of the first.
func (v *View) ReadRow(scratch *Scratch, d *pixel.Rows, first Texel) {
	at, width := v.row(first)
	if first.X+Lanes <= width {
		v.info.DecodeRow(&loops, d, v.data[at+first.X*v.texel:])
		return
	}
	offsets, inside := v.along(at, width, first.X)
	v.info.Gather(&loops, &scratch.Scratch, d, v.data, &offsets, inside)
	fill(d, v.info.Zero, ^inside)
}

// WriteRow writes for each lane of a mask the texel that is so many to the right of the first, and returns the lanes
// that are outside of the texture.
func (v *View) WriteRow(scratch *Scratch, first Texel, s *pixel.Rows, mask uint32) (outside uint32) {
	at, width := v.row(first)
	if first.X+Lanes <= width && mask == ^uint32(0) {
		v.info.EncodeRow(&loops, v.data[at+first.X*v.texel:], s)
		return 0
	}
	offsets, inside := v.along(at, width, first.X)
	inside &= mask
	v.info.Scatter(&loops, &scratch.Scratch, v.data, &offsets, s, inside)
	return mask &^ inside
}

// along returns where the lanes' texels are that begin at x in a row, and the lanes for which it has one.
func (v *View) along(at, width, x int) (offsets [Lanes]int, inside uint32) {
	n := min(max(width-x, 0), Lanes)
	for l := range n {
		offsets[l] = at + (x+l)*v.texel
	}
	return offsets, uint32(1<<n - 1)
}
