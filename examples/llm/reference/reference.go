// Package reference computes a language model as its definition says, in float64. It is slow, and has nothing in common
// with the kernels but the definition: of RMSNorm (Zhang and Sennrich 2019, arXiv:1910.07467), RoPE (arXiv:2104.09864),
// attention with grouped queries (arXiv:2305.13245) and SwiGLU (arXiv:2002.05202), as Llama has them.
package reference

import (
	"math"

	"github.com/metalgen/metalgen/examples/llm/model"
)

// Model is a model with its weights, by the names of tensors.
type Model struct {
	model.Config
	Weights map[string][]float64
}

// Logits returns the logits of each position.
func (m *Model) Logits(tokens []int) [][]float64 {
	var stream [][]float64 // the residual stream
	for _, t := range tokens {
		stream = append(stream, append([]float64(nil), m.Weights[model.Embedding][t*m.Dim:][:m.Dim]...))
	}
	for l := range m.Layers {
		w := func(name string) []float64 { return m.Weights[model.InLayer(l, name)] }
		seen := m.attention(stream, w)
		for p, x := range stream {
			add(x, times(w(model.Output), seen[p]))
			n := m.norm(x, w(model.FFNNorm))
			gate, up := times(w(model.Gate), n), times(w(model.Up), n)
			for i, g := range gate {
				gate[i] = g / (1 + math.Exp(-g)) * up[i]
			}
			add(x, times(w(model.Down), gate))
		}
	}
	var logits [][]float64
	for _, x := range stream {
		logits = append(logits, times(m.Weights[model.Embedding], m.norm(x, m.Weights[model.OutputNorm])))
	}
	return logits
}

// attention returns what each position sees of itself and those before it.
func (m *Model) attention(stream [][]float64, w func(string) []float64) [][]float64 {
	var seen, keys, values [][]float64
	size := m.HeadDim()
	for p, x := range stream {
		n := m.norm(x, w(model.AttentionNorm))
		q, k := m.turned(times(w(model.Query), n), p), m.turned(times(w(model.Key), n), p)
		keys, values = append(keys, k), append(values, times(w(model.Value), n))
		out := make([]float64, m.Dim)
		for h := range m.Heads {
			kv := h / (m.Heads / m.KVHeads) * size
			shares, total := make([]float64, p+1), 0.0
			for s := range shares {
				shares[s] = math.Exp(dot(q[h*size:][:size], keys[s][kv:][:size]) / math.Sqrt(float64(size)))
				total += shares[s]
			}
			for s, share := range shares {
				for d := range size {
					out[h*size+d] += share / total * values[s][kv+d]
				}
			}
		}
		seen = append(seen, out)
	}
	return seen
}

// turned is RoPE.
func (m *Model) turned(x []float64, position int) []float64 {
	out := make([]float64, len(x))
	for i := 0; i < len(x); i += 2 {
		angle := float64(position) * math.Pow(m.Base, -float64(i%m.HeadDim())/float64(m.HeadDim()))
		s, c := math.Sincos(angle)
		out[i], out[i+1] = x[i]*c-x[i+1]*s, x[i]*s+x[i+1]*c
	}
	return out
}

func (m *Model) norm(x, weights []float64) []float64 {
	scale := 1 / math.Sqrt(dot(x, x)/float64(len(x))+m.Epsilon)
	out := make([]float64, len(x))
	for i := range x {
		out[i] = x[i] * scale * weights[i]
	}
	return out
}

// times multiplies a matrix, whose rows are as long as x, by x.
func times(matrix, x []float64) []float64 {
	out := make([]float64, len(matrix)/len(x))
	for row := range out {
		out[row] = dot(matrix[row*len(x):][:len(x)], x)
	}
	return out
}

func dot(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

func add(to, x []float64) {
	for i := range x {
		to[i] += x[i]
	}
}

// Loss returns the mean of what is lost by the logits of texts: the logarithm of how probable the token is that
// follows, with the sign changed. A text has one token more than positions.
func (m *Model) Loss(texts [][]int) float64 {
	sum, n := 0.0, 0
	for _, text := range texts {
		for p, logits := range m.Logits(text[:len(text)-1]) {
			total := 0.0
			for _, l := range logits {
				total += math.Exp(l)
			}
			sum += math.Log(total) - logits[text[p+1]]
			n++
		}
	}
	return sum / float64(n)
}
