package sample

import (
	"math/bits"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// gatherOrder has the corners in the order in which they are gathered: counterclockwise from the lower left, where the
// second coordinate grows downward.
var gatherOrder = [4]int{0b10, 0b11, 0b01, 0b00}

// Gather returns one component of the four texels that a linear filter would read.
func (v *View) Gather(scratch *Scratch, d *pixel.Rows, s *bind.Sampler, p *Point, component int, mask uint32) {
	v.gather(scratch, d, s, p, test{}, component, mask)
}

// GatherCompare compares values with each of the four depths that a linear filter would read.
func (v *View) GatherCompare(
	scratch *Scratch, d *pixel.Rows, s *bind.Sampler, p *Point, value *[Lanes]float32, mask uint32,
) {
	v.gather(scratch, d, s, p, v.test(s, value), 0, mask)
}

func (v *View) gather(
	scratch *Scratch, d *pixel.Rows, s *bind.Sampler, p *Point, test test, component int, mask uint32,
) {
	var (
		t       footprint
		level   [Lanes]int32
		missing [4]uint32
	)
	texel := &scratch.corners[0]
	rows := texel.Rows()
	v.locate(&t, s, p, &level, mask, mask)
	border := v.border(s)
	for k, corner := range gatherOrder {
		missing[corner] = v.missing(&t, corner, mask)
		some := mask &^ missing[corner]
		v.fetch(scratch, &rows, &t, corner, border, some)
		test.apply(&rows, some)
		for m := some; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			d[k][l] = texel[component][l]
		}
	}
	for k, corner := range gatherOrder {
		for m := missing[corner]; m != 0; m &= m - 1 {
			v.replace(d, k, bits.TrailingZeros32(m))
		}
	}
}

// missing returns the lanes whose texel of a corner is beyond the corner of a face.
func (v *View) missing(t *footprint, corner int, mask uint32) (lanes uint32) {
	if v.kind.Faces() == 1 {
		return 0
	}
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		if beyond, ok := v.beyondCorner(t, l); ok && beyond == corner {
			lanes |= 1 << l
		}
	}
	return lanes
}

// replace sets the gathered texel k, which does not exist, to the mean of the others. Of integers it is the one
// across, which is the only one on the same face.
func (v *View) replace(d *pixel.Rows, k, l int) {
	next, across, previous := d[(k+1)%4][l], d[(k+2)%4][l], d[(k+3)%4][l]
	if v.filters() {
		d[k][l] = float((number(next) + number(across) + number(previous)) / 3)
	} else {
		d[k][l] = across
	}
}
