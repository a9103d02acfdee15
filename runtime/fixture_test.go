package runtime_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/runtimetest"
)

type call = bind.Call[runtime.Grid]

// What follows is what metalgen makes of a kernel, written out by hand.

var normSource = "kernel void fused_norm_add_f32(...) { ... }"

var normLibrary = bind.Library{File: "norm.metal", Source: &normSource}

type NormArgs struct {
	Residual runtime.Buffer[float32]
	Input    runtime.Buffer[float32]
	Weight   runtime.Buffer[float32]
	Output   runtime.Buffer[float32]
	Dim      uint32
	Rows     uint32
	Eps      float32

	Shared int
	Grid   runtime.Grid
}

func NormGrid(dim, rows uint32) runtime.Grid {
	return runtime.Grid{
		Threadgroups: [3]int{int(rows), 1, 1},
		Threads:      [3]int{min(256, bind.NextPow2(int(dim))), 1, 1},
	}
}

func Norm(b *runtime.Batch, a NormArgs) {
	dim, rows := int(a.Dim), int(a.Rows)
	a.Grid.Default(NormGrid(a.Dim, a.Rows))
	if a.Shared == 0 {
		a.Shared = a.Grid.ThreadsPerThreadgroup()
	}
	c := b.Call(&norm)
	c.Buffer(0, a.Residual.View(), bind.Mul(rows, dim))
	c.Buffer(1, a.Input.View(), bind.Mul(rows, dim))
	c.Buffer(2, a.Weight.View(), dim)
	c.Buffer(3, a.Output.View(), bind.Mul(rows, dim))
	bind.Value(c, 4, a.Dim)
	bind.Value(c, 5, a.Rows)
	bind.Value(c, 6, a.Eps)
	c.Threadgroup(0, a.Shared)
	c.Dispatch(a.Grid)
}

var norm = bind.Kernel{
	Name:    "fused_norm_add_f32",
	Library: &normLibrary,
	Pos:     "norm.metal:24",
	Grid:    "(rows, 1, 1) threadgroups of (min(256, next_pow2(dim)), 1, 1) threads",
	GridPos: "norm.metal:19",
	Args: []bind.Arg{
		{Kind: bind.BufferArg, Index: 0, Name: "residual", Type: "float", Size: 4, Align: 4, Access: runtime.Read,
			Shape: "[rows * dim]", Pos: "norm.metal:12"},
		{Kind: bind.BufferArg, Index: 1, Name: "input", Type: "float", Size: 4, Align: 4, Access: runtime.Read,
			Shape: "[rows * dim]", Pos: "norm.metal:13"},
		{Kind: bind.BufferArg, Index: 2, Name: "weight", Type: "float", Size: 4, Align: 4, Access: runtime.Read,
			Shape: "[dim]", Pos: "norm.metal:14"},
		{Kind: bind.BufferArg, Index: 3, Name: "output", Type: "float", Size: 4, Align: 4, Access: runtime.Write,
			Shape: "[rows * dim]", Pos: "norm.metal:15"},
		{Kind: bind.ValueArg, Index: 4, Name: "dim", Type: "uint", Size: 4, Align: 4},
		{Kind: bind.ValueArg, Index: 5, Name: "rows", Type: "uint", Size: 4, Align: 4},
		{Kind: bind.ValueArg, Index: 6, Name: "eps", Type: "float", Size: 4, Align: 4},
		{Kind: bind.ThreadgroupArg, Index: 0, Name: "shared", Type: "float", Size: 4, Shape: "tg_size", Pos: "norm.metal:21"},
	},
}

// normArgs are arguments of Norm that are in order.
func normArgs(t testing.TB, dev *runtime.Device, rows, dim int) NormArgs {
	return NormArgs{
		Residual: newBuffer[float32](t, dev, rows*dim),
		Input:    newBuffer[float32](t, dev, rows*dim),
		Weight:   newBuffer[float32](t, dev, dim),
		Output:   newBuffer[float32](t, dev, rows*dim),
		Dim:      uint32(dim),
		Rows:     uint32(rows),
		Eps:      1e-6,
	}
}

func newBuffer[T any](t testing.TB, dev *runtime.Device, n int) runtime.Buffer[T] {
	t.Helper()
	b, err := runtime.NewBuffer[T](dev, n)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func open(t testing.TB, options ...runtimetest.Option) (*runtime.Device, *runtimetest.Recording) {
	dev, rec := runtimetest.New(options...)
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev, rec
}

// wantError fails the test unless err is of type E and reads want.
func wantError[E error](t *testing.T, err error, want string) {
	t.Helper()
	if _, ok := errors.AsType[E](err); !ok {
		t.Errorf("got %T, want %T", err, *new(E))
	}
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// nameOf returns what messages call a device: not why it was opened.
func nameOf(d *runtime.Device) string {
	name, _, _ := strings.Cut(d.String(), ", ")
	return name
}
