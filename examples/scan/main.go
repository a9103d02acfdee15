// Command scan finds the primes below N, a million if it is left out, with prefix sums on the GPU.
//
//	scan [N]
//
// It runs on Metal on a Mac, and on the CPU device elsewhere.
package main

//go:generate go run ../../cmd/metalgen -in . -out gen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	mtl "github.com/metalgen/metalgen/runtime"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "scan:", err)
		os.Exit(1)
	}
}

// most is the largest N: three buffers of so many numbers are a little more than 1 GB.
const most = 100_000_000

func run(out io.Writer, args []string) (err error) {
	n := 1_000_000
	switch len(args) {
	case 0:
	case 1:
		if n, err = strconv.Atoi(args[0]); err != nil || n < 0 || n > most {
			return fmt.Errorf("want a number from 0 to %d, have %s", most, args[0])
		}
	default:
		return errors.New("want one number at most")
	}

	dev, err := mtl.Open() // Metal where there is one
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, dev.Close()) }()
	primes, duration, err := primesBelow(context.Background(), dev, n)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%v\n%d of the numbers below %d are primes, found in %.1f ms\n",
		dev, len(primes), n, 1000*duration.Seconds())
	if len(primes) > 0 {
		fmt.Fprintln(out, "the last ones are", primes[max(0, len(primes)-8):])
	}
	return nil
}
