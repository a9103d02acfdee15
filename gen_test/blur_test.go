package gen_test

import (
	"testing"

	"github.com/metalgen/metalgen/gen"
)

func TestBlurCalls(t *testing.T) { blurTable.run(t) }

var blurTable = table{
	of("gaussian_weights", gen.GaussianWeights, func(m *memory, n dims) (gen.GaussianWeightsArgs, want) {
		radius := n[0]
		a := gen.GaussianWeightsArgs{Weights: buffer[float32](m, radius+1), Radius: uint32(radius), Sigma: 1.5}
		threads := min(256, pow2(radius+1))
		return a, want{
			threadgroups: [3]int{ceilDiv(radius+1, threads), 1, 1},
			threads:      [3]int{threads, 1, 1},
			size:         [3]int{radius + 1, 1, 1},
			args:         []arg{writes(0, "weights", a.Weights), value(1, "radius", a.Radius), value(2, "sigma", a.Sigma)},
		}
	}, dims{4}, dims{300}),
	of("blur_horizontal", gen.BlurHorizontal, func(m *memory, n dims) (gen.BlurHorizontalArgs, want) {
		radius := n[2]
		a := gen.BlurHorizontalArgs{
			Src: texture(m, n[0], n[1]), Dst: texture(m, n[0], n[1]),
			Weights: buffer[float32](m, radius+1), Radius: uint32(radius),
		}
		return a, filtered(n[0], n[1], shows(0, "src", a.Src), draws(1, "dst", a.Dst),
			reads(0, "weights", a.Weights), value(1, "radius", a.Radius), shared(0, "tile", 4*8*(32+2*radius)))
	}, dims{640, 480, 4}, dims{5, 3, 112}),
	of("blur_vertical", gen.BlurVertical, func(m *memory, n dims) (gen.BlurVerticalArgs, want) {
		radius := n[2]
		a := gen.BlurVerticalArgs{
			Src: texture(m, n[0], n[1]), Dst: texture(m, n[0], n[1]),
			Weights: buffer[float32](m, radius+1), Radius: uint32(radius),
		}
		return a, filtered(n[0], n[1], shows(0, "src", a.Src), draws(1, "dst", a.Dst),
			reads(0, "weights", a.Weights), value(1, "radius", a.Radius), shared(0, "tile", 4*32*(8+2*radius)))
	}, dims{640, 480, 4}, dims{5, 3, 28}),
}
