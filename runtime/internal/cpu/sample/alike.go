package sample

import (
	"math"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// Most kernels sample one level of a texture, or one of its layers, with all lanes. Then texels are found and weighed
// in loops over the lanes that know neither masks nor levels. What they compute is, to the last bit, what filterLevel
// computes for each lane.

// sampleAlike samples the view for all lanes, if they do so. It reports false if it has not.
func (v *View) sampleAlike(scratch *Scratch, d *pixel.Rows, s *bind.Sampler, p *Point) bool {
	dimensions := v.kind.Dimensions()
	l, ok := v.commonLevel(s, p)
	if !ok || dimensions > 2 || v.kind.Faces() > 1 {
		return false
	}
	level := &v.levels[l.near]
	at := level.Offset
	if p.Layer != nil {
		if !same(p.Layer) {
			return false
		}
		at += min(int(p.Layer[0]), v.layers-1) * level.Slice
	}
	x, y := &scratch.axes[0], &scratch.axes[1]
	modes := s.Addresses()
	if !x.locate(p.X, p.OffsetX, level.size(0), s, modes[0], l.linear) {
		return false
	}
	if dimensions == 1 {
		y.be(0, 0, 0)
	} else if !y.locate(p.Y, p.OffsetY, level.size(1), s, modes[1], l.linear) {
		return false
	}
	switch {
	case !l.linear:
		v.fetchAlike(scratch, d, at, level.Row, &x.texel[0], &y.texel[0])
		return true
	case y.one && x.last-x.least < Lanes && level.Width >= Lanes:
		v.blendRows(scratch, d, at, level, Lanes)
	case y.one && x.last-x.least < 2*Lanes && level.Width >= 2*Lanes:
		v.blendRows(scratch, d, at, level, 2*Lanes)
	default:
		v.blendCorners(scratch, d, at, level)
	}
	return v.info.Encoding != pixel.Float || finite(d)
}

// blendRows is for lanes that sample beside each other: the texels of all of them are in n of two rows.
func (v *View) blendRows(scratch *Scratch, d *pixel.Rows, at int, level *Level, n int) {
	x, y, rows := &scratch.axes[0], &scratch.axes[1], &scratch.rows
	first := min(x.least, level.size(0)-int32(n))
	for k := range rows {
		row := v.data[at+int(y.texel[k][0])*level.Row+int(first)*v.texel:]
		for part := 0; part < n; part += Lanes {
			var to pixel.Rows
			for c := range to {
				to[c] = (*[Lanes]uint32)(rows[k][c][part:])
			}
			v.info.DecodeRow(&loops, &to, row[part*v.texel:])
		}
	}
	for c, d := range d {
		upper, lower := &rows[0][c], &rows[1][c]
		switch {
		case !v.info.Has(c):
			*d = [Lanes]uint32(upper[:])
		case n == Lanes:
			lanes.Texel.Blend(floats(d), floats((*[Lanes]uint32)(upper[:])), floats((*[Lanes]uint32)(lower[:])),
				&x.texel[0], &x.texel[1], first, &x.part, y.part[0])
		default:
			lanes.Texel.BlendWide(floats(d), (*[2 * Lanes]float32)(unsafe.Pointer(upper)),
				(*[2 * Lanes]float32)(unsafe.Pointer(lower)), &x.texel[0], &x.texel[1], first, &x.part, y.part[0])
		}
	}
}

// blendCorners is for lanes that sample anywhere.
func (v *View) blendCorners(scratch *Scratch, d *pixel.Rows, at int, level *Level) {
	x, y, w, corners := &scratch.axes[0], &scratch.axes[1], &scratch.weights, &scratch.corners
	for k := range corners {
		rows := corners[k].Rows()
		v.fetchAlike(scratch, &rows, at, level.Row, &x.texel[k&1], &y.texel[k>>1])
	}
	for l, px := range x.part {
		py := y.part[l]
		w[l], w[Lanes+l] = (1-px)*(1-py), px*(1-py)
		w[2*Lanes+l], w[3*Lanes+l] = (1-px)*py, px*py
	}
	for c, d := range d {
		if !v.info.Has(c) {
			*d = corners[0][c]
			continue
		}
		lanes.Texel.Weigh(floats(d), floats(&corners[0][c]), floats(&corners[1][c]), floats(&corners[2][c]),
			floats(&corners[3][c]), w)
	}
}

func floats(row *[Lanes]uint32) *[Lanes]float32 { return (*[Lanes]float32)(unsafe.Pointer(row)) }

// commonLevel returns the level that all lanes sample, and reports whether it is one.
func (v *View) commonLevel(s *bind.Sampler, p *Point) (chosen, bool) {
	lod := 0.0
	switch {
	case p.Least != nil || p.Gradient[0][0] != nil:
		return chosen{}, false
	case p.Level == nil:
		lod = clampLevel(s, 0)
	case !same(p.Level):
		return chosen{}, false
	default:
		lod = float64(p.Level[0])
	}
	c := v.chosen(s, lod)
	return c, !c.blend
}

// same reports whether all lanes are equal.
func same[T uint32 | int32 | float32](lanes *[Lanes]T) bool {
	first := lanes[0]
	if lanes[Lanes-1] != first {
		return false
	}
	for _, v := range lanes {
		if v != first {
			return false
		}
	}
	return true
}

// alike is an axis of lanes that sample one level.
type alike struct {
	axis
	least, last int32 // of the texels
	one         bool  // all lanes have the same texels and parts
}

// locate finds the texels. It reports whether all of them are in the texture.
func (a *alike) locate(
	coordinates *[Lanes]float32, offsets *[Lanes]int32, size int32, s *bind.Sampler, mode bind.AddressMode, linear bool,
) (inside bool) {
	if coordinates == nil {
		coordinates = &noCoordinate
	}
	if offsets == nil {
		offsets = &noOffset
	}
	scale, far, shift := float64(size), float32(nearby), 0.0
	if s.Pixel {
		scale, far = 1, nearby*largest
	}
	if linear {
		shift = 0.5
	}
	offset := offsets[0]
	if a.one = same(coordinates) && same(offsets); a.one {
		u := texels(coordinates[0], size, s, mode) - shift
		floor := math.Floor(u)
		i := int32(floor) + offset
		first, second := address(i, size, mode), address(i+1, size, mode)
		a.be(first, second, u-floor)
		return first >= 0 && (second >= 0 || !linear)
	}
	least, last, reach := lanes.Texel.Locate(&a.texel[0], &a.part, coordinates, scale, shift, offset)
	if reach >= math.Float32bits(far) || !same(offsets) {
		for l, c := range coordinates {
			u := texels(c, size, s, mode) - shift
			floor := math.Floor(u)
			i := int32(floor) + offsets[l]
			a.texel[0][l], a.part[l] = i, u-floor
			least, last = min(least, i), max(last, i)
		}
	}
	if least >= 0 && last < size-1 {
		a.least, a.last = least, last+1
		lanes.Add(&a.texel[1], &a.texel[0], &ones)
		return true
	}
	a.least, a.last = size, 0
	for l, i := range a.texel[0] {
		first, second := address(i, size, mode), address(i+1, size, mode)
		if !linear {
			second = first
		}
		a.texel[0][l], a.texel[1][l] = first, second
		a.least, a.last = min(a.least, first, second), max(a.last, first, second)
	}
	return a.least >= 0
}

// be sets the same texels and part for all lanes.
func (a *alike) be(first, second int32, part float64) {
	a.one, a.least, a.last = true, min(first, second), max(first, second)
	lanes.Fill(&a.texel[0], first, 0)
	lanes.Fill(&a.texel[1], second, 0)
	for l := range a.part {
		a.part[l] = part
	}
}

var ones = func() (ones [Lanes]int32) {
	lanes.Fill(&ones, 1, 0)
	return ones
}()

var noCoordinate [Lanes]float32

// fetchAlike decodes the texels that the lanes have in a plane that begins at an offset.
func (v *View) fetchAlike(scratch *Scratch, d *pixel.Rows, plane, row int, x, y *[Lanes]int32) {
	if first := x[0]; follow(x) && same(y) {
		v.info.DecodeRow(&loops, d, v.data[plane+int(y[0])*row+int(first)*v.texel:])
		return
	}
	var at [Lanes]int
	for l := range at {
		at[l] = plane + int(y[l])*row + int(x[l])*v.texel
	}
	v.info.Gather(&loops, &scratch.Scratch, d, v.data, &at, ^uint32(0))
}

// follow reports whether each lane's index is one more than that of the lane before.
func follow(x *[Lanes]int32) bool {
	first := x[0]
	if x[Lanes-1] != first+Lanes-1 {
		return false
	}
	for l, i := range x {
		if i != first+int32(l) {
			return false
		}
	}
	return true
}

// finite reports whether all components are numbers. If not, a texel that has no part in a sum may have spoilt it.
func finite(d *pixel.Rows) bool {
	for _, d := range d {
		if lanes.Texel.Reach(floats(d)) >= 0x7f800000 {
			return false
		}
	}
	return true
}
