package runtime_test

import (
	"errors"
	"math"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/runtimetest"
	"github.com/x448/float16"
)

var one = runtime.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{1, 1, 1}}

// mix has an argument of every kind, constant and optional ones included.
var mix = bind.Kernel{
	Name:    "mix",
	Library: &normLibrary,
	Pos:     "norm.metal:60",
	Args: []bind.Arg{
		{Kind: bind.BufferArg, Index: 0, Name: "x", Type: "half", Size: 2, Align: 2, Access: runtime.ReadWrite},
		{Kind: bind.BufferArg, Index: 1, Name: "table", Type: "float4", Size: 16, Align: 16, Access: runtime.Read,
			Constant: true, Pos: "norm.metal:61"},
		{Kind: bind.BufferArg, Index: 2, Name: "mask", Type: "uchar", Size: 1, Align: 1, Access: runtime.Read,
			Optional: true},
		{Kind: bind.ValueArg, Index: 3, Name: "p", Type: "MixParams", Size: 12, Align: 4, Pos: "norm.metal:62"},
		{Kind: bind.ThreadgroupArg, Index: 0, Name: "tile", Type: "half", Size: 2},
		{Kind: bind.ThreadgroupArg, Index: 1, Name: "extra", Type: "float", Size: 4, Optional: true},
		{Kind: bind.ConstantArg, Index: 0, Name: "has_mask", Type: "bool", Size: 1},
		{Kind: bind.ConstantArg, Index: 7, Name: "scale", Type: "half", Size: 2, Optional: true},
	},
}

type mixParams struct {
	N, M uint32
	S    float32
}

// mixCall sets the arguments of a call of mix one by one; a test replaces some.
type mixCall struct {
	x        func(*call)
	table    func(*call)
	mask     func(*call)
	p        func(*call)
	tile     func(*call)
	extra    func(*call)
	hasMask  func(*call)
	scale    func(*call)
	dispatch func(*call)
}

func goodMix(t testing.TB, dev *runtime.Device) mixCall {
	x, table := newBuffer[float16.Float16](t, dev, 10), newBuffer[[4]float32](t, dev, 64)
	return mixCall{
		x:        func(c *call) { c.Buffer(0, x.View(), 10) },
		table:    func(c *call) { c.Buffer(1, table.View(), 1) },
		mask:     func(c *call) { c.Buffer(2, runtime.Buffer[uint8]{}.View(), 99) },
		p:        func(c *call) { bind.Value(c, 3, mixParams{1, 2, 3}) },
		tile:     func(c *call) { c.Threadgroup(0, 9) },
		extra:    func(c *call) {},
		hasMask:  func(c *call) { bind.Constant(c, 0, true) },
		scale:    func(c *call) { bind.Constant(c, 7, float16.Fromfloat32(0.5)) },
		dispatch: func(c *call) { c.Dispatch(one) },
	}
}

func (m mixCall) record(b *runtime.Batch) {
	c := b.Call(&mix)
	for _, set := range []func(*call){
		m.x, m.table, m.mask, m.p, m.tile, m.extra, m.hasMask, m.scale, m.dispatch,
	} {
		set(c)
	}
}

func TestCallReachesTheDriverAsItWasMade(t *testing.T) {
	dev, rec := open(t)
	m := goodMix(t, dev)
	x := newBuffer[float16.Float16](t, dev, 100)
	m.x = func(c *call) { c.Buffer(0, x.Slice(10, 30).View(), 20) }
	b := dev.NewBatch()
	m.record(b)
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := rec.Dispatches()[0]
	if d.Kernel != "mix" || d.Grid != one {
		t.Errorf("dispatched %s, grid of %v", d.Kernel, d.Grid)
	}
	if len(d.Buffers) != 2 { // the mask is left out
		t.Fatalf("%d buffers bound", len(d.Buffers))
	}
	if got := d.Buffers[0]; got.Index != 0 || got.Name != "x" || got.Offset != 20 || got.Length != 40 ||
		got.Access != runtime.ReadWrite {
		t.Errorf("bound %+v", got)
	}
	if !runtimetest.Bound(d.Buffers[0], x.Slice(10, 30)) {
		t.Error("bound other memory")
	}
	if got := d.Buffers[1]; got.Index != 1 || got.Access != runtime.Read {
		t.Errorf("bound %+v", got)
	}
	if p, ok := runtimetest.Value[mixParams](d, 3); !ok || p != (mixParams{1, 2, 3}) {
		t.Errorf("params %v %v", p, ok)
	}
	if v, ok := runtimetest.Constant[bool](d, 0); !ok || !v {
		t.Errorf("has_mask %v %v", v, ok)
	}
	if v, ok := runtimetest.Constant[float16.Float16](d, 7); !ok || v.Float32() != 0.5 {
		t.Errorf("scale %v %v", v, ok)
	}
	want := runtimetest.Length{Index: 0, Name: "tile", Bytes: 32} // 18, rounded up
	if len(d.Threadgroup) != 1 || d.Threadgroup[0] != want {
		t.Errorf("threadgroup memory %+v", d.Threadgroup)
	}
}

func TestArgumentsMayBeSetInAnyOrder(t *testing.T) {
	dev, rec := open(t)
	m := goodMix(t, dev)
	b := dev.NewBatch()
	c := b.Call(&mix)
	for _, set := range []func(*call){m.scale, m.tile, m.p, m.x, m.hasMask, m.table, m.dispatch} {
		set(c)
	}
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d := rec.Dispatches()[0]; d.Buffers[0].Name != "x" || d.Buffers[1].Name != "table" {
		t.Errorf("bound %+v", d.Buffers)
	}
}

func TestArgumentsAreCheckedBeforeDispatch(t *testing.T) {
	dev, rec := open(t)
	other, _ := open(t)
	nothing := func(*call) {}
	half := newBuffer[float16.Float16](t, dev, 10)
	foreign := newBuffer[float16.Float16](t, other, 10)
	freed := newBuffer[float16.Float16](t, dev, 10)
	freed.Free()
	rows := newBuffer[[4]float32](t, dev, 64)
	bytes := newBuffer[uint8](t, dev, 64)

	for _, c := range []struct {
		name   string
		change func(*mixCall)
		is     error
		want   string
	}{
		{"not set", func(m *mixCall) { m.x = nothing }, runtime.ErrNotSet,
			"mix: x: need a buffer of half, have nothing"},
		{"value not set", func(m *mixCall) { m.p = nothing }, runtime.ErrNotSet,
			"mix: p: need a value of MixParams (norm.metal:62), have nothing"},
		{"constant not set", func(m *mixCall) { m.hasMask = nothing }, runtime.ErrNotSet,
			"mix: has_mask: need a function constant of bool, have nothing"},
		{"nil buffer", func(m *mixCall) {
			m.x = func(c *call) { c.Buffer(0, runtime.Buffer[float16.Float16]{}.View(), 0) }
		}, runtime.ErrNilBuffer,
			"mix: x: need a buffer of half, have the zero Buffer"},
		{"other device", func(m *mixCall) { m.x = func(c *call) { c.Buffer(0, foreign.View(), 10) } }, runtime.ErrOtherDevice,
			"mix: x: need a buffer of the batch's device, recording device, have one of another, recording device"},
		{"freed", func(m *mixCall) { m.x = func(c *call) { c.Buffer(0, freed.View(), 10) } }, runtime.ErrFreed,
			"mix: x: need a buffer of half, have one that was freed"},
		{"Slice out of range", func(m *mixCall) { m.x = func(c *call) { c.Buffer(0, half.Slice(5, 99).View(), 1) } }, nil,
			"mix: x: need a buffer of half, have Slice(5, 99) of a buffer of 10 elements"},
		{"Slice of a Slice out of range", func(m *mixCall) {
			m.x = func(c *call) { c.Buffer(0, half.Slice(5, 99).Slice(7, 8).View(), 1) }
		}, nil,
			"mix: x: need a buffer of half, have Slice(5, 99) of a buffer of 10 elements"},
		{"Cast of a length that does not fit", func(m *mixCall) {
			m.table = func(c *call) { c.Buffer(1, runtime.Cast[[4]float32](half).View(), 1) }
		}, nil,
			"mix: table: need a buffer of float4 (norm.metal:61), have Cast to [4]float32 of 20 bytes at offset 0: the length " +
				"is not a multiple of 16"},
		{"Cast at an offset that does not fit", func(m *mixCall) {
			m.x = func(c *call) {
				c.Buffer(0, runtime.Cast[float16.Float16](bytes.Slice(1, 9)).View(), 1)
			}
		}, nil,
			"mix: x: need a buffer of half, have Cast to float16.Float16 of 8 bytes at offset 1: the offset is not a multiple " +
				"of 2"},
		{"too short", func(m *mixCall) { m.x = func(c *call) { c.Buffer(0, half.View(), 11) } }, runtime.ErrTooShort,
			"mix: x: need at least 11 elements of half, have 10"},
		{"other element size", func(m *mixCall) { m.x = func(c *call) { c.Buffer(0, bytes.View(), 11) } }, nil,
			"mix: x: need elements of half, 2 bytes each, have elements of 1 bytes"},
		{"offset misaligned for constant memory", func(m *mixCall) {
			m.table = func(c *call) { c.Buffer(1, rows.Slice(8, 64).View(), 1) }
		}, nil,
			"mix: table: need a byte offset that is a multiple of 256, being a constant pointer (norm.metal:61), have 128"},
		{"needed length negative", func(m *mixCall) { m.x = func(c *call) { c.Buffer(0, half.View(), -3) } }, nil,
			"mix: x: need a length in elements of half, have a negative one, -3"},
		{"needed length overflows", func(m *mixCall) {
			m.x = func(c *call) { c.Buffer(0, half.View(), bind.Mul(1<<40, 1<<40)) }
		}, runtime.ErrOverflow,
			"mix: x: need a length in elements of half, have one that overflows or divides by zero"},
		{"needed length divides by zero", func(m *mixCall) {
			m.x = func(c *call) { c.Buffer(0, half.View(), bind.Div(5, 0)) }
		}, runtime.ErrOverflow,
			"mix: x: need a length in elements of half, have one that overflows or divides by zero"},
		{"optional, but too short", func(m *mixCall) { m.mask = func(c *call) { c.Buffer(2, bytes.View(), 65) } },
			runtime.ErrTooShort,
			"mix: mask: need at least 65 elements of uchar, have 64"},
		{"value of another size", func(m *mixCall) { m.p = func(c *call) { bind.Value(c, 3, uint64(1)) } }, nil,
			"mix: p: need MixParams of 12 bytes (norm.metal:62), have 8 bytes"},
		{"constant of another size", func(m *mixCall) { m.hasMask = func(c *call) { bind.Constant(c, 0, 1) } }, nil,
			"mix: has_mask: need bool of 1 bytes, have 8 bytes"},
		{"threadgroup length that nothing states", func(m *mixCall) { m.tile = func(c *call) { c.Threadgroup(0, 0) } },
			runtime.ErrNotSet,
			"mix: tile: need a length in elements of half, which nothing in norm.metal states, have 0: the call must set it"},
		{"threadgroup length negative", func(m *mixCall) { m.tile = func(c *call) { c.Threadgroup(0, -1) } }, nil,
			"mix: tile: need a length in elements of half, have a negative one, -1"},
		{"threadgroup length overflows", func(m *mixCall) { m.tile = func(c *call) { c.Threadgroup(0, math.MaxInt) } },
			runtime.ErrOverflow,
			"mix: tile: need a length in elements of half, have one that overflows or divides by zero"},
		{"threadgroup bytes overflow", func(m *mixCall) { m.tile = func(c *call) { c.Threadgroup(0, math.MaxInt-1) } }, nil,
			"mix: tile: need at most 32768 bytes of threadgroup memory for all arguments together, have overflow with " +
				"9223372036854775806 elements of half for this one"},
		{"too much threadgroup memory in all", func(m *mixCall) {
			m.tile = func(c *call) { c.Threadgroup(0, 16384) }
			m.extra = func(c *call) { c.Threadgroup(1, 1) }
		}, nil,
			"mix: extra: need at most 32768 bytes of threadgroup memory for all arguments together, have 32784 with 1 " +
				"elements of float for this one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := goodMix(t, dev)
			c.change(&m)
			b := dev.NewBatch()
			m.record(b)
			kept := b.Err()
			err := b.Run(t.Context())
			if err != kept {
				t.Errorf("Err was %v", kept)
			}
			wantError[*runtime.ArgError](t, err, c.want)
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("is no %v", c.is)
			}
			if len(rec.Dispatches()) != 0 {
				t.Error("dispatched all the same")
			}
		})
	}
}

// The generated form, with shapes and positions.
func TestMessagesNameTheLineThatSaysSo(t *testing.T) {
	dev, _ := open(t)
	for _, c := range []struct {
		name   string
		change func(*NormArgs)
		want   string
	}{
		{"too short", func(a *NormArgs) { a.Residual = newBuffer[float32](t, dev, 4096) },
			"fused_norm_add_f32: residual: need at least 8192 elements of float, [rows * dim] (norm.metal:12), have 4096"},
		{"overflow", func(a *NormArgs) { a.Dim, a.Rows = math.MaxUint32, math.MaxUint32 },
			"fused_norm_add_f32: residual: need a length in elements of float, [rows * dim] (norm.metal:12), have one that " +
				"overflows or divides by zero"},
		{"threadgroup memory", func(a *NormArgs) { a.Shared = 9000 },
			"fused_norm_add_f32: shared: need at most 32768 bytes of threadgroup memory for all arguments together, tg_size " +
				"(norm.metal:21), have 36000 with 9000 elements of float for this one"},
		{"zero Buffer", func(a *NormArgs) { a.Weight = runtime.Buffer[float32]{} },
			"fused_norm_add_f32: weight: need a buffer of float, [dim] (norm.metal:14), have the zero Buffer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := normArgs(t, dev, 2, 4096)
			c.change(&a)
			b := dev.NewBatch()
			Norm(b, a)
			wantError[*runtime.ArgError](t, b.Run(t.Context()), c.want)
		})
	}
}

// Threadgroup memory is computed from the grid here, so it is wrong as well.
func TestWrongGridIsReportedBeforeTheMemoryComputedFromIt(t *testing.T) {
	dev, _ := open(t)
	a := normArgs(t, dev, 2, 4096)
	a.Grid.Threadgroups = [3]int{2, 1, 1}
	b := dev.NewBatch()
	Norm(b, a)
	wantError[*runtime.GridError](t, b.Run(t.Context()),
		"fused_norm_add_f32: grid of (2, 1, 1) threadgroups of (0, 0, 0) threads: need Threads, have none set; the source "+
			"states (rows, 1, 1) threadgroups of (min(256, next_pow2(dim)), 1, 1) threads (norm.metal:19)")
}

func TestThreadgroupMemoryHasAtLeastOneElement(t *testing.T) {
	dev, _ := open(t)
	tile := bind.Kernel{Name: "tile", Library: &normLibrary, Args: []bind.Arg{
		{Kind: bind.ThreadgroupArg, Name: "shared", Type: "float", Size: 4, Shape: "n", Pos: "norm.metal:80"},
	}}
	b := dev.NewBatch()
	c := b.Call(&tile)
	c.Threadgroup(0, 0)
	c.Dispatch(one)
	wantError[*runtime.ArgError](t, b.Run(t.Context()),
		"tile: shared: need at least 1 element of float, n (norm.metal:80), have 0")
}

// A kernel that writes its sums only where that is asked for.
var sums = bind.Kernel{Name: "sums", Library: &normLibrary, Args: []bind.Arg{
	{Kind: bind.BufferArg, Index: 0, Name: "x", Type: "float", Size: 4, Align: 4, Access: runtime.Read},
	{Kind: bind.BufferArg, Index: 1, Name: "sum", Type: "float", Size: 4, Align: 4, Access: runtime.Write,
		Shape: "[min(1, want) * n]", Pos: "norm.metal:90"},
}}

func TestBufferOfWhichNothingIsTouchedMayBeLeftOut(t *testing.T) {
	dev, rec := open(t)
	x, sum := newBuffer[float32](t, dev, 4), newBuffer[float32](t, dev, 4)
	freed := newBuffer[float32](t, dev, 4)
	freed.Free()
	zero := runtime.Buffer[float32]{}
	call := func(x, sum runtime.Buffer[float32], need int) error {
		rec.Clear()
		b := dev.NewBatch()
		c := b.Call(&sums)
		c.Buffer(0, x.View(), 0)
		c.Buffer(1, sum.View(), need)
		c.Dispatch(one)
		return b.Run(t.Context())
	}

	if err := call(x, zero, 0); err != nil {
		t.Fatal(err)
	}
	if bound := rec.Dispatches()[0].Buffers; len(bound) != 1 || bound[0].Name != "x" {
		t.Errorf("bound %+v", bound)
	}
	if err := call(x, sum, 0); err != nil {
		t.Fatal(err)
	}
	if bound := rec.Dispatches()[0].Buffers; len(bound) != 2 || !runtimetest.Bound(bound[1], sum) {
		t.Errorf("a buffer that is given is not bound: %+v", bound)
	}

	for _, c := range []struct {
		name   string
		x, sum runtime.Buffer[float32]
		need   int
		is     error
		want   string
	}{
		{"touched", x, zero, 1, runtime.ErrNilBuffer,
			"sums: sum: need a buffer of float, [min(1, want) * n] (norm.metal:90), have the zero Buffer"},
		{"touched to an unknown extent", x, zero, math.MaxInt, runtime.ErrNilBuffer,
			"sums: sum: need a buffer of float, [min(1, want) * n] (norm.metal:90), have the zero Buffer"},
		{"no shape is stated", zero, sum, 4, runtime.ErrNilBuffer, "sums: x: need a buffer of float, have the zero Buffer"},
		{"not touched, but no zero Buffer", x, freed, 0, runtime.ErrFreed,
			"sums: sum: need a buffer of float (norm.metal:90), have one that was freed"},
		{"not touched, but a Slice out of range", x, sum.Slice(1, 9), 0, nil,
			"sums: sum: need a buffer of float (norm.metal:90), have Slice(1, 9) of a buffer of 4 elements"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := call(c.x, c.sum, c.need)
			wantError[*runtime.ArgError](t, err, c.want)
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("is no %v", c.is)
			}
		})
	}

	t.Run("never set", func(t *testing.T) {
		b := dev.NewBatch()
		c := b.Call(&sums)
		c.Buffer(0, x.View(), 0)
		c.Dispatch(one)
		err := b.Run(t.Context())
		wantError[*runtime.ArgError](t, err, "sums: sum: need a buffer of float (norm.metal:90), have nothing")
		if !errors.Is(err, runtime.ErrNotSet) {
			t.Errorf("is no %v", runtime.ErrNotSet)
		}
	})
}

func TestOffsetsAreAlignedForTheArgument(t *testing.T) {
	dev, _ := open(t)
	vectors := bind.Kernel{Name: "vectors", Library: &normLibrary, Args: []bind.Arg{
		{Kind: bind.BufferArg, Name: "v", Type: "float4", Size: 16, Align: 16, Access: runtime.Read},
	}}
	floats := newBuffer[float32](t, dev, 64)
	for i, want := range []string{
		0: "",
		1: "vectors: v: need a byte offset that is a multiple of 16, have 4; call 2",
		4: "",
	} {
		b := dev.NewBatch()
		nothing := b.Call(&vectors) // whose offset does not matter
		nothing.Buffer(0, runtime.Cast[[4]float32](floats.Slice(i, i)).View(), 0)
		nothing.Dispatch(one)
		c := b.Call(&vectors)
		c.Buffer(0, runtime.Cast[[4]float32](floats.Slice(i, i+8)).View(), 2)
		c.Dispatch(one)
		if err := b.Run(t.Context()); i%4 == 0 && err != nil {
			t.Errorf("element %d: %v", i, err)
		} else if want != "" {
			wantError[*runtime.ArgError](t, err, want)
		}
	}
}

func TestMisuseOfACallIsReported(t *testing.T) {
	for _, c := range []struct {
		name string
		use  func(*runtime.Batch, mixCall)
		want string
	}{
		{"set twice", func(b *runtime.Batch, m mixCall) { c := b.Call(&mix); m.x(c); m.x(c) },
			"mix (norm.metal:60): x is set twice"},
		{"no such argument", func(b *runtime.Batch, m mixCall) { bind.Value(b.Call(&mix), 9, 1) },
			"mix (norm.metal:60): the kernel has no value argument 9"},
		{"argument of another kind", func(b *runtime.Batch, m mixCall) { b.Call(&mix).Threadgroup(3, 1) },
			"mix (norm.metal:60): the kernel has no threadgroup argument 3"},
		{"value with pointers", func(b *runtime.Batch, m mixCall) { bind.Value(b.Call(&mix), 3, []int{1}) },
			"mix (norm.metal:60): value 3: a []int holds pointers"},
		{"not dispatched at the end", func(b *runtime.Batch, m mixCall) { b.Call(&mix) },
			"mix (norm.metal:60): the call was begun but not dispatched"},
		{"not dispatched before the next", func(b *runtime.Batch, m mixCall) { b.Call(&mix); b.Call(&fill).Dispatch(one) },
			"mix (norm.metal:60): the call was begun but not dispatched"},
		{"set after Dispatch", func(b *runtime.Batch, m mixCall) { c := b.Call(&fill); c.Dispatch(one); m.x(c) },
			"fill (norm.metal:40): the call is used after its Dispatch"},
		{"dispatched twice", func(b *runtime.Batch, m mixCall) { c := b.Call(&fill); c.Dispatch(one); c.Dispatch(one) },
			"fill (norm.metal:40): the call is used after its Dispatch"},
		{"no such requirement", func(b *runtime.Batch, m mixCall) { b.Call(&mix).Require(0, false, 7) },
			"mix (norm.metal:60): the kernel has no requirement 0 of 1 terms"},
		{"nil kernel", func(b *runtime.Batch, m mixCall) { b.Call(nil).Dispatch(one) },
			"call of no kernel: the *Kernel is nil"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dev, rec := open(t)
			b := dev.NewBatch()
			c.use(b, goodMix(t, dev))
			wantError[*runtime.CallError](t, b.Run(t.Context()), c.want)
			if len(rec.Dispatches()) != 0 {
				t.Error("dispatched all the same")
			}
		})
	}
}

func TestDriverErrorsNameTheKernel(t *testing.T) {
	noCompile := errors.New("no such function")
	dev, _ := open(t, runtimetest.FailRecord(noCompile))
	b := dev.NewBatch()
	b.Call(&fill).Dispatch(one)
	err := b.Run(t.Context())
	wantError[*runtime.CallError](t, err, "fill (norm.metal:40): no such function")
	if !errors.Is(err, noCompile) {
		t.Error("does not wrap the driver's error")
	}
}
