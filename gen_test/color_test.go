package gen_test

import (
	"testing"

	"github.com/metalgen/metalgen/gen"
)

func TestColorCalls(t *testing.T) { colorTable.run(t) }

var colorTable = table{
	of("srgb_to_linear", gen.SrgbToLinear, func(m *memory, n dims) (gen.SrgbToLinearArgs, want) {
		a := gen.SrgbToLinearArgs{Src: texture(m, n[0], n[1]), Dst: texture(m, n[0], n[1])}
		return a, filtered(n[0], n[1], shows(0, "src", a.Src), draws(1, "dst", a.Dst))
	}, dims{640, 480}, dims{33, 9}),
	of("linear_to_srgb", gen.LinearToSrgb, func(m *memory, n dims) (gen.LinearToSrgbArgs, want) {
		a := gen.LinearToSrgbArgs{Src: texture(m, n[0], n[1]), Dst: texture(m, n[0], n[1])}
		return a, filtered(n[0], n[1], shows(0, "src", a.Src), draws(1, "dst", a.Dst))
	}, dims{640, 480}, dims{33, 9}),
	of("rgb_to_ycbcr", gen.RgbToYcbcr, func(m *memory, n dims) (gen.RgbToYcbcrArgs, want) {
		a := gen.RgbToYcbcrArgs{Src: texture(m, n[0], n[1]), Dst: texture(m, n[0], n[1]), Standard: gen.YCbCrBT2020}
		return a, filtered(n[0], n[1], shows(0, "src", a.Src), draws(1, "dst", a.Dst), value(0, "standard", uint32(2)))
	}, dims{640, 480}, dims{33, 9}),
	of("ycbcr_to_rgb", gen.YcbcrToRgb, func(m *memory, n dims) (gen.YcbcrToRgbArgs, want) {
		a := gen.YcbcrToRgbArgs{Src: texture(m, n[0], n[1]), Dst: texture(m, n[0], n[1]), Standard: gen.YCbCrBT709}
		return a, filtered(n[0], n[1], shows(0, "src", a.Src), draws(1, "dst", a.Dst), value(0, "standard", uint32(1)))
	}, dims{640, 480}, dims{33, 9}),
}
