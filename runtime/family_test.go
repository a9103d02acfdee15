package runtime_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/runtimetest"
	"github.com/x448/float16"
)

// What metalgen makes of a kernel template, written out by hand.

type SnakeT interface{ float32 | float16.Float16 }

type SnakeVariant[T SnakeT] uint16

const (
	SnakeF32     SnakeVariant[float32]         = 1
	SnakeF16     SnakeVariant[float16.Float16] = 2
	SnakeF16Fast SnakeVariant[float16.Float16] = 3
)

type SnakeArgs[T SnakeT] struct {
	Variant SnakeVariant[T]
	X       runtime.Buffer[T]
	Grid    runtime.Grid
}

func Snake[T SnakeT](b *runtime.Batch, a SnakeArgs[T]) {
	c := b.CallVariant(&snakeFamily, int(a.Variant))
	c.Buffer(0, a.X.View(), 4)
	c.Dispatch(a.Grid)
}

var snakeFamily = bind.Family{
	Name:    "snake",
	Library: &normLibrary,
	Pos:     "norm.metal:70",
	Variants: []bind.Variant{
		{Name: "snake_f32", Args: snakeArgs},
		{Name: "snake_f16", Args: snakeArgs2},
		{Name: "snake_f16_fast", Args: snakeArgs2},
	},
}

var snakeArgs = []bind.Arg{
	{Kind: bind.BufferArg, Index: 0, Name: "x", Type: "float", Size: 4, Align: 4, Access: runtime.ReadWrite, Shape: "[4]",
		Pos: "norm.metal:71"},
}

var snakeArgs2 = []bind.Arg{
	{Kind: bind.BufferArg, Index: 0, Name: "x", Type: "half", Size: 2, Align: 2, Access: runtime.ReadWrite, Shape: "[4]",
		Pos: "norm.metal:71"},
}

func TestVariants(t *testing.T) {
	dev, rec := open(t)
	b := dev.NewBatch()
	Snake(b, SnakeArgs[float32]{Variant: SnakeF32, X: newBuffer[float32](t, dev, 4), Grid: one})
	Snake(b, SnakeArgs[float16.Float16]{Variant: SnakeF16Fast, X: newBuffer[float16.Float16](t, dev, 4), Grid: one})
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range rec.Dispatches() {
		names = append(names, d.Kernel)
	}
	if len(names) != 2 || names[0] != "snake_f32" || names[1] != "snake_f16_fast" {
		t.Errorf("dispatched %v", names)
	}
}

func TestVariantMistakes(t *testing.T) {
	dev, rec := open(t)
	x := newBuffer[float32](t, dev, 4)
	for _, tt := range []struct {
		variant SnakeVariant[float32]
		want    string
	}{
		{0, "snake (norm.metal:70): Variant is not set: need one of snake_f32, snake_f16, snake_f16_fast"},
		{4, "snake (norm.metal:70): Variant is 4, which does not exist: need one of snake_f32, snake_f16, snake_f16_fast"},
		{65535, "snake (norm.metal:70): Variant is 65535, which does not exist: " +
			"need one of snake_f32, snake_f16, snake_f16_fast"},
	} {
		b := dev.NewBatch()
		Snake(b, SnakeArgs[float32]{Variant: tt.variant, X: x, Grid: one})
		Snake(b, SnakeArgs[float32]{Variant: SnakeF32, X: x, Grid: one})
		err := b.Run(t.Context())
		wantError[*runtime.CallError](t, err, tt.want)
		if e, ok := errors.AsType[*runtime.VariantError](err); !ok || e.Variant != int(tt.variant) {
			t.Errorf("%v wraps no VariantError of %d", err, tt.variant)
		}
		if errors.Is(err, runtime.ErrNotSet) != (tt.variant == 0) {
			t.Errorf("variant %d: %v: ErrNotSet is for the zero one", tt.variant, err)
		}
	}
	b := dev.NewBatch()
	b.CallVariant(nil, 1).Dispatch(one)
	wantError[*runtime.CallError](t, b.Run(t.Context()), "call of no family: Variant is 1, which does not exist")
	if n := len(rec.Dispatches()); n != 0 {
		t.Errorf("%d kernels ran", n)
	}
}

// Kernels are known by their addresses, whichever call comes first.
func TestVariantKernels(t *testing.T) {
	var f bind.Family
	f.Name, f.Library, f.Variants = "f", &normLibrary, snakeFamily.Variants
	got := make([]*bind.Kernel, 16)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = f.Kernel(2) })
	}
	wg.Wait()
	for _, k := range got {
		if k == nil || k != got[0] || k.Name != "snake_f16" {
			t.Fatalf("got %p %v, want %p", k, k, got[0])
		}
	}
	if f.Kernel(0) != nil || f.Kernel(4) != nil || f.Kernel(-1) != nil {
		t.Error("there are kernels of variants that do not exist")
	}
}

func TestVariantsDoNotAllocate(t *testing.T) {
	dev, _ := open(t, runtimetest.NoLog())
	x := newBuffer[float32](t, dev, 4)
	b := dev.NewBatch()
	run := func() {
		Snake(b, SnakeArgs[float32]{Variant: SnakeF32, X: x, Grid: one})
		if err := b.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if allocs := testing.AllocsPerRun(100, run); allocs != 0 {
		t.Errorf("%v allocations a call", allocs)
	}
}

// An argument that a function constant switches on is needed then, and only then.
func TestConditionalArguments(t *testing.T) {
	k := bind.Kernel{
		Name: "masked", Library: &normLibrary, Pos: "norm.metal:80",
		Args: []bind.Arg{
			{Kind: bind.BufferArg, Index: 0, Name: "mask", Type: "half", Size: 2, Align: 2, Access: runtime.Read, Optional: true,
				If: "has_mask", Pos: "norm.metal:81"},
			{Kind: bind.ConstantArg, Index: 0, Name: "has_mask", Type: "bool", Size: 1},
			{Kind: bind.ThreadgroupArg, Index: 0, Name: "tile", Type: "half", Size: 2, Optional: true, If: "has_mask",
				Pos: "norm.metal:82"},
		},
	}
	dev, rec := open(t)
	call := func(has bool, mask runtime.Buffer[float16.Float16], tile int) error {
		b := dev.NewBatch()
		c := b.Call(&k)
		if has {
			c.Buffer(0, mask.View(), 0)
		}
		bind.Constant(c, 0, has)
		if has {
			c.Threadgroup(0, tile)
		}
		c.Dispatch(one)
		return b.Run(t.Context())
	}
	mask := newBuffer[float16.Float16](t, dev, 1)
	for _, err := range []error{
		call(true, mask, 4), call(false, mask, 4), call(false, runtime.Buffer[float16.Float16]{}, 0),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	for i, want := range []int{1, 0, 0} {
		if n := len(rec.Dispatches()[i].Buffers); n != want {
			t.Errorf("call %d binds %d buffers, want %d", i, n, want)
		}
	}
	wantError[*runtime.ArgError](t, call(true, runtime.Buffer[float16.Float16]{}, 4),
		"masked: mask: need a buffer of half, which function constant has_mask switches on (norm.metal:81), have the zero "+
			"Buffer")
	wantError[*runtime.ArgError](t, call(true, mask, 0),
		"masked: tile: need a length in elements of half, which function constant has_mask switches on, which nothing in "+
			"norm.metal states (norm.metal:82), have 0: the call must set it")
}
