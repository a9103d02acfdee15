//go:build unix

package metal

import (
	"encoding/binary"
	"errors"
	"flag"
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

var long = flag.Bool("long", false, "run the long tests whole")

// The kernel of this file is the one that tests run both on the fake and on a Mac:
// it has most of what an argument can be.

const fixtureSource = `// made
#line 1 "apple.metal"
#include <metal_stdlib>
using namespace metal;
constant float factor [[function_constant(0)]];
constant bool negate [[function_constant(1)]];
constant bool negates = is_function_constant_defined(negate) ? negate : false;
enum Mode : ushort { one, two };
struct Strides { uint x; uint2 y; };
struct P {
	uint n;
	float weights[3];
	packed_float3 more;
	Mode mode;
	Strides s[2];
	float2x2 m;
	half grid[2][3];
	uchar alone[1];
	bool on;
	float3 last;
};
kernel void scale(device const float* in [[buffer(0)]], device float* out [[buffer(1)]], constant P& p [[buffer(2)]],
                  device atomic_uint* count [[buffer(3)]], device const packed_float3* unused [[buffer(4)]],
                  threadgroup float* part [[threadgroup(0)]],
                  uint i [[thread_position_in_grid]], uint l [[thread_index_in_threadgroup]]) {
	threadgroup float own[32];
	own[l % 32] = p.weights[1];
	part[l] = in[i];
	threadgroup_barrier(mem_flags::mem_threadgroup);
	if (i < p.n) {
		out[i] = part[l] * factor * own[l % 32] * (negates ? -1 : 1);
		atomic_fetch_add_explicit(count, 1u, memory_order_relaxed);
	}
}
`

func fixtureKernel() *driver.Kernel {
	text := fixtureSource
	return &driver.Kernel{
		Name: "scale", Pos: "apple.metal:21", Library: &driver.Library{File: "apple.metal", Source: &text},
		Buffers: []*driver.Arg{
			{Index: 0, Name: "in", Type: "float", Size: 4, Reads: true},
			{Index: 1, Name: "out", Type: "float", Size: 4, Writes: true},
			{Index: 3, Name: "count", Type: "atomic_uint", Size: 4, Reads: true, Writes: true},
			{Index: 4, Name: "unused", Type: "packed_float3", Size: 12, Reads: true},
		},
		Values: []*driver.Arg{{Index: 2, Name: "p", Type: "P", Size: 112, Fields: []driver.Field{
			{Name: "n", Type: "uint", Offset: 0},
			{Name: "weights", Type: "float[3]", Offset: 4},
			{Name: "more", Type: "packed_float3", Offset: 16},
			{Name: "mode", Type: "Mode", Offset: 28},
			{Name: "s", Type: "Strides[2]", Offset: 32,
				Fields: []driver.Field{{Name: "x", Type: "uint", Offset: 0}, {Name: "y", Type: "uint2", Offset: 8}}},
			{Name: "m", Type: "float2x2", Offset: 64},
			{Name: "grid", Type: "half[2][3]", Offset: 80},
			{Name: "alone", Type: "uchar[1]", Offset: 92},
			{Name: "on", Type: "bool", Offset: 93},
			{Name: "last", Type: "float3", Offset: 96},
		}}},
		Shared: []*driver.Arg{{Index: 0, Name: "part", Type: "float", Size: 4}},
		Constants: []*driver.Arg{{Index: 0, Name: "factor", Type: "float", Size: 4},
			{Index: 1, Name: "negate", Type: "bool", Size: 1, Optional: true}},
	}
}

// fixtureParams returns the bytes of P.
func fixtureParams(n uint32, weight float32) []byte {
	b := make([]byte, 112)
	binary.LittleEndian.PutUint32(b, n)
	binary.LittleEndian.PutUint32(b[8:], math.Float32bits(weight))
	return b
}

func float32Bytes(v float32) []byte {
	return binary.LittleEndian.AppendUint32(nil, math.Float32bits(v))
}

func floatsOf(m driver.Memory) []float32 {
	b := m.Bytes()
	return unsafe.Slice((*float32)(unsafe.Pointer(&b[0])), len(b)/4)
}

// checkScale runs the kernel on a device and holds its results against Go's.
func checkScale(t *testing.T, d driver.Device) {
	t.Helper()
	const n = 100
	memory := func(size int) driver.Memory {
		m, err := d.NewMemory(size, driver.StorageShared)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(m.Free)
		return m
	}
	in, out, count := memory(4*n), memory(4*n), memory(4)
	for i := range floatsOf(in) {
		floatsOf(in)[i] = float32(i)
	}
	k := fixtureKernel()
	dispatch := &driver.Dispatch{
		Kernel: k,
		Buffers: []driver.Buffer{
			{Arg: k.Buffers[0], Memory: in, Length: 4 * n}, {Arg: k.Buffers[1], Memory: out, Length: 4 * n},
			{Arg: k.Buffers[2], Memory: count, Length: 4},
		},
		Values:    []driver.Value{{Arg: k.Values[0], Bytes: fixtureParams(n-10, 3)}},
		Shared:    []driver.Shared{{Arg: k.Shared[0], Length: 4 * 64}},
		Constants: []driver.Value{{Arg: k.Constants[0], Bytes: float32Bytes(0.5)}},
		Grid:      driver.Grid{Threadgroups: [3]int{2, 1, 1}, Threads: [3]int{64, 1, 1}, Size: [3]int{n, 1, 1}},
	}
	r, err := d.NewRecorder()
	if err != nil {
		t.Fatal(err)
	}
	for _, sign := range []float32{1, -1} {
		if sign < 0 {
			dispatch.Constants = append(dispatch.Constants, driver.Value{Arg: k.Constants[1], Bytes: []byte{1}})
		}
		if err := batchOn(t, r, func(r driver.Recorder) error { return r.Record(dispatch) }); err != nil {
			t.Fatal(err)
		}
		for i, got := range floatsOf(out) {
			want := float32(i) * 1.5 * sign
			if i >= n-10 {
				want = 0
			}
			if got != want {
				t.Fatalf("out[%d] = %v, want %v", i, got, want)
			}
		}
	}
	if got := binary.LittleEndian.Uint32(count.Bytes()); got != 2*(n-10) {
		t.Errorf("%d threads counted", got)
	}
}

// checkDrift changes the description of the kernel, which has to be noticed.
func checkDrift(t *testing.T, d *Device) {
	t.Helper()
	factor := func(k *driver.Kernel) []driver.Value {
		return []driver.Value{{Arg: k.Constants[0], Bytes: float32Bytes(1)}}
	}
	for _, c := range []struct {
		name   string
		change func(k *driver.Kernel)
		want   string
	}{
		{"none", func(k *driver.Kernel) {}, ""},
		{"name", func(k *driver.Kernel) { k.Buffers[1].Name = "result" }, "buffer 1"},
		{"index", func(k *driver.Kernel) { k.Buffers[1].Index = 7 }, "buffer 7"},
		{"access", func(k *driver.Kernel) { k.Buffers[1].Reads, k.Buffers[1].Writes = true, false }, "read only"},
		{"type", func(k *driver.Kernel) { k.Buffers[0].Type = "uint" }, "type uint"},
		{"size", func(k *driver.Kernel) { k.Values[0].Size = 144 }, "144 bytes"},
		{"field name", func(k *driver.Kernel) { k.Values[0].Fields[0].Name = "m" }, "m is at byte"},
		{"field offset", func(k *driver.Kernel) { k.Values[0].Fields[1].Offset = 16 }, "weights is at byte 16"},
		{"field type", func(k *driver.Kernel) { k.Values[0].Fields[0].Type = "int" }, "n is int"},
		{"array length", func(k *driver.Kernel) { k.Values[0].Fields[1].Type = "float[2]" }, "weights is float[2]"},
		{"field of a field", func(k *driver.Kernel) { k.Values[0].Fields[4].Fields[1].Offset = 4 }, "s.y is at byte 4"},
		{"the only field", func(k *driver.Kernel) {
			k.Values[0].Fields = k.Values[0].Fields[:1]
			k.Values[0].Fields[0].Name = "m"
		}, "m is at byte"},
		{"constant", func(k *driver.Kernel) { k.Constants[0].Type = "int" }, "int factor"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := fixtureKernel()
			c.change(k)
			err := d.Prepare(k, factor(k))
			var e *driver.DriftError
			switch {
			case c.want == "" && err != nil:
				t.Errorf("%v\nMetal says: %+v", err, fixtureBindings(t, d))
			case c.want != "" && (!errors.As(err, &e) || !strings.Contains(e.Generated, c.want)):
				t.Errorf("got %v, want %q\nMetal says: %+v", err, c.want, fixtureBindings(t, d))
			}
		})
	}
}

// fixtureBindings returns what Metal says of the kernel, for the eyes of those who read
// why a test has failed.
func fixtureBindings(t *testing.T, d *Device) (list []binding) {
	k := fixtureKernel()
	objc.WithPool(func() {
		_, reflection := fixturePipeline(t, d, k)
		list = bindings(reflection)
	})
	return list
}

// fixturePipeline makes a pipeline within the pool of its caller.
func fixturePipeline(t *testing.T, d *Device, k *driver.Kernel) (state, reflection objc.ID) {
	lib, err := d.library(k.Library, nil)
	if err != nil {
		t.Fatal(err)
	}
	name, err := objc.NewString(k.Name)
	if err != nil {
		t.Fatal(err)
	}
	defer name.Release()
	p := &pipeline{kernel: k}
	function, err := p.function(lib, name, []driver.Value{{Arg: k.Constants[0], Bytes: float32Bytes(1)}})
	if err != nil {
		t.Fatal(err)
	}
	defer function.Release()
	if state, reflection, err = d.newPipeline(function, name, ""); err != nil {
		t.Fatal(err)
	}
	return state, reflection
}
