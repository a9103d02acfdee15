package sample

import (
	"math"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/runtime/bind"
)

// Gradient says how fast the coordinates of each lane change from one pixel of an image to the next: in its rows and in
// its columns. What is nil is zero; without the first there is no gradient.
type Gradient [2][3]*[Lanes]float32

// levelOf returns the level on which neighbors of a lane are a texel apart: the logarithm of the longer one of the two
// steps, in texels of level 0. Vulkan specification, "Scale Factor Operation, Level-of-Detail Operation and Image Level
// Selection"; for cubes "Cube Map Derivative Transformation". Kernels are not anisotropic. No product is fused with a
// sum, so the bits are the same on all devices.
func (v *View) levelOf(p *Point, s *bind.Sampler, l int) float64 {
	size := [3]float64{float64(v.levels[0].Width), float64(v.levels[0].Height), float64(v.levels[0].Depth)}
	if s.Pixel {
		size = [3]float64{1, 1, 1}
	}
	longest := 0.0
	for _, step := range p.Gradient {
		var d [3]float64
		for k, c := range step {
			if c != nil {
				d[k] = float64(c[l])
			}
		}
		if v.kind.Faces() > 1 {
			d = onFace(directionOf(p, l), d)
		}
		square := 0.0
		for k := range d {
			x := float64(d[k] * size[k])
			square += float64(x * x)
		}
		longest = max(longest, square)
	}
	return float64(fmath.Log2(float32(math.Sqrt(longest))))
}

// directionOf returns the direction in which a lane samples a cube.
func directionOf(p *Point, l int) (r [3]float64) {
	for k, c := range [3]*[Lanes]float32{p.X, p.Y, p.Z} {
		if c != nil {
			r[k] = float64(c[l])
		}
	}
	return r
}

// onFace returns how the coordinates on the face of a cube, from 0 to 1, change where direction r changes by d.
func onFace(r, d [3]float64) [3]float64 {
	f := &cubeFaces[faceOf(&r)]
	distance := math.Abs(r[f.major])
	if distance == 0 {
		return [3]float64{}
	}
	away := d[f.major] * math.Copysign(1, r[f.major])
	along := func(axis uint8) float64 {
		return 0.5 * (float64(distance*d[axis]) - float64(r[axis]*away)) / float64(distance*distance)
	}
	return [3]float64{along(f.s), along(f.t)}
}
