// Command nbody lets two galaxies collide, and writes an animated GIF of it.
//
//	nbody [-bodies N] [-frames N] [-width N] OUT.gif
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
	"image/gif"
	"io"
	"math"
	"os"

	mtl "github.com/metalgen/metalgen/runtime"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "nbody:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, args []string) (err error) {
	flags := flag.NewFlagSet("nbody", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: nbody [flags] OUT.gif")
		flags.PrintDefaults()
	}
	n := flags.Int("bodies", 1024, "let `N` bodies attract each other, 2 to 65536")
	frames := flags.Int("frames", 88, "take `N` pictures, 1 to 1000; the galaxies are closest in the 72nd")
	width := flags.Int("width", 320, "pictures that are `N` pixels wide, 64 to 2048")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() != 1:
		return errors.New("need the name of a GIF file")
	case *n < 2 || *n > 1<<16:
		return fmt.Errorf("-bodies is %d, need 2 to 65536", *n)
	case *frames < 1 || *frames > 1000:
		return fmt.Errorf("-frames is %d, need 1 to 1000", *frames)
	case *width < 64 || *width > 2048:
		return fmt.Errorf("-width is %d, need 64 to 2048", *width)
	}

	dev, err := mtl.Open() // Metal where there is one
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, dev.Close()) }()
	fmt.Fprintln(out, dev)
	start := collision(*n)
	m, err := shoot(context.Background(), dev, start, *frames, *width)
	if err != nil {
		return err
	}
	f, err := os.Create(flags.Arg(0))
	if err != nil {
		return err
	}
	if err := cmp.Or(gif.EncodeAll(f, &m.pictures), f.Close()); err != nil {
		return err
	}
	attractions := float64(*frames*steps) * float64(*n) * float64(*n)
	before, after := energy(start), energy(m.bodies)
	fmt.Fprintf(out, "%d bodies, %d steps, %.1e attractions in %.1f s: %.0f million a second\n",
		*n, *frames*steps, attractions, m.duration.Seconds(), attractions/m.duration.Seconds()/1e6)
	fmt.Fprintf(out, "energy went from %.5f to %.5f, off by %.4f %%\n", before, after, 100*math.Abs(after/before-1))
	return nil
}
