package gen_test

import (
	"fmt"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// combination has the inputs of the kernels that weigh experts and add them up, and
// what the weighted sums come to.
type combination struct {
	experts, dim                      int
	outputs, weights, residual, scale []float32
	sum                               reference
}

func newCombination(experts, dim int) *combination {
	c := &combination{
		experts: experts, dim: dim,
		outputs:  uniform(1, experts*dim, -2, 2),
		weights:  uniform(2, experts, 0.05, 1),
		residual: uniform(3, dim, -3, 3),
		scale:    uniform(4, dim, 0.5, 1.5),
		sum:      newReference(dim),
	}
	for e, w := range c.weights {
		for i := range dim {
			c.sum.add(i, float64(w)*float64(c.outputs[e*dim+i]))
		}
	}
	return c
}

// onResidual returns the sums with the residual added.
func (c *combination) onResidual() reference {
	r := newReference(c.dim)
	for i, f := range c.residual {
		r.add(i, float64(f))
		r.want[i] += c.sum.want[i]
		r.scale[i] += c.sum.scale[i]
	}
	return r
}

// combinationShapes are numbers of experts and dimensions.
var combinationShapes = [][2]int{{0, 100}, {1, 1}, {3, 257}, {8, 4096}, {128, 300}, {16, 256}}

func TestWeightedSumsAddTheirExperts(t *testing.T) {
	dev := openDevice(t)
	for _, shape := range combinationShapes {
		c := newCombination(shape[0], shape[1])
		stacked := gen.WeightedSumStackedParams{Hidden: int32(c.dim), NSlots: int32(c.experts)}
		for _, k := range []struct {
			name string
			out  func(t *testing.T) runtime.Buffer[float32]
			call func(b *runtime.Batch, outputs, weights, out runtime.Buffer[float32])
			want reference
		}{
			{"weighted_sum", func(t *testing.T) runtime.Buffer[float32] {
				return output[float32](t, dev, c.dim)
			}, func(b *runtime.Batch, outputs, weights, out runtime.Buffer[float32]) {
				gen.WeightedSum(b,
					gen.WeightedSumArgs{ExpertOuts: outputs, Weights: weights, Out: out, K: uint32(c.experts), Dim: uint32(c.dim)})
			}, c.sum},
			{"weighted_sum_stacked_f32", func(t *testing.T) runtime.Buffer[float32] {
				return output[float32](t, dev, c.dim)
			}, func(b *runtime.Batch, outputs, weights, out runtime.Buffer[float32]) {
				gen.WeightedSumStackedF32(b, gen.WeightedSumStackedF32Args{Slots: outputs, Weights: weights, Out: out, P: stacked})
			}, c.sum},
			{"weighted_sum_residual_stacked_f32", func(t *testing.T) runtime.Buffer[float32] {
				return inout(t, dev, c.residual)
			}, func(b *runtime.Batch, outputs, weights, out runtime.Buffer[float32]) {
				gen.WeightedSumResidualStackedF32(b,
					gen.WeightedSumResidualStackedF32Args{Slots: outputs, Weights: weights, Residual: out, P: stacked})
			}, c.onResidual()},
		} {
			t.Run(fmt.Sprintf("%s, %d experts, dim %d", k.name, c.experts, c.dim), func(t *testing.T) {
				out := k.out(t)
				execute(t, dev, func(b *runtime.Batch) {
					k.call(b, input(t, dev, c.outputs), input(t, dev, c.weights), out)
				})
				k.want.check(t, "out", out.Data(), sumRel)
			})
		}
	}
}

func TestWeightedSumResidualNormNormalisesTheNewResidual(t *testing.T) {
	dev := openDevice(t)
	for _, shape := range combinationShapes {
		for _, g := range []struct {
			eps             float32
			groups, threads int // 0 for what the source states
		}{
			{eps: 1e-6}, {eps: 0.5, groups: 1, threads: 33}, {eps: 1e-6, groups: 3, threads: 64}, // two surplus threadgroups
		} {
			c := newCombination(shape[0], shape[1])
			t.Run(fmt.Sprintf("%d experts, dim %d, eps %g, %d threadgroups of %d", c.experts, c.dim, g.eps, g.groups, g.threads),
				func(t *testing.T) {
					residual, normed := inout(t, dev, c.residual), output[float32](t, dev, c.dim)
					execute(t, dev, func(b *runtime.Batch) {
						gen.WeightedSumResidualNormStackedF32(b, gen.WeightedSumResidualNormStackedF32Args{
							Slots: input(t, dev, c.outputs), Weights: input(t, dev, c.weights), Residual: residual,
							NextNormW: input(t, dev, c.scale), NormedOut: normed,
							P:    gen.WSumResNormParams{Hidden: int32(c.dim), NSlots: int32(c.experts), Eps: g.eps},
							Grid: groupsOf(g.groups, g.threads),
						})
					})
					want := c.onResidual()
					want.check(t, "residual", residual.Data(), sumRel)
					// An error of the residual goes into the result with its factor, and those
					// of all of them once more by way of the root.
					by := inverseRMS(want.want, g.eps)
					for i, w := range c.scale {
						want.want[i] *= by * float64(w)
						want.scale[i] *= by * float64(w)
					}
					want.check(t, "normed_out", normed.Data(), 2*sumRel)
				})
		}
	}
}

func TestWeightedSumsInOneKernelEqualTheirPartsInTurn(t *testing.T) {
	dev := openDevice(t)
	for _, shape := range [][2]int{{1, 1}, {5, 130}, {8, 3000}} {
		c := newCombination(shape[0], shape[1])
		dim := uint32(c.dim)
		t.Run(fmt.Sprintf("%d experts, dim %d", c.experts, c.dim), func(t *testing.T) {
			const eps = 1e-6
			outputs, weights := input(t, dev, c.outputs), input(t, dev, c.weights)
			scale := input(t, dev, c.scale)
			stacked := gen.WeightedSumStackedParams{Hidden: int32(c.dim), NSlots: int32(c.experts)}
			sum, sumStacked, sumSq := output[float32](t, dev, c.dim), output[float32](t, dev, c.dim), output[float32](t, dev, 1)
			inTurn, normedInTurn := output[float32](t, dev, c.dim), output[float32](t, dev, c.dim)
			onResidual, residual, normed := inout(t, dev, c.residual), inout(t, dev, c.residual), output[float32](t, dev, c.dim)
			execute(t, dev, func(b *runtime.Batch) {
				gen.WeightedSum(b,
					gen.WeightedSumArgs{ExpertOuts: outputs, Weights: weights, Out: sum, K: uint32(c.experts), Dim: dim})
				gen.ResidualAdd(b, gen.ResidualAddArgs{A: input(t, dev, c.residual), B: sum, Out: inTurn, Dim: dim})
				gen.RmsNormSumSq(b, gen.RmsNormSumSqArgs{X: inTurn, SumSq: sumSq, Dim: dim})
				gen.RmsNormApply(b,
					gen.RmsNormApplyArgs{X: inTurn, Weight: scale, SumSq: sumSq, Out: normedInTurn, Dim: dim, Eps: eps})

				gen.WeightedSumStackedF32(b,
					gen.WeightedSumStackedF32Args{Slots: outputs, Weights: weights, Out: sumStacked, P: stacked})
				gen.WeightedSumResidualStackedF32(b,
					gen.WeightedSumResidualStackedF32Args{Slots: outputs, Weights: weights, Residual: onResidual, P: stacked})
				gen.WeightedSumResidualNormStackedF32(b, gen.WeightedSumResidualNormStackedF32Args{
					Slots: outputs, Weights: weights, Residual: residual, NextNormW: scale, NormedOut: normed,
					P: gen.WSumResNormParams{Hidden: int32(c.dim), NSlots: int32(c.experts), Eps: eps},
				})
			})
			terms := c.onResidual().scale
			compare(t, "weighted_sum_stacked_f32", sumStacked.Data(), float64s(sum.Data()), c.sum.scale, 2*sumRel)
			compare(t, "weighted_sum_residual_stacked_f32", onResidual.Data(), float64s(inTurn.Data()), terms, 2*sumRel)
			compare(t, "residual", residual.Data(), float64s(inTurn.Data()), terms, 2*sumRel)
			by := inverseRMS(float64s(inTurn.Data()), eps)
			for i, w := range c.scale {
				terms[i] *= by * float64(w)
			}
			compare(t, "normed_out", normed.Data(), float64s(normedInTurn.Data()), terms, 4*sumRel)
		})
	}
}

// residualCase is a call of the moe_combine_residual kernels.
type residualCase struct {
	experts, dim          int
	outputs, hMid, shared []float32
	params                []float32 // 16 weights and the gate
}

func newResidualCase(experts, dim int) *residualCase {
	return &residualCase{
		experts: experts, dim: dim,
		outputs: uniform(1, min(experts, 16)*dim, -2, 2),
		hMid:    uniform(2, dim, -3, 3),
		shared:  uniform(3, dim, -2, 2),
		params:  append(uniform(4, 16, 0.05, 1), -1.25),
	}
}

// want returns hidden_out for a factor of the shared expert.
func (c *residualCase) want(shared float64) reference {
	r := newReference(c.dim)
	for i := range c.dim {
		r.add(i, float64(c.hMid[i]))
		r.add(i, shared*float64(c.shared[i]))
		for e := range min(c.experts, 16) {
			r.add(i, float64(c.params[e])*float64(c.outputs[e*c.dim+i]))
		}
	}
	return r
}

// residualCall has the buffers of a call, those of experts in one.
type residualCall struct {
	*residualCase
	outputs, hMid, shared, params, out runtime.Buffer[float32]
}

// separate returns the arguments of the kernels that take each expert by itself. They
// are given no buffers but those they may read.
func (c residualCall) separate() gen.MoeCombineResidualArgs {
	a := gen.MoeCombineResidualArgs{
		HMid: c.hMid, SharedOut: c.shared, HiddenOut: c.out, Params: c.params,
		Dim: uint32(c.dim), K: uint32(c.experts),
	}
	for e, buf := range []*runtime.Buffer[float32]{
		&a.ExpertOut0, &a.ExpertOut1, &a.ExpertOut2, &a.ExpertOut3, &a.ExpertOut4, &a.ExpertOut5, &a.ExpertOut6,
		&a.ExpertOut7,
		&a.ExpertOut8, &a.ExpertOut9, &a.ExpertOut10, &a.ExpertOut11, &a.ExpertOut12, &a.ExpertOut13, &a.ExpertOut14,
		&a.ExpertOut15,
	} {
		if e < c.experts {
			*buf = c.outputs.Slice(e*c.dim, (e+1)*c.dim)
		}
	}
	return a
}

var residualKernels = []struct {
	name  string
	gated bool
	call  func(*runtime.Batch, residualCall)
}{
	{"moe_combine_residual", true, func(b *runtime.Batch, c residualCall) { gen.MoeCombineResidual(b, c.separate()) }},
	{"moe_combine_residual_flat", true, func(b *runtime.Batch, c residualCall) {
		gen.MoeCombineResidualFlat(b, gen.MoeCombineResidualFlatArgs{
			HMid: c.hMid, SharedOut: c.shared, HiddenOut: c.out, ExpertOut: c.outputs, Params: c.params,
			Dim: uint32(c.dim), K: uint32(c.experts),
		})
	}},
	{"moe_combine_residual_unscaled", false, func(b *runtime.Batch, c residualCall) {
		c.params = c.params.Slice(0, min(c.experts, 16)) // what follows is not read
		gen.MoeCombineResidualUnscaled(b, gen.MoeCombineResidualUnscaledArgs(c.separate()))
	}},
}

// residualShapes are numbers of experts, where at most 16 count, and dimensions.
var residualShapes = [][2]int{
	{1, 1}, {0, 100}, {1, 257}, {2, 33}, {3, 256}, {4, 33}, {5, 33}, {6, 33}, {7, 33}, {8, 4096}, {9, 33},
	{10, 33}, {11, 33}, {12, 33}, {13, 33}, {14, 33}, {15, 33}, {16, 1000}, {17, 33}, {100, 33},
}

func TestMoeCombineResidualComputesItsFormula(t *testing.T) {
	dev := openDevice(t)
	for _, k := range residualKernels {
		for _, shape := range residualShapes {
			c := newResidualCase(shape[0], shape[1])
			shared := 1.0
			if k.gated {
				shared = sigmoid64(float64(c.params[16])) // as exact as sumRel, by sigmoidRel
			}
			want := c.want(shared)
			args := func(t *testing.T) residualCall {
				return residualCall{residualCase: c, outputs: input(t, dev, c.outputs), params: input(t, dev, c.params)}
			}
			name := fmt.Sprintf("%s, %d experts, dim %d", k.name, c.experts, c.dim)
			t.Run(name, func(t *testing.T) {
				a := args(t)
				a.hMid, a.shared, a.out = input(t, dev, c.hMid), input(t, dev, c.shared), output[float32](t, dev, c.dim)
				execute(t, dev, func(b *runtime.Batch) { k.call(b, a) })
				want.check(t, "hidden_out", a.out.Data(), sumRel)
			})
			t.Run(name+", hidden_out in the place of h_mid", func(t *testing.T) {
				a := args(t)
				a.hMid, a.shared = inout(t, dev, c.hMid), input(t, dev, c.shared)
				a.out = a.hMid
				execute(t, dev, func(b *runtime.Batch) { k.call(b, a) })
				want.check(t, "hidden_out", a.out.Data(), sumRel)
			})
			t.Run(name+", hidden_out in the place of shared_out", func(t *testing.T) {
				a := args(t)
				a.hMid, a.shared = input(t, dev, c.hMid), inout(t, dev, c.shared)
				a.out = a.shared
				execute(t, dev, func(b *runtime.Batch) { k.call(b, a) })
				want.check(t, "hidden_out", a.out.Data(), sumRel)
			})
		}
	}
}

func TestMoeCombineResidualKernelsAgree(t *testing.T) {
	dev := openDevice(t)
	for _, gate := range []float32{-1.25, 0, 3, 100} {
		for _, shape := range [][2]int{{1, 1}, {7, 300}, {16, 1000}, {20, 33}} {
			t.Run(fmt.Sprintf("%d experts, dim %d, gate %g", shape[0], shape[1], gate), func(t *testing.T) {
				c := newResidualCase(shape[0], shape[1])
				c.params[16] = gate
				call := residualCall{
					residualCase: c,
					outputs:      input(t, dev, c.outputs), hMid: input(t, dev, c.hMid),
					shared: input(t, dev, c.shared), params: input(t, dev, c.params),
				}
				outs := map[string][]float32{}
				for _, k := range residualKernels {
					a := call
					a.out = output[float32](t, dev, c.dim)
					execute(t, dev, func(b *runtime.Batch) { k.call(b, a) })
					outs[k.name] = a.out.Data()
				}
				// The kernel for several tokens, here one, is given the sum of the experts.
				sum, out := output[float32](t, dev, c.dim), output[float32](t, dev, c.dim)
				execute(t, dev, func(b *runtime.Batch) {
					experts := min(c.experts, 16)
					gen.WeightedSum(b, gen.WeightedSumArgs{
						ExpertOuts: call.outputs, Weights: call.params.Slice(0, experts), Out: sum, K: uint32(experts),
						Dim: uint32(c.dim),
					})
					gen.MoeCombineResidualNTokens(b, gen.MoeCombineResidualNTokensArgs{
						HMid: call.hMid, MoeSum: sum, SharedOut: call.shared, SharedGate: call.params.Slice(16, 17), HiddenOut: out,
						NTokens: 1, Dim: uint32(c.dim),
					})
				})
				want, scale := float64s(outs["moe_combine_residual"]), c.want(1).scale
				compare(t, "moe_combine_residual_flat", outs["moe_combine_residual_flat"], want, scale, 2*sumRel)
				compare(t, "moe_combine_residual_n_tokens", out.Data(), want, scale, 2*sumRel)
				if gate == 100 { // open
					compare(t, "moe_combine_residual_unscaled", outs["moe_combine_residual_unscaled"], want, scale, 2*sumRel)
				}
			})
		}
	}
}

func TestMoeCombineResidualOfTokensGatesEachToken(t *testing.T) {
	dev := openDevice(t)
	for _, c := range []struct{ tokens, dim int }{{1, 1}, {3, 100}, {130, 7}, {5, 257}, {2, 4096}} {
		n := c.tokens * c.dim
		hMid, moeSum, shared := uniform(1, n, -3, 3), uniform(2, n, -2, 2), uniform(3, n, -2, 2)
		gate := uniform(4, c.tokens, -4, 4)
		want := newReference(n)
		for i := range n {
			want.add(i, float64(hMid[i]))
			want.add(i, float64(moeSum[i]))
			want.add(i, sigmoid64(float64(gate[i/c.dim]))*float64(shared[i]))
		}
		for _, place := range []string{"memory of its own", "h_mid", "moe_sum", "shared_out"} {
			t.Run(fmt.Sprintf("%d tokens, dim %d, hidden_out in %s", c.tokens, c.dim, place), func(t *testing.T) {
				a := gen.MoeCombineResidualNTokensArgs{SharedGate: input(t, dev, gate), NTokens: uint32(c.tokens),
					Dim: uint32(c.dim)}
				for name, arg := range map[string]struct {
					buf     *runtime.Buffer[float32]
					content []float32
				}{
					"h_mid": {&a.HMid, hMid}, "moe_sum": {&a.MoeSum, moeSum}, "shared_out": {&a.SharedOut, shared},
				} {
					if name == place {
						*arg.buf = inout(t, dev, arg.content)
						a.HiddenOut = *arg.buf
					} else {
						*arg.buf = input(t, dev, arg.content)
					}
				}
				if a.HiddenOut.Len() == 0 {
					a.HiddenOut = output[float32](t, dev, n)
				}
				execute(t, dev, func(b *runtime.Batch) { gen.MoeCombineResidualNTokens(b, a) })
				want.check(t, "hidden_out", a.HiddenOut.Data(), sumRel)
			})
		}
	}
}

func TestMoeBucketAccumulateAddsToTheTokensOfItsBucket(t *testing.T) {
	dev := openDevice(t)
	for _, c := range []struct{ bucket, dim, tokens int }{
		{1, 1, 1}, {1, 4096, 2}, {5, 100, 9}, {128, 33, 300}, {7, 257, 7},
	} {
		t.Run(fmt.Sprintf("bucket of %d, dim %d, %d tokens", c.bucket, c.dim, c.tokens), func(t *testing.T) {
			outs, weights := uniform(1, c.bucket*c.dim, -2, 2), uniform(2, c.bucket, 0.05, 1)
			before := uniform(3, c.tokens*c.dim, -3, 3)
			want := newReference(len(before))
			for i, f := range before {
				want.add(i, float64(f))
			}
			// Each token at most once, and every third entry empty where there are some.
			tokens := make([]int32, c.bucket)
			touched := map[int]bool{}
			for b, token := range random(4).Perm(c.tokens)[:c.bucket] {
				tokens[b] = int32(token)
				if b%3 == 1 {
					tokens[b] = int32(-1 - token)
					continue
				}
				touched[token] = true
				for i := range c.dim {
					want.add(token*c.dim+i, float64(weights[b])*float64(outs[b*c.dim+i]))
				}
			}
			sum := inout(t, dev, before)
			execute(t, dev, func(b *runtime.Batch) {
				gen.MoeBucketAccumulate(b, gen.MoeBucketAccumulateArgs{
					BucketOut: input(t, dev, outs), TokenIdx: input(t, dev, tokens), Weights: input(t, dev, weights), OutSum: sum,
					HiddenDim: uint32(c.dim), BucketSize: uint32(c.bucket),
				})
			})
			want.check(t, "out_sum", sum.Data(), sumRel)
			for token := range c.tokens {
				if at := token * c.dim; !touched[token] {
					sameBits(t, fmt.Sprintf("token %d, not in the bucket", token), sum.Data()[at:at+c.dim], before[at:at+c.dim])
				}
			}
		})
	}
}

func TestBucketsOfAllExpertsEqualTheWeightedSums(t *testing.T) {
	dev := openDevice(t)
	const experts, topK, tokens, dim = 6, 3, 5, 70
	outs := uniform(1, tokens*topK*dim, -2, 2) // of a token's experts
	weights := uniform(2, tokens*topK, 0.05, 1)
	chosen := make([][]int, tokens)
	r := random(3)
	for token := range chosen {
		chosen[token] = r.Perm(experts)[:topK]
	}
	bySlot, byBucket := output[float32](t, dev, tokens*dim), inout(t, dev, make([]float32, tokens*dim))
	terms := newReference(tokens * dim)
	execute(t, dev, func(b *runtime.Batch) {
		for token := range tokens {
			first := token * topK
			gen.WeightedSum(b, gen.WeightedSumArgs{
				ExpertOuts: input(t, dev, outs[first*dim:][:topK*dim]), Weights: input(t, dev, weights[first:][:topK]),
				Out: bySlot.Slice(token*dim, (token+1)*dim), K: topK, Dim: dim,
			})
		}
		for expert := range experts {
			var bucket, bucketWeights []float32
			var bucketTokens []int32
			for token := range tokens {
				for k, e := range chosen[token] {
					if e != expert {
						continue
					}
					slot := token*topK + k
					bucket = append(bucket, outs[slot*dim:][:dim]...)
					bucketWeights = append(bucketWeights, weights[slot])
					bucketTokens = append(bucketTokens, int32(token))
					for i := range dim {
						terms.add(token*dim+i, float64(weights[slot])*float64(outs[slot*dim+i]))
					}
				}
			}
			if len(bucketTokens) == 0 {
				continue
			}
			gen.MoeBucketAccumulate(b, gen.MoeBucketAccumulateArgs{
				BucketOut: input(t, dev, bucket), TokenIdx: input(t, dev, bucketTokens), Weights: input(t, dev, bucketWeights),
				OutSum:    byBucket,
				HiddenDim: dim, BucketSize: uint32(len(bucketTokens)),
			})
		}
	})
	terms.check(t, "by slot", bySlot.Data(), sumRel)
	compare(t, "by bucket", byBucket.Data(), float64s(bySlot.Data()), terms.scale, 2*sumRel)
}
