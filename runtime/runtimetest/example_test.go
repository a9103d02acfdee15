package runtimetest_test

import (
	"context"
	"fmt"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/runtimetest"
)

var source = `
kernel void scale(device float *x, constant float &by, uint i [[thread_position_in_grid]]) {
	x[i] *= by;
}`

// scale is what generated code has for the kernel.
var scale = bind.Kernel{
	Name:    "scale",
	Library: &bind.Library{File: "scale.metal", Source: &source},
	Args: []bind.Arg{
		{Kind: bind.BufferArg, Index: 0, Name: "x", Type: "float", Size: 4, Align: 4, Access: runtime.ReadWrite},
		{Kind: bind.ValueArg, Index: 1, Name: "by", Type: "float", Size: 4, Align: 4},
	},
}

func Example() {
	dev, rec := runtimetest.New()
	defer dev.Close()
	x, err := runtime.Upload(dev, []float32{1, 2, 3})
	if err != nil {
		fmt.Println(err)
		return
	}

	b := dev.NewBatch()
	c := b.Call(&scale)
	c.Buffer(0, x.View(), x.Len())
	bind.Value(c, 1, float32(0.5))
	c.Dispatch(runtime.GridOfThreads([3]int{x.Len(), 1, 1}, [3]int{32, 1, 1}))
	if err := b.Run(context.Background()); err != nil {
		fmt.Println(err)
		return
	}

	for _, d := range rec.Dispatches() {
		by, _ := runtimetest.Value[float32](d, 1)
		fmt.Println(d.Kernel, "by", by)
		fmt.Println(d.Buffers[0].Name, d.Buffers[0].Access, runtimetest.Bound(d.Buffers[0], x))
		fmt.Println(d.Grid)
	}
	// Output:
	// scale by 0.5
	// x read-write true
	// (1, 1, 1) threadgroups of (32, 1, 1) threads, (3, 1, 1) threads in all
}
