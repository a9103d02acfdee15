//go:build unix

package metal

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
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
struct Picture { texture2d<float> from; texture2d<float, access::write> to[1]; sampler s; };
kernel void shiftPicture(constant Picture& p [[buffer(0)]], uint2 at [[thread_position_in_grid]]) {
	float2 size = float2(p.from.get_width(), p.from.get_height());
	p.to[0].write(p.from.sample(p.s, (float2(at) + 1.5) / size) + 0.25, at);
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
	pictureKernel = driver.Kernel{
		Name: "shiftPicture", Library: &pointerLibrary,
		Values: []*driver.Arg{{Index: 0, Name: "p", Type: "Picture", Size: 24, Fields: []driver.Field{
			{Name: "from", Type: "texture2d<float>", Offset: 0, Access: bind.Read, Texture: bind.Texture2D,
				Texels: bind.FloatTexels},
			{Name: "to", Type: "texture2d<float, access::write>[1]", Offset: 8, Access: bind.Write,
				Texture: bind.Texture2D, Texels: bind.FloatTexels},
			{Name: "s", Type: "sampler", Offset: 16},
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

// pictured is shifted with the textures and the sampler in a value.
func pictured(
	t testing.TB, d driver.Device, to, from driver.Texture, s bind.Sampler, width, height int,
) *driver.Dispatch {
	t.Helper()
	id, err := d.SamplerID(s)
	if err != nil {
		t.Fatal(err)
	}
	arg := pictureKernel.Values[0]
	p := binary.LittleEndian.AppendUint64(nil, from.ID())
	p = binary.LittleEndian.AppendUint64(p, to.ID())
	p = binary.LittleEndian.AppendUint64(p, id)
	return &driver.Dispatch{
		Kernel: &pictureKernel,
		Values: []driver.Value{{Arg: arg, Bytes: p}},
		Resources: []driver.Resource{{Texture: from, Arg: arg, Element: -1, Field: "From"},
			{Texture: to, Writes: true, Arg: arg, Element: -1, Field: "To[0]"}},
		Grid: driver.Grid{Threads: [3]int{4, 4, 1}, Size: [3]int{width, height, 1}},
	}
}

// checkPictures finds textures, views and samplers by IDs in memory.
func checkPictures(t *testing.T, d driver.Device) {
	t.Helper()
	const w, h = 8, 6
	spec := driver.TextureSpec{Type: bind.Texture2D, Format: pixel.R32Float, Width: w, Height: h, Levels: 2}
	from, a, b := textureOf(t, d, spec), textureOf(t, d, spec), textureOf(t, d, spec)
	level := func(tex driver.Texture) driver.Texture {
		v, err := tex.View(driver.TextureView{Type: bind.Texture2D, Format: pixel.R32Float, Level: 1, Levels: 1, Slices: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(v.Free)
		return v
	}
	texels := func(tex driver.Texture, level int) []byte {
		bytes := make([]byte, 4*w*h>>(2*level))
		err := tex.Read(driver.Region{Level: level, Width: w >> level, Height: h >> level, Depth: 1}, bytes)
		if err != nil {
			t.Fatal(err)
		}
		return bytes
	}
	in := make([]byte, 0, 4*w*h)
	for i := range w * h {
		in = binary.LittleEndian.AppendUint32(in, math.Float32bits(float32(i)))
	}
	if err := from.Write(driver.Region{Width: w, Height: h, Depth: 1}, in); err != nil {
		t.Fatal(err)
	}
	for _, s := range []bind.Sampler{{}, {Min: bind.Linear, Mag: bind.Linear, AddressS: bind.Repeat}} {
		err := batch(t, d, func(r driver.Recorder) error {
			return all(r, shifted(a, from, s, w, h), pictured(t, d, b, from, s, w, h),
				shifted(level(a), a, s, w/2, h/2), pictured(t, d, level(b), b, s, w/2, h/2))
		})
		if err != nil {
			t.Fatal(err)
		}
		for l := range 2 {
			if got, want := texels(b, l), texels(a, l); !bytes.Equal(got, want) {
				t.Errorf("level %d with %+v is not that of arguments: %v, want %v", l, s, got, want)
			}
		}
	}
}

// checkPointers goes through pointers in buffers and in values, to memory of each kind and to more pointers.
func checkPointers(t *testing.T, d driver.Device) {
	t.Helper()
	shared := func() driver.Memory { return memoryOf(t, d, 4*linkFloats, driver.StorageShared) }
	private := memoryOf(t, d, 4*linkFloats, driver.StoragePrivate)
	wrapped := wrappedOr(t, d, pages(t, 1))
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
	checkPictures(t, d)
}
