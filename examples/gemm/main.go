// Command gemm multiplies matrices with each instance of a kernel template, and prints how fast and how exact they are.
//
//	gemm [-m M] [-n N] [-k K]
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
	"os"
	"text/tabwriter"
	"time"

	"github.com/metalgen/metalgen/examples/gemm/gen"
	mtl "github.com/metalgen/metalgen/runtime"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "gemm:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, args []string) (err error) {
	flags := flag.NewFlagSet("gemm", flag.ContinueOnError)
	m := flags.Int("m", 300, "rows of the product: `M`, 1 to 4096")
	n := flags.Int("n", 500, "columns of the product: `N`, 1 to 4096")
	k := flags.Int("k", 200, "columns of the first factor, and rows of the second: `K`, 1 to 4096")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 0 || min(*m, *n, *k) < 1 || max(*m, *n, *k) > 4096 {
		return errors.New("want sizes from 1 to 4096")
	}

	dev, err := mtl.Open() // Metal where there is one
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, dev.Close()) }()
	fmt.Fprintf(out, "%v\n%d x %d times %d x %d\n\n", dev, *m, *k, *k, *n)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "kernel\tGFLOP/s\tlargest error\t\t")
	err = cmp.Or(measure(table, dev, float32s, *m, *n, *k), measure(table, dev, float16s, *m, *n, *k))
	return cmp.Or(err, table.Flush())
}

// measure runs each kernel a few times, and prints a row of the table for it.
func measure[T gen.GemmElement](table io.Writer, dev *mtl.Device, kernels kernels[T], m, n, k int) error {
	x, errX := newMatrix[T](dev, m, k)
	y, errY := newMatrix[T](dev, k, n)
	z, errZ := newMatrix[T](dev, m, n)
	if err := cmp.Or(errX, errY, errZ); err != nil {
		return err
	}
	randomise(x, 1)
	randomise(y, 2)
	want, sizes := product(x, y)

	b := dev.NewBatch()
	for _, kernel := range kernels.all {
		fastest := time.Duration(math.MaxInt64)
		for range 5 {
			multiply(b, kernel, z, x, y)
			if err := b.Run(context.Background()); err != nil {
				return err
			}
			fastest = min(fastest, b.Result().Duration())
		}
		chosen := ""
		if kernel == kernels.choose(m, n) {
			chosen = "<- chosen"
		}
		speed := 2 * float64(m) * float64(n) * float64(k) / float64(fastest.Nanoseconds())
		fmt.Fprintf(table, "%s\t%.2f\t%.1e\t%s\t\n", kernel, speed, worst(z, want, sizes), chosen)
	}
	return nil
}
