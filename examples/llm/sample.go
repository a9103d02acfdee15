package main

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// sampler chooses the token that follows.
type sampler struct {
	temperature float64 // logits are divided by it; with 0 the most probable token is chosen
	top         int     // so many of the most probable tokens are considered, or all for 0
	random      *rand.Rand
}

func (s sampler) choose(logits []float32) int {
	order := make([]int, len(logits))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(logits[b], logits[a]) })
	if s.temperature == 0 {
		return order[0]
	}
	if s.top > 0 {
		order = order[:min(s.top, len(order))]
	}
	shares, total := make([]float64, len(order)), 0.0
	for i, token := range order {
		shares[i] = math.Exp(float64(logits[token]-logits[order[0]]) / s.temperature)
		total += shares[i]
	}
	left := s.random.Float64() * total
	for i, share := range shares {
		if left -= share; left < 0 {
			return order[i]
		}
	}
	return order[len(order)-1]
}
