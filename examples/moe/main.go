// Command moe runs a layer of a mixture-of-experts model, as generating text does: for one token, and for several that
// are read at once. It compares what comes out with float64, and says how many tokens a second it takes.
//
//	moe [-dim N] [-ffn N] [-experts N] [-top N] [-tokens N] [-runs N]
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
	"math/rand/v2"
	"os"
	"slices"
	"time"

	mtl "github.com/metalgen/metalgen/runtime"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "moe:", err)
		os.Exit(1)
	}
}

func run(stdout io.Writer, args []string) (err error) {
	var c config
	flags := flag.NewFlagSet("moe", flag.ContinueOnError)
	flags.IntVar(&c.dim, "dim", 1024, "`numbers` of a token, a multiple of 64")
	flags.IntVar(&c.ffn, "ffn", 512, "`numbers` inside of an expert, a multiple of 64")
	flags.IntVar(&c.experts, "experts", 16, "`number` of experts")
	flags.IntVar(&c.top, "top", 4, "`number` of them that a token chooses")
	count := flags.Int("tokens", 16, "`number` of tokens that are read at once")
	runs := flags.Int("runs", 5, "`number` of runs that are measured")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return errors.New("there are no arguments, only flags")
	}
	if err := c.check(); err != nil {
		return err
	}
	if *count < 1 || *count > mostTokens || *runs < 1 {
		return fmt.Errorf("%d runs of %d tokens, want at least one of 1 to %d", *runs, *count, mostTokens)
	}

	dev, err := mtl.Open() // Metal where there is one
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, dev.Close()) }()
	l := newLayer(c, 1)
	w, err := uploadLayer(dev, l)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%v\ntokens at once  tokens/s  largest difference\n", dev)
	for _, n := range []int{1, *count} {
		t, err := newTokens(dev, c, randomTokens(n, c))
		if err != nil {
			return err
		}
		took, err := measure(dev, w, t, *runs)
		if err != nil {
			return err
		}
		difference, err := l.compare(t)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%14d  %8.0f  %18.1e\n", n, float64(n)/took.Seconds(), difference)
	}
	return nil
}

// randomTokens returns tokens, the same in each run.
func randomTokens(n int, c config) []float32 {
	r := rand.New(rand.NewPCG(2, uint64(n)))
	t := make([]float32, n*c.dim)
	for i := range t {
		t[i] = float32(r.NormFloat64())
	}
	return t
}

// measure returns how long the layer takes, the median of several runs. A first run, in which kernels are compiled,
// does not count.
func measure(dev *mtl.Device, w *weights, t *tokens, runs int) (time.Duration, error) {
	b := dev.NewBatch()
	took := make([]time.Duration, runs+1)
	for i := range took {
		begin := time.Now()
		w.record(b, t)
		if err := b.Run(context.Background()); err != nil {
			return 0, err
		}
		took[i] = time.Since(begin)
	}
	slices.Sort(took[1:])
	return took[1+runs/2], nil
}
