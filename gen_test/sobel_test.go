package gen_test

import (
	"testing"

	"github.com/metalgen/metalgen/gen"
)

func TestSobelCalls(t *testing.T) { sobelTable.run(t) }

var sobelTable = table{
	of("sobel", gen.Sobel, func(m *memory, n dims) (gen.SobelArgs, want) {
		a := gen.SobelArgs{Src: texture(m, n[0], n[1]), Dst: texture(m, n[0], n[1]), Weights: [4]float32{1, 2, 3, 4}}
		return a, filtered(n[0], n[1], shows(0, "src", a.Src), draws(1, "dst", a.Dst), value(0, "weights", a.Weights),
			shared(0, "tile", 34*10))
	}, dims{640, 480}, dims{33, 9}),
	of("sobel_gradient", gen.SobelGradient, func(m *memory, n dims) (gen.SobelGradientArgs, want) {
		a := gen.SobelGradientArgs{
			Src: texture(m, n[0], n[1]), Dst: texture(m, n[0], n[1]), Weights: [4]float32{1, 2, 3, 4},
		}
		return a, filtered(n[0], n[1], shows(0, "src", a.Src), draws(1, "dst", a.Dst), value(0, "weights", a.Weights),
			shared(0, "tile", 34*10))
	}, dims{640, 480}, dims{33, 9}),
}
