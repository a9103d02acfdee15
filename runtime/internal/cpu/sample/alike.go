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
	inside := x.locateAlike(p.X, p.OffsetX, level.size(0), s, modes[0], l.linear)
	if dimensions == 1 {
		y.texel = [2][Lanes]int32{}
	} else {
		inside = y.locateAlike(p.Y, p.OffsetY, level.size(1), s, modes[1], l.linear) && inside
	}
	if !inside {
		return false
	}
	if !l.linear {
		v.fetchAlike(scratch, d, at, level.Row, &x.texel[0], &y.texel[0])
		return true
	}
	corners := &scratch.corners
	for k := range 1 << dimensions {
		rows := corners[k].Rows()
		v.fetchAlike(scratch, &rows, at, level.Row, &x.texel[k&1], &y.texel[k>>1])
	}
	if dimensions == 1 {
		between2(d, corners, &x.part)
	} else {
		v.between4(d, scratch, &x.part, &y.part)
	}
	return v.info.Encoding != pixel.Float || finite(d)
}

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

// locateAlike is locate for all lanes and one size. It reports whether all texels are in the texture.
func (a *axis) locateAlike(
	coordinates *[Lanes]float32, offsets *[Lanes]int32, size int32, s *bind.Sampler, mode bind.AddressMode, linear bool,
) (inside bool) {
	if coordinates == nil {
		coordinates = &noCoordinate
	}
	if offsets == nil {
		offsets = &noOffset
	}
	if same(coordinates) && same(offsets) {
		return a.locateOne(coordinates[0], offsets[0], size, s, mode, linear)
	}
	scale, far := float64(size), float64(nearby)
	if s.Pixel {
		scale, far = 1, nearby*largest
	}
	least, most := int32(math.MaxInt32), int32(math.MinInt32)
	for l, c := range coordinates {
		u := float64(c) * scale
		if !(math.Abs(float64(c)) < far) {
			u = texels(c, size, s, mode)
		}
		if linear {
			u -= 0.5
		}
		floor := math.Floor(u)
		i := int32(floor) + offsets[l]
		a.texel[0][l], a.part[l] = i, u-floor
		least, most = min(least, i), max(most, i)
	}
	if least >= 0 && most < size-1 {
		for l, i := range a.texel[0] {
			a.texel[1][l] = i + 1
		}
		return true
	}
	inside = true
	for l, i := range a.texel[0] {
		first, second := address(i, size, mode), address(i+1, size, mode)
		a.texel[0][l], a.texel[1][l] = first, second
		inside = inside && first >= 0 && (second >= 0 || !linear)
	}
	return inside
}

// locateOne is locateAlike for a coordinate that all lanes have.
func (a *axis) locateOne(
	coordinate float32, offset, size int32, s *bind.Sampler, mode bind.AddressMode, linear bool,
) (inside bool) {
	u := texels(coordinate, size, s, mode)
	if linear {
		u -= 0.5
	}
	floor := math.Floor(u)
	i := int32(floor) + offset
	first, second := address(i, size, mode), address(i+1, size, mode)
	for l := range Lanes {
		a.texel[0][l], a.texel[1][l], a.part[l] = first, second, u-floor
	}
	return first >= 0 && (second >= 0 || !linear)
}

var noCoordinate [Lanes]float32

// fetchAlike decodes the texels that the lanes have in a plane that begins at an offset.
func (v *View) fetchAlike(scratch *Scratch, d *pixel.Rows, plane, row int, x, y *[Lanes]int32) {
	if first := x[0]; follow(x) && same(y) {
		v.info.DecodeRow(d, v.data[plane+int(y[0])*row+int(first)*v.texel:])
		return
	}
	var at [Lanes]int
	for l := range at {
		at[l] = plane + int(y[l])*row + int(x[l])*v.texel
	}
	v.info.Gather(&scratch.Scratch, d, v.data, &at, ^uint32(0))
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

// between2 and between4 add up the corners of a filter by their weights. The conversions keep Go from fusing products
// and sums, on processors that can.

func between2(d *pixel.Rows, corners *[4]pixel.Texels, x *[Lanes]float64) {
	for c, d := range d {
		a, b := &corners[0][c], &corners[1][c]
		for l, px := range x {
			d[l] = float(0 + float64((1-px)*number(a[l])) + float64(px*number(b[l])))
		}
	}
}

func (v *View) between4(d *pixel.Rows, scratch *Scratch, x, y *[Lanes]float64) {
	w, corners := &scratch.weights, &scratch.corners
	for l, px := range x {
		py := y[l]
		w[l], w[Lanes+l] = (1-px)*(1-py), px*(1-py)
		w[2*Lanes+l], w[3*Lanes+l] = (1-px)*py, px*py
	}
	for c, d := range d {
		if !v.info.Has(c) {
			*d = corners[0][c] // which is the same in all corners
			continue
		}
		lanes.Texel.Weigh(floats(d), floats(&corners[0][c]), floats(&corners[1][c]), floats(&corners[2][c]),
			floats(&corners[3][c]), w)
	}
}

func floats(row *[Lanes]uint32) *[Lanes]float32 { return (*[Lanes]float32)(unsafe.Pointer(row)) }

// finite reports whether all components are numbers. If not, a texel that has no part in a sum may have spoilt it.
func finite(d *pixel.Rows) bool {
	for _, d := range d {
		for _, word := range d {
			if x := math.Float32frombits(word); x-x != 0 {
				return false
			}
		}
	}
	return true
}
