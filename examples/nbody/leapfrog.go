package main

import (
	"math"

	"github.com/metalgen/metalgen/examples/nbody/gen"
	mtl "github.com/metalgen/metalgen/runtime"
)

// step records the calls that move bodies for a time of dt, by the leapfrog: they drift for half of it, are kicked by
// the attraction they find there, and drift for the other half. It is its own reverse in time, so energy does not leak.
func step(b *mtl.Batch, bodies mtl.Buffer[gen.Body], dt float32) {
	n := uint32(bodies.Len())
	gen.Drift(b, gen.DriftArgs{Bodies: bodies, Dt: dt / 2, N: n})
	gen.Kick(b, gen.KickArgs{Bodies: bodies, Dt: dt, Softening: softening, N: n})
	gen.Drift(b, gen.DriftArgs{Bodies: bodies, Dt: dt / 2, N: n})
}

// energy returns the energy of bodies, that of their motion and that of their attraction.
func energy(bodies []gen.Body) float64 {
	sum := 0.0
	for i, a := range bodies {
		at, velocity := toVector(a.Position), toVector(a.Velocity)
		sum += float64(a.Mass) * velocity.dot(velocity) / 2
		for _, b := range bodies[:i] {
			way := toVector(b.Position).minus(at)
			sum -= float64(a.Mass) * float64(b.Mass) / math.Sqrt(way.dot(way)+softening*softening)
		}
	}
	return sum
}
