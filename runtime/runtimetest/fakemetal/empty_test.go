package fakemetal_test

import (
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

var emptySource = `#include <metal_stdlib>
using namespace metal;
struct Wide { float v[80]; };
kernel void total(device const Wide* in [[buffer(0)]], device float* out [[buffer(1)]], constant uint& n [[buffer(2)]],
                  uint i [[thread_position_in_grid]]) {
	float sum = 1;
	for (uint k = 0; k < n; k++) sum += in[k].v[i];
	out[i] = sum;
}
`

// total returns a kernel that touches nothing of its input where n is 0. Its elements are
// larger than most.
func total(shape string) *bind.Kernel {
	return &bind.Kernel{
		Name:    "total",
		Library: &bind.Library{File: "empty.metal", Source: &emptySource},
		Args: []bind.Arg{
			{Kind: bind.BufferArg, Index: 0, Name: "in", Type: "Wide", Size: 320, Align: 4, Access: runtime.Read, Shape: shape},
			{Kind: bind.BufferArg, Index: 1, Name: "out", Type: "float", Size: 4, Align: 4, Access: runtime.Write},
			{Kind: bind.ValueArg, Index: 2, Name: "n", Type: "uint", Size: 4, Align: 4},
		},
	}
}

type wide [80]float32

// Metal wants something bound to every argument, that begins within its buffer and
// has room for one element.
func TestBuffersOfNothingAreBoundToSomething(t *testing.T) {
	for _, c := range []struct {
		name, shape string
		in          func(dev *runtime.Device) (runtime.Buffer[wide], error)
	}{
		{"the end of a buffer", "[n]", func(dev *runtime.Device) (runtime.Buffer[wide], error) {
			all, err := runtime.NewBuffer[wide](dev, 64)
			return all.Slice(64, 64), err
		}},
		{"the zero Buffer", "[n]",
			func(dev *runtime.Device) (runtime.Buffer[wide], error) { return runtime.Buffer[wide]{}, nil }},
		{"no elements, and no shape", "",
			func(dev *runtime.Device) (runtime.Buffer[wide], error) { return runtime.NewBuffer[wide](dev, 0) }},
		{"no elements of private memory", "", func(dev *runtime.Device) (runtime.Buffer[wide], error) {
			return runtime.NewPrivateBuffer[wide](dev, 0)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dev, _ := fakemetal.Open(t, fakemetal.Options{})
			in, err := c.in(dev)
			if err != nil {
				t.Fatal(err)
			}
			out := upload(t, dev, 0, 0)
			some, err := runtime.NewBuffer[wide](dev, 1)
			if err != nil {
				t.Fatal(err)
			}
			some.Data()[0][1] = 5
			b := dev.NewBatch()
			k := total(c.shape)
			// what an earlier call bound is not what a later one without gets
			for _, in := range []runtime.Buffer[wide]{in, some, in} {
				call := b.Call(k)
				call.Buffer(0, in.View(), in.Len())
				call.Buffer(1, out.View(), 0)
				bind.Value(call, 2, uint32(in.Len()))
				call.Dispatch(runtime.Threads(2).Of(2))
				if err := b.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				if want := 1 + 5*float32(in.Len()); out.Data()[0] != 1 || out.Data()[1] != want {
					t.Errorf("computed %v, want 1 and %v", out.Data(), want)
				}
			}
		})
	}
}
