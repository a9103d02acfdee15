package main

import (
	"math"
	"math/rand/v2"

	"github.com/metalgen/metalgen/examples/nbody/gen"
)

// The middle of a galaxy has mass 1, and its stars have diskMass. There are fewer of them the farther out, by a factor
// of e for each diskScale. Time is such that the constant of gravity is 1.
const diskMass, diskScale = 0.2, 0.25

// softening is the distance within which attraction grows no further: points would fling each other away.
const softening = 0.1

// collision returns n bodies: two galaxies on an ellipse around each other, as far away as they will ever be.
func collision(n int) []gen.Body {
	const farthest, nearest = 3.0, 0.8
	const mass = 2 * (1 + diskMass)
	speed := math.Sqrt(2 * mass * nearest / (farthest * (farthest + nearest)))
	at, velocity := vector{farthest / 2}, vector{0, speed / 2}

	random := rand.New(rand.NewPCG(7, 11))
	bodies := galaxy(random, n/2, at, velocity, 0.2, 0)
	return append(bodies, galaxy(random, n-n/2, at.times(-1), velocity.times(-1), -0.8, 1)...)
}

// galaxy returns n bodies, the first being the center of a disk of the others. The disk is tilted about the axis
// x, and shines in a color: 0 for blue, 1 for yellow.
func galaxy(random *rand.Rand, n int, at, velocity vector, tilt float64, color int) []gen.Body {
	bodies := make([]gen.Body, n)
	for i := range bodies {
		mass, light := 1.0, float64(n)/25
		var place, motion vector // in the plane of the disk
		if i > 0 {
			mass, light = diskMass/float64(n-1), 0.4+0.6*random.ExpFloat64()*random.ExpFloat64()
			radius := -diskScale * math.Log(random.Float64()*random.Float64())
			inside := 1 + diskMass*(1-(1+radius/diskScale)*math.Exp(-radius/diskScale))
			speed := radius * math.Sqrt(inside/math.Pow(radius*radius+softening*softening, 1.5)) // of a circle
			sin, cos := math.Sincos(2 * math.Pi * random.Float64())
			place = vector{radius * cos, radius * sin, 0.03 * random.NormFloat64()}
			motion = vector{-sin, cos}.times(speed)
		}
		bodies[i] = gen.Body{
			Position: at.plus(place.turned(tilt)).packed(),
			Velocity: velocity.plus(motion.turned(tilt)).packed(),
			Mass:     float32(mass),
		}
		bodies[i].Light[color] = float32(light)
	}
	return bodies
}
