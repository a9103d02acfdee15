package gen_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// All results of norm.metal are sums of few terms, each with the inverse of a root
// of a mean square as a factor. Squares do not cancel, so that the mean is as exact
// as sumRel says and its root twice that: sumRel of the terms holds for the result.

// float64s returns s, exactly.
func float64s(s []float32) []float64 {
	wide := make([]float64, len(s))
	for i, f := range s {
		wide[i] = float64(f)
	}
	return wide
}

// inverseRMS returns 1 / sqrt(mean(x^2) + eps).
func inverseRMS(x []float64, eps float32) float64 {
	sum := 0.0
	for _, f := range x {
		sum += f * f
	}
	return 1 / math.Sqrt(sum/float64(len(x))+float64(eps))
}

// plus returns the sum of a and b element by element, rounded once.
func plus(a, b []float32) []float32 {
	sum := make([]float32, len(a))
	for i := range a {
		sum[i] = a[i] + b[i]
	}
	return sum
}

// groupsOf returns a grid of one dimension with so many threads in a threadgroup, and
// the one that the source states for 0.
func groupsOf(groups, threads int) runtime.Grid {
	if threads == 0 {
		return runtime.Grid{}
	}
	return runtime.Grid{Threadgroups: [3]int{groups, 1, 1}, Threads: [3]int{threads, 1, 1}}
}

// normShape is a call of a kernel of norm.metal without experts.
type normShape struct {
	dim, rows      int
	eps            float32
	scalarIsVector uint32
	groups         int // for threads
	threads        int // of a threadgroup, 0 for what the source states
}

var normShapes = []normShape{
	{dim: 1, rows: 1, eps: 1e-6},
	{dim: 4096, rows: 1, eps: 1e-6, scalarIsVector: 1},
	{dim: 100, rows: 3, eps: 1e-5},
	{dim: 257, rows: 5, eps: 0.5, scalarIsVector: 7},
	{dim: 33, rows: 130, eps: 1e-6, scalarIsVector: 1},
	{dim: 300, rows: 2, eps: 1e-6, groups: 2, threads: 1},
	{dim: 300, rows: 2, eps: 1e-6, scalarIsVector: 1, groups: 2, threads: 100},
	{dim: 70, rows: 2, eps: 1e-6, groups: 2, threads: 512},
	{dim: 70, rows: 2, eps: 1e-6, groups: 5, threads: 64}, // three surplus threadgroups
}

func (s normShape) String() string {
	name := fmt.Sprintf("dim %d, rows %d, eps %g, scalar_is_vector %d", s.dim, s.rows, s.eps, s.scalarIsVector)
	if s.threads > 0 {
		name += fmt.Sprintf(", %d threadgroups of %d", s.groups, s.threads)
	}
	return name
}

// normCall has the arguments that the kernels without experts have in common.
type normCall struct {
	normShape
	residual, input, weight, scalar, output runtime.Buffer[float32]
}

var normKernels = []struct {
	name string
	call func(*runtime.Batch, normCall)
	// terms adds up to an element of the output. byInput and bySum are the inverses
	// of the roots of the mean squares of the row of input, and of residual + input.
	terms func(residual, input, weight, scalar, byInput, bySum float64) []float64
}{
	{"fused_norm_add_f32", func(b *runtime.Batch, c normCall) {
		gen.FusedNormAddF32(b, gen.FusedNormAddF32Args{
			Residual: c.residual, Input: c.input, Weight: c.weight, Output: c.output,
			Dim: uint32(c.dim), Rows: uint32(c.rows), Eps: c.eps,
			Grid: groupsOf(c.groups, c.threads),
		})
	}, func(residual, input, weight, _, byInput, _ float64) []float64 {
		return []float64{residual, input * byInput * weight}
	}},
	{"fused_norm_add_scalar_f32", func(b *runtime.Batch, c normCall) {
		gen.FusedNormAddScalarF32(b, gen.FusedNormAddScalarF32Args{
			Residual: c.residual, Input: c.input, Weight: c.weight, Output: c.output, Scalar: c.scalar,
			Params: gen.FusedNormAddScalarF32Params{Dim: uint32(c.dim), Rows: uint32(c.rows), Eps: c.eps,
				ScalarIsVector: c.scalarIsVector},
			Grid: groupsOf(c.groups, c.threads),
		})
	}, func(residual, input, weight, scalar, byInput, _ float64) []float64 {
		return []float64{residual * scalar, input * byInput * weight * scalar}
	}},
	{"fused_residual_norm_f32", func(b *runtime.Batch, c normCall) {
		gen.FusedResidualNormF32(b, gen.FusedResidualNormF32Args{
			Residual: c.residual, Input: c.input, Weight: c.weight, NormedOutput: c.output,
			Params: gen.FusedResidualNormF32Params{Dim: uint32(c.dim), Rows: uint32(c.rows), Eps: c.eps},
			Grid:   groupsOf(c.groups, c.threads),
		})
	}, func(residual, input, weight, _, _, bySum float64) []float64 {
		return []float64{residual * bySum * weight, input * bySum * weight}
	}},
	{"fused_residual_norm_scalar_f32", func(b *runtime.Batch, c normCall) {
		gen.FusedResidualNormScalarF32(b, gen.FusedResidualNormScalarF32Args{
			Residual: c.residual, Input: c.input, Weight: c.weight, Output: c.output, Scalar: c.scalar,
			Params: gen.FusedResidualNormScalarF32Params{Dim: uint32(c.dim), Rows: uint32(c.rows), Eps: c.eps,
				ScalarIsVector: c.scalarIsVector},
			Grid: groupsOf(c.groups, c.threads),
		})
	}, func(residual, input, weight, scalar, _, bySum float64) []float64 {
		return []float64{residual * bySum * weight * scalar, input * bySum * weight * scalar}
	}},
}

func TestFusedNormsComputeTheirFormulas(t *testing.T) {
	dev := openDevice(t)
	for _, k := range normKernels {
		t.Run(k.name, func(t *testing.T) {
			for _, s := range normShapes {
				residual := uniform(1, s.rows*s.dim, -2, 2)
				in := uniform(2, s.rows*s.dim, -3, 3)
				weight := uniform(3, s.dim, 0.5, 1.5)
				scalar := uniform(4, max(1, min(1, int(s.scalarIsVector))*s.dim), -2, -1)

				want := newReference(s.rows * s.dim)
				sum := plus(residual, in)
				for row := 0; row < len(in); row += s.dim {
					byInput := inverseRMS(float64s(in[row:row+s.dim]), s.eps)
					bySum := inverseRMS(float64s(sum[row:row+s.dim]), s.eps)
					for i, w := range weight {
						x := scalar[0]
						if s.scalarIsVector != 0 {
							x = scalar[i]
						}
						r, from := float64(residual[row+i]), float64(in[row+i])
						for _, term := range k.terms(r, from, float64(w), float64(x), byInput, bySum) {
							want.add(row+i, term)
						}
					}
				}

				t.Run(s.String(), func(t *testing.T) {
					c := normCall{
						normShape: s,
						residual:  input(t, dev, residual),
						input:     input(t, dev, in),
						weight:    input(t, dev, weight),
						scalar:    input(t, dev, scalar),
						output:    output[float32](t, dev, len(in)),
					}
					execute(t, dev, func(b *runtime.Batch) { k.call(b, c) })
					want.check(t, "output", c.output.Data(), sumRel)
				})
				t.Run(s.String()+", output in the place of residual", func(t *testing.T) {
					c := normCall{
						normShape: s,
						residual:  inout(t, dev, residual),
						input:     input(t, dev, in),
						weight:    input(t, dev, weight),
						scalar:    input(t, dev, scalar),
					}
					c.output = c.residual
					execute(t, dev, func(b *runtime.Batch) { k.call(b, c) })
					want.check(t, "output", c.output.Data(), sumRel)
				})
				t.Run(s.String()+", output in the place of input", func(t *testing.T) {
					c := normCall{
						normShape: s,
						residual:  input(t, dev, residual),
						input:     inout(t, dev, in),
						weight:    input(t, dev, weight),
						scalar:    input(t, dev, scalar),
					}
					c.output = c.input
					execute(t, dev, func(b *runtime.Batch) { k.call(b, c) })
					want.check(t, "output", c.output.Data(), sumRel)
				})
			}
		})
	}
}

func TestFusedNormsOfZerosAreNoNaNs(t *testing.T) {
	dev := openDevice(t)
	const dim, rows = 100, 2
	for _, k := range normKernels {
		t.Run(k.name, func(t *testing.T) {
			c := normCall{
				normShape: normShape{dim: dim, rows: rows, eps: 1e-6},
				residual:  input(t, dev, make([]float32, rows*dim)),
				input:     input(t, dev, make([]float32, rows*dim)),
				weight:    input(t, dev, uniform(1, dim, 0.5, 1.5)),
				scalar:    input(t, dev, []float32{2}),
				output:    output[float32](t, dev, rows*dim),
			}
			execute(t, dev, func(b *runtime.Batch) { k.call(b, c) })
			sameBits(t, "output", c.output.Data(), make([]float32, rows*dim))
		})
	}
}

func TestFusedResidualNormStoresTheSumsOnRequest(t *testing.T) {
	dev := openDevice(t)
	for _, s := range []struct {
		dim, rows int
		writeSum  uint32
	}{
		{1, 1, 1}, {4096, 1, 1}, {100, 3, 1}, {257, 4, 7},
	} {
		residual := uniform(1, s.rows*s.dim, -2, 2)
		in := uniform(2, s.rows*s.dim, -3, 3)
		weight := uniform(3, s.dim, 0.5, 1.5)
		sum := plus(residual, in)
		normed := newReference(len(sum))
		for row := 0; row < len(sum); row += s.dim {
			by := inverseRMS(float64s(sum[row:row+s.dim]), 1e-6)
			for i, w := range weight {
				normed.add(row+i, float64(sum[row+i])*by*float64(w))
			}
		}
		name := fmt.Sprintf("dim %d, rows %d, write_sum %d", s.dim, s.rows, s.writeSum)
		args := gen.FusedResidualNormF32Args{
			Params: gen.FusedResidualNormF32Params{Dim: uint32(s.dim), Rows: uint32(s.rows), Eps: 1e-6, WriteSum: s.writeSum},
		}
		check := func(t *testing.T, a gen.FusedResidualNormF32Args) {
			execute(t, dev, func(b *runtime.Batch) { gen.FusedResidualNormF32(b, a) })
			sameBits(t, "sum_output", a.SumOutput.Data(), sum) // an addition is rounded correctly
			normed.check(t, "normed_output", a.NormedOutput.Data(), sumRel)
		}
		t.Run(name, func(t *testing.T) {
			a := args
			a.Residual = input(t, dev, residual)
			a.Input = input(t, dev, in)
			a.Weight = input(t, dev, weight)
			a.NormedOutput = output[float32](t, dev, len(sum))
			a.SumOutput = output[float32](t, dev, len(sum))
			check(t, a)
		})
		t.Run(name+", outputs in the places of input and residual", func(t *testing.T) {
			a := args
			a.Residual = inout(t, dev, residual)
			a.Input = inout(t, dev, in)
			a.Weight = input(t, dev, weight)
			a.NormedOutput = a.Input
			a.SumOutput = a.Residual
			check(t, a)
		})
	}
	t.Run("not without it", func(t *testing.T) {
		const dim, rows = 300, 2
		a := gen.FusedResidualNormF32Args{
			Residual:     input(t, dev, uniform(1, rows*dim, -2, 2)),
			Input:        input(t, dev, uniform(2, rows*dim, -3, 3)),
			Weight:       input(t, dev, uniform(3, dim, 0.5, 1.5)),
			NormedOutput: output[float32](t, dev, rows*dim),
			SumOutput:    input(t, dev, uniform(4, rows*dim, -1, 1)), // which must not change
			Params:       gen.FusedResidualNormF32Params{Dim: dim, Rows: rows, Eps: 1e-6},
		}
		execute(t, dev, func(b *runtime.Batch) { gen.FusedResidualNormF32(b, a) })
	})
}

// expertShape is a call of a kernel of norm.metal that combines experts.
type expertShape struct {
	dim, topK, rows int
	eps             float32
	threads         int // of a threadgroup, 0 for what the source states
}

func (s expertShape) String() string {
	name := fmt.Sprintf("dim %d, top_k %d, rows %d, eps %g", s.dim, s.topK, s.rows, s.eps)
	if s.threads > 0 {
		name += fmt.Sprintf(", threadgroups of %d", s.threads)
	}
	return name
}

type expertCall struct {
	expertShape
	experts, weights, residual, residualNorm, norm, output runtime.Buffer[float32]
}

var expertNormKernels = []struct {
	name   string
	shapes []expertShape
	call   func(*runtime.Batch, expertCall)
	// terms adds up to an element of the output. byResidual and bySum are the inverses
	// of the roots of the mean squares of the rows of residual and combined experts.
	terms func(residual, sum, residualNorm, norm, byResidual, bySum float64) []float64
}{
	{"fused_moe_wsum_norm_add_f32", []expertShape{
		{dim: 1, topK: 1, rows: 1, eps: 1e-6},
		{dim: 100, topK: 6, rows: 3, eps: 0.5},
		{dim: 4096, topK: 8, rows: 1, eps: 1e-6},
		{dim: 32768/4 - 256, topK: 3, rows: 1, eps: 1e-6}, // all of the threadgroup memory
		{dim: 301, topK: 128, rows: 2, eps: 1e-6},
		{dim: 77, topK: 5, rows: 2, eps: 1e-6, threads: 33},
	}, func(b *runtime.Batch, c expertCall) {
		gen.FusedMoeWsumNormAddF32(b, gen.FusedMoeWsumNormAddF32Args{
			ExpertOutputs: c.experts, Weights: c.weights, Residual: c.residual, NormWeight: c.norm, Output: c.output,
			Dim: uint32(c.dim), TopK: uint32(c.topK), Rows: uint32(c.rows), Eps: c.eps,
			Grid: groupsOf(c.rows, c.threads),
		})
	}, func(residual, sum, _, norm, _, bySum float64) []float64 {
		return []float64{residual, sum * bySum * norm}
	}},
	{"fused_moe_wsum_dnorm_add_f32", []expertShape{
		{dim: 1, topK: 1, rows: 1, eps: 1e-6},
		{dim: 100, topK: 6, rows: 3, eps: 0.5},
		{dim: 4096, topK: 8, rows: 1, eps: 1e-6},
		{dim: 32768/4 - 2*256, topK: 3, rows: 1, eps: 1e-6}, // all of the threadgroup memory
		{dim: 301, topK: 128, rows: 2, eps: 1e-6},
		{dim: 77, topK: 5, rows: 2, eps: 1e-6, threads: 33},
	}, func(b *runtime.Batch, c expertCall) {
		gen.FusedMoeWsumDnormAddF32(b, gen.FusedMoeWsumDnormAddF32Args{
			ExpertOutputs: c.experts, Weights: c.weights, Residual: c.residual,
			ResNormWeight: c.residualNorm, MoeNormWeight: c.norm, Output: c.output,
			Dim: uint32(c.dim), TopK: uint32(c.topK), Rows: uint32(c.rows), Eps: c.eps,
			Grid: groupsOf(c.rows, c.threads),
		})
	}, func(residual, sum, residualNorm, norm, byResidual, bySum float64) []float64 {
		return []float64{residual * byResidual * residualNorm, sum * bySum * norm}
	}},
}

func TestFusedExpertNormsComputeTheirFormulas(t *testing.T) {
	dev := openDevice(t)
	for _, k := range expertNormKernels {
		t.Run(k.name, func(t *testing.T) {
			for _, s := range k.shapes {
				// Positive outputs of experts: sums that do not cancel, so that the
				// terms of the results tell how exact these are.
				experts := uniform(1, s.rows*s.topK*s.dim, 0.5, 2)
				weights := uniform(2, s.rows*s.topK, 0, 1)
				residual := uniform(3, s.rows*s.dim, -2, 2)
				residualNorm := uniform(4, s.dim, 0.5, 1.5)
				norm := uniform(5, s.dim, -1.5, -0.5)

				want := newReference(s.rows * s.dim)
				for row := range s.rows {
					sum := make([]float64, s.dim)
					for e := range s.topK {
						w := float64(weights[row*s.topK+e])
						for i := range sum {
							sum[i] += w * float64(experts[(row*s.topK+e)*s.dim+i])
						}
					}
					own := float64s(residual[row*s.dim:][:s.dim])
					byResidual, bySum := inverseRMS(own, s.eps), inverseRMS(sum, s.eps)
					for i := range sum {
						for _, term := range k.terms(own[i], sum[i], float64(residualNorm[i]), float64(norm[i]), byResidual, bySum) {
							want.add(row*s.dim+i, term)
						}
					}
				}

				args := func(t *testing.T) expertCall {
					return expertCall{
						expertShape:  s,
						experts:      input(t, dev, experts),
						weights:      input(t, dev, weights),
						residualNorm: input(t, dev, residualNorm),
						norm:         input(t, dev, norm),
					}
				}
				t.Run(s.String(), func(t *testing.T) {
					c := args(t)
					c.residual = input(t, dev, residual)
					c.output = output[float32](t, dev, len(residual))
					execute(t, dev, func(b *runtime.Batch) { k.call(b, c) })
					want.check(t, "output", c.output.Data(), sumRel)
				})
				t.Run(s.String()+", output in the place of residual", func(t *testing.T) {
					c := args(t)
					c.residual = inout(t, dev, residual)
					c.output = c.residual
					execute(t, dev, func(b *runtime.Batch) { k.call(b, c) })
					want.check(t, "output", c.output.Data(), sumRel)
				})
			}
		})
	}
}

// magnitudes returns the sums of the absolute values of what is at the same place of
// each of s.
func magnitudes(s ...[]float32) []float64 {
	sum := make([]float64, len(s[0]))
	for _, part := range s {
		for i, f := range part {
			sum[i] += math.Abs(float64(f))
		}
	}
	return sum
}

func TestFusedNormsEqualTheirPartsInTurn(t *testing.T) {
	dev := openDevice(t)
	const eps, topK = 1e-6, 5
	for _, dim := range []int{1, 130, 3000} {
		residual := uniform(1, dim, -2, 2)
		in := uniform(2, dim, -3, 3)
		weight := uniform(3, dim, 0.5, 1.5)
		residualNorm := uniform(4, dim, 0.5, 1.5)
		experts := uniform(5, topK*dim, 0.5, 2)
		weights := uniform(6, topK, 0.1, 1)

		// normalised records the two kernels that normalise a row.
		normalised := func(t *testing.T, b *runtime.Batch, x, weight runtime.Buffer[float32]) runtime.Buffer[float32] {
			sumSq := output[float32](t, dev, 1)
			out := output[float32](t, dev, dim)
			gen.RmsNormSumSq(b, gen.RmsNormSumSqArgs{X: x, SumSq: sumSq, Dim: uint32(dim)})
			gen.RmsNormApply(b, gen.RmsNormApplyArgs{X: x, Weight: weight, SumSq: sumSq, Out: out, Dim: uint32(dim), Eps: eps})
			return out
		}
		added := func(t *testing.T, b *runtime.Batch, x, y runtime.Buffer[float32]) runtime.Buffer[float32] {
			out := output[float32](t, dev, dim)
			gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: y, Out: out, Dim: uint32(dim)})
			return out
		}
		combined := func(t *testing.T, b *runtime.Batch) runtime.Buffer[float32] {
			out := output[float32](t, dev, dim)
			gen.WeightedSum(b, gen.WeightedSumArgs{
				ExpertOuts: input(t, dev, experts), Weights: input(t, dev, weights), Out: out, K: topK, Dim: uint32(dim),
			})
			return out
		}
		for _, c := range []struct {
			name  string
			fused func(t *testing.T, b *runtime.Batch, out runtime.Buffer[float32])
			parts func(t *testing.T, b *runtime.Batch) (sum runtime.Buffer[float32], terms []runtime.Buffer[float32])
		}{
			{"fused_norm_add_f32", func(t *testing.T, b *runtime.Batch, out runtime.Buffer[float32]) {
				gen.FusedNormAddF32(b, gen.FusedNormAddF32Args{
					Residual: input(t, dev, residual), Input: input(t, dev, in), Weight: input(t, dev, weight),
					Output: out, Dim: uint32(dim), Rows: 1, Eps: eps,
				})
			}, func(t *testing.T, b *runtime.Batch) (runtime.Buffer[float32], []runtime.Buffer[float32]) {
				first, second := input(t, dev, residual), normalised(t, b, input(t, dev, in), input(t, dev, weight))
				return added(t, b, first, second), []runtime.Buffer[float32]{first, second}
			}},
			{"fused_residual_norm_f32", func(t *testing.T, b *runtime.Batch, out runtime.Buffer[float32]) {
				gen.FusedResidualNormF32(b, gen.FusedResidualNormF32Args{
					Residual: input(t, dev, residual), Input: input(t, dev, in), Weight: input(t, dev, weight),
					NormedOutput: out, Params: gen.FusedResidualNormF32Params{Dim: uint32(dim), Rows: 1, Eps: eps},
				})
			}, func(t *testing.T, b *runtime.Batch) (runtime.Buffer[float32], []runtime.Buffer[float32]) {
				out := normalised(t, b, added(t, b, input(t, dev, residual), input(t, dev, in)), input(t, dev, weight))
				return out, []runtime.Buffer[float32]{out}
			}},
			{"fused_moe_wsum_norm_add_f32", func(t *testing.T, b *runtime.Batch, out runtime.Buffer[float32]) {
				gen.FusedMoeWsumNormAddF32(b, gen.FusedMoeWsumNormAddF32Args{
					ExpertOutputs: input(t, dev, experts), Weights: input(t, dev, weights), Residual: input(t, dev, residual),
					NormWeight: input(t, dev, weight), Output: out, Dim: uint32(dim), TopK: topK, Rows: 1, Eps: eps,
				})
			}, func(t *testing.T, b *runtime.Batch) (runtime.Buffer[float32], []runtime.Buffer[float32]) {
				first, second := input(t, dev, residual), normalised(t, b, combined(t, b), input(t, dev, weight))
				return added(t, b, first, second), []runtime.Buffer[float32]{first, second}
			}},
			{"fused_moe_wsum_dnorm_add_f32", func(t *testing.T, b *runtime.Batch, out runtime.Buffer[float32]) {
				gen.FusedMoeWsumDnormAddF32(b, gen.FusedMoeWsumDnormAddF32Args{
					ExpertOutputs: input(t, dev, experts), Weights: input(t, dev, weights), Residual: input(t, dev, residual),
					ResNormWeight: input(t, dev, residualNorm), MoeNormWeight: input(t, dev, weight),
					Output: out, Dim: uint32(dim), TopK: topK, Rows: 1, Eps: eps,
				})
			}, func(t *testing.T, b *runtime.Batch) (runtime.Buffer[float32], []runtime.Buffer[float32]) {
				first := normalised(t, b, input(t, dev, residual), input(t, dev, residualNorm))
				second := normalised(t, b, combined(t, b), input(t, dev, weight))
				return added(t, b, first, second), []runtime.Buffer[float32]{first, second}
			}},
		} {
			t.Run(fmt.Sprintf("%s, dim %d", c.name, dim), func(t *testing.T) {
				fused := output[float32](t, dev, dim)
				var sum runtime.Buffer[float32]
				var terms []runtime.Buffer[float32]
				execute(t, dev, func(b *runtime.Batch) {
					c.fused(t, b, fused)
					sum, terms = c.parts(t, b)
				})
				var scale [][]float32
				for _, term := range terms {
					scale = append(scale, term.Data())
				}
				compare(t, "output", fused.Data(), float64s(sum.Data()), magnitudes(scale...), 2*sumRel)
			})
		}
	}
}

func TestFusedNormWithAVectorOfOneScalarEqualsTheScalar(t *testing.T) {
	dev := openDevice(t)
	const dim, rows = 270, 2
	residual := uniform(1, rows*dim, -2, 2)
	in := uniform(2, rows*dim, -3, 3)
	weight := uniform(3, dim, 0.5, 1.5)
	for _, k := range normKernels {
		t.Run(k.name, func(t *testing.T) {
			outputs := [2]runtime.Buffer[float32]{}
			for vector := range outputs {
				outputs[vector] = output[float32](t, dev, rows*dim)
				execute(t, dev, func(b *runtime.Batch) {
					k.call(b, normCall{
						normShape: normShape{dim: dim, rows: rows, eps: 1e-6, scalarIsVector: uint32(vector)},
						residual:  input(t, dev, residual),
						input:     input(t, dev, in),
						weight:    input(t, dev, weight),
						scalar:    input(t, dev, slices.Repeat([]float32{-1.75}, max(1, vector*dim))),
						output:    outputs[vector],
					})
				})
			}
			sameBits(t, "output", outputs[1].Data(), outputs[0].Data())
		})
	}
}
