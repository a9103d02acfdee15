//go:build unix

package metal

import (
	"errors"
	"fmt"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// driftKernel returns what the generated code says in the tests below.
func driftKernel() *driver.Kernel {
	return &driver.Kernel{
		Name: "k", Pos: "a.metal:9",
		Buffers: []*driver.Arg{
			{Index: 0, Name: "in", Type: "float4", Size: 16, Reads: true, Pos: "a.metal:10"},
			{Index: 1, Name: "out", Type: "packed_float3", Size: 12, Writes: true, Pos: "a.metal:11"},
			{Index: 2, Name: "count", Type: "atomic_uint", Size: 4, Reads: true, Writes: true, Pos: "a.metal:12"},
		},
		Values: []*driver.Arg{
			{Index: 3, Name: "p", Type: "P", Size: 48, Fields: []driver.Field{
				{Name: "n", Type: "uint32_t", Offset: 0},
				{Name: "weights", Type: "float[4]", Offset: 4},
				{Name: "grid", Type: "half[2][3]", Offset: 20},
				{Name: "mode", Type: "Mode", Offset: 32},
				{Name: "s", Type: "Strides", Offset: 36,
					Fields: []driver.Field{{Name: "x", Type: "int", Offset: 0}, {Name: "y", Type: "int", Offset: 4}}},
				{Name: "one", Type: "uchar[1]", Offset: 44},
			}},
			{Index: 4, Name: "m", Type: "float2x4", Size: 32},
			{Index: 5, Name: "three", Type: "float[3]", Size: 12},
			{Index: 6, Name: "rows", Type: "device float*", Size: 8,
				Fields: []driver.Field{{Type: "device float*", Access: bind.Read}}},
			{Index: 7, Name: "q", Type: "Q", Size: 40, Fields: []driver.Field{
				{Name: "to", Type: "device float*[2]", Offset: 0, Access: bind.Read},
				{Name: "image", Type: "texture2d<float>", Offset: 16, Access: bind.Read, Texture: bind.Texture2D,
					Texels: bind.FloatTexels},
				{Name: "grid", Type: "device float[4]*", Offset: 24, Access: bind.ReadWrite},
				{Name: "n", Type: "uint", Offset: 32},
			}},
		},
		Shared: []*driver.Arg{{Index: 0, Name: "part", Type: "float", Size: 4, Pos: "a.metal:13"}},
	}
}

// driftBindings returns what Metal says of the same kernel.
func driftBindings() []binding {
	buffer := func(index int, name string, access access, t dataType, size int) binding {
		return binding{index: index, name: name, access: access, used: true, dataType: t, size: size}
	}
	list := []binding{
		buffer(0, "in", 0, 6, 16), buffer(1, "out", 2, 5, 12), buffer(2, "count", 1, typeStruct, 4),
		buffer(3, "p", 0, typeStruct, 48), buffer(4, "m", 0, 9, 32), buffer(5, "three", 0, typeArray, 4),
		{kind: bindingThreadgroup, name: "part", access: 1, used: true, size: 4},
		buffer(6, "rows", 0, 85, 8), // a ulong
		buffer(7, "q", 0, typeStruct, 40),
	}
	list[8].members = []member{
		{name: "to", offset: 0, dataType: typeArray, length: 2, element: typePointer,
			to: pointee{known: true, dataType: 3}},
		{name: "image", offset: 16, dataType: typeTexture, texture: &textureBinding{form: bind.Texture2D, texels: 3}},
		{name: "grid", offset: 24, dataType: typePointer, to: pointee{known: true, dataType: typeArray, access: 1}},
		{name: "n", offset: 32, dataType: 33},
	}
	list[2].members = []member{{name: "__s", dataType: 33}}
	list[3].members = []member{
		{name: "n", offset: 0, dataType: 33},
		{name: "weights", offset: 4, dataType: typeArray, length: 4, element: 3},
		{name: "grid", offset: 20, dataType: typeArray, length: 6, element: 16},
		{name: "mode", offset: 32, dataType: 33},
		{name: "s", offset: 36, dataType: typeStruct,
			members: []member{{name: "x", offset: 0, dataType: 29}, {name: "y", offset: 4, dataType: 29}}},
		{name: "one", offset: 44, dataType: 49},
	}
	return list
}

func TestDriftIsFoundAndNamesBothSides(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(k *driver.Kernel, list []binding)
		want   string
	}{
		{"another name", func(k *driver.Kernel, l []binding) { l[0].name = "input" },
			"in (a.metal:10): the generated code says buffer 0 is in, Metal says buffer 0 is input"},
		{"another index", func(k *driver.Kernel, l []binding) { l[0].index = 7 },
			"in (a.metal:10): the generated code says buffer 0 is in, Metal says buffer 7 is in"},
		{"two that changed places", func(k *driver.Kernel, l []binding) { l[0].index, l[1].index = 1, 0 },
			"in (a.metal:10): the generated code says buffer 0 is in, Metal says buffer 1 is in"},
		{"one more", func(k *driver.Kernel, l []binding) { k.Buffers = k.Buffers[1:] },
			"an argument (a.metal:9): the generated code says buffer 0 is not used, Metal says buffer 0 is in"},
		{"a texture", func(k *driver.Kernel, l []binding) { l[0].kind = bindingTexture },
			"an argument (a.metal:9): the generated code says texture 0 is not used, Metal says texture 0 is in"},
		{"threadgroup memory", func(k *driver.Kernel, l []binding) { l[6].name = "scratch" },
			"part (a.metal:13): the generated code says threadgroup 0 is part, Metal says threadgroup 0 is scratch"},
		{"threadgroup memory of other elements", func(k *driver.Kernel, l []binding) { l[6].size = 16 },
			"part (a.metal:13): the generated code says float has 4 bytes, Metal says float has 16 bytes"},
		{"another type", func(k *driver.Kernel, l []binding) { l[0].dataType = 32 },
			"in (a.metal:10): the generated code says it is of type float4, Metal says it is of type int4"},
		{"another size", func(k *driver.Kernel, l []binding) { l[1].size = 16 },
			"out (a.metal:11): the generated code says packed_float3 has 12 bytes, Metal says packed_float3 has 16 bytes"},
		{"another matrix", func(k *driver.Kernel, l []binding) { l[4].dataType = 13 },
			"m (a.metal:9): the generated code says it is of type float2x4, Metal says it is of type float4x2"},
		{"written after all", func(k *driver.Kernel, l []binding) { l[0].access = 1 },
			"in (a.metal:10): the generated code says it is read only, Metal says it is read and written"},
		{"no struct", func(k *driver.Kernel, l []binding) { l[3].dataType, l[3].members = 33, nil },
			"p (a.metal:9): the generated code says it is of type P, Metal says it is of type uint"},
		{"a renamed field", func(k *driver.Kernel, l []binding) { l[3].members[0].name = "count" },
			"p (a.metal:9): the generated code says n is at byte 0, Metal says there is no n"},
		{"a moved field", func(k *driver.Kernel, l []binding) { l[3].members[1].offset = 16 },
			"p (a.metal:9): the generated code says weights is at byte 4, Metal says weights is at byte 16"},
		{"one more field", func(k *driver.Kernel, l []binding) {
			l[3].members = append(l[3].members, member{name: "more", offset: 45, dataType: 49})
		}, "p (a.metal:9): the generated code says there is no more, Metal says more is at byte 45"},
		{"a field of another type", func(k *driver.Kernel, l []binding) { l[3].members[0].dataType = 3 },
			"p (a.metal:9): the generated code says n is uint32_t, Metal says it is float"},
		{"a field that is an array", func(k *driver.Kernel, l []binding) {
			l[3].members[0] = member{name: "n", dataType: typeArray, length: 4, element: 33}
		}, "p (a.metal:9): the generated code says n is uint32_t, Metal says it is uint[4]"},
		{"a field that is none", func(k *driver.Kernel, l []binding) { l[3].members[1].dataType = 6 },
			"p (a.metal:9): the generated code says weights is float[4], Metal says it is float4"},
		{"another length", func(k *driver.Kernel, l []binding) { l[3].members[1].length = 8 },
			"p (a.metal:9): the generated code says weights is float[4], Metal says it is float[8]"},
		{"a field of a field", func(k *driver.Kernel, l []binding) { l[3].members[4].members[1].offset = 8 },
			"p (a.metal:9): the generated code says s.y is at byte 4, Metal says s.y is at byte 8"},
		{"a field that is no struct", func(k *driver.Kernel, l []binding) {
			l[3].members[4].dataType, l[3].members[4].members = 30, nil
		}, "p (a.metal:9): the generated code says s is Strides, Metal says it is int2"},
		{"the size of a struct", func(k *driver.Kernel, l []binding) { l[3].size = 64 },
			"p (a.metal:9): the generated code says P has 48 bytes, Metal says P has 64 bytes"},
		{"a moved pointer", func(k *driver.Kernel, l []binding) { l[8].members[2].offset, l[8].members[3].offset = 32, 40 },
			"q (a.metal:9): the generated code says grid is at byte 24, Metal says grid is at byte 32"},
		{"a pointer that is a number", func(k *driver.Kernel, l []binding) {
			l[8].members[2] = member{name: "grid", offset: 24, dataType: 4}
		}, "q (a.metal:9): the generated code says grid is device float[4]*, Metal says it is float2"},
		{"a pointer that is a texture", func(k *driver.Kernel, l []binding) {
			l[8].members[2] = l[8].members[1]
			l[8].members[2].name, l[8].members[2].offset = "grid", 24
		}, "q (a.metal:9): the generated code says grid is device float[4]*, Metal says it is a texture"},
		{"more pointers", func(k *driver.Kernel, l []binding) { l[8].members[0].length = 3 },
			"q (a.metal:9): the generated code says to is device float*[2], Metal says it is an array of 3 pointers to float"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, list := driftKernel(), driftBindings()
			c.change(k, list)
			err := drift(k, list, false)
			var e *driver.DriftError
			if !errors.As(err, &e) || e.Kernel != "k" || err.Error() != c.want+": run metalgen again" {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestWhatIsNotCertainIsNoDrift(t *testing.T) {
	for _, c := range []struct {
		name     string
		declares bool
		change   func(k *driver.Kernel, list []binding)
	}{
		{"the same", false, func(k *driver.Kernel, l []binding) {}},
		{"not used", false, func(k *driver.Kernel, l []binding) { l[0] = binding{index: 9, name: "gone"} }},
		{"left out", false, func(k *driver.Kernel, l []binding) {
			k.Buffers = append(k.Buffers, &driver.Arg{Index: 9, Name: "gone"})
		}},
		{"read, where we say written too", false, func(k *driver.Kernel, l []binding) { l[2].access = 0 }},
		{"written, where the code says nothing of it", false,
			func(k *driver.Kernel, l []binding) { k.Buffers[0].Reads, l[0].access = false, 2 }},
		{"no name", false, func(k *driver.Kernel, l []binding) { l[0].name = "" }},
		{"no size", false, func(k *driver.Kernel, l []binding) { l[0].size = 0 }},
		{"pointers, of 8 bytes", false, func(k *driver.Kernel, l []binding) {
			for i := range 5 {
				l[i].dataType, l[i].size = typePointer, 8
			}
		}},
		{"no type", false, func(k *driver.Kernel, l []binding) { l[0].dataType, l[3].dataType = 0, 0 }},
		{"a type that is too new", false, func(k *driver.Kernel, l []binding) { l[0].dataType = 140 }},
		{"an enum", false, func(k *driver.Kernel, l []binding) { k.Buffers[0].Type = "Mode" }},
		{"no fields in the code", false, func(k *driver.Kernel, l []binding) { k.Values[0].Fields = nil }},
		{"no fields of a field", false, func(k *driver.Kernel, l []binding) { k.Values[0].Fields[4].Fields = nil }},
		{"no members of Metal's", false, func(k *driver.Kernel, l []binding) { l[3].members = nil }},
		{"a member without a name", false, func(k *driver.Kernel, l []binding) { l[3].members[0].name = "" }},
		{"an array of arrays, another way", false,
			func(k *driver.Kernel, l []binding) { l[3].members[2].length, l[3].members[2].element = 2, typeArray }},
		{"an array of one, as an array", false, func(k *driver.Kernel, l []binding) {
			l[3].members[5].dataType, l[3].members[5].length, l[3].members[5].element = typeArray, 1, 49
		}},
		{"members that are numbered", false, func(k *driver.Kernel, l []binding) {
			for i, number := range []int{0, 2, 3, 4} {
				l[8].members[i].offset = number
			}
		}},
		{"members that are nowhere", false, func(k *driver.Kernel, l []binding) {
			for i := range l[8].members {
				l[8].members[i].offset = 0
			}
		}},
		{"pointers and textures about which nothing is known", false, func(k *driver.Kernel, l []binding) {
			l[8].members[0].to, l[8].members[1].texture, l[8].members[2].to = pointee{}, nil, pointee{}
		}},
		{"pointers that are numbers of 64 bits", false, func(k *driver.Kernel, l []binding) {
			l[8].members[2] = member{name: "grid", offset: 24, dataType: 85}
		}},
		{"an array of textures that is a struct", false, func(k *driver.Kernel, l []binding) {
			k.Values[4].Fields[1].Type = "texture2d<float>[2]"
			l[8].members[1] = member{name: "image", offset: 16, dataType: typeStruct}
		}},
		{"a kind of ray tracing", false, func(k *driver.Kernel, l []binding) { l[0].kind, l[0].name = 25, "scene" }},
		{"threadgroup memory of its own", true, func(k *driver.Kernel, l []binding) { l[6].name = "variable" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, list := driftKernel(), driftBindings()
			c.change(k, list)
			if err := drift(k, list, c.declares); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestDataTypesHaveApplesNumbers(t *testing.T) {
	for name, want := range map[string]dataType{
		"float": 3, "float4": 6, "float2x2": 7, "float2x4": 9, "float3x2": 10, "float4x4": 15, "half": 16, "half3": 18,
		"half2x2": 20, "half4x4": 28, "int2": 30, "uint": 33, "uint32_t": 33, "short4": 40, "ushort": 41, "char": 45,
		"int8_t": 45, "uchar4": 52,
		"bool": 53, "long": 81, "size_t": 85, "ulong4": 88, "bfloat": 121, "bfloat4": 124,
	} {
		if got := dataTypes[name]; got != want {
			t.Errorf("%s is %d, want %d", name, int(got), int(want))
		}
	}
	for _, name := range []string{"float4x4", "packed_float3", "atomic_uint", "P", ""} {
		if _, ok := constantTypes[name]; ok {
			t.Errorf("a function constant of type %s", name)
		}
	}
	if got := fmt.Sprint(dataType(33), dataType(15), typeStruct, dataType(62)); got !=
		"uint float4x4 a struct MTLDataType 62" {
		t.Error(got)
	}
}
