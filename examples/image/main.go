// Command image filters a PNG with the kernels of filters.metal.
//
//	image [-width N] [-blur SIGMA] [-edges] IN.png OUT.png
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
	"image"
	"image/png"
	"os"

	mtl "github.com/metalgen/metalgen/runtime"
)

func main() {
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(args []string) (err error) {
	var o options
	flags := flag.NewFlagSet("image", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: image [flags] IN.png OUT.png")
		flags.PrintDefaults()
	}
	flags.IntVar(&o.width, "width", 0, "resize to a width of `N` pixels")
	flags.Float64Var(&o.sigma, "blur", 0, "blur with a standard deviation of `SIGMA` pixels, at most 2")
	flags.BoolVar(&o.edges, "edges", false, "draw edges")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() != 2:
		return errors.New("need the names of two PNG files")
	case o.width < 0:
		return fmt.Errorf("-width is %d, need a positive number", o.width)
	case !(o.sigma >= 0 && o.sigma <= mostSigma):
		return fmt.Errorf("-blur is %v, need 0 to %v", o.sigma, mostSigma)
	}
	in, err := read(flags.Arg(0))
	if err != nil {
		return err
	}

	dev, err := mtl.Open() // Metal where there is one
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, dev.Close()) }()
	out, err := filter(context.Background(), dev, in, o)
	if err != nil {
		return err
	}
	return write(flags.Arg(1), out)
}

func read(name string) (image.Image, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return png.Decode(f)
}

func write(name string, img image.Image) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return cmp.Or(png.Encode(f, img), f.Close())
}
