//go:build linux && (amd64 || arm64)

package metal

import (
	"errors"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
)

const structSource = `#include <metal_stdlib>
using namespace metal;
enum Mode : ushort { one, two };
struct Strides { uint x; ulong y; };
struct P { uint n; float factor[3]; packed_float3 more; Mode mode; Strides s[2]; float2x2 m; bool on; atomic_uint ` +
	`hits; };
kernel void k(device const half4* in [[buffer(0)]], device P* out [[buffer(1)]], constant P& p [[buffer(2)]],
              device const float* unused [[buffer(3)]],
              threadgroup bfloat* part [[threadgroup(0)]], uint i [[thread_position_in_grid]]) {
	part[i] = bfloat(in[i].x);
	if (i < p.n) out[i].n = uint(part[i]);
}
`

func structKernel() *driver.Kernel {
	text := structSource
	fields := []driver.Field{
		{Name: "n", Type: "uint", Offset: 0},
		{Name: "factor", Type: "float[3]", Offset: 4},
		{Name: "more", Type: "packed_float3", Offset: 16},
		{Name: "mode", Type: "Mode", Offset: 28},
		{Name: "s", Type: "Strides[2]", Offset: 32,
			Fields: []driver.Field{{Name: "x", Type: "uint", Offset: 0}, {Name: "y", Type: "ulong", Offset: 8}}},
		{Name: "m", Type: "float2x2", Offset: 64},
		{Name: "on", Type: "bool", Offset: 80},
		{Name: "hits", Type: "atomic_uint", Offset: 84},
	}
	return &driver.Kernel{
		Name: "k", Pos: "s.metal:6", Library: &driver.Library{File: "s.metal", Source: &text},
		Buffers: []*driver.Arg{
			{Index: 0, Name: "in", Type: "half4", Size: 8, Reads: true, Pos: "s.metal:6"},
			{Index: 1, Name: "out", Type: "P", Size: 88, Fields: fields, Reads: true, Writes: true, Pos: "s.metal:6"},
		},
		Values: []*driver.Arg{{Index: 2, Name: "p", Type: "P", Size: 88, Fields: fields}},
		Shared: []*driver.Arg{{Index: 0, Name: "part", Type: "bfloat", Size: 2, Pos: "s.metal:8"}},
	}
}

// old are the selectors that came with macOS 13, for an MTLArgument lacks them.
var old = []string{"bindings", "isUsed"}

func TestPipelinesAreHeldAgainstWhatMetalSaysOfThem(t *testing.T) {
	for _, c := range []struct {
		name   string
		hide   []string
		kind   metaltest.FaultKind
		fault  metaltest.Fault
		change func(k *driver.Kernel)
		want   string // of the error, "" where there is none
	}{
		{name: "as described"},
		{name: "as described, before macOS 13", hide: old},
		{name: "a renamed argument", kind: metaltest.RenamedBinding, fault: metaltest.Fault{Name: "out", Text: "result"},
			want: "out (s.metal:6): the generated code says buffer 1 is out, " +
				"Metal says buffer 1 is result: run metalgen again"},
		{name: "a renamed argument, before macOS 13", hide: old, kind: metaltest.RenamedBinding,
			fault: metaltest.Fault{Name: "out", Text: "result"},
			want: "out (s.metal:6): the generated code says buffer 1 is out, " +
				"Metal says buffer 1 is result: run metalgen again"},
		{name: "a renamed argument that is not used", kind: metaltest.RenamedBinding,
			fault: metaltest.Fault{Name: "unused", Text: "other"}},
		{name: "a moved field", kind: metaltest.MovedMember, fault: metaltest.Fault{Name: "more", Code: 4},
			want: "out (s.metal:6): the generated code says more is at byte 16, Metal says more is at byte 20: run metalgen " +
				"again"},
		{name: "a moved field of the second", kind: metaltest.MovedMember,
			fault: metaltest.Fault{Name: "more", Code: 4, Skip: 1},
			want: "p (s.metal:6): the generated code says more is at byte 16, " +
				"Metal says more is at byte 20: run metalgen again"},
		{name: "a moved field of a field", kind: metaltest.MovedMember, fault: metaltest.Fault{Name: "y", Code: -4},
			want: "out (s.metal:6): the generated code says s.y is at byte 8, Metal says s.y is at byte 4: run metalgen again"},
		{name: "written", change: func(k *driver.Kernel) { k.Buffers[1].Writes = false },
			want: "out (s.metal:6): the generated code says it is read only, Metal says it is read and written: run metalgen " +
				"again"},
		{name: "unknown", change: func(k *driver.Kernel) { k.Values = nil },
			want: "an argument (s.metal:6): the generated code says buffer 2 is not used, Metal says buffer 2 is p: run " +
				"metalgen again"},
		{name: "threadgroup memory of other elements", change: func(k *driver.Kernel) { k.Shared[0].Size = 4 },
			want: "part (s.metal:8): the generated code says bfloat has 4 bytes, Metal says bfloat has 2 bytes: run metalgen " +
				"again"},
		{name: "an array that grew", change: func(k *driver.Kernel) {
			k.Values[0].Fields = slices.Clone(k.Values[0].Fields)
			k.Values[0].Fields[1].Type = "float[2]"
		}, want: "p (s.metal:6): the generated code says factor is float[2], Metal says it is float[3]: run metalgen again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := start(t, metaltest.Options{Hide: c.hide})
			if c.fault != (metaltest.Fault{}) {
				metaltest.Fail(c.kind, c.fault)
			}
			k := structKernel()
			if c.change != nil {
				c.change(k)
			}
			for range 2 { // drift is final
				err := d.Prepare(k, nil)
				var e *driver.DriftError
				if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &e) || err.Error() != c.want) {
					t.Errorf("got %v\nwant %s", err, c.want)
				}
			}
			if err := d.Prepare(&scaleKernel, nil); err != nil {
				t.Errorf("the device goes on: %v", err)
			}
		})
	}
}

// What meets Apple's Metal on a Mac, and finds no fault with the fake.
