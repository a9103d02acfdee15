//go:build unix

package metal

import (
	"encoding/binary"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Kernels with pointers in memory, in tests that run both on the fake and on a Mac.

var (
	pointerSource = `#include <metal_stdlib>
using namespace metal;
struct Link { device const float* from; device float* to; device const Link* next; };
kernel void chain(device const Link* links [[buffer(0)]], constant uint& n [[buffer(1)]],
	uint i [[thread_position_in_grid]]) {
	device const Link* link = links;
	for (uint k = 0; k < n; k++, link = link->next) link->to[i] = link->from[i] + 1;
}
struct Pair { device const float* of[2]; device float* sum; };
kernel void addPair(constant Pair& p [[buffer(0)]], uint i [[thread_position_in_grid]]) {
	p.sum[i] = p.of[0][i] + p.of[1][i];
}
`
	pointerLibrary = driver.Library{File: "pointers.metal", Source: &pointerSource}
	linkFields     = []driver.Field{
		{Name: "from", Type: "device float*", Offset: 0, Access: bind.Read},
		{Name: "to", Type: "device float*", Offset: 8, Access: bind.ReadWrite},
		{Name: "next", Type: "device Link*", Offset: 16, Access: bind.Read},
	}
	chainKernel = driver.Kernel{
		Name: "chain", Library: &pointerLibrary,
		Buffers: []*driver.Arg{{Index: 0, Name: "links", Type: "Link", Size: 24, Reads: true, Fields: linkFields}},
		Values:  []*driver.Arg{{Index: 1, Name: "n", Type: "uint", Size: 4}},
	}
	pairKernel = driver.Kernel{
		Name: "addPair", Library: &pointerLibrary,
		Values: []*driver.Arg{{Index: 0, Name: "p", Type: "Pair", Size: 24, Fields: []driver.Field{
			{Name: "of", Type: "device float*[2]", Offset: 0, Access: bind.Read},
			{Name: "sum", Type: "device float*", Offset: 16, Access: bind.ReadWrite},
		}}},
	}
)

const linkFloats = 8

// link puts a Link into memory, and returns what it leads to.
func link(at driver.Memory, n int, from, to, next driver.Memory) []driver.Resource {
	b := at.Bytes()[24*n:]
	arg := chainKernel.Buffers[0]
	binary.LittleEndian.PutUint64(b, from.Address())
	binary.LittleEndian.PutUint64(b[8:], to.Address())
	list := []driver.Resource{
		{Memory: from, Arg: arg, Element: n, Field: "From"}, {Memory: to, Writes: true, Arg: arg, Element: n, Field: "To"},
	}
	if next != nil {
		binary.LittleEndian.PutUint64(b[16:], next.Address())
		list = append(list, driver.Resource{Memory: next, Arg: arg, Element: n, Field: "Next"})
	}
	return list
}

// chained goes along n links from the first of a table on.
func chained(links driver.Memory, n int, reached []driver.Resource) *driver.Dispatch {
	return &driver.Dispatch{
		Kernel:    &chainKernel,
		Buffers:   []driver.Buffer{{Arg: chainKernel.Buffers[0], Memory: links, Length: 24}},
		Values:    []driver.Value{{Arg: chainKernel.Values[0], Bytes: binary.LittleEndian.AppendUint32(nil, uint32(n))}},
		Resources: reached,
		Grid:      driver.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{linkFloats, 1, 1}},
	}
}

// added adds two vectors, which a value leads to.
func added(a, b, sum driver.Memory) *driver.Dispatch {
	arg := pairKernel.Values[0]
	p := binary.LittleEndian.AppendUint64(nil, a.Address())
	p = binary.LittleEndian.AppendUint64(p, b.Address())
	p = binary.LittleEndian.AppendUint64(p, sum.Address())
	return &driver.Dispatch{
		Kernel: &pairKernel,
		Values: []driver.Value{{Arg: arg, Bytes: p}},
		Resources: []driver.Resource{{Memory: a, Arg: arg, Element: -1, Field: "Of[0]"},
			{Memory: b, Arg: arg, Element: -1, Field: "Of[1]"},
			{Memory: sum, Writes: true, Arg: arg, Element: -1, Field: "Sum"}},
		Grid: driver.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{linkFloats, 1, 1}},
	}
}

// checkPointers goes through pointers in buffers and in values, to memory of each kind and to more pointers.
func checkPointers(t *testing.T, d driver.Device) {
	t.Helper()
	shared := func() driver.Memory { return memoryOf(t, d, 4*linkFloats, driver.StorageShared) }
	private := memoryOf(t, d, 4*linkFloats, driver.StoragePrivate)
	wrapped, err := d.WrapMemory(pages(t, 1), false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(wrapped.Free)
	a, b, sum := shared(), shared(), shared()
	for i := range linkFloats {
		floatsOf(a)[i] = float32(i)
	}
	first, second := memoryOf(t, d, 24, driver.StorageShared), memoryOf(t, d, 48, driver.StorageShared)
	reached := link(first, 0, a, private, second)
	reached = append(reached, link(second, 0, private, wrapped, nil)...)
	for range 3 {
		clear(floatsOf(wrapped)[:linkFloats])
		err := batch(t, d, func(r driver.Recorder) error {
			return all(r, chained(first, 2, reached), added(wrapped, a, sum),
				[2]driver.Buffer{whole(b, 4*linkFloats), whole(private, 4*linkFloats)})
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range linkFloats {
			x := float32(i)
			if floatsOf(b)[i] != x+1 || floatsOf(wrapped)[i] != x+2 || floatsOf(sum)[i] != 2*x+2 {
				t.Fatalf("element %d is %v, %v and %v", i, floatsOf(b)[i], floatsOf(wrapped)[i], floatsOf(sum)[i])
			}
		}
	}
}
