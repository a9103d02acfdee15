package main

import (
	"context"

	shaders "github.com/metalgen/metalgen/gen"
	mtl "github.com/metalgen/metalgen/runtime"

	"example.com/search/gen"
)

// index is texts, as vectors in the memory of a device.
type index struct {
	dev     *mtl.Device
	texts   uint32
	rarity  [dim]float32
	vectors mtl.Buffer[uint16]  // [texts, dim] bfloat16
	query   mtl.Buffer[float32] // [dim]
	scores  mtl.Buffer[float32] // [texts]
	places  mtl.Buffer[uint32]  // [texts] of which the best ones are set
}

// newIndex returns an index of texts.
func newIndex(dev *mtl.Device, texts []string) (*index, error) {
	x := &index{dev: dev, texts: uint32(len(texts)), rarity: rarity(texts)}
	var err error
	allocate(&x.vectors, &err, dev, dim*len(texts))
	allocate(&x.query, &err, dev, dim)
	allocate(&x.scores, &err, dev, len(texts))
	allocate(&x.places, &err, dev, len(texts))
	if err != nil {
		return nil, err
	}
	vectors := x.vectors.Data()
	for i, text := range texts {
		for j, f := range vector(text, &x.rarity) {
			vectors[i*dim+j] = uint16(mtl.NewBFloat16(f))
		}
	}
	return x, nil
}

func allocate[T any](b *mtl.Buffer[T], err *error, dev *mtl.Device, n int) {
	if *err == nil {
		*b, *err = mtl.NewBuffer[T](dev, n)
	}
}

// hit is a text that was found: its number, and how near it is, 1 for the same words.
type hit struct {
	text  int
	score float32
}

// search returns the n texts that are nearest to a query, the nearest first.
func (x *index) search(ctx context.Context, query string, n int) ([]hit, error) {
	n = min(max(n, 0), int(x.texts))
	q := vector(query, &x.rarity)
	copy(x.query.Data(), q[:])
	b := x.dev.NewBatch()
	shaders.Bf16Matvec(b, shaders.Bf16MatvecArgs{
		W: x.vectors, Input: x.query, Output: x.scores, InDim: dim, OutDim: x.texts,
	})
	gen.Best(b, gen.BestArgs{Scores: x.scores, Places: x.places, N: x.texts, K: uint32(n)})
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	var hits []hit
	for _, place := range x.places.Data()[:n] {
		hits = append(hits, hit{text: int(place), score: x.scores.Data()[place]})
	}
	return hits, nil
}
