package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu/sample"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// TestGradientsAreThoseOfPackageSample compares samples with gradients, which has a reference of its own. Some of the
// steps are nothing, infinite, or no numbers, and with every second sampler a kernel bounds the level.
func TestGradientsAreThoseOfPackageSample(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 9))
	samplers := []bind.Sampler{
		{Min: bind.Linear, Mip: bind.MipLinear, LODMin: 0.25, LODMax: 1.75},
		{Min: bind.Linear, Mag: bind.Linear, Mip: bind.MipLinear, Address: bind.Repeat},
		{Pixel: true, Mag: bind.Linear, Mip: bind.MipNearest},
	}
	odd := []float32{0, float32(math.Inf(1)), float32(math.NaN()), -1e-30, 1e30, 0x1p-149}
	for _, c := range textureCases {
		if c.depth() || c.spec.Levels == 1 {
			continue
		}
		n, gradient := c.spec.Type.Dimensions(), fmt.Sprint("gradient", c.spec.Type.Dimensions(), "d")
		if c.spec.Type.Faces() > 1 {
			n, gradient = 3, "gradientcube"
		}
		for number, s := range samplers {
			if s.Pixel && c.spec.Type.Faces() > 1 {
				continue
			}
			var x [10][width]float32 // coordinates, two steps, the least level
			var flat []float32
			point := &sample.Point{}
			for k := range x {
				for l := range width {
					if x[k][l] = r.Float32()*2 - 0.5; k >= 3 && r.IntN(12) == 0 {
						x[k][l] = odd[r.IntN(len(odd))]
					}
				}
				flat = append(flat, x[k][:]...)
			}
			part := func(first int) string {
				list := []string{}
				for k := range n {
					list = append(list, fmt.Sprintf("x[%d + i]", width*(first+k)))
				}
				return fmt.Sprintf("float%d(%s)", n, strings.Join(list, ", "))
			}
			for k, to := range []*(*[width]float32){&point.X, &point.Y, &point.Z}[:n] {
				*to, point.Gradient[0][k], point.Gradient[1][k] = &x[k], &x[3+k], &x[6+k]
			}
			args := part(0)
			layer := [width]uint32{}
			if c.spec.Type.IsArray() {
				args, point.Layer = args+", 0", &layer
			}
			args += fmt.Sprintf(", %s(%s, %s)", gradient, part(3), part(6))
			if number == 1 {
				args, point.Least = args+", min_lod_clamp(x[288 + i])", &x[9]
			}
			tex, out := c.make(t, pixel.RGBA16Float, r), make([]float32, 4*width)
			compute(t, fmt.Sprintf(`kernel void test(%s<float> t, sampler s, device float4* out, device const float* x,
	uint i [[thread_position_in_grid]]) { out[i] = t.sample(s, %s); }`, c.msl, args), threads(width),
				[]driver.Texture{tex}, []bind.Sampler{s}, out, flat)
			var want pixel.Texels
			rows := want.Rows()
			tex.Access.Sample(new(sample.Scratch), &rows, &s, point, full)
			for l := range width {
				for k := range 4 {
					if got := math.Float32bits(out[4*l+k]); got != want[k][l] {
						t.Fatalf("%s, sampler %d, lane %d, component %d: %v, want %v", c.msl, number, l, k, out[4*l+k],
							math.Float32frombits(want[k][l]))
					}
				}
			}
		}
	}
}
