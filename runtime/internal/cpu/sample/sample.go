package sample

import (
	"math"
	"math/bits"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// Sample samples the view for the lanes of a mask.
func (v *View) Sample(scratch *Scratch, d *pixel.Rows, s *bind.Sampler, p *Point, mask uint32) {
	if mask == ^uint32(0) && v.sampleAlike(scratch, d, s, p) {
		return
	}
	if mask != 0 {
		if rows := scratch.part.Rows(); v.sampleAlike(scratch, &rows, s, p) {
			d.Set(&scratch.part, mask)
			return
		}
	}
	v.filter(scratch, d, s, p, test{}, mask)
}

// filter samples the view, or if there is a test, what it says of the texels.
func (v *View) filter(scratch *Scratch, d *pixel.Rows, s *bind.Sampler, p *Point, test test, mask uint32) {
	var l levels
	v.choose(&l, s, p, mask)
	v.filterLevel(scratch, d, s, p, test, &l.near, l.linear, mask)
	if l.blend == 0 {
		return
	}
	rows := scratch.part.Rows()
	v.filterLevel(scratch, &rows, s, p, test, &l.far, l.linear&l.blend, l.blend)
	for c := range d {
		near, far := d[c], rows[c]
		for m := l.blend; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m)
			part := float64(l.part[i])
			near[i] = float((1-part)*number(near[i]) + part*number(far[i]))
		}
	}
}

func number(word uint32) float64 { return float64(math.Float32frombits(word)) }

func float(x float64) uint32 { return math.Float32bits(float32(x)) }

// filterLevel samples one level for each lane.
func (v *View) filterLevel(
	scratch *Scratch, d *pixel.Rows, s *bind.Sampler, p *Point, test test, level *[Lanes]int32, linear, mask uint32,
) {
	var t footprint
	v.locate(&t, s, p, level, linear, mask)
	border := v.border(s)
	if nearest := mask &^ linear; nearest != 0 {
		v.fetch(scratch, d, &t, 0, border, nearest)
		test.apply(d, nearest)
	}
	if linear == 0 {
		return
	}
	var (
		w   weights
		sum [4][Lanes]float64
	)
	w.of(v, &t, linear)
	texel := &scratch.corners[0]
	rows := texel.Rows()
	for corner := range 1 << v.kind.Dimensions() {
		// A texel that has no part in the sum may be infinite.
		weight, some := &w[corner], w.some(corner, linear)
		v.fetch(scratch, &rows, &t, corner, border, some)
		test.apply(&rows, some)
		for c := range sum {
			sum, texel := &sum[c], &texel[c]
			for m := some; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m)
				sum[l] += float64(weight[l] * number(texel[l]))
			}
		}
	}
	for c := range sum {
		sum, d := &sum[c], d[c]
		for m := linear; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			d[l] = float(sum[l])
		}
	}
}

// weights holds the weight of each texel of a footprint, by corners.
type weights [8][Lanes]float64

func (w *weights) of(v *View, t *footprint, mask uint32) {
	corners := 1 << v.kind.Dimensions()
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		w[0][l] = 1
		// Each coordinate splits the weights so far in two.
		for k, n := 0, 1; n < corners; k, n = k+1, 2*n {
			part := t.axes[k].part[l]
			for c := range n {
				w[c|n][l] = w[c][l] * part
				w[c][l] *= 1 - part
			}
		}
	}
	if v.kind.Faces() > 1 {
		w.shareCorner(v, t, mask)
	}
}

// some returns the lanes of a mask in which a corner has a part.
func (w *weights) some(corner int, mask uint32) (lanes uint32) {
	for m := mask; m != 0; m &= m - 1 {
		if l := bits.TrailingZeros32(m); w[corner][l] != 0 {
			lanes |= 1 << l
		}
	}
	return lanes
}

// shareCorner shares the weight of a texel beyond the corner of a face, where there is none, among the three others.
func (w *weights) shareCorner(v *View, t *footprint, mask uint32) {
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		missing, ok := v.beyondCorner(t, l)
		if !ok {
			continue
		}
		share := w[missing][l] / 3
		for corner := range 4 {
			w[corner][l] += share
		}
		w[missing][l] = 0
	}
}

// beyondCorner returns which texel of a lane's footprint is beyond a corner of a face, and whether there is one.
func (v *View) beyondCorner(t *footprint, l int) (corner int, ok bool) {
	size := uint32(v.levels[t.level[l]].Width)
	for k := range 2 {
		switch a := &t.axes[k]; {
		case uint32(a.texel[1][l]) >= size:
			corner |= 1 << k
		case uint32(a.texel[0][l]) < size:
			return 0, false
		}
	}
	return corner, true
}
