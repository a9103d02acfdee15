package main

import (
	"math"
	"math/rand/v2"

	"github.com/metalgen/metalgen/examples/train/gen"
	mtl "github.com/metalgen/metalgen/runtime"
)

// shape is how many numbers there are before, between and after the two layers of a network.
type shape struct{ in, hidden, out int }

// parameters are the weights and biases of a network. They lie in one buffer, one after the other, so that the
// optimiser need not know them apart.
type parameters struct {
	all    mtl.Buffer[float32]
	w1, b1 mtl.Buffer[float32] // [in, hidden], [hidden]
	w2, b2 mtl.Buffer[float32] // [hidden, out], [out]
}

// count returns how many parameters a network has.
func (s shape) count() int { return (s.in+1)*s.hidden + (s.hidden+1)*s.out }

// split finds the parameters in a buffer of them all.
func (s shape) split(all mtl.Buffer[float32]) parameters {
	rest := all
	next := func(n int) mtl.Buffer[float32] {
		part := rest.Slice(0, n)
		rest = rest.Slice(n, rest.Len())
		return part
	}
	return parameters{
		all: all,
		w1:  next(s.in * s.hidden), b1: next(s.hidden),
		w2: next(s.hidden * s.out), b2: next(s.out),
	}
}

// random returns parameters to begin with: weights whose sums have a variance of about 1, and biases of 0.
func (s shape) random(r *rand.Rand) []float32 {
	p := make([]float32, s.count())
	normal := func(p []float32, terms int) {
		for i := range p {
			p[i] = float32(r.NormFloat64() / math.Sqrt(float64(terms)))
		}
	}
	normal(p[:s.in*s.hidden], s.in)
	normal(p[(s.in+1)*s.hidden:][:s.hidden*s.out], s.hidden)
	return p
}

// pass is the memory of one pass of a network, over several rows of inputs.
type pass struct {
	shape
	rows       int
	x          mtl.Buffer[float32] // [rows, in]
	activation mtl.Buffer[float32] // [rows, hidden]
	logits     mtl.Buffer[float32] // [rows, out]
}

func newPass(m *memory, s shape, x []float32) pass {
	rows := len(x) / s.in
	return pass{
		shape: s, rows: rows,
		x: upload(m, x), activation: m.zeros(rows * s.hidden), logits: m.zeros(rows * s.out),
	}
}

// forward records the pass: logits = tanh(x * w1 + b1) * w2 + b2.
func (p pass) forward(b *mtl.Batch, w parameters) {
	rows, in, hidden, out := uint32(p.rows), uint32(p.in), uint32(p.hidden), uint32(p.out)
	gen.Matmul(b, gen.MatmulArgs{Variant: gen.MatmulNn, A: p.x, B: w.w1, C: p.activation, M: rows, N: hidden, K: in})
	gen.AddBiasTanh(b, gen.AddBiasTanhArgs{X: p.activation, Bias: w.b1, Rows: rows, Columns: hidden})
	gen.Matmul(b, gen.MatmulArgs{Variant: gen.MatmulNn, A: p.activation, B: w.w2, C: p.logits, M: rows, N: out, K: hidden})
	gen.AddBias(b, gen.AddBiasArgs{X: p.logits, Bias: w.b2, Rows: rows, Columns: out})
}

func (p pass) free() {
	p.x.Free()
	p.activation.Free()
	p.logits.Free()
}

// memory allocates buffers of a device, and keeps the first error.
type memory struct {
	dev *mtl.Device
	err error
}

func (m *memory) zeros(n int) mtl.Buffer[float32] { return upload(m, make([]float32, n)) }

func upload[T any](m *memory, s []T) (b mtl.Buffer[T]) {
	if m.err == nil {
		b, m.err = mtl.Upload(m.dev, s)
	}
	return b
}
