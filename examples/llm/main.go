// Command llm writes text with a small language model.
//
//	llm [-weights FILE] [-n N] [-temperature T] [-top K] [-seed N] [TEXT]
//	llm [-weights FILE] -as FORMAT -o FILE.gguf
//
// The text that it writes begins with TEXT. The second form writes the weights to a GGUF file, with matrices in a
// format: f32, f16, q8_0 or q4_0. It runs on Metal on a Mac, and on the CPU device elsewhere.
package main

//go:generate go run ../../cmd/metalgen -in . -out gen

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"time"

	"github.com/metalgen/metalgen/examples/llm/model"
	"github.com/metalgen/metalgen/examples/llm/vocabulary"
	"github.com/metalgen/metalgen/examples/llm/weights"
	mtl "github.com/metalgen/metalgen/runtime"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "llm:", err)
		os.Exit(1)
	}
}

func run(stdout io.Writer, args []string) (err error) {
	flags := flag.NewFlagSet("llm", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: llm [flags] [TEXT]")
		flags.PrintDefaults()
	}
	name := flags.String("weights", "llm.safetensors", "the weights, a `FILE` of safetensors or GGUF")
	n := flags.Int("n", 100, "`number` of tokens to write")
	temperature := flags.Float64("temperature", 0.5, "how bold the choice of tokens is: 0 takes the most probable one")
	top := flags.Int("top", 40, "choose among so many of the most probable tokens, or all for 0")
	seed := flags.Uint64("seed", 1, "another seed makes another text")
	as := flags.String("as", "", "write the weights in this `FORMAT`, and no text")
	out := flags.String("o", "llm.gguf", "the `FILE` that -as writes")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 1 || *n < 0 || !(*temperature >= 0) || *top < 0 {
		return errors.New("need one text at most, and numbers of 0 or more")
	}

	file, err := weights.Open(*name)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, file.Close()) }()
	if *as != "" {
		return convert(file, *as, *out)
	}
	words, err := vocabulary.Parse(file.Meta[model.Merges])
	if err != nil {
		return err
	}
	dev, err := mtl.Open() // Metal where there is one
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, dev.Close()) }() // before the file is closed, whose memory it uses
	e, err := newEngine(dev, file)
	if err != nil {
		return fmt.Errorf("%s: %w", *name, err)
	}
	s := sampler{temperature: *temperature, top: *top, random: rand.New(rand.NewPCG(*seed, 0))}
	return write(stdout, e, words, s, flags.Arg(0), *n)
}

// write prints a text and what may follow, and how fast that was.
func write(out io.Writer, e *engine, words *vocabulary.Vocabulary, s sampler, text string, n int) error {
	tokens := words.Encode("\n" + text) // a paragraph begins there
	if len(tokens) >= e.Context {
		return fmt.Errorf("the text has %d tokens, and the model has room for %d", len(tokens), e.Context)
	}
	fmt.Fprint(out, text)
	begin := time.Now()
	positions := min(e.Context, len(tokens)+n) - 1
	for p := range positions {
		logits, err := e.next(context.Background(), tokens[p], p)
		if err != nil {
			return err
		}
		if p == 0 {
			begin = time.Now() // kernels have been compiled
		}
		if p+1 == len(tokens) {
			tokens = append(tokens, s.choose(logits))
			fmt.Fprint(out, words.Token(tokens[p+1]))
		}
	}
	fmt.Fprintf(out, "\n\n%v: %.0f tokens/s\n", e.dev, float64(positions-1)/time.Since(begin).Seconds())
	return nil
}

// convert writes the weights of a file to a GGUF file, with matrices in another format.
func convert(file *weights.File, as, name string) error {
	format, err := weights.ParseFormat(as)
	if err != nil {
		return err
	}
	config, err := model.FromMeta(file.Meta)
	if err != nil {
		return err
	}
	var tensors []weights.Named
	for _, info := range config.Tensors() {
		name, shape := info.File()
		t, ok := file.Tensors[name]
		if !ok || t.End-t.Begin == 0 {
			return fmt.Errorf("there is no tensor %q", name)
		}
		to := format
		if info.Norm() {
			to = weights.F32
		}
		data, err := to.Encode(file.Values(t))
		if err != nil {
			return fmt.Errorf("tensor %q: %w", name, err)
		}
		tensors = append(tensors, weights.Named{Name: name, Format: to, Shape: shape, Data: data})
	}
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	return cmp.Or(weights.WriteGGUF(out, file.Meta, tensors), out.Close())
}
