package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/metalgen/metalgen/examples/llm/gen"
	"github.com/metalgen/metalgen/examples/llm/model"
	"github.com/metalgen/metalgen/examples/llm/weights"
	shaders "github.com/metalgen/metalgen/gen"
	mtl "github.com/metalgen/metalgen/runtime"
)

type floats = mtl.Buffer[float32]

// engine computes a model token by token, and remembers the keys and values of those before.
type engine struct {
	model.Config
	dev     *mtl.Device
	file    mtl.Buffer[byte] // the whole file of weights, where it is mapped
	tensors map[string]tensor
	batch   *mtl.Batch // the calls of a token, recorded once

	token, position  mtl.Buffer[uint32] // what changes from token to token
	zeros            floats             // [dim]
	x, normed, delta floats             // [dim] residual stream, normalised, what is added to it
	q, k, v, seen    floats             // [dim], [kv], [kv], [dim]
	gate, up         floats             // [ffn]
	caches           []cache            // of each layer
	logits           floats             // [vocabulary]
}

type cache struct{ keys, values floats } // [context, kv]

// tensor is a part of the file.
type tensor struct {
	format     weights.Format
	bytes      mtl.Buffer[byte]
	rows, cols uint32
}

// newEngine returns an engine for the model of a file, which must stay open. It copies no weights.
func newEngine(dev *mtl.Device, file *weights.File) (*engine, error) {
	config, err := model.FromMeta(file.Meta)
	if err != nil {
		return nil, err
	}
	e := &engine{Config: config, dev: dev, tensors: make(map[string]tensor), batch: dev.NewBatch()}
	if e.file, err = mtl.WrapBuffer(dev, file.Data, mtl.Read); err != nil {
		return nil, err
	}
	for _, info := range config.Tensors() {
		name, shape := info.File()
		t, ok := file.Tensors[name]
		if !ok || !slices.Equal(t.Shape, shape) || info.Norm() && t.Format != weights.F32 {
			return nil, fmt.Errorf("want a tensor %q of shape %v, F32 for a norm; have %v %v", name, shape, t.Format, t.Shape)
		}
		e.tensors[info.Name] = tensor{t.Format, e.file.Slice(t.Begin, t.End), uint32(info.Rows), uint32(info.Cols)}
	}
	if err := e.allocate(); err != nil {
		return nil, err
	}
	e.batch.Keep()
	e.record(e.batch)
	return e, nil
}

func (e *engine) allocate() error {
	m := &memory{dev: e.dev}
	e.token, e.position = allocate[uint32](m, 1), allocate[uint32](m, 1)
	for _, b := range []struct {
		buffer *floats
		size   int
	}{
		{&e.zeros, e.Dim}, {&e.x, e.Dim}, {&e.normed, e.Dim}, {&e.delta, e.Dim}, {&e.q, e.Dim}, {&e.seen, e.Dim},
		{&e.k, e.KVDim()}, {&e.v, e.KVDim()}, {&e.gate, e.FFN}, {&e.up, e.FFN}, {&e.logits, e.Vocabulary},
	} {
		*b.buffer = allocate[float32](m, b.size)
	}
	for range e.Layers {
		size := e.Context * e.KVDim()
		e.caches = append(e.caches, cache{allocate[float32](m, size), allocate[float32](m, size)})
	}
	return m.err
}

// memory allocates buffers of a device, and keeps the first error.
type memory struct {
	dev *mtl.Device
	err error
}

func allocate[T any](m *memory, n int) (b mtl.Buffer[T]) {
	if m.err == nil {
		b, m.err = mtl.NewBuffer[T](m.dev, n)
	}
	return b
}

// next computes the token at a position, after those that were computed before. It returns the logits of what follows,
// which are good until the next call.
func (e *engine) next(ctx context.Context, token, position int) ([]float32, error) {
	if token < 0 || token >= e.Vocabulary || position < 0 || position >= e.Context {
		return nil, fmt.Errorf("token %d at position %d: the model has %d tokens and %d positions",
			token, position, e.Vocabulary, e.Context)
	}
	e.token.Data()[0], e.position.Data()[0] = uint32(token), uint32(position)
	if err := e.batch.Run(ctx); err != nil {
		return nil, err
	}
	return e.logits.Data(), nil
}

// record records the calls of a token. They are the same for every token: which one it is, and where, is in buffers.
func (e *engine) record(b *mtl.Batch) {
	embedding := e.tensors[model.Embedding]
	gen.Embed(b, gen.EmbedArgs{
		Variant: embedVariants[embedding.format], Matrix: embedding.bytes,
		Token: e.token, Out: e.delta, Rows: embedding.rows, Columns: embedding.cols,
	})
	before := e.zeros // of the first layer, there is nothing in the residual stream yet
	for l := range e.Layers {
		w := func(name string) tensor { return e.tensors[model.InLayer(l, name)] }
		e.addAndNorm(b, before, w(model.AttentionNorm))
		before = e.x
		e.matvec(b, w(model.Query), e.normed, e.q)
		e.matvec(b, w(model.Key), e.normed, e.k)
		e.matvec(b, w(model.Value), e.normed, e.v)
		e.rope(b, e.q, e.Dim)
		e.rope(b, e.k, e.KVDim())
		e.attention(b, e.caches[l])
		e.matvec(b, w(model.Output), e.seen, e.delta)

		e.addAndNorm(b, before, w(model.FFNNorm))
		e.matvec(b, w(model.Gate), e.normed, e.gate)
		e.matvec(b, w(model.Up), e.normed, e.up)
		shaders.SwigluFused(b, shaders.SwigluFusedArgs{Gate: e.gate, Up: e.up, Out: e.gate, Dim: uint32(e.FFN)})
		e.matvec(b, w(model.Down), e.gate, e.delta)
	}
	e.addAndNorm(b, before, e.tensors[model.OutputNorm])
	e.matvec(b, embedding, e.normed, e.logits)
}

// addAndNorm records that delta is added to the residual stream, and the sum normalised.
func (e *engine) addAndNorm(b *mtl.Batch, stream floats, weight tensor) {
	shaders.FusedResidualNormF32(b, shaders.FusedResidualNormF32Args{
		Residual: stream, Input: e.delta, Weight: mtl.Cast[float32](weight.bytes),
		NormedOutput: e.normed, SumOutput: e.x,
		Params: shaders.FusedResidualNormF32Params{Dim: uint32(e.Dim), Rows: 1, Eps: float32(e.Epsilon), WriteSum: 1},
	})
}

// The instances of the kernel templates, by the format of a matrix.
var (
	matvecVariants = [...]gen.MatvecVariant{
		weights.F32: gen.MatvecF32, weights.F16: gen.MatvecF16, weights.Q8_0: gen.MatvecQ8_0, weights.Q4_0: gen.MatvecQ4_0,
	}
	embedVariants = [...]gen.EmbedVariant{
		weights.F32: gen.EmbedF32, weights.F16: gen.EmbedF16, weights.Q8_0: gen.EmbedQ8_0, weights.Q4_0: gen.EmbedQ4_0,
	}
)

func (e *engine) matvec(b *mtl.Batch, w tensor, x, out floats) {
	gen.Matvec(b, gen.MatvecArgs{
		Variant: matvecVariants[w.format], Matrix: w.bytes, X: x, Out: out, Rows: w.rows, Columns: w.cols,
	})
}

func (e *engine) rope(b *mtl.Batch, x floats, dim int) {
	gen.Rope(b, gen.RopeArgs{
		X: x, Position: e.position, Dim: uint32(dim), HeadDim: uint32(e.HeadDim()), Base: float32(e.Base),
	})
}

func (e *engine) attention(b *mtl.Batch, c cache) {
	context := uint32(e.Context)
	gen.Remember(b, gen.RememberArgs{
		K: e.k, V: e.v, Position: e.position, Keys: c.keys, Values: c.values, KvDim: uint32(e.KVDim()), Context: context,
	})
	gen.Attention(b, gen.AttentionArgs{
		Q: e.q, Keys: c.keys, Values: c.values, Position: e.position, Out: e.seen,
		Heads: uint32(e.Heads), KvHeads: uint32(e.KVHeads), HeadDim: uint32(e.HeadDim()), Context: context,
	})
}
