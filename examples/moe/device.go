package main

import (
	"github.com/metalgen/metalgen/examples/moe/gen"
	shaders "github.com/metalgen/metalgen/gen"
	mtl "github.com/metalgen/metalgen/runtime"
)

// weights are a layer in the memory of a device.
type weights struct {
	config
	norm, router, sharedRouter mtl.Buffer[uint16]
	scale                      mtl.Buffer[float32]
	experts, shared            expertWeights
}

type expertWeights struct{ gate, up, down matrixWeights }

type matrixWeights struct {
	words          mtl.Buffer[uint32]
	scales, biases mtl.Buffer[uint16]
}

func uploadLayer(dev *mtl.Device, l *layer) (*weights, error) {
	m := &memory{dev: dev}
	matrix := func(w matrix) matrixWeights {
		return matrixWeights{words: upload(m, w.words), scales: upload(m, w.scales), biases: upload(m, w.biases)}
	}
	expert := func(f feedForward) expertWeights {
		return expertWeights{gate: matrix(f.gate), up: matrix(f.up), down: matrix(f.down)}
	}
	w := &weights{
		config: l.config,
		norm:   upload(m, l.norm), router: upload(m, l.router), sharedRouter: upload(m, l.sharedRouter),
		scale: upload(m, l.scale), experts: expert(l.experts), shared: expert(l.shared),
	}
	return w, m.err
}

// tokens are the tokens of a batch, and what is computed of them on the way. A slot is one of the experts that a token
// has chosen.
type tokens struct {
	count         int
	hidden, out   mtl.Buffer[float32] // [count, dim] residual stream, before and after the layer
	x             mtl.Buffer[float32] // [count, dim] hidden, normalised
	logits        mtl.Buffer[float32] // [count, experts] of the router
	chosen        mtl.Buffer[uint32]  // [count, top]
	weights       mtl.Buffer[float32] // [count, top]
	sharedWeight  mtl.Buffer[float32] // [count] before the sigmoid
	slotX         mtl.Buffer[float32] // [count, top, dim]
	words, groups mtl.Buffer[uint32]  // [count, top] where the expert of a slot begins
	slots         activations         // [count, top]
	shared        activations         // [count]
	sum           mtl.Buffer[float32] // [count, dim] of slots, weighted
}

// activations are what experts compute.
type activations struct{ gate, up, out mtl.Buffer[float32] }

func newTokens(dev *mtl.Device, c config, hidden []float32) (*tokens, error) {
	m := &memory{dev: dev}
	n := len(hidden) / c.dim
	floats := func(n int) mtl.Buffer[float32] { return upload(m, make([]float32, n)) }
	ints := func(n int) mtl.Buffer[uint32] { return upload(m, make([]uint32, n)) }
	experts := func(n int) activations {
		return activations{gate: floats(n * c.ffn), up: floats(n * c.ffn), out: floats(n * c.dim)}
	}
	t := &tokens{
		count: n, hidden: upload(m, hidden), out: floats(n * c.dim), x: floats(n * c.dim),
		logits: floats(n * c.experts), chosen: ints(n * c.top), weights: floats(n * c.top), sharedWeight: floats(n),
		slotX: floats(n * c.top * c.dim), words: ints(n * c.top), groups: ints(n * c.top),
		slots: experts(n * c.top), shared: experts(n), sum: floats(n * c.dim),
	}
	return t, m.err
}

// record records the calls of the layer. What the router chooses stays on the device, so that one batch does all, and
// an engine can record the next layer after it. Calls that do not need each other stand together: they run at once.
func (w *weights) record(b *mtl.Batch, t *tokens) {
	n, slots, top := uint32(t.count), uint32(t.count*w.top), uint32(w.top)
	dim, ffn, experts := uint32(w.dim), uint32(w.ffn), uint32(w.config.experts)
	shared := func(m matrixWeights, x, out mtl.Buffer[float32], rows, cols uint32) {
		shaders.DequantMatvec4bitV3NTokens(b, shaders.DequantMatvec4bitV3NTokensArgs{
			WPacked: m.words, Scales: m.scales, Biases: m.biases,
			XInputs: x, Out: out, OutDim: rows, InDim: cols, GroupSize: group, NTokens: n, NumRowTiles: (rows + 7) / 8,
		})
	}
	chosen := func(m matrixWeights, x, out mtl.Buffer[float32], rows, cols uint32) {
		shaders.DequantMatvec4bitBatched(b, shaders.DequantMatvec4bitBatchedArgs{
			WPacked: m.words, Scales: m.scales, Biases: m.biases,
			WOffsets: t.words, SOffsets: t.groups, BOffsets: t.groups,
			XInputs: x, Out: out, OutDim: rows, InDim: cols, GroupSize: group, NumRowTiles: (rows + 7) / 8,
		})
	}
	activate := func(a activations, n uint32) {
		shaders.SwigluFusedBatched(b, shaders.SwigluFusedBatchedArgs{Gate: a.gate, Up: a.up, Out: a.gate, Dim: ffn, K: n})
	}

	shaders.RmsNormBf16FusedNTokens(b, shaders.RmsNormBf16FusedNTokensArgs{
		X: t.hidden, Weight: w.norm, Out: t.x, Dim: dim, Eps: epsilon,
	})

	shaders.Bf16MatmulNTokens(b, shaders.Bf16MatmulNTokensArgs{
		W: w.router, Input: t.x, Output: t.logits, InDim: dim, OutDim: experts, NTokens: n,
	})
	shaders.Bf16MatmulNTokens(b, shaders.Bf16MatmulNTokensArgs{
		W: w.sharedRouter, Input: t.x, Output: t.sharedWeight, InDim: dim, OutDim: 1, NTokens: n,
	})
	shared(w.shared.gate, t.x, t.shared.gate, ffn, dim)
	shared(w.shared.up, t.x, t.shared.up, ffn, dim)

	shaders.FusedMoeRoutingBatchF32(b, shaders.FusedMoeRoutingBatchF32Args{
		LogitsAll: t.logits, ExpertIdsAll: t.chosen, RoutingWeightsAll: t.weights, PerExpertScale: w.scale,
		Params: shaders.FusedMoeRoutingParams{NumExperts: experts, TopK: top},
	})
	activate(t.shared, n)

	gen.FillSlots(b, gen.FillSlotsArgs{
		Chosen: t.chosen, X: t.x, SlotX: t.slotX, WordsFrom: t.words, GroupsFrom: t.groups,
		NSlots: slots, TopK: top, Dim: dim, Words: dim * ffn / 8, Groups: dim * ffn / group,
	})
	shared(w.shared.down, t.shared.gate, t.shared.out, dim, ffn)

	chosen(w.experts.gate, t.slotX, t.slots.gate, ffn, dim)
	chosen(w.experts.up, t.slotX, t.slots.up, ffn, dim)

	activate(t.slots, slots)

	chosen(w.experts.down, t.slots.gate, t.slots.out, dim, ffn)

	for i := range t.count {
		shaders.WeightedSum(b, shaders.WeightedSumArgs{
			ExpertOuts: part(t.slots.out, i, w.top*w.dim), Weights: part(t.weights, i, w.top),
			Out: part(t.sum, i, w.dim), K: top, Dim: dim,
		})
	}

	shaders.MoeCombineResidualNTokens(b, shaders.MoeCombineResidualNTokensArgs{
		HMid: t.hidden, MoeSum: t.sum, SharedOut: t.shared.out, SharedGate: t.sharedWeight, HiddenOut: t.out,
		NTokens: n, Dim: dim,
	})
}

// part returns the i-th part of so many elements.
func part[T any](b mtl.Buffer[T], i, n int) mtl.Buffer[T] { return b.Slice(i*n, (i+1)*n) }

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
