package gen_test

import (
	"testing"

	"github.com/metalgen/metalgen/gen"
)

func TestComposeCalls(t *testing.T) { composeTable.run(t) }

var composeTable = table{
	of("compose", gen.Compose, func(m *memory, n dims) (gen.ComposeArgs, want) {
		a := gen.ComposeArgs{
			Top: texture(m, 20, 10), Bottom: texture(m, n[0], n[1]), Dst: texture(m, n[0], n[1]),
			Op: gen.OperatorPlus, Origin: [2]int32{-3, 5},
		}
		return a, filtered(n[0], n[1], shows(0, "top", a.Top), shows(1, "bottom", a.Bottom), draws(2, "dst", a.Dst),
			value(0, "op", uint32(12)), value(1, "origin", int32(-3), int32(5)))
	}, dims{640, 480}, dims{33, 9}),
	of("premultiply", gen.Premultiply, func(m *memory, n dims) (gen.PremultiplyArgs, want) {
		a := gen.PremultiplyArgs{Src: texture(m, n[0], n[1]), Dst: texture(m, n[0], n[1])}
		return a, filtered(n[0], n[1], shows(0, "src", a.Src), draws(1, "dst", a.Dst))
	}, dims{640, 480}, dims{33, 9}),
	of("unpremultiply", gen.Unpremultiply, func(m *memory, n dims) (gen.UnpremultiplyArgs, want) {
		a := gen.UnpremultiplyArgs{Src: texture(m, n[0], n[1]), Dst: texture(m, n[0], n[1])}
		return a, filtered(n[0], n[1], shows(0, "src", a.Src), draws(1, "dst", a.Dst))
	}, dims{640, 480}, dims{33, 9}),
}
