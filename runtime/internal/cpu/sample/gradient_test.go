package sample

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// TestGradientsChooseTheLevelOnWhichNeighborsAreATexelApart compares samples with gradients with samples at the level
// that is computed from small steps: how far a neighbor's texel is.
func TestGradientsChooseTheLevelOnWhichNeighborsAreATexelApart(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, shape := range []sampling{
		{name: "2D", shape: d2(64, 32, 7)}, {name: "3D", shape: d3(16, 16, 16, 5)}, {name: "cube", shape: cube(64, 7)},
	} {
		c := shape
		c.format, c.sampler = pixel.RGBA32Float, mipped(bind.Linear, bind.Linear, bind.MipLinear)
		v, _ := c.view()
		for n := range 20 {
			t.Run(fmt.Sprint(c.name, n), func(t *testing.T) {
				var at [3][Lanes]float32
				var steps [2][3][Lanes]float32
				var level [Lanes]float32
				for l := range Lanes {
					for k := range 3 {
						at[k][l] = r.Float32()*1.5 - 0.5
						for i := range 2 {
							steps[i][k][l] = (r.Float32() - 0.5) / float32(int(1)<<r.IntN(7))
						}
					}
					level[l] = float32(math.Max(0, stepLevel(v, &at, &steps, l)))
				}
				p := &Point{X: &at[0], Y: &at[1], Z: &at[2]}
				dimensions := 3
				if c.name == "2D" {
					dimensions = 2
				}
				for i := range steps {
					for k := range dimensions {
						p.Gradient[i][k] = &steps[i][k]
					}
				}
				var got, want pixel.Texels
				rows, wantRows := got.Rows(), want.Rows()
				v.Sample(new(Scratch), &rows, &c.sampler, p, 0xffffffff)
				v.Sample(new(Scratch), &wantRows, &c.sampler, &Point{X: &at[0], Y: &at[1], Z: &at[2], Level: &level}, 0xffffffff)
				for k := range got {
					for l := range Lanes {
						g, w := number(got[k][l]), number(want[k][l])
						if math.Abs(g-w) > 2e-3 {
							t.Errorf("lane %d, component %d: %v, want %v at level %v", l, k, g, w, level[l])
						}
					}
				}
			})
		}
	}
}

// stepLevel measures the distance of two texels of level 0 that are a millionth of a step apart.
func stepLevel(v *View, at *[3][Lanes]float32, steps *[2][3][Lanes]float32, l int) float64 {
	const part = 1e-6
	size := &v.levels[0]
	texel := func(d [3]float64) [3]float64 {
		var x [3]float64
		for k := range x {
			x[k] = float64(at[k][l]) + d[k]*part
		}
		if v.kind.Faces() > 1 {
			_, s, t := onCube(&x, int32(size.Width))
			return [3]float64{s, t}
		}
		x = [3]float64{x[0] * float64(size.Width), x[1] * float64(size.Height), x[2] * float64(size.Depth)}
		if v.kind.Dimensions() == 2 {
			x[2] = 0
		}
		return x
	}
	longest := 0.0
	here := texel([3]float64{})
	for i := range steps {
		there := texel([3]float64{float64(steps[i][0][l]), float64(steps[i][1][l]), float64(steps[i][2][l])})
		d := 0.0
		for k := range here {
			d += (there[k] - here[k]) * (there[k] - here[k])
		}
		longest = max(longest, math.Sqrt(d)/part)
	}
	return math.Log2(longest)
}
