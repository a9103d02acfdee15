package main

import (
	"context"
	"image/gif"
	"math"
	"time"

	"github.com/metalgen/metalgen/examples/nbody/gen"
	mtl "github.com/metalgen/metalgen/runtime"
)

// Each picture of a movie shows steps steps of time dt. The orbits nearest to the middle of a galaxy take 0.2.
const steps, dt = 8, 0.009

// movie is what became of some bodies.
type movie struct {
	pictures gif.GIF
	bodies   []gen.Body    // at the end
	duration time.Duration // for which the device worked
}

// shoot simulates bodies, and takes pictures of them from a camera that goes around slowly.
func shoot(ctx context.Context, dev *mtl.Device, start []gen.Body, frames, width int) (*movie, error) {
	bodies, err := mtl.Upload(dev, start)
	if err != nil {
		return nil, err
	}
	defer bodies.Free()
	film, err := newFilm(dev, width, width*9/16)
	if err != nil {
		return nil, err
	}
	defer film.free()

	m := &movie{}
	b := dev.NewBatch()
	for frame := range frames {
		for i := range steps {
			step(b, bodies, dt)
			angle := 0.0008*float64(frame*steps+i) - 1.9
			film.expose(b, bodies, orbit(angle, width, 72/math.Sqrt(float64(len(start)))))
		}
		film.develop(b)
		if err := b.Run(ctx); err != nil {
			return nil, err
		}
		m.duration += b.Result().Duration()
		m.pictures.Image = append(m.pictures.Image, film.picture())
		m.pictures.Delay = append(m.pictures.Delay, 6) // hundredths of a second
	}
	m.bodies = append(m.bodies, bodies.Data()...)
	return m, nil
}
