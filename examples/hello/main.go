// Command hello calls one kernel. It runs on Metal on a Mac, and on the CPU device elsewhere.
package main

//go:generate go run ../../cmd/metalgen -in . -out gen

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/metalgen/metalgen/examples/hello/gen"
	mtl "github.com/metalgen/metalgen/runtime"
)

func main() {
	dev, err := mtl.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	sum, err := saxpy(context.Background(), dev, 2, []float32{1, 2, 3, 4}, []float32{10, 20, 30, 40})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("hello from %v\n2 * [1 2 3 4] + [10 20 30 40] = %v\n", dev, sum)
}

// saxpy returns a*x + y.
func saxpy(ctx context.Context, dev *mtl.Device, a float32, x, y []float32) ([]float32, error) {
	in, errIn := mtl.Upload(dev, x)
	defer in.Free()
	out, errOut := mtl.Upload(dev, y)
	defer out.Free()
	if err := cmp.Or(errIn, errOut); err != nil {
		return nil, err
	}
	b := dev.NewBatch()
	gen.Saxpy(b, gen.SaxpyArgs{A: a, X: in, Y: out, N: uint32(len(y))})
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return slices.Clone(out.Data()), nil
}
