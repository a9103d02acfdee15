package gen_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// gaussian returns the weights from the middle on.
func gaussian(radius int, sigma float64) []float64 {
	weights, total := make([]float64, radius+1), 0.0
	for k := -radius; k <= radius; k++ {
		w := math.Exp(-float64(k*k) / (2 * sigma * sigma))
		weights[max(k, -k)] = w
		total += w
	}
	for k := range weights {
		weights[k] /= total
	}
	return weights
}

func TestGaussianWeightsAreThoseOfItsDensity(t *testing.T) {
	dev := openDevice(t)
	for _, c := range []struct {
		radius int
		sigma  float64
	}{{0, 1}, {1, 0.5}, {4, 1.5}, {4, 1e-3}, {4, 1e6}, {31, 10}, {300, 100}} {
		t.Run(fmt.Sprint(c.radius, " ", c.sigma), func(t *testing.T) {
			weights := output[float32](t, dev, c.radius+1)
			execute(t, dev, func(b *runtime.Batch) {
				gen.GaussianWeights(b, gen.GaussianWeightsArgs{
					Weights: weights, Radius: uint32(c.radius), Sigma: float32(c.sigma),
				})
			})
			compare(t, "weights", weights.Data(), gaussian(c.radius, float64(float32(c.sigma))), nil, 1e-5)
		})
	}
}

// blurred returns p with its rows blurred.
func (p picture) blurred(weights []float32) picture {
	return pictureOf(p.width, p.height, func(x, y int) [4]float64 {
		v := scaled(p.at(x, y), float64(weights[0]))
		for k := 1; k < len(weights); k++ {
			v = sum(v, scaled(sum(p.at(x-k, y), p.at(x+k, y)), float64(weights[k])))
		}
		return v
	})
}

func TestBlurIsTheWeightedSum(t *testing.T) {
	dev := openDevice(t)
	eachFormat(t, []texelFormat{r8, rgba8, rgba8sRGB, rgba32f}, func(t *testing.T, f texelFormat) {
		for _, c := range []struct {
			width, height, radius int
			grid                  runtime.Grid
		}{
			{width: 1, height: 1, radius: 0},
			{width: 1, height: 1, radius: 4},
			{width: 37, height: 21, radius: 4},
			{width: 5, height: 40, radius: 28},
			{width: 64, height: 16, radius: 1},
			{width: 37, height: 21, radius: 3, grid: groups(8, 3, 1, 5, 7, 1)},
			{width: 37, height: 21, radius: 3, grid: groups(1, 11, 1, 64, 2, 1)},
		} {
			t.Run(fmt.Sprintf("%d x %d, radius %d, grid %v", c.width, c.height, c.radius, c.grid), func(t *testing.T) {
				src, p := randomImage(t, dev, f, c.width, c.height)
				weights := uniform(uint64(c.radius), c.radius+1, 0, 1/float32(2*c.radius+1)) // Gaussian ones hide those at the end
				in := input(t, dev, weights)
				rows, columns := canvas(t, dev, f, c.width, c.height), canvas(t, dev, f, c.width, c.height)
				h := gen.BlurHorizontalArgs{Src: src, Dst: rows, Weights: in, Radius: uint32(c.radius), Grid: c.grid}
				v := gen.BlurVerticalArgs{Src: src, Dst: columns, Weights: in, Radius: uint32(c.radius), Grid: c.grid}
				if !c.grid.IsZero() {
					h.Tile = (c.grid.Threads[0] + 2*c.radius) * c.grid.Threads[1]
					v.Tile = c.grid.Threads[0] * (c.grid.Threads[1] + 2*c.radius)
				}
				execute(t, dev, func(b *runtime.Batch) {
					gen.BlurHorizontal(b, h)
					gen.BlurVertical(b, v)
				})
				f.shows(t, rows, p.blurred(weights), 1e-5)
				f.shows(t, columns, p.transposed().blurred(weights).transposed(), 1e-5)
			})
		}
	})
}
