package gen_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// separated returns n logits in random order, next to each other at a distance that no
// rounding bridges, and close enough for no probability to be too small for a
// float32.
func separated(seed uint64, n int) []float32 {
	step := min(0.05, 40/float64(n))
	s := uniform(seed, n, 0, float32(step/4))
	for i, place := range random(seed + 1000).Perm(n) {
		s[i] += float32(step * (float64(place) - float64(n)/2))
	}
	return s
}

// separatedRows returns such logits for each of so many tokens.
func separatedRows(tokens, n int) []float32 {
	var s []float32
	for token := range tokens {
		s = append(s, separated(uint64(token+1), n)...)
	}
	return s
}

// unmasked returns logits, with -infinity for NaN: both belong to masked experts. An
// infinite logit counts as the largest finite one, by shaders/expert_choice.h.
func unmasked(logits []float32) []float64 {
	s := float64s(logits)
	for i, f := range s {
		switch {
		case math.IsNaN(f):
			s[i] = math.Inf(-1)
		case math.IsInf(f, 1):
			s[i] = math.MaxFloat32
		}
	}
	return s
}

// fallingOrder returns the indices of scores by falling score, the lower index first
// among equals.
func fallingOrder(scores []float64) []int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	return order
}

// routing is what a token is to get.
type routing struct {
	ids                []int
	weights, tolerance []float64
}

// route chooses as fused_moe_routing_f32 documents it. The divisor of the softmax
// over all experts cancels when the weights are normalised, which leaves a softmax
// over those chosen.
func route(logits, scale []float32, topK int) routing {
	scores := unmasked(logits)
	r := routing{ids: fallingOrder(scores)[:min(topK, len(logits))]}
	var chosen []float64
	for _, e := range r.ids {
		chosen = append(chosen, scores[e])
	}
	r.weights, r.tolerance = softmax64(chosen)
	for i, e := range r.ids {
		r.weights[i] *= float64(scale[e])
		r.tolerance[i] *= math.Abs(float64(scale[e]))
	}
	return r.upTo(topK)
}

// upTo returns r with expert 0 and weight 0 in the places that are left.
func (r routing) upTo(k int) routing {
	for len(r.ids) < k {
		r.ids, r.weights, r.tolerance = append(r.ids, 0), append(r.weights, 0), append(r.tolerance, 0)
	}
	return r
}

// check compares what a token got, its experts exactly.
func (r routing) check(t *testing.T, name string, ids []uint32, weights []float32) {
	t.Helper()
	have := make([]int, len(ids))
	for i, id := range ids {
		have[i] = int(id)
	}
	if !slices.Equal(have, r.ids) {
		t.Errorf("%s: experts %v, want %v", name, have, r.ids)
	}
	compare(t, name+", weights", weights, r.weights, r.tolerance, 1)
}

// routingShape is a call of a kernel that routes.
type routingShape struct {
	experts, topK, tokens int
	threads               int // of a threadgroup, 0 for what the source states
}

func (s routingShape) String() string {
	name := fmt.Sprintf("%d of %d experts, %d tokens", s.topK, s.experts, s.tokens)
	if s.threads > 0 {
		name += fmt.Sprintf(", threadgroups of %d", s.threads)
	}
	return name
}

var routingShapes = []routingShape{
	{experts: 1, topK: 1, tokens: 1},
	{experts: 20, topK: 3, tokens: 7},
	{experts: 128, topK: 8, tokens: 4},
	{experts: 128, topK: 1, tokens: 3},
	{experts: 100, topK: 100, tokens: 1},
	{experts: 300, topK: 6, tokens: 2},
	{experts: 2000, topK: 8, tokens: 1},
	{experts: 3, topK: 5, tokens: 2}, // more than there are
	{experts: 128, topK: 8, tokens: 2, threads: 1},
	{experts: 128, topK: 8, tokens: 2, threads: 33},
	{experts: 50, topK: 4, tokens: 2, threads: 512},
}

// routed runs fused_moe_routing_batch_f32.
func routed(t *testing.T, dev *runtime.Device, s routingShape, logits, scale []float32) (ids []uint32,
	weights []float32) {
	t.Helper()
	a := gen.FusedMoeRoutingBatchF32Args{
		LogitsAll:      input(t, dev, logits),
		ExpertIdsAll:   output[uint32](t, dev, s.tokens*s.topK),
		PerExpertScale: input(t, dev, scale),
		Params:         gen.FusedMoeRoutingParams{NumExperts: uint32(s.experts), TopK: uint32(s.topK)},
		Grid:           groupsOf(s.tokens, s.threads),
	}
	a.RoutingWeightsAll = output[float32](t, dev, s.tokens*s.topK)
	execute(t, dev, func(b *runtime.Batch) { gen.FusedMoeRoutingBatchF32(b, a) })
	return a.ExpertIdsAll.Data(), a.RoutingWeightsAll.Data()
}

func TestFusedRoutingChoosesTheMostProbableExperts(t *testing.T) {
	dev := openDevice(t)
	for _, s := range routingShapes {
		t.Run(s.String(), func(t *testing.T) {
			logits, scale := separatedRows(s.tokens, s.experts), uniform(1, s.experts, 0.5, 2)
			ids, weights := routed(t, dev, s, logits, scale)
			for token := range s.tokens {
				row := logits[token*s.experts:][:s.experts]
				first, end := token*s.topK, (token+1)*s.topK
				route(row, scale, s.topK).check(t, fmt.Sprintf("token %d", token), ids[first:end], weights[first:end])
			}
		})
	}
}

func TestRoutingOneTokenEqualsItsRowOfABatch(t *testing.T) {
	dev := openDevice(t)
	for _, s := range routingShapes {
		t.Run(s.String(), func(t *testing.T) {
			logits, scale := separatedRows(s.tokens, s.experts), uniform(1, s.experts, 0.5, 2)
			batchIDs, batchWeights := routed(t, dev, s, logits, scale)
			ids, weights := output[uint32](t, dev, s.tokens*s.topK), output[float32](t, dev, s.tokens*s.topK)
			execute(t, dev, func(b *runtime.Batch) {
				for token := range s.tokens {
					first, end := token*s.topK, (token+1)*s.topK
					gen.FusedMoeRoutingF32(b, gen.FusedMoeRoutingF32Args{
						Logits:    input(t, dev, logits[token*s.experts:][:s.experts]),
						ExpertIds: ids.Slice(first, end), RoutingWeights: weights.Slice(first, end), PerExpertScale: input(t, dev, scale),
						Params: gen.FusedMoeRoutingParams{NumExperts: uint32(s.experts), TopK: uint32(s.topK)},
						Grid:   groupsOf(2, s.threads), // the second threadgroup has nothing to do
					})
				}
			})
			if !slices.Equal(ids.Data(), batchIDs) {
				t.Errorf("experts %v, in the batch %v", ids.Data(), batchIDs)
			}
			sameBits(t, "weights", weights.Data(), batchWeights)
		})
	}
}

// specialLogits are rows whose routing is documented apart from that of others.
var specialLogits = []struct {
	name   string
	logits []float32
	topK   int
}{
	{"equal logits", []float32{1, 1, 1, 1, 1}, 3},
	{"equal logits below a larger one", []float32{0, 2, 0, 3, 2, 0, 2}, 4},
	{"equal logits on both sides of the last place", []float32{2, 1, 5, 2, 2, 1}, 3},
	{"zeros of both signs", []float32{float32(math.Copysign(0, -1)), 0, float32(math.Copysign(0, -1)), 0}, 3},
	{"masked experts", []float32{float32(math.Inf(-1)), 1, float32(math.NaN()), 2, 0.5, float32(math.Inf(-1))}, 2},
	{"fewer experts than asked for are not masked", []float32{float32(math.NaN()), 1, float32(math.Inf(-1)), 2}, 3},
	{"all experts masked",
		[]float32{float32(math.NaN()), float32(math.Inf(-1)), float32(math.NaN()), float32(math.Inf(-1))}, 3},
	{"all experts masked, and more asked for than there are", []float32{float32(math.Inf(-1)), float32(math.NaN())}, 4},
	{"an infinite logit", []float32{3, float32(math.Inf(1)), 2}, 1},
	{"two infinite logits", []float32{3, float32(math.Inf(1)), 2, float32(math.Inf(1)), float32(math.NaN())}, 2},
	{"large logits", []float32{1000, 999, 998, 1000}, 3},
	{"small logits", []float32{-1000, -999, -998, -1000}, 3},
}

func TestFusedRoutingOfEqualAndMaskedExperts(t *testing.T) {
	dev := openDevice(t)
	for _, c := range specialLogits {
		t.Run(c.name, func(t *testing.T) {
			scale := uniform(1, len(c.logits), 0.5, 2)
			ids, weights := routed(t, dev, routingShape{experts: len(c.logits), topK: c.topK, tokens: 1}, c.logits, scale)
			route(c.logits, scale, c.topK).check(t, "the token", ids, weights)
		})
	}
}

func TestFusedRoutingDoesNotNormaliseTheScaleAway(t *testing.T) {
	dev := openDevice(t)
	logits := separatedRows(1, 20)
	s := routingShape{experts: 20, topK: 4, tokens: 1}
	ids, weights := routed(t, dev, s, logits, slices.Repeat([]float32{1}, 20))
	scaledIDs, scaled := routed(t, dev, s, logits, slices.Repeat([]float32{0.125}, 20))
	if !slices.Equal(ids, scaledIDs) {
		t.Errorf("experts %v, without scale %v", scaledIDs, ids)
	}
	sum := newReference(1)
	for i, w := range weights {
		sum.add(0, float64(w))
		weights[i] *= 0.125 // exact
	}
	if got := sum.want[0]; math.Abs(got-1) > sumRel {
		t.Errorf("weights add up to %v", got)
	}
	sameBits(t, "weights", scaled, weights)
}

// keep chooses as moe_softmax_topk documents it.
func keep(logits []float32, k int) routing {
	scores := unmasked(logits)
	probs, tolerance := softmax64(scores)
	var kept []int // by place
	for e := range probs {
		if len(kept) < k {
			kept = append(kept, e) // empty places go first, from the first one on
			continue
		}
		lowest := 0
		for place := range kept {
			if probs[kept[place]] < probs[kept[lowest]] {
				lowest = place
			}
		}
		if probs[e] > probs[kept[lowest]] {
			kept[lowest] = e
		}
	}
	r := routing{ids: kept}
	for _, e := range kept {
		r.weights, r.tolerance = append(r.weights, probs[e]), append(r.tolerance, tolerance[e])
	}
	return r.upTo(k)
}

// keptOf runs moe_softmax_topk. Its experts are indices that are not negative.
func keptOf(t *testing.T, dev *runtime.Device, s routingShape, logits []float32) (ids []uint32,
	weights runtime.Buffer[float32]) {
	t.Helper()
	indices := output[int32](t, dev, s.tokens*s.topK)
	weights = output[float32](t, dev, s.tokens*s.topK)
	execute(t, dev, func(b *runtime.Batch) {
		gen.MoeSoftmaxTopk(b, gen.MoeSoftmaxTopkArgs{
			Logits: input(t, dev, logits), OutIndices: indices, OutWeights: weights, NExperts: uint32(s.experts),
			K:    uint32(s.topK),
			Grid: groupsOf(s.tokens, s.threads),
		})
	})
	return runtime.Cast[uint32](indices).Data(), weights
}

func TestSoftmaxTopkKeepsTheMostProbableExpertsInTheirPlaces(t *testing.T) {
	dev := openDevice(t)
	shapes := append(slices.Clone(routingShapes),
		// Probabilities beyond 512 experts are not staged.
		routingShape{experts: 511, topK: 8, tokens: 1}, routingShape{experts: 512, topK: 8, tokens: 1},
		routingShape{experts: 513, topK: 8, tokens: 2})
	for _, s := range shapes {
		t.Run(s.String(), func(t *testing.T) {
			logits := separatedRows(s.tokens, s.experts)
			ids, weights := keptOf(t, dev, s, logits)
			for token := range s.tokens {
				first, end := token*s.topK, (token+1)*s.topK
				keep(logits[token*s.experts:][:s.experts], s.topK).check(t, fmt.Sprintf("token %d", token), ids[first:end],
					weights.Data()[first:end])
			}
		})
	}
	for _, c := range specialLogits {
		t.Run(c.name, func(t *testing.T) {
			ids, weights := keptOf(t, dev, routingShape{experts: len(c.logits), topK: c.topK, tokens: 1}, c.logits)
			keep(c.logits, c.topK).check(t, "the token", ids, weights.Data())
		})
	}
}

func TestNormalisedSoftmaxTopkEqualsFusedRouting(t *testing.T) {
	dev := openDevice(t)
	for _, s := range []routingShape{
		{experts: 20, topK: 3, tokens: 7}, {experts: 128, topK: 8, tokens: 4}, {experts: 600, topK: 6, tokens: 1},
	} {
		t.Run(s.String(), func(t *testing.T) {
			logits := separatedRows(s.tokens, s.experts)
			fusedIDs, fusedWeights := routed(t, dev, s, logits, slices.Repeat([]float32{1}, s.experts))
			ids, kept := keptOf(t, dev, s, logits)
			execute(t, dev, func(b *runtime.Batch) {
				gen.MoeNormalizeWeights(b, gen.MoeNormalizeWeightsArgs{Weights: kept, K: uint32(s.topK)})
			})
			for token := range s.tokens {
				first := token * s.topK
				weights := kept.Data()[first:][:s.topK]
				want := route(logits[token*s.experts:][:s.experts], slices.Repeat([]float32{1}, s.experts), s.topK)
				// The fused kernel sorts what it chooses.
				order := fallingOrder(float64s(weights))
				for i, place := range order {
					if id := fusedIDs[first+i]; ids[first+place] != id {
						t.Errorf("token %d: expert %d in place %d, want %d", token, ids[first+place], place, id)
					}
					compare(t, fmt.Sprintf("token %d, place %d", token, place), weights[place:place+1],
						float64s(fusedWeights[first+i:][:1]), want.tolerance[i:i+1], 3)
				}
			}
		})
	}
}

func TestNormalizeWeightsDividesByTheSum(t *testing.T) {
	dev := openDevice(t)
	for _, c := range []struct{ k, tokens int }{{1, 1}, {1, 130}, {8, 4}, {100, 3}, {300, 7}, {4096, 1}} {
		t.Run(fmt.Sprintf("%d weights, %d tokens", c.k, c.tokens), func(t *testing.T) {
			before := uniform(1, c.k*c.tokens, 0.01, 1)
			want := float64s(before)
			for row := 0; row < len(want); row += c.k {
				sum := 0.0
				for _, w := range want[row : row+c.k] {
					sum += w
				}
				for i := range c.k {
					want[row+i] /= sum
				}
			}
			weights := inout(t, dev, before)
			execute(t, dev, func(b *runtime.Batch) {
				gen.MoeNormalizeWeights(b, gen.MoeNormalizeWeightsArgs{Weights: weights, K: uint32(c.k)})
			})
			compare(t, "weights", weights.Data(), want, nil, sumRel)
		})
	}
}

func TestNormalizeWeightsLeavesSumsThatAreNotPositive(t *testing.T) {
	dev := openDevice(t)
	before := []float32{
		0, 0, 0, 0,
		-1, -2, 1, 1.5, // adds up to -0.5
		2, -2, 1, -1, // adds up to 0
		1, 2, -1, 2, // adds up to 4
	}
	weights := inout(t, dev, before)
	execute(t, dev, func(b *runtime.Batch) {
		gen.MoeNormalizeWeights(b, gen.MoeNormalizeWeightsArgs{Weights: weights, K: 4})
	})
	sameBits(t, "rows that stay", weights.Data()[:12], before[:12])
	compare(t, "row that does not", weights.Data()[12:], []float64{0.25, 0.5, -0.25, 0.5}, nil, elementRel)
}
