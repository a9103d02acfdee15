package main

import (
	"math"
	"math/rand/v2"

	shaders "github.com/metalgen/metalgen/gen"

	"github.com/metalgen/metalgen/examples/llm/model"
	"github.com/metalgen/metalgen/examples/llm/train/gen"
	mtl "github.com/metalgen/metalgen/runtime"
)

type floats = mtl.Buffer[float32]

// network is a model with what is computed of its positions on the way, which the way back needs.
type network struct {
	model.Config
	texts, positions   int // at once, and in each
	tokens, next       mtl.Buffer[uint32]
	weights, gradients parameters
	oneHot             floats // [rows, vocabulary]
	layers             []layer
	x, normed, inverse floats // after the last layer
	logits, losses     floats // [rows, vocabulary], and then their gradient; [rows]
	byX                floats // [rows, dim] gradient of the residual stream
	byDim, byNormed    floats // [rows, dim]
	zeros              floats // [rows, dim]
	byKey, byValue     floats // [rows, kv]
	byScore            floats // like share
	byGate, byUp, byH  floats // [rows, ffn]
}

// layer is what a layer computes.
type layer struct {
	x, normed, inverse, q, k, v, share, seen floats
	x2, normed2, inverse2, gate, up, h       floats
}

// parameters are all weights of a model, or the gradients of all.
type parameters struct {
	all  floats
	part map[string]floats
}

func (n *network) rows() int { return n.texts * n.positions }

func newNetwork(dev *mtl.Device, c model.Config, texts, positions int, weights []float32) (*network, error) {
	m := &memory{dev: dev}
	n := &network{Config: c, texts: texts, positions: positions}
	rows, share := n.rows(), texts*positions*positions*c.Heads
	dim, kv, ffn := rows*c.Dim, rows*c.KVDim(), rows*c.FFN
	n.tokens, n.next = upload(m, make([]uint32, rows)), upload(m, make([]uint32, rows))
	n.oneHot, n.logits, n.losses = m.zeros(rows*c.Vocabulary), m.zeros(rows*c.Vocabulary), m.zeros(rows)
	for range c.Layers {
		n.layers = append(n.layers, layer{
			x: m.zeros(dim), normed: m.zeros(dim), inverse: m.zeros(rows),
			q: m.zeros(dim), k: m.zeros(kv), v: m.zeros(kv), share: m.zeros(share), seen: m.zeros(dim),
			x2: m.zeros(dim), normed2: m.zeros(dim), inverse2: m.zeros(rows),
			gate: m.zeros(ffn), up: m.zeros(ffn), h: m.zeros(ffn),
		})
	}
	n.x, n.normed, n.inverse = m.zeros(dim), m.zeros(dim), m.zeros(rows)
	n.byX, n.byDim, n.byNormed, n.zeros = m.zeros(dim), m.zeros(dim), m.zeros(dim), m.zeros(dim)
	n.byKey, n.byValue, n.byScore = m.zeros(kv), m.zeros(kv), m.zeros(share)
	n.byGate, n.byUp, n.byH = m.zeros(ffn), m.zeros(ffn), m.zeros(ffn)
	all, gradients := upload(m, weights), m.zeros(len(weights))
	if m.err != nil {
		return nil, m.err
	}
	n.weights, n.gradients = split(c, all), split(c, gradients)
	return n, nil
}

// split gives each tensor its part.
func split(c model.Config, all floats) parameters {
	p := parameters{all: all, part: make(map[string]floats)}
	at := 0
	for _, t := range c.Tensors() {
		p.part[t.Name] = all.Slice(at, at+t.Size())
		at += t.Size()
	}
	return p
}

// random returns weights to begin with: sums have variances of about 1, and what layers add to the residual stream is
// less, the more of them there are.
func random(c model.Config, r *rand.Rand) []float32 {
	var weights []float32
	for _, t := range c.Tensors() {
		scale := 1 / math.Sqrt(float64(t.Cols))
		switch {
		case t.Name == model.Embedding:
			scale = 0.03
		case isOutput(c, t.Name):
			scale /= math.Sqrt(2 * float64(c.Layers))
		}
		for range t.Size() {
			w := scale * r.NormFloat64()
			if t.Norm() {
				w = 1
			}
			weights = append(weights, float32(w))
		}
	}
	return weights
}

func isOutput(c model.Config, name string) bool {
	for l := range c.Layers {
		if name == model.InLayer(l, model.Output) || name == model.InLayer(l, model.Down) {
			return true
		}
	}
	return false
}

func (n *network) heads() gen.Heads {
	return gen.Heads{
		Texts: uint32(n.texts), Positions: uint32(n.positions),
		Heads: uint32(n.Heads), KvHeads: uint32(n.KVHeads), HeadDim: uint32(n.HeadDim()),
	}
}

// forward records the way from tokens to logits.
func (n *network) forward(b *mtl.Batch) {
	rows := uint32(n.rows())
	gen.OneHot(b, gen.OneHotArgs{Tokens: n.tokens, Out: n.oneHot, Rows: rows, Vocabulary: uint32(n.Vocabulary)})
	x := n.layers[0].x
	n.times(b, x, n.oneHot, n.weights.part[model.Embedding], n.Vocabulary, n.Dim, 0)
	for i, l := range n.layers {
		w := func(name string) floats { return n.weights.part[model.InLayer(i, name)] }
		n.norm(b, l.x, w(model.AttentionNorm), l.normed, l.inverse)
		n.linear(b, l.q, l.normed, w(model.Query), n.Dim, n.Dim, 0)
		n.linear(b, l.k, l.normed, w(model.Key), n.Dim, n.KVDim(), 0)
		n.linear(b, l.v, l.normed, w(model.Value), n.Dim, n.KVDim(), 0)
		n.rope(b, l.q, n.Dim, 1)
		n.rope(b, l.k, n.KVDim(), 1)
		gen.Attention(b, gen.AttentionArgs{Q: l.q, K: l.k, V: l.v, Share: l.share, Out: l.seen, H: n.heads()})
		mtl.Copy(b, l.x2, l.x)
		n.linear(b, l.x2, l.seen, w(model.Output), n.Dim, n.Dim, 1)

		n.norm(b, l.x2, w(model.FFNNorm), l.normed2, l.inverse2)
		n.linear(b, l.gate, l.normed2, w(model.Gate), n.Dim, n.FFN, 0)
		n.linear(b, l.up, l.normed2, w(model.Up), n.Dim, n.FFN, 0)
		shaders.SwigluFused(b, shaders.SwigluFusedArgs{Gate: l.gate, Up: l.up, Out: l.h, Dim: rows * uint32(n.FFN)})
		x = n.x
		if i+1 < n.Layers {
			x = n.layers[i+1].x
		}
		mtl.Copy(b, x, l.x2)
		n.linear(b, x, l.h, w(model.Down), n.FFN, n.Dim, 1)
	}
	n.norm(b, n.x, n.weights.part[model.OutputNorm], n.normed, n.inverse)
	n.linear(b, n.logits, n.normed, n.weights.part[model.Embedding], n.Dim, n.Vocabulary, 0)
}

// backward records the way from logits to the gradients of all weights.
func (n *network) backward(b *mtl.Batch) {
	rows := uint32(n.rows())
	gen.CrossEntropy(b, gen.CrossEntropyArgs{
		Logits: n.logits, Next: n.next, Losses: n.losses, Rows: rows, Vocabulary: uint32(n.Vocabulary),
	})
	n.linearBackward(b, model.Embedding, n.normed, n.logits, n.byNormed, n.Dim, n.Vocabulary, 0)
	mtl.Copy(b, n.byX, n.zeros)
	n.normBackward(b, model.OutputNorm, n.x, n.inverse)
	for i := n.Layers - 1; i >= 0; i-- {
		l := n.layers[i]
		name := func(name string) string { return model.InLayer(i, name) }
		n.linearBackward(b, name(model.Down), l.h, n.byX, n.byH, n.FFN, n.Dim, 0)
		gen.SwigluBackward(b, gen.SwigluBackwardArgs{
			Gate: l.gate, Up: l.up, ByOut: n.byH, ByGate: n.byGate, ByUp: n.byUp, N: rows * uint32(n.FFN),
		})
		n.linearBackward(b, name(model.Gate), l.normed2, n.byGate, n.byNormed, n.Dim, n.FFN, 0)
		n.linearBackward(b, name(model.Up), l.normed2, n.byUp, n.byNormed, n.Dim, n.FFN, 1)
		n.normBackward(b, name(model.FFNNorm), l.x2, l.inverse2)

		n.linearBackward(b, name(model.Output), l.seen, n.byX, n.byDim, n.Dim, n.Dim, 0)
		gen.AttentionBackwardQueries(b, gen.AttentionBackwardQueriesArgs{
			K: l.k, V: l.v, Share: l.share, ByOut: n.byDim, ByScore: n.byScore, ByQ: n.byNormed, H: n.heads(),
		})
		gen.AttentionBackwardKeys(b, gen.AttentionBackwardKeysArgs{
			Q: l.q, Share: l.share, ByScore: n.byScore, ByOut: n.byDim, ByK: n.byKey, ByV: n.byValue, H: n.heads(),
		})
		mtl.Copy(b, n.byDim, n.byNormed)
		n.rope(b, n.byDim, n.Dim, -1)
		n.rope(b, n.byKey, n.KVDim(), -1)
		n.linearBackward(b, name(model.Query), l.normed, n.byDim, n.byNormed, n.Dim, n.Dim, 0)
		n.linearBackward(b, name(model.Key), l.normed, n.byKey, n.byNormed, n.Dim, n.KVDim(), 1)
		n.linearBackward(b, name(model.Value), l.normed, n.byValue, n.byNormed, n.Dim, n.KVDim(), 1)
		n.normBackward(b, name(model.AttentionNorm), l.x, l.inverse)
	}
	gen.Matmul(b, gen.MatmulArgs{
		Variant: gen.MatmulTn, A: n.oneHot, B: n.byX, C: n.gradients.part[model.Embedding],
		M: uint32(n.Vocabulary), N: uint32(n.Dim), K: rows, Add: 1,
	})
}

// times records out = x w, or out += x w, for a matrix of in rows.
func (n *network) times(b *mtl.Batch, out, x, w floats, in, cols int, add uint32) {
	gen.Matmul(b, gen.MatmulArgs{
		Variant: gen.MatmulNn, A: x, B: w, C: out, M: uint32(n.rows()), N: uint32(cols), K: uint32(in), Add: add,
	})
}

// linear records what a layer of weights makes of in numbers: out = x wᵀ, or out += x wᵀ.
func (n *network) linear(b *mtl.Batch, out, x, w floats, in, cols int, add uint32) {
	gen.Matmul(b, gen.MatmulArgs{
		Variant: gen.MatmulNt, A: x, B: w, C: out, M: uint32(n.rows()), N: uint32(cols), K: uint32(in), Add: add,
	})
}

// linearBackward records the way back through linear: to the gradient of the weights, and to that of x.
func (n *network) linearBackward(b *mtl.Batch, name string, x, byOut, byX floats, in, cols int, add uint32) {
	gen.Matmul(b, gen.MatmulArgs{
		Variant: gen.MatmulTn, A: byOut, B: x, C: n.gradients.part[name],
		M: uint32(cols), N: uint32(in), K: uint32(n.rows()),
	})
	n.times(b, byX, byOut, n.weights.part[name], cols, in, add)
}

func (n *network) norm(b *mtl.Batch, x, weight, out, inverse floats) {
	gen.Norm(b, gen.NormArgs{
		X: x, Weight: weight, Out: out, Inverse: inverse,
		Rows: uint32(n.rows()), Dim: uint32(n.Dim), Epsilon: float32(n.Epsilon),
	})
}

// normBackward records the way back through a norm, from byNormed to byX.
func (n *network) normBackward(b *mtl.Batch, name string, x, inverse floats) {
	rows, dim := uint32(n.rows()), uint32(n.Dim)
	gen.NormBackwardWeight(b, gen.NormBackwardWeightArgs{
		X: x, Inverse: inverse, ByOut: n.byNormed, ByWeight: n.gradients.part[name], Rows: rows, Dim: dim,
	})
	gen.NormBackward(b, gen.NormBackwardArgs{
		X: x, Weight: n.weights.part[name], Inverse: inverse, ByOut: n.byNormed, ByX: n.byX, Rows: rows, Dim: dim,
	})
}

func (n *network) rope(b *mtl.Batch, x floats, dim int, sign float32) {
	gen.Rope(b, gen.RopeArgs{
		X: x, Rows: uint32(n.rows()), Dim: uint32(dim), HeadDim: uint32(n.HeadDim()), Positions: uint32(n.positions),
		Base: float32(n.Base), Sign: sign,
	})
}

// memory allocates buffers of a device, and keeps the first error.
type memory struct {
	dev *mtl.Device
	err error
}

func upload[T any](m *memory, s []T) (b mtl.Buffer[T]) {
	if m.err == nil {
		b, m.err = mtl.Upload(m.dev, s)
	}
	return b
}

func (m *memory) zeros(n int) floats { return upload(m, make([]float32, n)) }
