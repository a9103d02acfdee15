package main

import (
	"context"
	"math"
	"slices"

	"github.com/metalgen/metalgen/examples/train/gen"
	mtl "github.com/metalgen/metalgen/runtime"
)

// trainer teaches a network which label each of its inputs has.
type trainer struct {
	pass
	dev                *mtl.Device
	labels             mtl.Buffer[uint32]
	losses             mtl.Buffer[float32] // of each row
	byLogits, byHidden mtl.Buffer[float32] // gradients of the mean loss by what a layer computes
	weights, gradients parameters
	means, squares     mtl.Buffer[float32] // of gradients, as Adam keeps them
	steps              int                 // so far
}

func newTrainer(dev *mtl.Device, s shape, weights []float32, d dataset) (*trainer, error) {
	m := &memory{dev: dev}
	t := &trainer{pass: newPass(m, s, d.points), dev: dev, labels: upload(m, d.labels)}
	t.losses = m.zeros(t.rows)
	t.byLogits, t.byHidden = m.zeros(t.rows*s.out), m.zeros(t.rows*s.hidden)
	all, gradients := upload(m, weights), m.zeros(s.count())
	t.means, t.squares = m.zeros(s.count()), m.zeros(s.count())
	if m.err != nil {
		return nil, m.err
	}
	t.weights, t.gradients = s.split(all), s.split(gradients)
	return t, nil
}

// learn makes steps of the optimiser, and returns the mean loss before each of them.
func (t *trainer) learn(ctx context.Context, steps int, rate float64) ([]float32, error) {
	losses, err := mtl.NewBuffer[float32](t.dev, steps)
	if err != nil {
		return nil, err
	}
	defer losses.Free()
	b := t.dev.NewBatch()
	for i := range steps {
		t.forward(b, t.weights)
		t.backward(b, losses.Slice(i, i+1))
		t.update(b, rate)
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return slices.Clone(losses.Data()), nil
}

// probabilities returns how probable the network finds each label of each point.
func (t *trainer) probabilities(ctx context.Context, points []float32) ([]float64, error) {
	m := &memory{dev: t.dev}
	p := newPass(m, t.shape, points)
	defer p.free()
	if m.err != nil {
		return nil, m.err
	}
	b := t.dev.NewBatch()
	p.forward(b, t.weights)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	probabilities := make([]float64, 0, p.logits.Len())
	for row := range slices.Chunk(p.logits.Data(), t.out) {
		probabilities = append(probabilities, softmax(row)...)
	}
	return probabilities, nil
}

func softmax(logits []float32) []float64 {
	p, total := make([]float64, len(logits)), 0.0
	for i, l := range logits {
		p[i] = math.Exp(float64(l - slices.Max(logits)))
		total += p[i]
	}
	for i := range p {
		p[i] /= total
	}
	return p
}

// accuracy returns the share of points whose most probable label is theirs.
func (t *trainer) accuracy(ctx context.Context, d dataset) (float64, error) {
	probabilities, err := t.probabilities(ctx, d.points)
	if err != nil {
		return 0, err
	}
	right := 0
	for i, label := range d.labels {
		row := probabilities[i*t.out:][:t.out]
		if row[label] == slices.Max(row) {
			right++
		}
	}
	return float64(right) / float64(len(d.labels)), nil
}

// backward records the pass from the logits back to the gradients of all parameters. It writes the mean loss.
func (t *trainer) backward(b *mtl.Batch, loss mtl.Buffer[float32]) {
	rows, in, hidden, out := uint32(t.rows), uint32(t.in), uint32(t.hidden), uint32(t.out)
	gen.SoftmaxCrossEntropy(b, gen.SoftmaxCrossEntropyArgs{
		Logits: t.logits, Labels: t.labels, Losses: t.losses, Gradient: t.byLogits, Rows: rows, Classes: out,
	})
	gen.ColumnSums(b, gen.ColumnSumsArgs{X: t.losses, Sums: loss, Rows: rows, Columns: 1, Scale: 1 / float32(rows)})

	gen.Matmul(b, gen.MatmulArgs{
		Variant: gen.MatmulTn, A: t.activation, B: t.byLogits, C: t.gradients.w2, M: hidden, N: out, K: rows,
	})
	gen.ColumnSums(b, gen.ColumnSumsArgs{X: t.byLogits, Sums: t.gradients.b2, Rows: rows, Columns: out, Scale: 1})

	gen.Matmul(b, gen.MatmulArgs{
		Variant: gen.MatmulNt, A: t.byLogits, B: t.weights.w2, C: t.byHidden, M: rows, N: hidden, K: out,
	})
	gen.TanhBackward(b, gen.TanhBackwardArgs{Y: t.activation, Gradient: t.byHidden, N: rows * hidden})
	gen.Matmul(b, gen.MatmulArgs{
		Variant: gen.MatmulTn, A: t.x, B: t.byHidden, C: t.gradients.w1, M: in, N: hidden, K: rows,
	})
	gen.ColumnSums(b, gen.ColumnSumsArgs{X: t.byHidden, Sums: t.gradients.b1, Rows: rows, Columns: hidden, Scale: 1})
}

// The constants of Adam, as Kingma and Ba suggest them.
const beta1, beta2, epsilon = 0.9, 0.999, 1e-8

// update records a step of Adam.
func (t *trainer) update(b *mtl.Batch, rate float64) {
	t.steps++
	// The means begin at 0: they are too small by these factors, which are taken out of the fraction.
	mean, square := 1-math.Pow(beta1, float64(t.steps)), 1-math.Pow(beta2, float64(t.steps))
	gen.Adam(b, gen.AdamArgs{
		Parameters: t.weights.all, Gradients: t.gradients.all, Means: t.means, Squares: t.squares,
		Step: gen.AdamStep{
			Rate:    float32(rate / mean * math.Sqrt(square)),
			Beta1:   beta1,
			Beta2:   beta2,
			Epsilon: float32(epsilon * math.Sqrt(square)),
		},
		N: uint32(t.count()),
	})
}
