package fakemetal_test

import (
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

var source = `#include <metal_stdlib>
using namespace metal;
kernel void scale(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant float& by [[buffer(2)]],
                  uint i [[thread_position_in_grid]]) {
	y[i] = x[i] * by;
}
`

// scale is what generated code has for the kernel.
var scale = bind.Kernel{
	Name:    "scale",
	Library: &bind.Library{File: "scale.metal", Source: &source},
	Args: []bind.Arg{
		{Kind: bind.BufferArg, Index: 0, Name: "x", Type: "float", Size: 4, Align: 4, Access: runtime.Read},
		{Kind: bind.BufferArg, Index: 1, Name: "y", Type: "float", Size: 4, Align: 4, Access: runtime.Write},
		{Kind: bind.ValueArg, Index: 2, Name: "by", Type: "float", Size: 4, Align: 4},
	},
}

// scaled records y = x * by, for threads elements.
func scaled(b *runtime.Batch, x, y runtime.Buffer[float32], by float32, threads int) {
	c := b.Call(&scale)
	c.Buffer(0, x.View(), x.Len())
	c.Buffer(1, y.View(), x.Len())
	bind.Value(c, 2, by)
	c.Dispatch(runtime.GridOfThreads([3]int{threads, 1, 1}, [3]int{32, 1, 1}))
}

func upload(t *testing.T, dev *runtime.Device, s ...float32) runtime.Buffer[float32] {
	t.Helper()
	b, err := runtime.Upload(dev, s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestDispatchesAreComputedAndLogged(t *testing.T) {
	dev, log := fakemetal.Open(t, fakemetal.Options{})
	if name := dev.String(); !strings.Contains(name, "(metal, MSL ") {
		t.Errorf("opened %s", name)
	}
	x, all := upload(t, dev, 1, 2, 3), upload(t, dev, make([]float32, 9)...)
	b := dev.NewBatch()
	for range 2 { // the second time the pipeline is there
		log.Clear()
		scaled(b, x, all.Slice(0, 3), 2, 3)
		scaled(b, x, all.Slice(3, 6), 3, 3)
		scaled(b, all.Slice(3, 6), all.Slice(6, 9), 10, 3)
		if err := b.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if want := []float32{2, 4, 6, 3, 6, 9, 30, 60, 90}; !slices.Equal(all.Data(), want) {
		t.Errorf("computed %v, want %v", all.Data(), want)
	}
	if want := []string{"scale", "scale", fakemetal.Barrier, "scale"}; !slices.Equal(log.Order(), want) {
		t.Errorf("encoded %q, want %q", log.Order(), want)
	}
	n := log.Counts()
	if n.CommandBuffers != 1 || n.Encoders != 1 || n.Dispatches != 3 || n.Barriers != 1 || n.Needless != 0 ||
		n.Messages != len(log.Messages()) {
		t.Errorf("%+v of %d messages", n, len(log.Messages()))
	}
}

func TestAGPUWithMemoryOfItsOwnHasNoBarriers(t *testing.T) {
	dev, log := fakemetal.Open(t, fakemetal.Options{Discrete: true})
	x, y, z := upload(t, dev, 1, 2, 3), upload(t, dev, 0, 0, 0), upload(t, dev, 0, 0, 0)
	b := dev.NewBatch()
	scaled(b, x, y, 2, 3)
	scaled(b, y, z, 2, 3)
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []float32{4, 8, 12}; !slices.Equal(z.Data(), want) {
		t.Errorf("computed %v, want %v", z.Data(), want)
	}
	if want := []string{"scale", "scale"}; !slices.Equal(log.Order(), want) {
		t.Errorf("encoded %q, want %q", log.Order(), want)
	}
}

// listening is a test that may fail.
type listening struct {
	*testing.T
	errors []string
}

func (l *listening) Errorf(format string, args ...any) { l.errors = append(l.errors, format) }

func TestAKernelThatLeavesItsBufferFailsBatchAndTest(t *testing.T) {
	l := &listening{}
	skipped := false
	t.Run("inner", func(t *testing.T) {
		l.T = t
		t.Cleanup(func() { skipped = t.Skipped() })
		dev, _ := fakemetal.Open(l, fakemetal.Options{})
		all := upload(t, dev, make([]float32, 64)...)
		b := dev.NewBatch()
		scaled(b, all.Slice(0, 3), all.Slice(32, 35), 2, 4) // within the allocation
		if err := b.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "x[3]: out of bounds of 3 elements") {
			t.Errorf("got %v", err)
		}
	})
	if len(l.errors) == 0 && !skipped {
		t.Error("the test did not fail")
	}
}

func TestAnEmptyDeviceDoesNothing(t *testing.T) {
	dev, log := fakemetal.Open(t, fakemetal.Options{Empty: true})
	x, y := upload(t, dev, 1, 2, 3), upload(t, dev, 0, 0, 0)
	b := dev.NewBatch()
	scaled(b, x, y, 2, 3)
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if y.Data()[0] != 0 || len(log.Messages()) != 0 {
		t.Errorf("computed %v and logged %d messages", y.Data(), len(log.Messages()))
	}
}

// ending is a test that keeps what it fails with to itself.
type ending struct {
	testing.TB
	said string
}

func (e *ending) Fatalf(format string, args ...any) {
	e.said = fmt.Sprintf(format, args...)
	goruntime.Goexit()
}

func TestASecondDeviceOfATestIsRefused(t *testing.T) {
	refused := func(t *testing.T) {
		e := &ending{TB: t}
		done := make(chan struct{})
		go func() {
			defer close(done)
			fakemetal.Open(e, fakemetal.Options{})
		}()
		<-done
		if e.said !=
			"TestASecondDeviceOfATestIsRefused has the fake of Metal already, until it ends: there is one for each test" {
			t.Errorf("it said %q", e.said)
		}
	}
	fakemetal.Open(t, fakemetal.Options{})
	refused(t)
	t.Run("in a subtest", refused)
}

func TestOptionsOfTheRuntimeReachTheDriver(t *testing.T) {
	dev,
		log := fakemetal.Open(t,
		fakemetal.Options{Runtime: runtime.Options{Labels: true, Macros: map[string]string{"by": "by * 2"}}})
	x, y := upload(t, dev, 1, 2, 3), upload(t, dev, 0, 0, 0)
	b := dev.NewBatch()
	scaled(b, x, y, 2, 3)
	err := b.Run(t.Context())
	if compile, ok := errors.AsType[*runtime.CompileError](err); !ok || compile.File != "scale.metal" {
		t.Errorf("got %v", err) // no name of an argument any more
	}
	if len(log.Messages()) == 0 {
		t.Error("no log")
	}
}
