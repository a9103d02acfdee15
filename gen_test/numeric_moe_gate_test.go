package gen_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// gateInput has the inputs of moe_gate.
type gateInput struct {
	dim, experts, topK, tokens int
	eps                        float32
	hidden                     []uint16 // bfloat16 bits
	router, norm, scale        []float32
}

// logitRel is the tolerance of logits relative to the sum of the absolute values
// of their terms: the sums of the tests are of random numbers of either sign, whose
// errors cancel as well, so that this is some thirty times what is to be expected.
const logitRel = 2e-6

// newGateInput makes tokens, each with logits so far apart that no
// rounding changes the choice.
func newGateInput(t *testing.T, dim, experts, topK, tokens int, eps float32) *gateInput {
	t.Helper()
	x := &gateInput{
		dim: dim, experts: experts, topK: topK, tokens: tokens, eps: eps,
		router: uniform(1, experts*dim, -0.5, 0.5),
		norm:   uniform(2, dim, 0.5, 1.5),
		scale:  uniform(3, experts, 0.5, 2),
	}
	x.draw(t)
	return x
}

// draw replaces the tokens.
func (x *gateInput) draw(t *testing.T) {
	t.Helper()
	x.hidden = nil
	for seed := uint64(10); len(x.hidden) < x.tokens*x.dim; seed++ {
		if seed > 1000 {
			t.Fatal("no tokens with logits far enough apart")
		}
		hidden := uniformBF16(seed, x.dim, -2, 2)
		logits, tolerance := x.logits(hidden)
		order := fallingOrder(logits)
		near := false
		for i := 1; i < min(x.topK+1, x.experts); i++ {
			near = near || logits[order[i-1]]-logits[order[i]] < tolerance[order[i-1]]+tolerance[order[i]]
		}
		if !near {
			x.hidden = append(x.hidden, hidden...)
		}
	}
}

// logits returns those of one token, and how far off they may be. Those that are not
// finite are of masked experts.
func (x *gateInput) logits(hidden []uint16) (logits, tolerance []float64) {
	normed := make([]float64, x.dim)
	for i := range normed {
		normed[i] = bf16(hidden[i])
	}
	by := inverseRMS(normed, x.eps)
	logits, tolerance = make([]float64, x.experts), make([]float64, x.experts)
	for e := range logits {
		for i := range normed {
			term := normed[i] * by * float64(x.norm[i]) * float64(x.router[e*x.dim+i])
			logits[e] += term
			tolerance[e] += logitRel * math.Abs(term)
		}
		if math.IsNaN(logits[e]) || math.IsInf(logits[e], -1) {
			logits[e], tolerance[e] = math.Inf(-1), 0
		}
	}
	return logits, tolerance
}

// route returns what a token is to get: the products of softmax over those chosen and
// their scale, normalised.
func (x *gateInput) route(hidden []uint16) routing {
	logits, errors := x.logits(hidden)
	r := routing{ids: fallingOrder(logits)[:min(x.topK, x.experts)]}
	var chosen []float64
	logitError := 0.0
	for _, e := range r.ids {
		chosen = append(chosen, logits[e])
		logitError = max(logitError, errors[e])
	}
	r.weights, r.tolerance = softmax64(chosen)
	sum, sumError := 0.0, 0.0
	for i, e := range r.ids {
		// A logit that is off by e makes a weight wrong by the factor exp(e), and
		// the divisor by no more than that.
		r.tolerance[i] += 2 * logitError * r.weights[i]
		r.weights[i] *= float64(x.scale[e])
		r.tolerance[i] *= math.Abs(float64(x.scale[e]))
		sum += r.weights[i]
		sumError += r.tolerance[i]
	}
	for i := range r.ids {
		if sum == 0 {
			r.weights[i], r.tolerance[i] = 0, 0
			continue
		}
		r.weights[i] /= sum
		r.tolerance[i] = r.tolerance[i]/sum + math.Abs(r.weights[i])*(sumError/math.Abs(sum)+sumRel)
	}
	return r.upTo(x.topK)
}

// run returns what the kernel chooses, with so many threads in a threadgroup, or as
// many as the source states for 0.
func (x *gateInput) run(t *testing.T, dev *runtime.Device, threads int) (ids []uint32, weights []float32) {
	t.Helper()
	hidden := input(t, dev, x.hidden)
	a := gen.MoeGateArgs{
		HiddenState:    runtime.Cast[runtime.BFloat16](hidden),
		RouterWeights:  input(t, dev, x.router),
		NormWeight:     input(t, dev, x.norm),
		PerExpertScale: input(t, dev, x.scale),
		ExpertIds:      output[uint32](t, dev, x.tokens*x.topK),
		ExpertWeights:  output[float32](t, dev, x.tokens*x.topK),
		HiddenDim:      uint32(x.dim), NExperts: uint32(x.experts), TopK: uint32(x.topK), RmsEps: x.eps,
		Grid: groupsOf(x.tokens, threads),
	}
	execute(t, dev, func(b *runtime.Batch) { gen.MoeGate(b, a) })
	return a.ExpertIds.Data(), a.ExpertWeights.Data()
}

func (x *gateInput) check(t *testing.T, ids []uint32, weights []float32) {
	t.Helper()
	for token := range x.tokens {
		first, end := token*x.topK, (token+1)*x.topK
		x.route(x.hidden[token*x.dim:][:x.dim]).check(t, fmt.Sprintf("token %d", token), ids[first:end], weights[first:end])
	}
}

func TestMoeGateRoutesFromTheHiddenState(t *testing.T) {
	dev := openDevice(t)
	for _, c := range []struct {
		dim, experts, topK, tokens int
		eps                        float32
		threads                    int
	}{
		{1, 1, 1, 1, 1e-6, 0},
		{103, 20, 3, 7, 1e-5, 0},
		{33, 130, 130, 1, 0.5, 0},
		{2048, 128, 8, 2, 1e-6, 0},
		{4096, 128, 8, 1, 1e-6, 0},
		{(32768-512)/4 - 20, 20, 4, 1, 1e-6, 0}, // all of the threadgroup memory
		{64, 3, 5, 2, 1e-6, 0},                  // more than there are
		{50, 700, 6, 1, 1e-6, 0},
		{100, 20, 4, 2, 1e-6, 1},
		{100, 20, 4, 2, 1e-6, 33},
		{100, 20, 4, 2, 1e-6, 512},
	} {
		t.Run(fmt.Sprintf("hidden_dim %d, %d of %d experts, %d tokens, eps %g, threadgroups of %d", c.dim, c.topK, c.experts,
			c.tokens, c.eps, c.threads), func(t *testing.T) {
			x := newGateInput(t, c.dim, c.experts, c.topK, c.tokens, c.eps)
			ids, weights := x.run(t, dev, c.threads)
			x.check(t, ids, weights)
			for token := range c.tokens {
				sum := 0.0
				for _, w := range weights[token*c.topK:][:c.topK] {
					sum += float64(w)
				}
				if math.Abs(sum-1) > sumRel {
					t.Errorf("token %d: weights add up to %v", token, sum)
				}
			}
		})
	}
}

func TestMoeGateOfEqualAndMaskedExperts(t *testing.T) {
	dev := openDevice(t)
	const dim, experts, topK = 70, 10, 4
	nan, infinity := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		name   string
		topK   int
		change func(x *gateInput)
	}{
		{"equal experts are taken by rising index", topK, func(x *gateInput) {
			for e := range experts {
				copy(x.router[e*dim:][:dim], x.router[:dim])
			}
		}},
		{"the first of two equal experts is taken", 1, func(x *gateInput) {
			order := x.route(x.hidden[:dim]).ids
			row := x.router[order[0]*dim:][:dim]
			best := slices.Clone(row)
			clear(row)
			copy(x.router[3*dim:], best)
			copy(x.router[7*dim:], best)
		}},
		{"masked by NaN", topK, func(x *gateInput) {
			for _, e := range x.route(x.hidden[:dim]).ids[:2] {
				x.router[e*dim+5] = nan
			}
		}},
		{"masked by -infinity", topK, func(x *gateInput) {
			for _, e := range x.route(x.hidden[:dim]).ids[:2] {
				x.router[e*dim+5] = -infinity
				if x.hidden[5]>>15 == 1 { // a negative one
					x.router[e*dim+5] = infinity
				}
			}
		}},
		{"fewer experts than asked for are not masked", topK, func(x *gateInput) {
			for e := 2; e < experts; e++ {
				x.router[e*dim] = nan
			}
		}},
		{"all experts masked", topK, func(x *gateInput) {
			for e := range experts {
				x.router[e*dim] = nan
			}
		}},
		{"all experts masked, and more asked for than there are", experts + 3, func(x *gateInput) {
			for e := range experts {
				x.router[e*dim] = nan
			}
		}},
		{"scales of zero", topK, func(x *gateInput) { clear(x.scale) }},
		{"scales that cancel", 2, func(x *gateInput) {
			for e := range experts {
				copy(x.router[e*dim:][:dim], x.router[:dim])
			}
			x.scale[0], x.scale[1] = 1, -1
		}},
		{"a state of zeros", topK, func(x *gateInput) { clear(x.hidden) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newGateInput(t, dim, experts, experts, 1, 1e-6)
			c.change(x)
			x.topK = c.topK
			ids, weights := x.run(t, dev, 0)
			x.check(t, ids, weights)
		})
	}
}

func TestMoeGateTreatsEachTokenAlike(t *testing.T) {
	dev := openDevice(t)
	x := newGateInput(t, 103, 20, 3, 5, 1e-6)
	ids, weights := x.run(t, dev, 0)
	for token := range x.tokens {
		one := *x
		one.tokens, one.hidden = 1, x.hidden[token*x.dim:][:x.dim]
		oneIDs, oneWeights := one.run(t, dev, 0)
		first, end := token*x.topK, (token+1)*x.topK
		if !slices.Equal(ids[first:end], oneIDs) {
			t.Errorf("token %d: experts %v, by itself %v", token, ids[first:end], oneIDs)
		}
		sameBits(t, fmt.Sprintf("token %d, weights", token), weights[first:end], oneWeights)
	}
}

func TestMoeGateEqualsItsPartsInTurn(t *testing.T) {
	dev := openDevice(t)
	for _, c := range []struct{ dim, experts, topK int }{{64, 5, 2}, {256, 20, 3}, {2048, 128, 8}} {
		t.Run(fmt.Sprintf("hidden_dim %d, %d of %d experts", c.dim, c.topK, c.experts), func(t *testing.T) {
			x := newGateInput(t, c.dim, c.experts, c.topK, 1, 1e-6)
			// The parts take a router of bfloat16s, and scale after normalising.
			router := make([]uint16, len(x.router))
			for i, f := range x.router {
				router[i] = uint16(math.Float32bits(f) >> 16)
				x.router[i] = float32(bf16(router[i]))
			}
			for i := range x.scale {
				x.scale[i] = 1
			}
			x.draw(t) // for the other router
			gateIDs, gateWeights := x.run(t, dev, 0)

			hidden := input(t, dev, float32s(x.hidden))
			sumSq, normed, logits := output[float32](t, dev, 1), output[float32](t, dev, c.dim),
				output[float32](t, dev, c.experts)
			ids, weights := output[uint32](t, dev, c.topK), output[float32](t, dev, c.topK)
			execute(t, dev, func(b *runtime.Batch) {
				gen.RmsNormSumSq(b, gen.RmsNormSumSqArgs{X: hidden, SumSq: sumSq, Dim: uint32(c.dim)})
				gen.RmsNormApply(b, gen.RmsNormApplyArgs{
					X: hidden, Weight: input(t, dev, x.norm), SumSq: sumSq, Out: normed, Dim: uint32(c.dim), Eps: x.eps,
				})
				gen.Bf16Matvec(b, gen.Bf16MatvecArgs{
					W: input(t, dev, router), Input: normed, Output: logits, OutDim: uint32(c.experts), InDim: uint32(c.dim),
				})
				gen.FusedMoeRoutingF32(b, gen.FusedMoeRoutingF32Args{
					Logits: logits, ExpertIds: ids, RoutingWeights: weights, PerExpertScale: input(t, dev, x.scale),
					Params: gen.FusedMoeRoutingParams{NumExperts: uint32(c.experts), TopK: uint32(c.topK)},
				})
			})
			if !slices.Equal(ids.Data(), gateIDs) {
				t.Errorf("experts %v in turn, %v in one kernel", ids.Data(), gateIDs)
			}
			compare(t, "weights", weights.Data(), float64s(gateWeights), x.route(x.hidden).tolerance, 2)
		})
	}
}
