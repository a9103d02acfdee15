package binding

import (
	"fmt"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/texture"
)

func TestGoTypes(t *testing.T) {
	const declarations = "struct P { int x; }; enum E { X }; typedef float Row[4]; " +
		"namespace n { struct Q { float3 v; }; } enum class B : uchar { Y };\n"
	for typ, want := range map[string]string{
		"bool": "bool", "char": "int8", "uchar": "uint8", "short": "int16", "ushort": "uint16", "int": "int32",
		"uint": "uint32", "long": "int64", "ulong": "uint64",
		"half": "float16.Float16", "bfloat": "runtime.BFloat16", "float": "float32", "size_t": "uint64", "uint8_t": "uint8",
		"ptrdiff_t": "int64",
		"void":      "byte", "atomic_uint": "uint32", "atomic_float": "float32", "atomic_bool": "bool",
		"float2": "[2]float32", "float3": "runtime.Vec3[float32]", "float4": "[4]float32",
		"half3": "runtime.Vec3[float16.Float16]", "bool3": "runtime.Vec3[bool]",
		"packed_float3": "[3]float32", "packed_half4": "[4]float16.Float16", "packed_bfloat2": "[2]runtime.BFloat16",
		"float4x4": "[4][4]float32", "float2x3": "[2]runtime.Vec3[float32]", "half3x2": "[3][2]float16.Float16",
		"metal::matrix<bfloat, 2, 2>": "[2][2]runtime.BFloat16",
		"metal::array<float3, 2>":     "[2]runtime.Vec3[float32]", "Row": "[4]float32", "P": "P", "E": "E", "B": "B",
		"n::Q": "NQ",
	} {
		s := mustBuild(t,
			declarations+"kernel void k(device "+typ+"* x [[buffer(0)]], uint i [[thread_position_in_grid]]) {}")
		if got := s.Kernels[0].Args[0].GoType.String(); got != want {
			t.Errorf("%s: got %s, want %s", typ, got, want)
		}
	}
}

func TestNotBound(t *testing.T) {
	for param, want := range map[string]string{
		"array<array<texture2d<float>, 2>, 2> x": "arrays of arrays of textures yet",
		"device Holder* x":                       "pointers to thread memory inside of buffers",
		"device Mixed* x":                        "pointers, textures and samplers in unions, as t of Mixed",
		"device Both* x":                         "pointers, textures and samplers in unions, as p of Both",
		"constant Deep& x":                       "pointers, textures and samplers in unions, as p of Both",
		"device Odd* x":                          "pointers, textures and samplers at odd offsets, as p of Odd",
		"device metal::command_buffer* x":        "arguments of type command_buffer yet",
	} {
		pkg, errs := build(t, "struct Holder { thread float* p; }; union Both { device float* p; uint n; }; "+
			"union Mixed { uint n; texture2d<float> t; }; "+
			"struct Deep { device Deep* next; device Both* both; };\n#pragma pack(1)\n"+
			"struct Odd { char c; device float* p; };\n#pragma pack()\nkernel void k("+param+") {}\nkernel void l() {}")
		want = "warning: kernel k is left out: argument x: metalgen does not bind " + want
		if got := errs.Error(); !strings.HasSuffix(got, want) || errs.HasErrors() || len(errs) != 1 {
			t.Errorf("%s: got %v, want %s", param, got, want)
		}
		if len(pkg.Sources) != 1 || len(pkg.Sources[0].Kernels) != 1 || len(pkg.Sources[0].Structs) != 0 {
			t.Errorf("%s: bound %s", param, summary(pkg))
		}
	}
}

// TestTextures checks what arguments that are textures and samplers are in Go and to the runtime.
func TestTextures(t *testing.T) {
	for param, want := range map[string]string{
		"texture1d<float> x":                       "runtime.Texture1D 1 Texture1D FloatTexels",
		"texture1d_array<half> x":                  "runtime.Texture1DArray 1 Texture1DArray FloatTexels",
		"texture2d<half, access::write> x":         "runtime.Texture2D 2 Texture2D FloatTexels",
		"texture2d<ushort, access::read_write> x":  "runtime.Texture2D 3 Texture2D UintTexels",
		"texture2d_array<short, access::read> x":   "runtime.Texture2DArray 1 Texture2DArray IntTexels",
		"texture2d_ms<float> x":                    "runtime.Texture2DMS 1 Texture2DMS FloatTexels",
		"texture2d_ms_array<int> x":                "runtime.Texture2DMSArray 1 Texture2DMSArray IntTexels",
		"texture3d<uint> x":                        "runtime.Texture3D 1 Texture3D UintTexels",
		"texturecube<float> x":                     "runtime.TextureCube 1 TextureCube FloatTexels",
		"texturecube_array<float> x":               "runtime.TextureCubeArray 1 TextureCubeArray FloatTexels",
		"texture_buffer<ulong, access::write> x":   "runtime.TextureBuffer 2 TextureBuffer UintTexels",
		"depth2d<float> x":                         "runtime.Depth2D 1 Texture2D DepthTexels",
		"depth2d_array<float> x":                   "runtime.Depth2DArray 1 Texture2DArray DepthTexels",
		"depth2d_ms<float> x":                      "runtime.Depth2DMS 1 Texture2DMS DepthTexels",
		"depth2d_ms_array<float> x":                "runtime.Depth2DMSArray 1 Texture2DMSArray DepthTexels",
		"depthcube<float> x":                       "runtime.DepthCube 1 TextureCube DepthTexels",
		"depthcube_array<float> x":                 "runtime.DepthCubeArray 1 TextureCubeArray DepthTexels",
		"array<texture2d<int, access::read>, 3> x": "[3]runtime.Texture2D 1 Texture2D IntTexels x3",
		"sampler x":                                "runtime.Sampler 0  ",
		"array<sampler, 2> x":                      "[2]runtime.Sampler 0   x2",
	} {
		a := mustBuild(t, "kernel void k("+param+", uint i [[thread_position_in_grid]]) {}").Kernels[0].Args[0]
		d := a.Describe()
		got := fmt.Sprintf("%s %d %s %s", a.Kind.Field(a), d.Access, formName(d.Texture, d.Texels), d.Texels)
		if d.Count > 0 {
			got += fmt.Sprintf(" x%d", d.Count)
		}
		if element := strings.TrimPrefix(strings.TrimSuffix(param, " x"), "array<"); !strings.HasPrefix(element, d.Type) {
			t.Errorf("%s: of type %s", param, d.Type)
		}
		if got != want || d.Size != 0 || d.Index != 0 {
			t.Errorf("%s: got %s, %d bytes, index %d; want %s", param, got, d.Size, d.Index, want)
		}
	}
}

func TestPointersInBuffers(t *testing.T) {
	s := mustBuild(t, `
struct Undefined;
struct Node { float v; device Node* next; const device struct Other* other; };
struct Other { device Node* node; };
struct Part { constant uint* ids; };
struct Scene {
	device const float4* pos [[id(0)]];
	device void* out[2][3];
	Part parts[2];
	Part part;
	constant float& ref;
	const device Node* const nodes;
	device atomic_uint* device* counts;
	device Undefined* what;
	device float (*rows)[4];
};
kernel void k(device Scene* scenes, constant Scene& s, device float* device* list, constant Node* constant& one) {}
`)
	want := "a: Node/float32/runtime.Pointer[Node]/runtime.Pointer[Other] Other/runtime.Pointer[Node] " +
		"Part/runtime.Pointer[uint32] Scene/runtime.Pointer[[4]float32]/[2][3]runtime.Pointer[byte]/[2]Part/Part/" +
		"runtime.Pointer[float32]/runtime.Pointer[Node]/runtime.Pointer[runtime.Pointer[uint32]]/runtime.Pointer[byte]/" +
		"runtime.Pointer[[4]float32] " +
		"K(Scene) K(Scene) K(runtime.Pointer[float32]) K(runtime.Pointer[Node])"
	if got := summary(&Package{Sources: []*Source{s}}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var got []string
	for _, f := range s.Structs[3].Fields {
		got = append(got, fmt.Sprintf("%s %d %d@%d", f.Go, f.Points, f.Stride, f.Offset))
	}
	want = "Pos 1 0@0, Out 3 0@8, Parts 0 8@56, Part 0 0@72, Ref 1 0@80, Nodes 1 0@88, Counts 3 0@96, What 3 0@104, " +
		"Rows 3 0@112"
	if got := strings.Join(got, ", "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for i, want := range []string{"", "", "device float* 3", "constant Node* 1"} {
		d := s.Kernels[0].Args[i].Describe()
		element := ""
		if d.Element != nil {
			element = fmt.Sprint(d.Element.Plain, " ", d.Element.Points)
		}
		if !d.Pointers || element != want {
			t.Errorf("%s has pointers: %v, and elements %s", d.Name, d.Pointers, element)
		}
	}
}

func TestWhatIsBeyondPointers(t *testing.T) {
	s := mustBuild(t, `
struct List { device const float* values; device const List* next; };
struct Tree { device const Tree* of[2]; device const float* values; texture2d<float, access::write> image; };
struct All {
	device const float* values;
	device const List* list;
	device List* listWritten;
	device const Tree* tree;
	device const float* device const* rows;
	device float* device const* rowsWritten;
	device const float* device const* device* deep;
	constant array<texture2d<float>, 4>* images;
};
kernel void k(device const All* all, device const float* device const* const device* rows, constant List (*lists)[4]) {}
`)
	var got []string
	for _, f := range s.Structs[2].Fields {
		got = append(got, fmt.Sprintf("%s %d %d", f.Go, f.Points, f.Beyond))
	}
	for _, a := range s.Kernels[0].Args[1:] {
		e := a.Describe().Element
		got = append(got, fmt.Sprintf("%s %s %d %d %d", a.Go, e.Plain, e.Points, e.Beyond, e.Stride))
	}
	want := "Values 1 0, List 1 1, ListWritten 3 1, Tree 1 3, Rows 1 1, RowsWritten 1 3, Deep 3 1, Images 1 1, " +
		"Rows device device float** 1 1 0, Lists List[4] 0 0 16"
	if got := strings.Join(got, ", "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestTexturesInBuffers(t *testing.T) {
	s := mustBuild(t, `
struct Sky { texturecube<half> cube; sampler s; };
struct Scene {
	texture2d<float> color [[id(0)]];
	array<texture2d_array<int, access::write>, 3> out [[id(1)]];
	depth2d<float> shadow[2][2];
	texture_buffer<uint, access::read_write> counts;
	Sky skies[2];
	array<sampler, 2> samplers;
	device Sky* more;
};
kernel void k(device Scene* scenes, constant Scene& s, constant array<texture2d<float>, 8>* list) {}
`)
	var got []string
	for _, st := range s.Structs {
		for _, f := range st.Fields {
			got = append(got, fmt.Sprintf("%s %s %s %s %d %d@%d", f.Go, f.GoType, formName(f.Texture, f.Texels), f.Texels,
				f.Points, f.Stride, f.Offset))
		}
	}
	for i, want := range []string{
		"Cube runtime.TextureRef[runtime.TextureCube] TextureCube FloatTexels 1 0@0",
		"S runtime.SamplerRef   0 0@8",
		"Color runtime.TextureRef[runtime.Texture2D] Texture2D FloatTexels 1 0@0",
		"Out [3]runtime.TextureRef[runtime.Texture2DArray] Texture2DArray IntTexels 2 0@8",
		"Shadow [2][2]runtime.TextureRef[runtime.Depth2D] Texture2D DepthTexels 1 0@32",
		"Counts runtime.TextureRef[runtime.TextureBuffer] TextureBuffer UintTexels 3 0@64",
		"Skies [2]Sky   0 16@72",
		"Samplers [2]runtime.SamplerRef   0 0@104",
		"More runtime.Pointer[Sky]   3 0@120",
	} {
		if i >= len(got) || got[i] != want {
			t.Errorf("field %d: got %q, want %q", i, got, want)
		}
	}
	for i, want := range []string{"runtime.Buffer[Scene]", "Scene",
		"runtime.Buffer[[8]runtime.TextureRef[runtime.Texture2D]]"} {
		if a := s.Kernels[0].Args[i]; a.Kind.Field(a) != want || !a.Describe().Pointers {
			t.Errorf("argument %d is a %s, with pointers: %v", i, a.Kind.Field(a), a.Describe().Pointers)
		}
	}
}

func TestTypeAnnotation(t *testing.T) {
	tests := []struct{ annotation, want, message string }{
		{"x int8", "int8", ""}, {"x byte", "byte", ""}, {"x bool", "bool", ""},
		{"x uint16", "uint8", "a.metal:1:18: metalgen:type: uint16 has 2 bytes, uchar has 1"},
		{"x string", "uint8",
			"a.metal:1:18: metalgen:type: \"string\" is not one of the Go types that an element can have"},
		{"x", "uint8", "a.metal:1:18: metalgen:type: \"\" is not one of the Go types that an element can have"},
		{"y int8", "uint8", "a.metal:1:18: metalgen:type: kernel k has no argument y"},
		{"i uint32", "uint8", "a.metal:1:18: metalgen:type: kernel k has no argument i"},
	}
	for _, tt := range tests {
		pkg, errs := build(t, "// metalgen:type "+tt.annotation+"\n"+
			"kernel void k(device uchar* x, uint i [[thread_position_in_grid]]) {}")
		if got := pkg.Sources[0].Kernels[0].Args[0].GoType.String(); got != tt.want || errs.Error() != tt.message {
			t.Errorf("%s: got %s and %s, want %s and %s", tt.annotation, got, errs, tt.want, tt.message)
		}
	}
}

func TestStructs(t *testing.T) {
	s := mustBuild(t, `
// Mode says how.
enum class Mode : uchar {
	Off, // not at all
	On = 4,
};

// P is what the kernel needs.
//
// It has two parts.
struct P {
	float3 v; // a direction
	packed_float3 w; float x; // of both
	Mode mode;
	bool b[3]; /* flags */
	uint _;
};

// unused
struct Q { int x; };

kernel void k(constant P& p, uint i [[thread_position_in_grid]]) {}
`)
	if len(s.Structs) != 1 || len(s.Enums) != 1 {
		t.Fatalf("got %d structs, %d enums", len(s.Structs), len(s.Enums))
	}
	p, e := s.Structs[0], s.Enums[0]
	var got []string
	for _, f := range p.Fields {
		got = append(got, fmt.Sprintf("%s %s@%d+%d %s (%s)", f.Go, f.GoType, f.Offset, f.Size, f.Type, f.Doc))
	}
	want := "V runtime.Vec3[float32]@0+16 float3 (a direction); W [3]float32@16+12 packed_float3 (); X float32@28+4 " +
		"float (of both); Mode Mode@32+1 Mode (); B [3]bool@33+3 bool[3] (flags); Field uint32@36+4 uint ()"
	if got := strings.Join(got, "; "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	want = `P 48/16 ["P is what the kernel needs." "" "It has two parts."] a.metal:11:1`
	if got := fmt.Sprintf("%s %d/%d %q %s", p.Go, p.Size, p.Align, p.Doc, p.Pos); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	want = `Mode uint8 ["Mode says how."] [{Name:Off Go:ModeOff Value:0 Doc:not at all} {Name:On Go:ModeOn Value:4 Doc:}]`
	if got := fmt.Sprintf("%s %s %q %+v", e.Go, e.GoType, e.Doc, e.Values); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Templates read integers from fields of mirrored structs, which they can
// where Go's alignment of a field divides its offset: in MSL it always does.
func TestIntegerFieldsAreAligned(t *testing.T) {
	s := mustBuild(t, `
struct Q { char a; packed_short3 b; };
struct P {
	char a; packed_uint3 b; char c; Q q; long d; packed_char3 e; ushort f[3]; packed_long2 g; bool h; uint i; size_t j;
};
kernel void k(constant P& p) {}`)
	for _, st := range s.Structs {
		for _, f := range st.Fields {
			elem := f.GoType
			for array, ok := elem.(Array); ok; array, ok = elem.(Array) {
				elem = array.Elem
			}
			if basic, ok := elem.(*Basic); ok && f.Offset%basic.Size != 0 {
				t.Errorf("%s.%s is at %d", st.Name, f.Name, f.Offset)
			}
		}
	}
}

func TestArguments(t *testing.T) {
	s := mustBuild(t, `
constant bool has [[function_constant(3)]]; // whether there is a mask
constant uint other [[function_constant(1)]];
struct P { int x; };
kernel void k(device const float* in, device float* out, device float* both, constant uint& n, constant P* table,
	device P& one, device float* mask [[buffer(9), function_constant(has)]], threadgroup float* tg,
	uint i [[thread_position_in_grid]]) { out[i] = in[i]; both[i] += 1; }
kernel void l() {}
`)
	var got []string
	for _, a := range s.Kernels[0].Args {
		got = append(got, fmt.Sprintf("%s:%s:%d:%d:%t", a.Name, a.Kind, a.Index, a.Access, a.Optional))
	}
	want := "in:buffer:0:1:false out:buffer:1:2:false both:buffer:2:3:false n:value:3:0:false table:buffer:4:1:false " +
		"one:buffer:5:3:false mask:buffer:9:3:true tg:threadgroup:0:0:false i:builtin:-1:0:false"
	if got := strings.Join(got, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	c := s.Constants
	if c == nil || c.Go != "AConstants" || len(c.Fields) != 2 || c.Fields[0].Go != "Other" ||
		c.Fields[1].Doc != "whether there is a mask" {
		t.Errorf("function constants %+v", c)
	}
	if s.Kernels[0].Constants != c || s.Kernels[1].Constants != nil {
		t.Error("the wrong kernel uses the function constants")
	}
}

// formName is the name of a texture's form in package bind, or "" for what is no texture.
func formName(f texture.Form, texels string) string {
	if texels == "" {
		return ""
	}
	return "Texture" + f.GoName()
}
