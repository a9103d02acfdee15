// Command train teaches a network of two layers to tell the arms of a spiral apart, with the kernels of
// network.metal, and draws how it went.
//
//	train [-steps N] [-hidden N] [-rate R] [-o OUT.png]
//
// It runs on Metal on a Mac, and on the CPU device elsewhere.
package main

//go:generate go run ../../cmd/metalgen -in . -out gen

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

	mtl "github.com/metalgen/metalgen/runtime"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run(stdout io.Writer, args []string) (err error) {
	flags := flag.NewFlagSet("train", flag.ContinueOnError)
	steps := flags.Int("steps", 1000, "`number` of steps of the optimiser")
	hidden := flags.Int("hidden", 64, "`number` of hidden neurons")
	rate := flags.Float64("rate", 0.02, "learning `rate`")
	out := flags.String("o", "training.png", "write the picture to `FILE`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	const most = 4096 // hidden neurons, for the memory that the picture takes
	switch {
	case flags.NArg() > 0:
		return errors.New("there are no arguments, only flags")
	case *steps < 1:
		return fmt.Errorf("-steps is %d, need 1 or more", *steps)
	case *hidden < 1 || *hidden > most:
		return fmt.Errorf("-hidden is %d, need 1 to %d", *hidden, most)
	}

	dev, err := mtl.Open() // Metal where there is one
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, dev.Close()) }()
	ctx := context.Background()
	r := rand.New(rand.NewPCG(1, 2)) // the same points and weights in each run
	known, unknown := spirals(r, 100), spirals(r, 1000)
	s := shape{in: 2, hidden: *hidden, out: arms}
	t, err := newTrainer(dev, s, s.random(r), known)
	if err != nil {
		return err
	}

	const report = 100 // steps in a batch, after which it says how far it is
	var losses []float32
	begin := time.Now()
	for t.steps < *steps {
		more, err := t.learn(ctx, min(report, *steps-t.steps), *rate)
		if err != nil {
			return err
		}
		losses = append(losses, more...)
		last := float64(more[len(more)-1])
		fmt.Fprintf(stdout, "%5d steps: loss %.4f\n", t.steps, last)
		if math.IsNaN(last) || math.IsInf(last, 0) {
			return fmt.Errorf("a rate of %v is too high", *rate)
		}
	}
	took := time.Since(begin)
	share, err := t.accuracy(ctx, unknown)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%.1f%% of %d other points are right, after %v\n",
		100*share, len(unknown.labels), took.Round(time.Millisecond))
	img, err := picture(ctx, t, losses, known)
	if err != nil {
		return err
	}
	return write(*out, img)
}
