package runtimetest_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/metalgen/metalgen/gen"
	mtl "github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest"
)

// The kernels of the examples are those of package gen, which metalgen makes of shaders/.

func Example() {
	dev, rec := runtimetest.New()
	defer dev.Close()
	x, err := mtl.Upload(dev, []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}

	b := dev.NewBatch()
	gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x, Dim: 3})
	if err := b.Run(context.Background()); err != nil {
		log.Fatal(err)
	}

	for _, d := range rec.Dispatches() {
		dim, _ := runtimetest.Value[uint32](d, 3)
		fmt.Println(d.Kernel, "of", dim)
		fmt.Println(d.Buffers[0].Name, d.Buffers[0].Access, runtimetest.Bound(d.Buffers[0], x))
		fmt.Println(d.Grid)
	}
	// Output:
	// residual_add of 3
	// a read true
	// (1, 1, 1) threadgroups of (256, 1, 1) threads
}

// A program is to release its buffers.
func ExampleRecording() {
	dev, rec := runtimetest.New()
	defer dev.Close()
	work := func() error { // what is tested
		x, err := mtl.NewBuffer[float32](dev, 100)
		if err != nil {
			return err
		}
		defer x.Free()
		b := dev.NewBatch()
		gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x, Dim: 100})
		return b.Run(context.Background())
	}
	if err := work(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(rec.Dispatches()), "calls,", rec.Live(), "buffers left")
	// Output: 1 calls, 0 buffers left
}

// What does a program do when the GPU fails?
func ExampleOption() {
	dev, _ := runtimetest.New(runtimetest.FailSubmit(&mtl.GPUError{Code: mtl.GPUOutOfMemory}))
	defer dev.Close()
	x, err := mtl.NewBuffer[float32](dev, 100)
	if err != nil {
		log.Fatal(err)
	}
	b := dev.NewBatch()
	gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: x, Out: x, Dim: 100})
	if e, ok := errors.AsType[*mtl.GPUError](b.Run(context.Background())); ok {
		fmt.Println(e.Code == mtl.GPUOutOfMemory)
	}
	// Output: true
}
