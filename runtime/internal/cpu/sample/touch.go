package sample

import (
	"math/bits"

	"github.com/metalgen/metalgen/runtime/bind"
)

// EachSampled calls do with the texels that samples of a mask are made of: with their lanes, and where the texels are
// in the view's data.
func (v *View) EachSampled(s *bind.Sampler, p *Point, mask uint32, do func(lane, at int)) {
	var l levels
	v.choose(&l, s, p, mask)
	v.eachOfLevel(s, p, &l.near, l.linear, mask, do)
	v.eachOfLevel(s, p, &l.far, l.linear&l.blend, l.blend, do)
}

func (v *View) eachOfLevel(
	s *bind.Sampler, p *Point, level *[Lanes]int32, linear, mask uint32, do func(lane, at int),
) {
	var t footprint
	v.locate(&t, s, p, level, linear, mask)
	v.each(&t, 0, mask&^linear, do)
	var w weights
	w.of(v, &t, linear)
	for corner := range 1 << v.kind.Dimensions() {
		v.each(&t, corner, w.some(corner, linear), do)
	}
}

// EachGathered is EachSampled for gathers.
func (v *View) EachGathered(s *bind.Sampler, p *Point, mask uint32, do func(lane, at int)) {
	var t footprint
	var level [Lanes]int32
	v.locate(&t, s, p, &level, mask, mask)
	for _, corner := range gatherOrder {
		v.each(&t, corner, mask&^v.missing(&t, corner, mask), do)
	}
}

// each calls do for one corner.
func (v *View) each(t *footprint, corner int, mask uint32, do func(lane, at int)) {
	var at [Lanes]int
	for m := v.find(&at, t, corner, mask); m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		do(l, at[l])
	}
}
