package runtimetest_test

import (
	"testing"

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

// run records and runs one call of scale.
func run(t *testing.T, dev *runtime.Device, x runtime.Buffer[float32]) {
	t.Helper()
	b := dev.NewBatch()
	c := b.Call(&scale)
	c.Buffer(0, x.View(), 0)
	bind.Value(c, 1, float32(2))
	c.Dispatch(runtime.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{1, 1, 1}})
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestMemoryIsNumberedInTheOrderItWasMade(t *testing.T) {
	dev, rec := runtimetest.New()
	defer dev.Close()
	first, _ := runtime.NewBuffer[float32](dev, 4)
	second, _ := runtime.NewBuffer[float32](dev, 4)
	run(t, dev, second)
	run(t, dev, first)
	d := rec.Dispatches()
	if d[0].Buffers[0].Memory != 2 || d[1].Buffers[0].Memory != 1 {
		t.Errorf("bound %+v, %+v", d[0].Buffers, d[1].Buffers)
	}
	if runtimetest.Bound(d[0].Buffers[0], first) {
		t.Error("first counts as bound where second is")
	}
	if runtimetest.Bound(d[0].Buffers[0], second.Slice(0, 3)) || runtimetest.Bound(d[0].Buffers[0], second.Slice(1, 4)) {
		t.Error("a part counts as the whole")
	}
}

func TestValuesReadBackOnlyAsTheirSize(t *testing.T) {
	dev, rec := runtimetest.New()
	defer dev.Close()
	x, _ := runtime.NewBuffer[float32](dev, 1)
	run(t, dev, x)
	d := rec.Dispatches()[0]
	if _, ok := runtimetest.Value[float64](d, 1); ok {
		t.Error("4 bytes read back as a float64")
	}
	if _, ok := runtimetest.Value[float32](d, 2); ok {
		t.Error("read back a value that was not set")
	}
	if _, ok := runtimetest.Constant[float32](d, 1); ok {
		t.Error("read back a value as a function constant")
	}
}

func TestDispatchesOutliveTheirBatch(t *testing.T) {
	dev, rec := runtimetest.New()
	defer dev.Close()
	x, _ := runtime.NewBuffer[float32](dev, 1)
	run(t, dev, x)
	before := rec.Dispatches()
	rec.Clear()
	if n := len(rec.Dispatches()); n != 0 {
		t.Errorf("%d dispatches after Clear", n)
	}
	run(t, dev, x)
	if v, ok := runtimetest.Value[float32](before[0], 1); !ok || v != 2 || before[0].Kernel != "scale" {
		t.Errorf("the first dispatch is now %+v", before[0])
	}
}
