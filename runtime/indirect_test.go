package runtime_test

import (
	"errors"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

var indirectSource = `#include <metal_stdlib>
using namespace metal;
kernel void plan(device uint* groups [[buffer(0)]], constant uint3& n [[buffer(1)]]) {
	groups[1] = n.x;
	groups[2] = n.y;
	groups[3] = n.z;
}
kernel void tally(device atomic_uint* x [[buffer(0)]], uint3 group [[threadgroup_position_in_grid]],
	uint3 groups [[threadgroups_per_grid]], uint3 threads [[threads_per_grid]]) {
	atomic_fetch_add_explicit(&x[0], 1, memory_order_relaxed);
	if (group.x + 1 == groups.x && group.y + 1 == groups.y && group.z + 1 == groups.z) {
		atomic_store_explicit(&x[1], threads.x * 10000 + threads.y * 100 + threads.z, memory_order_relaxed);
	}
}
`

var indirectLibrary = bind.Library{File: "indirect.metal", Source: &indirectSource}

var plan = bind.Kernel{Name: "plan", Library: &indirectLibrary, Pos: "indirect.metal:3", Args: []bind.Arg{
	{Kind: bind.BufferArg, Index: 0, Name: "groups", Type: "uint", Size: 4, Align: 4, Access: runtime.Write},
	{Kind: bind.ValueArg, Index: 1, Name: "n", Type: "uint3", Size: 16},
}}

var tallyArgs = []bind.Arg{
	{Kind: bind.BufferArg, Index: 0, Name: "x", Type: "atomic_uint", Size: 4, Align: 4, Access: runtime.ReadWrite},
}

var tally = bind.Kernel{
	Name: "tally", Library: &indirectLibrary, Pos: "indirect.metal:8", Positions: true, Args: tallyArgs,
}

func callTally(b *runtime.Batch, x runtime.Buffer[uint32], g runtime.Grid) {
	c := b.Call(&tally)
	c.Buffer(0, x.View(), 2)
	c.Dispatch(g)
}

func TestIndirectGridIsReadWhenTheCallBegins(t *testing.T) {
	dev := openChosen(t)
	for name, words := range map[string]runtime.Buffer[uint32]{
		"shared":  newBuffer[uint32](t, dev, 4),
		"private": newPrivate[uint32](t, dev, 4),
	} {
		groups := runtime.Cast[[3]uint32](words.Slice(1, 4))
		b := dev.NewBatch()
		for _, c := range []struct{ n, want [3]uint32 }{
			{[3]uint32{2, 3, 4}, [3]uint32{2 * 3 * 4 * 8, 8*10000 + 6*100 + 4}},
			{[3]uint32{1, 1, 1}, [3]uint32{8, 4*10000 + 2*100 + 1}},
			{[3]uint32{0, 3, 4}, [3]uint32{}},
			{[3]uint32{2, 0, 4}, [3]uint32{}},
			{[3]uint32{2, 3, 0}, [3]uint32{}},
			{[3]uint32{0, 0, 0}, [3]uint32{}},
			{[3]uint32{1, 1, 2}, [3]uint32{16, 4*10000 + 2*100 + 2}},
		} {
			x := newBuffer[uint32](t, dev, 2)
			call := b.Call(&plan)
			call.Buffer(0, words.View(), 4)
			bind.Value(call, 1, [4]uint32{c.n[0], c.n[1], c.n[2]})
			call.Dispatch(one)
			callTally(b, x, runtime.Grid{Threads: [3]int{4, 2, 1}, Indirect: groups})
			mustRun(t, b)
			if got := x.Data(); got[0] != c.want[0] || got[1] != c.want[1] {
				t.Errorf("%s %v: got %v, want %v", name, c.n, got, c.want)
			}
		}
	}
}

func TestIndirectGridMistakes(t *testing.T) {
	dev, other := openChosen(t), openChosen(t)
	x := newBuffer[uint32](t, dev, 2)
	groups := newBuffer[[3]uint32](t, dev, 2)
	freed := newBuffer[[3]uint32](t, dev, 1)
	freed.Free()
	threads := [3]int{32, 1, 1}
	type grid = runtime.Grid
	for _, c := range []struct {
		name string
		grid grid
		is   error
		want string
	}{
		{"second element", grid{Threads: threads, Indirect: groups.Slice(1, 2)}, nil, ""},
		{"both", grid{Threadgroups: threads, Threads: threads, Indirect: groups}, nil,
			"tally: grid of threadgroups from a buffer, of (32, 1, 1) threads: need no Threadgroups and no Size beside " +
				"Indirect, have both"},
		{"size", grid{Threads: threads, Size: threads, Indirect: groups}, nil,
			"tally: grid of threadgroups from a buffer, of (32, 1, 1) threads: need no Threadgroups and no Size beside " +
				"Indirect, have both"},
		{"no threads", grid{Indirect: groups}, nil,
			"tally: grid of threadgroups from a buffer, of (0, 0, 0) threads: need Threads, have none set"},
		{"too many threads", grid{Threads: [3]int{1024, 2, 1}, Indirect: groups}, nil,
			"tally: grid of threadgroups from a buffer, of (1024, 2, 1) threads: need at most 1024 threads per threadgroup, " +
				"have 2048"},
		{"empty", grid{Threads: threads, Indirect: groups.Slice(1, 1)}, runtime.ErrTooShort,
			"tally: Grid.Indirect: need at least 1 elements of uint[3], have 0"},
		{"freed", grid{Threads: threads, Indirect: freed}, runtime.ErrFreed,
			"tally: Grid.Indirect: need a buffer of uint[3], have one that was freed"},
		{"other device", grid{Threads: threads, Indirect: newBuffer[[3]uint32](t, other, 1)}, runtime.ErrOtherDevice,
			"tally: Grid.Indirect: need a buffer of the batch's device, " + nameOf(dev) + ", have one of another, " +
				nameOf(other)},
		{"misaligned", grid{Threads: threads, Indirect: runtime.Cast[[3]uint32](newBuffer[uint16](t, dev, 7).Slice(1, 7))},
			nil,
			"tally: Grid.Indirect: need a buffer of uint[3], have Cast to [3]uint32 of 12 bytes at offset 2: the offset is " +
				"not a multiple of 4"},
	} {
		b := dev.NewBatch()
		callTally(b, x, c.grid)
		err := b.Run(t.Context())
		if text := errorText(err); text != c.want || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: got %q, want %q", c.name, text, c.want)
		}
	}
}

func TestIndirectGridIsRecorded(t *testing.T) {
	dev, rec := open(t)
	groups := newBuffer[[3]uint32](t, dev, 2)
	b := dev.NewBatch()
	b.Call(&fill).Dispatch(runtime.Grid{Threads: [3]int{32, 1, 1}, Indirect: groups.Slice(1, 2)})
	groups.Free()
	if n := rec.Live(); n != 1 {
		t.Errorf("%d allocations, want that of the grid", n)
	}
	mustRun(t, b)
	if n := rec.Live(); n != 0 {
		t.Errorf("%d allocations are left", n)
	}
	d := rec.Dispatches()[0]
	if i := d.Indirect; i == nil || i.Name != "Grid.Indirect" || i.Access != runtime.Read || i.Offset != 12 ||
		i.Length != 12 {
		t.Errorf("got %+v", i)
	}
}
