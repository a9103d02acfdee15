// Command train teaches a small language model to write like the documentation of this repository, and saves its
// weights as a file of safetensors.
//
//	train [-text DIR] [-steps N] [-o FILE]
//
// It runs on Metal on a Mac, and on the CPU device elsewhere.
package main

//go:generate go run ../../../cmd/metalgen -in . -out gen

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"github.com/metalgen/metalgen/examples/llm/model"
	"github.com/metalgen/metalgen/examples/llm/train/gen"
	"github.com/metalgen/metalgen/examples/llm/vocabulary"
	"github.com/metalgen/metalgen/examples/llm/weights"
	mtl "github.com/metalgen/metalgen/runtime"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

// small are the sizes of the model that is trained: half a million weights.
var small = model.Config{
	Vocabulary: 768, Dim: 128, FFN: 192, Layers: 3, Heads: 4, KVHeads: 2, Context: 256, Base: 10000, Epsilon: 1e-5,
}

const (
	texts     = 16  // in a step
	positions = 128 // of a text
	rate      = 4e-3
)

func run(stdout io.Writer, args []string) (err error) {
	flags := flag.NewFlagSet("train", flag.ContinueOnError)
	folder := flags.String("text", "../..", "learn from the pages and comments in `DIR`")
	steps := flags.Int("steps", 800, "`number` of steps")
	out := flags.String("o", "llm.safetensors", "write the weights to `FILE`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || *steps < 1 {
		return errors.New("want flags only, and at least one step")
	}
	dev, err := mtl.Open()
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, dev.Close()) }()

	r := rand.New(rand.NewPCG(1, 2))
	paragraphs, err := prose(*folder)
	if err != nil {
		return err
	}
	known, unknown := divide(paragraphs, r)
	words, err := vocabulary.Learn(known, small.Vocabulary)
	if err != nil {
		return err
	}
	if words.Len() != small.Vocabulary {
		return fmt.Errorf("the text in %s is too short", *folder)
	}
	learn, check := words.Encode(known), words.Encode(unknown)
	fmt.Fprintf(stdout, "%v: %d bytes of text, %d tokens, %d more to compare\n", dev, len(known), len(learn), len(check))
	if min(len(learn), len(check)) <= positions {
		return fmt.Errorf("the text in %s is too short", *folder)
	}
	t, err := newTrainer(dev, small, texts, positions, random(small, r))
	if err != nil {
		return err
	}
	begin := time.Now()
	for step := range *steps {
		loss, err := t.step(learn, r, rateOf(step, *steps))
		if err != nil {
			return err
		}
		if (step+1)%50 == 0 || step+1 == *steps {
			of, err := t.loss(check)
			if err != nil {
				return err
			}
			fmt.Fprintf(stdout, "%5d steps: loss %.3f, of text that it does not know %.3f, %v\n",
				step+1, loss, of, time.Since(begin).Round(time.Second))
		}
		if math.IsNaN(loss) {
			return errors.New("it learns no more")
		}
	}
	return save(*out, t, words)
}

// rateOf returns the rate of a step: rising at first, and then falling to a twentieth like a cosine.
func rateOf(step, steps int) float64 {
	const rising = 40
	done := float64(step) / float64(steps)
	return rate * min(1, float64(step+1)/rising) * (0.05 + 0.95*(1+math.Cos(math.Pi*done))/2)
}

// trainer makes steps of Adam.
type trainer struct {
	*network
	means, squares floats
	steps          int
	dev            *mtl.Device
	batch          *mtl.Batch
}

func newTrainer(dev *mtl.Device, c model.Config, texts, positions int, weights []float32) (*trainer, error) {
	n, err := newNetwork(dev, c, texts, positions, weights)
	if err != nil {
		return nil, err
	}
	m := &memory{dev: dev}
	t := &trainer{network: n, dev: dev, batch: dev.NewBatch()}
	t.means, t.squares = m.zeros(len(weights)), m.zeros(len(weights))
	return t, m.err
}

// read puts texts into the network. A text has one token more than there are positions.
func (t *trainer) read(text func(n int) []int) {
	x, next := t.tokens.Data(), t.next.Data()
	for n := range t.texts {
		for p, token := range text(n)[:t.positions] {
			x[n*t.positions+p], next[n*t.positions+p] = uint32(token), uint32(text(n)[p+1])
		}
	}
}

// step learns from parts of a text, from places at random, and returns the loss before that.
func (t *trainer) step(tokens []int, r *rand.Rand, rate float64) (float64, error) {
	places := make([]int, t.texts)
	for i := range places {
		places[i] = r.IntN(len(tokens) - t.positions)
	}
	t.read(func(n int) []int { return tokens[places[n]:] })
	t.forward(t.batch)
	t.backward(t.batch)
	t.update(t.batch, rate)
	err := t.batch.Run(context.Background())
	return t.mean(), err
}

// loss returns the loss of parts that are spread over a text, and learns nothing.
func (t *trainer) loss(tokens []int) (float64, error) {
	last := len(tokens) - t.positions - 1
	return t.lossOf(func(n int) []int { return tokens[n*last/max(1, t.texts-1):] })
}

// lossOf computes loss and gradients.
func (t *trainer) lossOf(text func(n int) []int) (float64, error) {
	t.read(text)
	t.forward(t.batch)
	t.backward(t.batch)
	err := t.batch.Run(context.Background())
	return t.mean(), err
}

func (t *trainer) mean() float64 {
	sum := 0.0
	for _, l := range t.losses.Data() {
		sum += float64(l)
	}
	return sum / float64(t.rows())
}

// update records a step of Adam.
func (t *trainer) update(b *mtl.Batch, rate float64) {
	const beta1, beta2, epsilon, decay = 0.9, 0.99, 1e-8, 0.1
	t.steps++
	mean, square := 1-math.Pow(beta1, float64(t.steps)), 1-math.Pow(beta2, float64(t.steps))
	gen.Adam(b, gen.AdamArgs{
		Weights: t.weights.all, Gradients: t.gradients.all, Means: t.means, Squares: t.squares,
		Step: gen.Step{
			Rate: float32(rate / mean * math.Sqrt(square)), Beta1: beta1, Beta2: beta2,
			Epsilon: float32(epsilon * math.Sqrt(square)), Decay: decay,
		},
		N: uint32(t.weights.all.Len()),
	})
}

// save writes the weights: those of norms as float32, which are few, and the others as float16.
func save(name string, t *trainer, words *vocabulary.Vocabulary) error {
	var tensors []weights.Named
	for _, info := range t.Tensors() {
		format := weights.F16
		if info.Norm() {
			format = weights.F32
		}
		name, shape := info.File()
		data, err := format.Encode(t.weights.part[info.Name].Data())
		if err != nil {
			return err
		}
		tensors = append(tensors, weights.Named{Name: name, Format: format, Shape: shape, Data: data})
	}
	meta := t.Meta()
	meta[model.Merges] = words.String()
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return cmp.Or(weights.WriteSafetensors(file, meta, tensors), file.Close())
}
