package gen_test

import (
	"testing"

	"github.com/metalgen/metalgen/gen"
)

func TestHistogramCalls(t *testing.T) { histogramTable.run(t) }

var histogramTable = table{
	of("histogram", gen.Histogram, func(m *memory, n dims) (gen.HistogramArgs, want) {
		components := n[2]
		a := gen.HistogramArgs{
			Src: texture(m, n[0], n[1]), Counts: buffer[uint32](m, 256*components), Components: uint32(components),
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(n[0], 32), ceilDiv(n[1], 128), 1},
			threads:      [3]int{32, 8, 1},
			args: []arg{
				shows(0, "src", a.Src), updates(0, "counts", a.Counts), value(1, "components", a.Components),
			},
		}
	}, dims{640, 480, 3}, dims{33, 129, 1}),
	of("equalization", gen.Equalization, func(m *memory, n dims) (gen.EqualizationArgs, want) {
		components := n[0]
		a := gen.EqualizationArgs{
			Counts: buffer[uint32](m, 256*components), Curves: buffer[float32](m, 256*components),
			Components: uint32(components),
		}
		return a, want{
			threadgroups: [3]int{components, 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				reads(0, "counts", a.Counts), writes(1, "curves", a.Curves), value(2, "components", a.Components),
			},
		}
	}, dims{1}, dims{4}),
	of("apply_curves", gen.ApplyCurves, func(m *memory, n dims) (gen.ApplyCurvesArgs, want) {
		components := n[2]
		a := gen.ApplyCurvesArgs{
			Src: texture(m, n[0], n[1]), Dst: texture(m, n[0], n[1]),
			Curves: buffer[float32](m, 256*components), Components: uint32(components),
		}
		return a, filtered(n[0], n[1], shows(0, "src", a.Src), draws(1, "dst", a.Dst), reads(0, "curves", a.Curves),
			value(1, "components", a.Components))
	}, dims{640, 480, 3}, dims{33, 9, 1}),
}
