package sample

import (
	"math"
	"math/bits"

	"github.com/metalgen/metalgen/runtime/bind"
)

// Point is where each lane samples. What is nil is zero in all lanes, but without a Level the sampler chooses one.
type Point struct {
	X, Y, Z                   *[Lanes]float32 // the direction from the middle, for cubes
	Layer                     *[Lanes]uint32
	Level                     *[Lanes]float32 // MSL's level
	Gradient                  Gradient        // MSL's gradient2d and the like
	Least                     *[Lanes]float32 // MSL's min_lod_clamp
	OffsetX, OffsetY, OffsetZ *[Lanes]int32   // texels
}

// chosen is what one lane reads: one level with one filter, or if it blends, a second level.
type chosen struct {
	near   int32
	part   float32 // of the level after near
	linear bool
	blend  bool
}

// chosen returns the level and filter of a sampler for a level of detail.
func (v *View) chosen(s *bind.Sampler, lod float64) (c chosen) {
	if lod != lod {
		lod = 0
	}
	filter := s.Mag
	if lod > 0 {
		filter = s.Min
	}
	filters := v.filters()
	c.linear = filter == bind.Linear && filters
	lod = min(max(lod, 0), float64(len(v.levels)-1))
	switch {
	case s.Mip == bind.MipNone:
	case s.Mip == bind.MipLinear && filters:
		near := math.Floor(lod)
		c.near, c.part, c.blend = int32(near), float32(lod-near), lod > near
	default:
		// In the middle of two levels it is the larger image.
		c.near = int32(max(math.Ceil(lod+0.5)-1, 0))
	}
	return c
}

// levels is what the lanes of a mask read.
type levels struct {
	near, far [Lanes]int32
	part      [Lanes]float32 // of the far one
	linear    uint32         // lanes whose filter is linear
	blend     uint32         // lanes that read two levels
}

// choose sets the levels and filters of a sampler. Kernels have no gradients but those that they name, so without them
// the level is 0 unless they name one. lod_clamp is for samples that name no level.
func (v *View) choose(d *levels, s *bind.Sampler, p *Point, mask uint32) {
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		lod := 0.0
		switch {
		case p.Level != nil:
			lod = float64(p.Level[l])
		case p.Gradient[0][0] != nil:
			lod = clampLevel(s, v.levelOf(p, s, l))
		default:
			lod = clampLevel(s, 0)
		}
		if p.Least != nil {
			lod = max(lod, float64(p.Least[l]))
		}
		c := v.chosen(s, lod)
		d.near[l], d.far[l], d.part[l] = c.near, c.near, c.part
		if c.linear {
			d.linear |= 1 << l
		}
		if c.blend {
			d.far[l]++
			d.blend |= 1 << l
		}
	}
}

// clampLevel applies lod_clamp to a level.
func clampLevel(s *bind.Sampler, lod float64) float64 {
	lod = max(lod, float64(s.LODMin))
	if s.LODMax > 0 {
		lod = min(lod, float64(s.LODMax))
	}
	return lod
}
