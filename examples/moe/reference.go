package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// tolerance is how far a number may be from its reference, as a share of the root mean square of what the layer adds to
// the tokens. See README.md for why this much.
const tolerance = 1e-5

// compare returns the largest difference of what a device made of tokens, as a share of what the layer adds to them.
func (l *layer) compare(t *tokens) (float64, error) {
	largest, squares := 0.0, 0.0
	for i := range t.count {
		hidden := part(t.hidden, i, l.dim).Data()
		want, chosen := l.reference(hidden)
		for place, e := range part(t.chosen, i, l.top).Data() {
			if int(e) != chosen[place] {
				return 0, fmt.Errorf("token %d has chosen the experts %v, want %v", i, part(t.chosen, i, l.top).Data(), chosen)
			}
		}
		for j, got := range part(t.out, i, l.dim).Data() {
			added := want[j] - float64(hidden[j])
			squares += added * added
			largest = max(largest, math.Abs(float64(got)-want[j])) // and NaN, if there is one
		}
	}
	largest /= math.Sqrt(squares / float64(t.count*l.dim))
	if !(largest <= tolerance) {
		return largest, fmt.Errorf("the largest difference is %.1e, want %.1e at most", largest, tolerance)
	}
	return largest, nil
}

// reference returns what the layer makes of a token, in float64, and the experts that the token chooses. It is the
// layer as one would define it.
func (l *layer) reference(token []float32) (out []float64, chosen []int) {
	x := l.normalized(token)
	logits := make([]float64, l.config.experts)
	for e := range logits {
		logits[e] = dot(l.router[e*l.dim:][:l.dim], x)
		chosen = append(chosen, e)
	}
	slices.SortStableFunc(chosen, func(a, b int) int { return cmp.Compare(logits[b], logits[a]) })
	chosen = chosen[:l.top]
	total := 0.0
	for _, e := range chosen {
		total += math.Exp(logits[e])
	}

	for _, t := range token {
		out = append(out, float64(t))
	}
	add := func(weight float64, terms []float64) {
		for i, t := range terms {
			out[i] += weight * t
		}
	}
	for _, e := range chosen {
		add(math.Exp(logits[e])/total*float64(l.scale[e]), l.experts.of(x, e))
	}
	add(sigmoid(dot(l.sharedRouter, x)), l.shared.of(x, 0))
	return out, chosen
}

// normalized returns a token divided by its root mean square, times the weights of the norm.
func (l *layer) normalized(token []float32) []float64 {
	squares := 0.0
	for _, t := range token {
		squares += float64(t) * float64(t)
	}
	x := make([]float64, l.dim)
	for i, t := range token {
		x[i] = float64(t) / math.Sqrt(squares/float64(l.dim)+epsilon) * float(l.norm[i])
	}
	return x
}

// of returns what an expert makes of x.
func (f feedForward) of(x []float64, expert int) []float64 {
	gate, up := f.gate.times(x, expert, f.down.cols), f.up.times(x, expert, f.down.cols)
	for i, g := range gate {
		gate[i] = g * sigmoid(g) * up[i]
	}
	return f.down.times(gate, expert, len(x))
}

// times multiplies one part of a matrix, of so many rows, by x.
func (m matrix) times(x []float64, part, rows int) []float64 {
	out := make([]float64, rows)
	for row := range out {
		for col := range x {
			out[row] += m.at(part*rows+row, col) * x[col]
		}
	}
	return out
}

func dot(w []uint16, x []float64) float64 {
	sum := 0.0
	for i := range w {
		sum += float(w[i]) * x[i]
	}
	return sum
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
