package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	mtl "github.com/metalgen/metalgen/runtime"
)

// config is the size of a layer.
type config struct {
	dim     int // numbers of a token
	ffn     int // numbers inside of an expert
	experts int // to choose from
	top     int // that a token chooses
}

// How much there may be of what, for the memory that it takes.
const (
	most        = 1 << 15 // numbers of a token, and inside of an expert
	mostWeights = 1 << 28 // in the matrices of all experts
	mostTokens  = 1 << 12
)

// check returns what is wrong with a config.
func (c config) check() error {
	switch {
	case c.dim < group || c.dim > most || c.dim%group != 0:
		return fmt.Errorf("-dim is %d, want a multiple of %d up to %d", c.dim, group, most)
	case c.ffn < group || c.ffn > most || c.ffn%group != 0:
		return fmt.Errorf("-ffn is %d, want a multiple of %d up to %d", c.ffn, group, most)
	case c.top < 1 || c.experts < c.top:
		return fmt.Errorf("%d of %d experts cannot be chosen", c.top, c.experts)
	case c.experts > mostWeights/(c.dim*c.ffn):
		return fmt.Errorf("%d experts are too many", c.experts)
	}
	return nil
}

// layer is the feed-forward half of a layer of a mixture-of-experts model. It adds to each token what the experts make
// of it that it chooses, and an expert that all tokens share.
type layer struct {
	config
	norm         []uint16  // [dim] bfloat16
	router       []uint16  // [experts, dim] bfloat16
	sharedRouter []uint16  // [dim] bfloat16, of the gate of the shared expert
	scale        []float32 // [experts]
	experts      feedForward
	shared       feedForward
}

// epsilon is added to the mean square in the norm.
const epsilon = 1e-6

// feedForward is an expert: down * (silu(gate * x) * (up * x)). Several lie below each other in the same matrices.
type feedForward struct{ gate, up, down matrix }

// matrix is a matrix of 4-bit weights, eight to a word. So many in a row as group says share a scale and a bias,
// which are bfloat16: a weight is bits*scale + bias.
type matrix struct {
	rows, cols     int
	words          []uint32
	scales, biases []uint16
}

const group = 64

// newLayer returns a layer with random weights, the same for the same seed. Sums have variances of about 1.
func newLayer(c config, seed uint64) *layer {
	r := rand.New(rand.NewPCG(seed, 0))
	expert := func(n int) feedForward {
		return feedForward{
			gate: quantize(n*c.ffn, c.dim, normal(r, n*c.ffn*c.dim, c.dim)),
			up:   quantize(n*c.ffn, c.dim, normal(r, n*c.ffn*c.dim, c.dim)),
			down: quantize(n*c.dim, c.ffn, normal(r, n*c.dim*c.ffn, c.ffn)),
		}
	}
	l := &layer{
		config: c,
		norm:   make([]uint16, c.dim), scale: make([]float32, c.experts),
		router: bfloat16s(normal(r, c.experts*c.dim, c.dim)), sharedRouter: bfloat16s(normal(r, c.dim, c.dim)),
		experts: expert(c.experts), shared: expert(1),
	}
	for i := range l.norm {
		l.norm[i] = bfloat16(0.5 + r.Float32())
	}
	for i := range l.scale {
		l.scale[i] = 0.5 + r.Float32()
	}
	return l
}

// normal returns n weights of products that add up so many terms.
func normal(r *rand.Rand, n, terms int) []float32 {
	weights := make([]float32, n)
	for i := range weights {
		weights[i] = float32(r.NormFloat64() / math.Sqrt(float64(terms)))
	}
	return weights
}

func bfloat16(f float32) uint16 { return uint16(mtl.NewBFloat16(f)) }

func bfloat16s(weights []float32) []uint16 {
	bits := make([]uint16, len(weights))
	for i, w := range weights {
		bits[i] = bfloat16(w)
	}
	return bits
}

// float returns the value of a bfloat16.
func float(bits uint16) float64 { return float64(mtl.BFloat16(bits).Float32()) }

// quantize spreads the sixteen values that a weight of a group can have evenly from the least one to the greatest.
// The columns are a multiple of the group.
func quantize(rows, cols int, weights []float32) matrix {
	m := matrix{rows: rows, cols: cols, words: make([]uint32, len(weights)/8)}
	for g := range slices.Chunk(weights, group) {
		least, greatest := slices.Min(g), slices.Max(g)
		m.scales = append(m.scales, bfloat16((greatest-least)/15))
		m.biases = append(m.biases, bfloat16(least))
	}
	for i, w := range weights {
		bits := 0.0
		if scale := float(m.scales[i/group]); scale > 0 {
			bits = math.Round((float64(w) - float(m.biases[i/group])) / scale)
		}
		m.words[i/8] |= uint32(min(max(bits, 0), 15)) << (i % 8 * 4)
	}
	return m
}

// at returns a weight.
func (m matrix) at(row, col int) float64 {
	i := row*m.cols + col
	bits := m.words[i/8] >> (i % 8 * 4) & 15
	return float64(bits)*float(m.scales[i/group]) + float(m.biases[i/group])
}
