package drift_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/frontend"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/drift"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// source is what kernel below describes.
const source = `#include <metal_stdlib>
using namespace metal;
constant bool has_bias [[function_constant(0)]];
typedef uint count_t;
struct Strides { int x; int y; };
struct P {
    count_t n;
    float weights[4];
    Strides s;
};
union U { uint u; float f; };
kernel void k(device const float4* in [[buffer(0)]],
              device packed_float3* out [[buffer(1)]],
              device U* either [[buffer(2)]],
              constant P& p [[buffer(3)]],
              device const float* bias [[buffer(4), function_constant(has_bias)]],
              device const float* device const* rows [[buffer(5)]],
              threadgroup float* part [[threadgroup(0)]],
              texture2d<float> image [[texture(0)]],
              array<texture2d<half, access::write>, 2> targets [[texture(1)]],
              sampler s [[sampler(0)]],
              uint i [[thread_position_in_grid]]) {
    if (has_bias) out[i] = bias[i] * p.s.x;
}
`

// kernel is what the generated code says.
func kernel() *driver.Kernel {
	return &driver.Kernel{
		Name: "k", Pos: "a.metal:12",
		Buffers: []*driver.Arg{
			{Index: 0, Name: "in", Type: "float4", Size: 16, Reads: true, Pos: "a.metal:12"},
			{Index: 1, Name: "out", Type: "packed_float3", Size: 12, Writes: true, Pos: "a.metal:13"},
			{Index: 2, Name: "either", Type: "U", Size: 4, Reads: true, Writes: true, Pos: "a.metal:14"},
			{Index: 4, Name: "bias", Type: "float", Size: 4, Reads: true, Optional: true, Pos: "a.metal:16"},
			{Index: 5, Name: "rows", Type: "device float*", Size: 8, Reads: true, Pos: "a.metal:17",
				Fields: []driver.Field{{Type: "device float*", Access: bind.Read}}},
		},
		Values: []*driver.Arg{{Index: 3, Name: "p", Type: "P", Size: 28, Fields: []driver.Field{
			{Name: "n", Type: "uint", Offset: 0},
			{Name: "weights", Type: "float[4]", Offset: 4},
			{Name: "s", Type: "Strides", Offset: 20,
				Fields: []driver.Field{{Name: "x", Type: "int", Offset: 0}, {Name: "y", Type: "int", Offset: 4}}},
		}}},
		Shared:    []*driver.Arg{{Index: 0, Name: "part", Type: "float", Size: 4, Pos: "a.metal:18"}},
		Constants: []*driver.Arg{{Index: 0, Name: "has_bias", Type: "bool", Size: 1}},
		Textures: []*driver.Arg{
			{Index: 0, Name: "image", Type: "texture2d<float>", Reads: true, Count: 1, Pos: "a.metal:19"},
			{Index: 1, Name: "targets", Type: "texture2d<half, access::write>", Writes: true, Count: 2, Pos: "a.metal:20"},
		},
		Samplers: []*driver.Arg{{Index: 0, Name: "s", Type: "sampler", Count: 1, Pos: "a.metal:21"}},
	}
}

// check compares the kernel with a source.
func check(t *testing.T, k *driver.Kernel, text string) error {
	t.Helper()
	lib := frontend.NewLibrary(frontend.Source{File: "a.metal", Text: text})
	now, _, err := lib.Kernel("k", nil)
	if err != nil {
		t.Fatal(err)
	}
	return drift.Check(k, now, lib, nil)
}

func TestDriftIsFoundAndNamesBothSides(t *testing.T) {
	for _, c := range []struct{ name, old, new, arg, generated, source string }{
		{"another name", "float4* in ", "float4* input ",
			"in (a.metal:12)", "buffer 0 is in", "buffer 0 is input"},
		{"another index", "out [[buffer(1)]]", "out [[buffer(7)]]",
			"out (a.metal:13)", "buffer 1 is out", "buffer 7 is out"},
		{"two that changed places", "in [[buffer(0)]],\n              device packed_float3* out [[buffer(1)]]",
			"in [[buffer(1)]],\n              device packed_float3* out [[buffer(0)]]",
			"in (a.metal:12)", "buffer 0 is in", "buffer 1 is in"},
		{"one more", "sampler s ", "device int* more [[buffer(6)]], sampler s ",
			"an argument (a.metal:12)", "buffer 6 is not used", "buffer 6 is more"},
		{"one less", "texture2d<float> image [[texture(0)]],", "",
			"image (a.metal:19)", "texture 0 is image", "texture 0 is not used"},
		{"another type", "float4* in ", "half4* in ",
			"in (a.metal:12)", "it is of type float4", "it is of type half4"},
		{"written after all", "device const float4* in", "device float4* in",
			"in (a.metal:12)", "it is read only", "it is not const"},
		{"a renamed field", "count_t n;", "count_t m;",
			"p (a.metal:12)", "n is at byte 0", "there is no n"},
		{"a moved field", "count_t n;", "count_t n; int more;",
			"p (a.metal:12)", "weights is at byte 4", "weights is at byte 8"},
		{"one more field", "Strides s;", "Strides s; int more;",
			"p (a.metal:12)", "there is no more", "more is at byte 28"},
		{"a field of another type", "typedef uint count_t", "typedef int count_t",
			"p (a.metal:12)", "n is uint", "it is int"},
		{"another length", "weights[4]", "weights[5]",
			"p (a.metal:12)", "weights is float[4]", "it is float[5]"},
		{"a field of a field", "int x; int y;", "int y; int x;",
			"p (a.metal:12)", "s.x is at byte 0", "s.x is at byte 4"},
		{"the size of what has no fields", "uint u; float f;", "uint u; float f[2];",
			"either (a.metal:14)", "U has 4 bytes", "U has 8 bytes"},
		{"threadgroup memory", "threadgroup float*", "threadgroup half*",
			"part (a.metal:18)", "it is of type float", "it is of type half"},
		{"another texture", "texture2d<float> image", "texture2d_array<float> image",
			"image (a.metal:19)", "it is of type texture2d<float>", "it is of type texture2d_array<float>"},
		{"more textures", "access::write>, 2>", "access::write>, 3>",
			"targets (a.metal:20)", "it is an array of 2", "it is an array of 3"},
		{"another function constant", "constant bool has_bias", "constant int has_bias",
			"has_bias (a.metal:12)", "function constant 0 is bool has_bias", "function constant 0 is int has_bias"},
		{"the index of one", "function_constant(0)", "function_constant(4)",
			"has_bias (a.metal:12)", "function constant 0 is bool has_bias", "function constant 0 is not used"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(source, c.old, c.new, 1)
			if text == source {
				t.Fatal("the source does not have the text")
			}
			err := check(t, kernel(), text)
			want := fmt.Sprintf("%s: the generated code says %s, the source says %s: run metalgen again", c.arg, c.generated,
				c.source)
			if e, ok := errors.AsType[*driver.DriftError](err); !ok || e.Kernel != "k" || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

func TestWhatIsTheSameIsNoDrift(t *testing.T) {
	for _, c := range []struct {
		name     string
		change   func(k *driver.Kernel)
		old, new string
	}{
		{"the same", func(*driver.Kernel) {}, "", ""},
		{"the body", func(*driver.Kernel) {}, "* p.s.x", "+ p.s.y"},
		{"a second name", func(*driver.Kernel) {}, "    count_t n;", "    uint32_t n;"},
		{"built-ins", func(*driver.Kernel) {}, "uint i [[thread_position_in_grid]]", "uint3 j [[thread_position_in_grid]], " +
			"uint i [[thread_index_in_threadgroup]]"},
		{"nothing described", func(k *driver.Kernel) { *k = driver.Kernel{Name: "k"} }, "", ""},
		{"indexes alone", func(k *driver.Kernel) {
			*k = driver.Kernel{Name: "k", Buffers: []*driver.Arg{{Index: 0}, {Index: 1}}}
		}, "", ""},
		{"no fields described", func(k *driver.Kernel) { k.Values[0].Fields = nil }, "", ""},
		{"an optional argument that no constant switches on", func(k *driver.Kernel) {
			k.Buffers = append(k.Buffers[:3], k.Buffers[4:]...)
		}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := kernel()
			c.change(k)
			if err := check(t, k, strings.Replace(source, c.old, c.new, 1)); err != nil {
				t.Error(err)
			}
		})
	}
}
