package gen_test

import (
	"testing"

	"github.com/metalgen/metalgen/gen"
)

func TestActivationCalls(t *testing.T) { activationTable.run(t) }

var activationTable = table{
	of("swiglu_fused", gen.SwigluFused, func(m *memory, n dims) (gen.SwigluFusedArgs, want) {
		dim := n[0]
		a := gen.SwigluFusedArgs{
			Gate: buffer[float32](m, dim),
			Up:   buffer[float32](m, dim),
			Out:  buffer[float32](m, dim),
			Dim:  uint32(dim),
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(dim, 256), 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				reads(0, "gate", a.Gate),
				reads(1, "up", a.Up),
				writes(2, "out", a.Out),
				value(3, "dim", a.Dim),
			},
		}
	}, dims{4096}, dims{1000}),
	of("swiglu_fused_vec4", gen.SwigluFusedVec4, func(m *memory, n dims) (gen.SwigluFusedVec4Args, want) {
		dim := n[0]
		a := gen.SwigluFusedVec4Args{
			Gate: buffer[[4]float32](m, dim/4),
			Up:   buffer[[4]float32](m, dim/4),
			Out:  buffer[[4]float32](m, dim/4),
			Dim:  uint32(dim),
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(dim/4, 256), 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				reads(0, "gate", a.Gate),
				reads(1, "up", a.Up),
				writes(2, "out", a.Out),
				value(3, "dim", a.Dim),
			},
		}
	}, dims{4096}, dims{1004}),
	of("swiglu_fused_batched", gen.SwigluFusedBatched, func(m *memory, n dims) (gen.SwigluFusedBatchedArgs, want) {
		dim, k := n[0], n[1]
		a := gen.SwigluFusedBatchedArgs{
			Gate: buffer[float32](m, k*dim),
			Up:   buffer[float32](m, k*dim),
			Out:  buffer[float32](m, k*dim),
			Dim:  uint32(dim),
			K:    uint32(k),
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(k*dim, 256), 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				reads(0, "gate", a.Gate),
				reads(1, "up", a.Up),
				writes(2, "out", a.Out),
				value(3, "dim", a.Dim),
				value(4, "K", a.K),
			},
		}
	}, dims{768, 8}, dims{100, 3}),
	of("sigmoid_gate", gen.SigmoidGate, func(m *memory, n dims) (gen.SigmoidGateArgs, want) {
		dim := n[0]
		a := gen.SigmoidGateArgs{
			XOut: buffer[float32](m, dim),
			Gate: buffer[float32](m, dim),
			Dim:  uint32(dim),
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(dim, 256), 1, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				updates(0, "x_out", a.XOut),
				reads(1, "gate", a.Gate),
				value(2, "dim", a.Dim),
			},
		}
	}, dims{4096}, dims{777}),
	of("silu_mul_stacked_f32", gen.SiluMulStackedF32, func(m *memory, n dims) (gen.SiluMulStackedF32Args, want) {
		ffn, nSlots := n[0], n[1]
		a := gen.SiluMulStackedF32Args{
			Gate: buffer[float32](m, nSlots*ffn),
			Up:   buffer[float32](m, nSlots*ffn),
			Out:  buffer[float32](m, nSlots*ffn),
			P:    gen.SiluMulStackedParams{Ffn: int32(ffn), NSlots: int32(nSlots)},
		}
		return a, want{
			threadgroups: [3]int{ceilDiv(ffn, 256), nSlots, 1},
			threads:      [3]int{256, 1, 1},
			args: []arg{
				reads(0, "gate", a.Gate),
				reads(1, "up", a.Up),
				writes(2, "out", a.Out),
				value(3, "p", int32(ffn), int32(nSlots)),
			},
		}
	}, dims{768, 8}, dims{100, 3}),
}
