package main

import (
	"math"
	"math/rand/v2"
)

// dataset is points of the plane, two coordinates each, and the label of each.
type dataset struct {
	points []float32
	labels []uint32
}

const (
	arms  = 3    // of the spiral, one for each label
	turns = 1.25 // of each arm, from the middle to the rim
	noise = 0.02 // the standard deviation of a point from its arm
)

// spirals returns points near the arms of a spiral, so many for each arm.
func spirals(r *rand.Rand, each int) dataset {
	var d dataset
	for arm := range arms {
		for range each {
			radius := 0.1 + 0.9*r.Float64() // the arms meet in the middle
			angle := 2 * math.Pi * (turns*radius + float64(arm)/arms)
			x := radius*math.Cos(angle) + noise*r.NormFloat64()
			y := radius*math.Sin(angle) + noise*r.NormFloat64()
			d.points = append(d.points, float32(x), float32(y))
			d.labels = append(d.labels, uint32(arm))
		}
	}
	return d
}
