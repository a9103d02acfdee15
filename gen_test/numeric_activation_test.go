package gen_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// ulp bounds the distance of neighbouring float32s, relative to either.
const ulp = 0x1p-23

// expRel bounds the relative error of exp(x): with fast math, its default, Metal
// allows 3 + floor(2 |x|) units in the last place.
func expRel(x float64) float64 { return (3 + 2*math.Abs(x)) * ulp }

func sigmoid64(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// sigmoidRel bounds the relative error of sigmoid(x) as of silu(x): exp(-x) has a
// part of sigmoid(-x) in the divisor; the sum is rounded once, the quotient may be
// off by 2.5 units, and what it is multiplied with costs one more rounding.
func sigmoidRel(x float64) float64 { return expRel(x)*sigmoid64(-x) + 4*ulp }

// gates returns n numbers for sigmoids: large, small and special ones among the others.
func gates(seed uint64, n int) []float32 {
	s := uniform(seed, n, -6, 6)
	copy(s, []float32{0, 80, -80, 1e-6, -1e-6, 20, -20, 1000, -1000, float32(math.Copysign(0, -1))})
	return s
}

// swiglu returns silu(gate) * up, with the error that it may have.
func swiglu(gate, up []float32) (want, tolerance []float64) {
	want, tolerance = make([]float64, len(gate)), make([]float64, len(gate))
	for i := range gate {
		g := float64(gate[i])
		want[i] = g * sigmoid64(g) * float64(up[i])
		tolerance[i] = math.Abs(want[i]) * sigmoidRel(g)
	}
	return want, tolerance
}

// swigluCall has a stack of rows vectors of dim floats each.
type swigluCall struct {
	dim, rows     int
	gate, up, out runtime.Buffer[float32]
}

var swigluKernels = []struct {
	name   string
	shapes [][2]int // dim, rows
	call   func(*runtime.Batch, swigluCall)
}{
	{"swiglu_fused", [][2]int{{1, 1}, {100, 1}, {256, 1}, {1001, 1}, {4096, 1}}, func(b *runtime.Batch, c swigluCall) {
		gen.SwigluFused(b, gen.SwigluFusedArgs{Gate: c.gate, Up: c.up, Out: c.out, Dim: uint32(c.dim)})
	}},
	{"swiglu_fused_vec4", [][2]int{{4, 1}, {100, 1}, {1024, 1}, {1028, 1}, {4096, 1}},
		func(b *runtime.Batch, c swigluCall) {
			gen.SwigluFusedVec4(b, gen.SwigluFusedVec4Args{
				Gate: runtime.Cast[[4]float32](c.gate), Up: runtime.Cast[[4]float32](c.up), Out: runtime.Cast[[4]float32](c.out),
				Dim: uint32(c.dim),
			})
		}},
	{"swiglu_fused_batched", [][2]int{{1, 1}, {1, 128}, {100, 3}, {257, 8}, {4096, 2}},
		func(b *runtime.Batch, c swigluCall) {
			gen.SwigluFusedBatched(b, gen.SwigluFusedBatchedArgs{
				Gate: c.gate, Up: c.up, Out: c.out, Dim: uint32(c.dim), K: uint32(c.rows),
			})
		}},
	{"silu_mul_stacked_f32", [][2]int{{1, 1}, {1, 128}, {100, 3}, {257, 8}, {4096, 2}},
		func(b *runtime.Batch, c swigluCall) {
			gen.SiluMulStackedF32(b, gen.SiluMulStackedF32Args{
				Gate: c.gate, Up: c.up, Out: c.out, P: gen.SiluMulStackedParams{Ffn: int32(c.dim), NSlots: int32(c.rows)},
			})
		}},
}

func TestSwigluMultipliesWithSilu(t *testing.T) {
	dev := openDevice(t)
	for _, k := range swigluKernels {
		for _, shape := range k.shapes {
			c := swigluCall{dim: shape[0], rows: shape[1]}
			n := c.dim * c.rows
			gate, up := gates(1, n), uniform(2, n, -3, 3)
			want, tolerance := swiglu(gate, up)
			name := fmt.Sprintf("%s, dim %d, rows %d", k.name, c.dim, c.rows)
			t.Run(name, func(t *testing.T) {
				c.gate, c.up, c.out = input(t, dev, gate), input(t, dev, up), output[float32](t, dev, n)
				execute(t, dev, func(b *runtime.Batch) { k.call(b, c) })
				compare(t, "out", c.out.Data(), want, tolerance, 1)
			})
			t.Run(name+", out in the place of gate", func(t *testing.T) {
				c.gate, c.up = inout(t, dev, gate), input(t, dev, up)
				c.out = c.gate
				execute(t, dev, func(b *runtime.Batch) { k.call(b, c) })
				compare(t, "out", c.out.Data(), want, tolerance, 1)
			})
			t.Run(name+", out in the place of up", func(t *testing.T) {
				c.gate, c.up = input(t, dev, gate), inout(t, dev, up)
				c.out = c.up
				execute(t, dev, func(b *runtime.Batch) { k.call(b, c) })
				compare(t, "out", c.out.Data(), want, tolerance, 1)
			})
		}
	}
}

func TestSwigluByFoursLeavesTheRestAlone(t *testing.T) {
	dev := openDevice(t)
	for _, dim := range []int{5, 1022, 1027} {
		t.Run(fmt.Sprintf("dim %d", dim), func(t *testing.T) {
			n := ceilDiv(dim, 4) * 4
			gate, up := gates(1, n), uniform(2, n, -3, 3)
			before := uniform(3, n, 1, 2)
			out := inout(t, dev, before)
			execute(t, dev, func(b *runtime.Batch) {
				gen.SwigluFusedVec4(b, gen.SwigluFusedVec4Args{
					Gate: runtime.Cast[[4]float32](input(t, dev, gate)),
					Up:   runtime.Cast[[4]float32](input(t, dev, up)),
					Out:  runtime.Cast[[4]float32](out),
					Dim:  uint32(dim),
				})
			})
			done := dim / 4 * 4
			want, tolerance := swiglu(gate[:done], up[:done])
			compare(t, "out", out.Data()[:done], want, tolerance, 1)
			sameBits(t, "rest", out.Data()[done:], before[done:])
		})
	}
}

func TestSwigluKernelsAgree(t *testing.T) {
	dev := openDevice(t)
	const dim, rows = 300, 3
	gate, up := uniform(1, rows*dim, -8, 8), uniform(2, rows*dim, -3, 3)
	_, tolerance := swiglu(gate, up)
	rowByRow := output[float32](t, dev, rows*dim)
	c := swigluCall{dim: dim, rows: rows, gate: input(t, dev, gate), up: input(t, dev, up)}
	execute(t, dev, func(b *runtime.Batch) {
		for row := 0; row < rows*dim; row += dim {
			gen.SwigluFused(b, gen.SwigluFusedArgs{
				Gate: c.gate.Slice(row, row+dim), Up: c.up.Slice(row, row+dim), Out: rowByRow.Slice(row, row+dim), Dim: dim,
			})
		}
	})
	for _, k := range swigluKernels {
		t.Run(k.name, func(t *testing.T) {
			c := c
			if k.shapes[1][1] == 1 { // takes one vector
				c.dim, c.rows = rows*dim, 1
			}
			c.out = output[float32](t, dev, rows*dim)
			execute(t, dev, func(b *runtime.Batch) { k.call(b, c) })
			compare(t, "out", c.out.Data(), float64s(rowByRow.Data()), tolerance, 2)
		})
	}
}

func TestSigmoidGateGatesInPlace(t *testing.T) {
	dev := openDevice(t)
	for _, dim := range []int{1, 100, 256, 1001, 4096} {
		t.Run(fmt.Sprintf("dim %d", dim), func(t *testing.T) {
			x, gate := uniform(1, dim, -3, 3), gates(2, dim)
			want, tolerance := make([]float64, dim), make([]float64, dim)
			for i := range want {
				g := float64(gate[i])
				want[i] = float64(x[i]) * sigmoid64(g)
				tolerance[i] = math.Abs(want[i]) * sigmoidRel(g)
			}
			out := inout(t, dev, x)
			execute(t, dev, func(b *runtime.Batch) {
				gen.SigmoidGate(b, gen.SigmoidGateArgs{XOut: out, Gate: input(t, dev, gate), Dim: uint32(dim)})
			})
			compare(t, "x_out", out.Data(), want, tolerance, 1)
		})
	}
}

func TestSigmoidGateTimesItsGateIsSwiglu(t *testing.T) {
	dev := openDevice(t)
	const dim = 777
	gate := uniform(1, dim, -8, 8)
	ones := make([]float32, dim)
	for i := range ones {
		ones[i] = 1
	}
	want, tolerance := swiglu(gate, ones)
	gated, activated := inout(t, dev, gate), output[float32](t, dev, dim)
	execute(t, dev, func(b *runtime.Batch) {
		gen.SigmoidGate(b, gen.SigmoidGateArgs{XOut: gated, Gate: input(t, dev, gate), Dim: dim})
		gen.SwigluFused(b, gen.SwigluFusedArgs{Gate: input(t, dev, gate), Up: input(t, dev, ones), Out: activated, Dim: dim})
	})
	compare(t, "sigmoid_gate", gated.Data(), want, tolerance, 1)
	compare(t, "swiglu_fused", activated.Data(), float64s(gated.Data()), tolerance, 2)
}
