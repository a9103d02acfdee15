package gen_test

import (
	"testing"

	"github.com/metalgen/metalgen/gen"
)

func TestResizeCalls(t *testing.T) { resizeTable.run(t) }

// An image of n[0] times n[1] texels becomes one of n[2] times n[3].
var resizeTable = table{
	of("resize_nearest", gen.ResizeNearest, func(m *memory, n dims) (gen.ResizeNearestArgs, want) {
		a := gen.ResizeNearestArgs{Src: texture(m, n[0], n[1]), Dst: texture(m, n[2], n[3])}
		return a, filtered(n[2], n[3], shows(0, "src", a.Src), draws(1, "dst", a.Dst))
	}, dims{640, 480, 100, 70}, dims{5, 3, 33, 9}),
	of("resize_bilinear", gen.ResizeBilinear, func(m *memory, n dims) (gen.ResizeBilinearArgs, want) {
		a := gen.ResizeBilinearArgs{Src: texture(m, n[0], n[1]), Dst: texture(m, n[2], n[3])}
		return a, filtered(n[2], n[3], shows(0, "src", a.Src), draws(1, "dst", a.Dst))
	}, dims{640, 480, 100, 70}, dims{5, 3, 33, 9}),
	of("lanczos_weights", gen.LanczosWeights, func(m *memory, n dims) (gen.LanczosWeightsArgs, want) {
		in, out, taps := n[0], n[1], n[2]
		a := gen.LanczosWeightsArgs{
			First: buffer[uint32](m, out), Weights: buffer[float32](m, taps*out),
			In: uint32(in), Out: uint32(out), Taps: uint32(taps),
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(out, 256), 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				writes(0, "first", a.First), updates(1, "weights", a.Weights),
				value(2, "in", a.In), value(3, "out", a.Out), value(4, "taps", a.Taps),
			},
		}
	}, dims{1000, 300, 20}, dims{7, 6, 7}),
	of("resample_horizontal", gen.ResampleHorizontal, func(m *memory, n dims) (gen.ResampleHorizontalArgs, want) {
		a := gen.ResampleHorizontalArgs{
			Src: texture(m, n[0], n[1]), Dst: texture(m, n[2], n[1]),
			First: buffer[uint32](m, n[2]), Weights: buffer[float32](m, n[2]*6), Taps: 6,
		}
		return a, filtered(n[2], n[1], shows(0, "src", a.Src), draws(1, "dst", a.Dst),
			reads(0, "first", a.First), reads(1, "weights", a.Weights), value(2, "taps", a.Taps))
	}, dims{50, 60, 70}, dims{5, 3, 33}),
	of("resample_vertical", gen.ResampleVertical, func(m *memory, n dims) (gen.ResampleVerticalArgs, want) {
		a := gen.ResampleVerticalArgs{
			Src: texture(m, n[0], n[1]), Dst: texture(m, n[0], n[2]),
			First: buffer[uint32](m, n[2]), Weights: buffer[float32](m, n[2]*6), Taps: 6,
		}
		return a, filtered(n[0], n[2], shows(0, "src", a.Src), draws(1, "dst", a.Dst),
			reads(0, "first", a.First), reads(1, "weights", a.Weights), value(2, "taps", a.Taps))
	}, dims{50, 60, 70}, dims{5, 3, 33}),
	of("halve", gen.Halve, func(m *memory, n dims) (gen.HalveArgs, want) {
		a := gen.HalveArgs{Src: texture(m, n[0], n[1]), Dst: texture(m, n[0]/2, n[1]/2)}
		return a, filtered(n[0]/2, n[1]/2, shows(0, "src", a.Src), draws(1, "dst", a.Dst))
	}, dims{640, 480}, dims{67, 35}),
}

// filtered is what arrives of a kernel with one thread for each texel of width times height.
func filtered(width, height int, args ...arg) want {
	return want{
		threadgroups: [3]int{ceilDiv(width, 32), ceilDiv(height, 8), 1},
		threads:      [3]int{32, 8, 1},
		args:         args,
	}
}
