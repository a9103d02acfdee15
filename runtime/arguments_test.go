package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/runtimetest"
)

// scene is a struct of a kernel: { device const float4* pos; device float* out[2]; Inner parts[2]; uint n; } with
// Inner { constant uint* ids; device scene* next; }.
type scene struct {
	Pos   runtime.Pointer[[4]float32]
	Out   [2]runtime.Pointer[float32]
	Parts [2]part
	N     uint32
	_     [4]byte
}

type part struct {
	IDs  runtime.Pointer[uint32]
	Next runtime.Pointer[scene]
}

var sceneFields = []bind.Field{
	{Name: "pos", Type: "device float4*", Offset: 0, Access: runtime.Read},
	{Name: "out", Type: "device float*[2]", Offset: 8, Access: runtime.ReadWrite},
	{Name: "parts", Type: "Inner[2]", Offset: 24, Stride: 16, Fields: []bind.Field{
		{Name: "ids", Type: "constant uint*", Offset: 0, Access: runtime.Read},
		{Name: "next", Type: "device scene*", Offset: 8, Access: runtime.ReadWrite},
	}},
	{Name: "n", Type: "uint", Offset: 56},
}

var draw = bind.Kernel{Name: "draw", Library: &normLibrary, Pos: "norm.metal:80", Args: []bind.Arg{
	{Kind: bind.BufferArg, Index: 0, Name: "scenes", Type: "scene", Size: 64, Align: 8, Access: runtime.Read,
		Fields: sceneFields},
	{Kind: bind.ValueArg, Index: 1, Name: "s", Type: "scene", Size: 64, Pointers: true, Fields: sceneFields},
}}

func drawing(b *runtime.Batch, scenes runtime.Buffer[scene], s scene) error {
	c := b.Call(&draw)
	c.Buffer(0, scenes.View(), 0)
	bind.Value(c, 1, s)
	c.Dispatch(one)
	return b.Run(context.Background())
}

// resources returns what the last dispatch has, "scenes[0].Pos 1" or with a w where it may be written.
func resources(rec *runtimetest.Recording) []string {
	all := rec.Dispatches()
	var list []string
	for _, r := range all[len(all)-1].Resources {
		text := fmt.Sprint(r.Name, " ", r.Memory)
		if r.Writes {
			text += "w"
		}
		list = append(list, text)
	}
	return list
}

// list is a struct where a kernel says what is beyond its pointers: { device const float* values; device const list*
// next; device const list* const* more; }, where more leads to what is written as well.
type list struct {
	Values runtime.Pointer[float32]
	Next   runtime.Pointer[list]
	More   runtime.Pointer[list]
}

var walk = bind.Kernel{Name: "walk", Library: &normLibrary, Pos: "norm.metal:90", Args: []bind.Arg{
	{Kind: bind.BufferArg, Index: 0, Name: "lists", Type: "list", Size: 24, Align: 8, Access: runtime.Read, Pointers: true,
		Fields: []bind.Field{
			{Name: "values", Type: "device float*", Offset: 0, Access: runtime.Read},
			{Name: "next", Type: "device list*", Offset: 8, Access: runtime.Read, Beyond: runtime.Read},
			{Name: "more", Type: "device list*", Offset: 16, Access: runtime.Read},
		}},
}}

func TestWhatIsBeyondPointersIsReadWhereTheSourceSaysSo(t *testing.T) {
	dev, rec := open(t)
	values := newBuffer[float32](t, dev, 4) // 1
	lists := func(s ...list) runtime.Buffer[list] {
		t.Helper()
		b, err := runtime.UploadArguments(dev, s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	far := lists(list{Values: values.Pointer()}) // 2
	middle := lists(list{Next: far.Pointer()})   // 3
	next := list{Next: middle.Pointer()}
	more := list{More: middle.Pointer()}
	for _, tt := range []struct {
		name  string
		lists runtime.Buffer[list]
		want  []string
	}{
		{"known", lists(next),
			[]string{"lists[0].Next 3", "lists[0].Next->Next 2", "lists[0].Next->Next->Values 1"}},
		{"unknown", lists(more),
			[]string{"lists[0].More 3", "lists[0].More->Next 2w", "lists[0].More->Next->Values 1w"}},
		{"known, then unknown", lists(next, more),
			[]string{"lists[0].Next 3", "lists[0].Next->Next 2w", "lists[0].Next->Next->Values 1w"}},
		{"unknown, then known", lists(more, next),
			[]string{"lists[0].More 3", "lists[0].More->Next 2w", "lists[0].More->Next->Values 1w"}},
		{"known, and unknown beyond", lists(next, list{More: far.Pointer()}),
			[]string{"lists[0].Next 3", "lists[1].More 2", "lists[1].More->Values 1w"}},
	} {
		b := dev.NewBatch()
		c := b.Call(&walk)
		c.Buffer(0, tt.lists.View(), 0)
		c.Dispatch(one)
		if err := b.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := resources(rec); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func upload(t *testing.T, dev *runtime.Device, s ...scene) runtime.Buffer[scene] {
	t.Helper()
	b, err := runtime.UploadArguments(dev, s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCallsHandOnWhatPointersLeadTo(t *testing.T) {
	dev, rec := open(t)
	pos, out := newBuffer[[4]float32](t, dev, 4), newBuffer[float32](t, dev, 8) // 1, 2
	ids, more := newBuffer[uint32](t, dev, 4), newBuffer[float32](t, dev, 4)    // 3, 4
	far := upload(t, dev, scene{Pos: pos.Pointer(), Out: [2]runtime.Pointer[float32]{{}, more.Pointer()}})
	scenes := upload(t, dev, // 6
		scene{Pos: pos.Slice(1, 2).Pointer(), N: 7},
		scene{Out: [2]runtime.Pointer[float32]{out.Slice(8, 8).Pointer(), {}}},
		scene{Parts: [2]part{{}, {IDs: ids.Pointer()}}},
		scene{Parts: [2]part{{}, {Next: far.Pointer()}}})
	for _, tt := range []struct {
		name   string
		scenes runtime.Buffer[scene]
		s      scene
		want   []string
	}{
		{"all", scenes, scene{},
			[]string{"scenes[0].Pos 1w", "scenes[1].Out[0] 2w", "scenes[2].Parts[1].IDs 3", "scenes[3].Parts[1].Next 5w",
				"scenes[3].Parts[1].Next->Out[1] 4w"}},
		{"one element", scenes.Slice(0, 1), scene{}, []string{"scenes[0].Pos 1"}},
		{"another", scenes.Slice(2, 3), scene{}, []string{"scenes[0].Parts[1].IDs 3"}},
		{"a value", scenes.Slice(0, 0), scene{Pos: pos.Pointer(), Out: [2]runtime.Pointer[float32]{{}, out.Pointer()}},
			[]string{"s.Pos 1", "s.Out[1] 2w"}},
		{"a value and a buffer, one of which writes", scenes.Slice(0, 1),
			scene{Out: [2]runtime.Pointer[float32]{runtime.Cast[float32](pos).Pointer()}}, []string{"scenes[0].Pos 1w"}},
		{"itself", scenes.Slice(0, 0), scene{Parts: [2]part{{Next: far.Pointer()}, {Next: far.Pointer()}}},
			[]string{"s.Parts[0].Next 5w", "s.Parts[0].Next->Pos 1w", "s.Parts[0].Next->Out[1] 4w"}},
	} {
		if err := drawing(dev.NewBatch(), tt.scenes, tt.s); err != nil {
			t.Fatal(err)
		}
		if got := resources(rec); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := scenes.Data()[0]; got.Pos.Address() != pos.Pointer().Address()+16 || got.N != 7 {
		t.Errorf("%+v is in the buffer", got)
	}
}

func TestArgumentsCanBeChanged(t *testing.T) {
	dev, rec := open(t)
	a, b := newBuffer[[4]float32](t, dev, 4), newBuffer[[4]float32](t, dev, 4)
	scenes := upload(t, dev, scene{Pos: a.Pointer()}, scene{Pos: a.Pointer()}, scene{Pos: b.Pointer()})
	if err := runtime.WriteArguments(scenes.Slice(1, 2), []scene{{Pos: b.Pointer()}}); err != nil {
		t.Fatal(err)
	}
	a.Free()
	if err := drawing(dev.NewBatch(), scenes.Slice(1, 3), scene{}); err != nil {
		t.Fatal(err)
	}
	if got, want := resources(rec), []string{"scenes[0].Pos 2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	err := drawing(dev.NewBatch(), scenes, scene{})
	wantError[*runtime.ArgError](t, err, "draw: scenes[0].Pos: need a pointer to a buffer of the batch's device, "+
		"recording device, have one of a buffer that was freed")
}

func TestPointersToNothingAreMistakes(t *testing.T) {
	dev, rec := open(t)
	other, _ := open(t)
	good, freed := newBuffer[[4]float32](t, dev, 4), newBuffer[[4]float32](t, dev, 4)
	kept := newBuffer[[4]float32](t, dev, 4)
	foreign := newBuffer[[4]float32](t, other, 4)
	pointer := freed.Pointer()
	freed.Free()
	keeps := dev.NewBatch()
	if c := keeps.Call(&draw); true {
		c.Buffer(0, upload(t, dev, scene{Pos: kept.Pointer()}).View(), 0)
		bind.Value(c, 1, scene{})
		c.Dispatch(one)
	}
	alive := kept.Pointer()
	kept.Free()
	for _, tt := range []struct {
		name string
		pos  runtime.Pointer[[4]float32]
		have string
		err  error
	}{
		{"freed before", freed.Pointer(), "one of a buffer that was freed", runtime.ErrFreed},
		{"freed after", pointer, fmt.Sprintf("%#x, which leads to nothing", pointer.Address()), runtime.ErrNoMemory},
		{"freed, and kept by a batch", alive, "one of a buffer that was freed", runtime.ErrFreed},
		{"mistaken slice", good.Slice(3, 9).Pointer(), "one of a mistaken Slice or Cast", runtime.ErrNoMemory},
		{"another device", foreign.Pointer(), fmt.Sprintf("%#x, which leads to nothing", foreign.Pointer().Address()),
			runtime.ErrNoMemory},
	} {
		_, err := runtime.UploadArguments(dev, []scene{{Pos: good.Pointer()}, {Pos: tt.pos}})
		wantError[*runtime.PointerError](t, err,
			"UploadArguments: [1].Pos: need a pointer to a buffer of the device, have "+tt.have)
		if !errors.Is(err, tt.err) {
			t.Errorf("%s: %v is not %v", tt.name, err, tt.err)
		}
		err = drawing(dev.NewBatch(), upload(t, dev, scene{}), scene{Pos: tt.pos})
		wantError[*runtime.ArgError](t, err, "draw: s.Pos: need a pointer to a buffer of the batch's device, "+
			"recording device, have "+tt.have)
		if !errors.Is(err, tt.err) {
			t.Errorf("%s: %v is not %v", tt.name, err, tt.err)
		}
	}
	if n := len(rec.Dispatches()); n != 0 {
		t.Errorf("%d calls were dispatched", n)
	}
}

func TestPointersToReadOnlyMemoryAreForReading(t *testing.T) {
	dev, rec := open(t)
	wrapped, err := runtime.WrapBuffer(dev, pages[uint32](32), runtime.Read)
	if err != nil {
		t.Fatal(err)
	}
	p := runtime.Cast[float32](wrapped).Pointer()
	pos := runtime.Cast[[4]float32](wrapped).Pointer()
	err = drawing(dev.NewBatch(), upload(t, dev, scene{Out: [2]runtime.Pointer[float32]{p}}), scene{})
	wantError[*runtime.ArgError](t, err, "draw: scenes[0].Out[0]: need a pointer to a buffer of the batch's device, "+
		"recording device, have one of a buffer that was wrapped for reading only")
	far := upload(t, dev, scene{Pos: pos})
	if err := drawing(dev.NewBatch(), upload(t, dev, scene{Parts: [2]part{{Next: far.Pointer()}}}), scene{}); err != nil {
		t.Fatal(err)
	}
	want := []string{"scenes[0].Parts[0].Next 3w", "scenes[0].Parts[0].Next->Pos 1"}
	if got := resources(rec); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestArgumentsAreWrittenWhole(t *testing.T) {
	dev, _ := open(t)
	private, err := runtime.NewPrivateBuffer[scene](dev, 1)
	if err != nil {
		t.Fatal(err)
	}
	freed := newBuffer[scene](t, dev, 1)
	freed.Free()
	for _, tt := range []struct {
		to   runtime.Buffer[scene]
		want string
	}{
		{private, "the buffer is private"},
		{freed, "freed buffer, texture or event"},
		{runtime.Buffer[scene]{}, "nil buffer"},
		{newBuffer[scene](t, dev, 1).Slice(2, 3), "Slice(2, 3) of a buffer of 1 elements"},
		{newBuffer[scene](t, dev, 0), "need a buffer of at least 1 elements, have 0"},
	} {
		err := runtime.WriteArguments(tt.to, []scene{{}})
		if err == nil || err.Error() != "WriteArguments: "+tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
	_, err = runtime.Upload(dev, []scene{{}})
	if err == nil || !strings.Contains(err.Error(), "use UploadArguments") {
		t.Errorf("Upload returns %v", err)
	}
	b := newBuffer[[4]float32](t, dev, 1)
	to := upload(t, dev, scene{N: 1})
	bad := b.Pointer()
	b.Free()
	if err := runtime.WriteArguments(to, []scene{{N: 2, Pos: bad}}); err == nil || to.Data()[0].N != 1 {
		t.Errorf("got %v, and the value is %+v", err, to.Data()[0])
	}
}

func TestCallsWithPointersAllocateNothing(t *testing.T) {
	dev, _ := open(t, runtimetest.NoLog())
	pos := newBuffer[[4]float32](t, dev, 4)
	scenes := upload(t, dev, scene{Pos: pos.Pointer()}, scene{Pos: pos.Pointer()})
	b := dev.NewBatch()
	s := scene{Pos: pos.Pointer()}
	if n := testing.AllocsPerRun(100, func() {
		if err := drawing(b, scenes, s); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("a call allocates %v times", n)
	}
}
