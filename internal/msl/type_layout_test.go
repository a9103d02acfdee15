package msl

import (
	"fmt"
	"strings"
	"testing"
)

func TestLayout(t *testing.T) {
	tests := []struct {
		name, source string // with the struct P
		want         string // offsets, size, alignment
	}{
		{"scalars", "struct P { char a; int b; short c; };", "a 0, b 4, c 8; 12/4"},
		{"bools", "struct P { bool a; bool b; uint c; bool d; };", "a 0, b 1, c 4, d 8; 12/4"},
		{"long after int", "struct P { int a; long b; };", "a 0, b 8; 16/8"},
		{"half", "struct P { half a; half b; bfloat c; float d; };", "a 0, b 2, c 4, d 8; 12/4"},
		{"float3 takes four", "struct P { float3 a; float b; };", "a 0, b 16; 32/16"},
		{"packed_float3", "struct P { packed_float3 a; float b; };", "a 0, b 12; 16/4"},
		{"packed after char", "struct P { char a; packed_half3 b; };", "a 0, b 2; 8/2"},
		{"array of float3", "struct P { float a; float3 b[2]; float c; };", "a 0, b 16, c 48; 64/16"},
		{"two dimensions", "struct P { short a[2][3]; };", "a 0; 12/2"},
		{"several to a line", "struct P { int a, b[3], c; };", "a 0, b 4, c 16; 20/4"},
		{"matrix", "struct P { char a; float3x3 b; };", "a 0, b 16; 64/16"},
		{"half matrix", "struct P { char a; half2x3 b; };", "a 0, b 8; 24/8"},
		{"nested", "struct Q { float3 a; }; struct P { char a; Q b; char c; };", "a 0, b 16, c 32; 48/16"},
		{"member type", "struct P { struct Q { int x; }; Q a[2]; char b; };", "a 0, b 8; 12/4"},
		{"member typedef", "struct P { typedef ushort T; T a; using U = ulong; U b; };", "a 0, b 8; 16/8"},
		{"enum", "enum class E : uchar { A }; struct P { E a; E b; int c; };", "a 0, b 1, c 4; 8/4"},
		{"atomic", "struct P { char a; atomic_uint b; };", "a 0, b 4; 8/4"},
		{"alignas of a field", "struct P { float a; alignas(16) float b; };", "a 0, b 16; 32/16"},
		{"alignas of a type", "struct P { float a; alignas(float4) float b; };", "a 0, b 16; 32/16"},
		{"alignas below natural", "struct P { char a; alignas(2) float b; };", "a 0, b 4; 8/4"},
		{"alignas of the struct", "struct alignas(32) P { float a; };", "a 0; 32/32"},
		{"packed struct", "struct [[gnu::packed]] P { char a; int b; };", "a 0, b 1; 5/1"},
		{"packed field", "struct P { char a; int b __attribute__((packed)); int c; };", "a 0, b 1, c 8; 12/4"},
		{"packed and aligned", "struct __attribute__((packed, aligned(4))) P { char a; int b; };", "a 0, b 1; 8/4"},
		{"aligned field of a packed struct",
			"struct __attribute__((packed)) P { char a; __attribute__((aligned(8))) char b; int c; };", "a 0, b 8, c 9; 16/8"},
		{"aligned struct", "struct __attribute__((aligned(32))) P { float a; };", "a 0; 32/32"},
		{"aligned after the struct", "struct P { float a; } __attribute__((aligned(32)));", "a 0; 32/32"},
		{"aligned field", "struct P { char a; int b [[gnu::aligned(8)]]; };", "a 0, b 8; 16/8"},
		{"aligned between type and name", "struct P { char a; int __attribute__((aligned(8))) b; };", "a 0, b 8; 16/8"},
		{"alignas of a constant", "constant int N = 8; struct alignas(2 * N) P { float a; };", "a 0; 16/16"},
		{"aligned struct inside", "struct alignas(8) Q { char a; }; struct P { char a; Q b; };", "a 0, b 8; 16/8"},
		{"empty", "struct P {};", "; 1/1"},
		{"empty inside", "struct Q {}; struct P { Q a; int b; };", "a 0, b 4; 8/4"},
		{"statics take no space", "struct P { static constant int N = 4; int a[N]; };", "a 0; 16/4"},
		{"methods take no space", "struct P { int a; int get() const { return a; } P() = default; };", "a 0; 4/4"},
		{"pointer", "struct P { int a; device float* b; };", "a 0, b 8; 16/8"},
		{"macro size", "#define N 3\nstruct P { float a[N * 2]; };", "a 0; 24/4"},
		{"sizeof", "struct Q { float4 v; int n; }; struct P { char a[sizeof(Q)]; };", "a 0; 32/1"},
		{"class", "class P { public: int a; };", "a 0; 4/4"},
		{"const field", "struct P { const int a; };", "a 0; 4/4"},
		{"metal::", "struct P { metal::packed_float3 a; metal::float4 b; };", "a 0, b 16; 32/16"},
		{"array template", "struct P { metal::array<half, 3> a; };", "a 0; 6/2"},
		// what follows has the offsets and sizes that clang gives
		{"base", "struct B { int a; char b; }; struct P : B { char c; };", "<B> 0, c 8; 12/4"},
		{"base with a constructor", "struct B { int a; char b; B(int x) : a(x) {} }; struct P : B { char c; };",
			"<B> 0, c 5; 8/4"},
		{"base with a defaulted constructor", "struct B { int a; char b; B() = default; }; struct P : B { char c; };",
			"<B> 0, c 8; 12/4"},
		{"base with an initial value", "struct B { int a; char b = 1; }; struct P : B { char c; };", "<B> 0, c 5; 8/4"},
		{"base with such a field",
			"struct Q { int a; char b; Q(int x) : a(x) {} }; struct B { Q q; }; struct P : B { char c; };", "<B> 0, c 8; 12/4"},
		{"base with private fields", "struct B { private: int a; char b; public: char w; }; struct P : B { char c; };",
			"<B> 0, c 6; 8/4"},
		{"base with a class", "class B { int a; char b; }; struct P : B { char c; };", "<B> 0, c 5; 8/4"},
		{"textures and samplers", "struct Q { char c; texture2d<float> t; }; struct B { Q q[2]; sampler s; }; " +
			"struct P : B { metal::array<texturecube<half>, 3> a [[id(5)]]; depth2d<float> d[2]; int n; };",
			"<B> 0, a 40, d 64, n 80; 88/8"},
		{"base with a class of public fields", "class B { public: int a; char b; }; struct P : B { char c; };",
			"<B> 0, c 8; 12/4"},
		{"base with protected fields", "struct B { protected: int a; char b; }; struct P : B { char c; };",
			"<B> 0, c 5; 8/4"},
		{"base with private methods and constants",
			"struct B { private: int f() { return N; } static constant int N = 1; struct I { int i; }; public: int a; char b; " +
				"}; struct P : B { char c; };", "<B> 0, c 8; 12/4"},
		{"base with a private bit-field", "struct B { int a; private: int b : 3; }; struct P : B { char c; };",
			"<B> 0, c 5; 8/4"},
		{"base with a private bit-field without a name", "struct B { int a; private: int : 3; }; struct P : B { char c; };",
			"<B> 0, c 8; 12/4"},
		{"base with a private unnamed union", "struct B { int a; private: union { char b; }; }; struct P : B { char c; };",
			"<B> 0, c 5; 8/4"},
		{"base with a field that has private ones",
			"struct Q { private: int a; char b; }; struct B { Q q; }; struct P : B { char c; };", "<B> 0, c 8; 12/4"},
		{"base of a base", "struct B { float4 v; }; struct C : B { int i; }; struct P : C { char a; };",
			"<C> 0, a 20; 32/16"},
		{"two bases", "struct B { int a; }; struct C { char c; }; struct P : B, C { char d; };", "<B> 0, <C> 4, d 5; 8/4"},
		{"empty base", "struct B {}; struct P : B { int a; };", "<B> 0, a 0; 4/4"},
		{"empty bases", "struct B {}; struct C {}; struct P : B, C { char a; };", "<B> 0, <C> 0, a 0; 1/1"},
		{"empty base of a base", "struct B {}; struct C : B {}; struct P : C { int a; };", "<C> 0, a 0; 4/4"},
		{"empty base and field", "struct B {}; struct P : B { B b; int a; };", "<B> 0, b 1, a 4; 8/4"},
		{"empty base within a field", "struct B {}; struct C : B {}; struct P : B { C c; char d; };", "<B> 0, c 1, d 2; 3/1"},
		{"one empty base twice", "struct B {}; struct C : B {}; struct D : B {}; struct P : C, D { char d; };",
			"<C> 0, <D> 1, d 0; 2/1"},
		{"empty fields", "struct B {}; struct P { B b; B c[2]; int a; };", "b 0, c 1, a 4; 8/4"},
		{"base that is an instance", "template <typename T, int N> struct B { T a[N]; }; struct P : B<half, 3> { int b; };",
			"<B<half, 3>> 0, b 8; 12/4"},
		{"base that takes the struct itself",
			"template <typename T> struct B { int a; T get() const { return *(thread const T*)this; } }; struct P : B<P> { " +
				"int b; };", "<B<P>> 0, b 4; 8/4"},
		{"base of a template that takes it itself",
			"template <typename T> struct B { int a; }; template <typename T> struct D : B<D<T>> { T b; }; using P = D<float>;",
			"<B<D<float>>> 0, b 4; 8/4"},
		{"field of a template that takes the struct itself",
			"template <typename T> struct B { device T* next; int n; }; struct P { B<P> b; int c; };", "b 0, c 16; 24/8"},
		{"unnamed union", "struct P { char a; union { int i; char c[6]; }; char b; };", "a 0, <> 4, b 12; 16/4"},
		{"unnamed struct", "struct P { char a; struct { short x; int y; }; short b; };", "a 0, <> 4, b 12; 16/4"},
		{"unnamed struct in a union", "union P { int a; struct { char b; int c; }; };", "a 0, <> 0; 8/4"},
		{"field of an unnamed struct", "struct P { struct { int a; char b; } q; char c; };", "q 0, c 8; 12/4"},
		{"field with its enum", "struct P { uint x; enum F { X = 1 } f; uint y; };", "x 0, f 4, y 8; 12/4"},
		{"bit-fields", "struct P { uint a : 3, b : 5; uint c : 20; uint d : 10; };",
			"a 0:0+3, b 0:3+5, c 0:8+20, d 4:0+10; 8/4"},
		{"bit-fields of two types", "struct P { uchar a : 3; uint b : 10; char c; };", "a 0:0+3, b 0:3+10, c 2; 4/4"},
		{"bit-fields that do not fit", "struct P { ushort a : 9; ushort b : 9; uchar c : 1; };",
			"a 0:0+9, b 2:0+9, c 3:1+1; 4/2"},
		{"bit-field of no bits", "struct P { uint a : 4; uint : 0; uint b : 4; };", "a 0:0+4, b 4:0+4; 8/4"},
		{"bit-field without a name", "struct P { uint a : 5; uint : 7; uint b : 3; };", "a 0:0+5, b 0:12+3; 4/4"},
		{"bit-fields behind a char", "struct P { char a; uint b : 8; uint c : 24; int d; };",
			"a 0, b 0:8+8, c 4:0+24, d 8; 12/4"},
		{"long bit-fields", "struct P { ulong a : 40; uint b : 20; uint c : 30; };", "a 0:0+40, b 4:8+20, c 8:0+30; 16/8"},
		{"bit-fields of bool", "struct P { bool a : 1; bool b : 1; int c : 30; int d; };",
			"a 0:0+1, b 0:1+1, c 0:2+30, d 4; 8/4"},
		{"bit-fields in a union", "union P { uint a : 5; ushort b; uint c : 20; };", "a 0:0+5, b 0, c 0:0+20; 4/4"},
		{"packed bit-fields",
			"#pragma pack(1)\nstruct P { char a; uint b : 5, c : 12; int d : 30; bool e : 1; uint f : 32; };",
			"a 0, b 1:0+5, c 1:5+12, d 3:1+30, e 6:7+1, f 7:0+32; 11/1"},
		{"packed bit-field of no bits", "#pragma pack(2)\nstruct P { uint a : 20, b : 20; uint : 0; short c : 3; uint d; };",
			"a 0:0+20, b 2:4+20, c 8:0+3, d 10; 14/2"},
		{"packed bit-fields that are aligned", "#pragma pack(4)\nstruct P { uint a : 20, b : 10, c : 20; ulong d : 8; };",
			"a 0:0+20, b 0:20+10, c 3:6+20, d 6:2+8; 8/4"},
		{"packed bit-fields in a union", "#pragma pack(1)\nunion P { uint a : 5; ulong b : 20; };", "a 0:0+5, b 0:0+20; 3/1"},
		{"bit-field in a base", "struct B { uint a : 4; }; struct P : B { uint b : 4; char c; };",
			"<B> 0, b 4:0+4, c 5; 8/4"},
		{"bit-field in the padding of a base",
			"struct B { uint a : 4; B(int x) : a(x) {} }; struct P : B { uint b : 4; char c; };", "<B> 0, b 0:8+4, c 2; 4/4"},
		{"union", "union P { int a; float3 b; char c[20]; };", "a 0, b 0, c 0; 32/16"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			typ := elementType(t, tt.source, "P")
			var fields []string
			for _, f := range typ.Struct.Fields {
				name := f.Name
				switch {
				case f.Base:
					name = "<" + f.Type.Name + ">"
				case name == "":
					name = "<>"
				}
				text := fmt.Sprintf("%s %d", name, f.Offset)
				if f.Bits > 0 {
					text += fmt.Sprintf(":%d+%d", f.Shift, f.Bits)
				}
				fields = append(fields, text)
			}
			got := fmt.Sprintf("%s; %d/%d", strings.Join(fields, ", "), typ.Size, typ.Align)
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if typ.Size != typ.Struct.Size || typ.Align != typ.Struct.Align {
				t.Errorf("the struct says %d/%d", typ.Struct.Size, typ.Struct.Align)
			}
		})
	}
}

func TestLayoutErrors(t *testing.T) {
	use := "\nkernel void k(device P* x) {}"
	testErrors(t, []errorTest{
		{"itself", "struct P { int a; P next; };" + use, "a.metal:1:1: struct P contains itself"},
		{"itself in an array", "struct P { P next[2]; };" + use, "a.metal:1:1: struct P contains itself"},
		{"mutually", "struct Q;\nstruct P { Q q; };\nstruct Q { P p; };" + use, "a.metal:2:1: struct P contains itself"},
		{"pointer to itself is fine", "struct P { device P* next; };" + use, ""},
		{"pointer to one declared only", "struct Q; struct P { device Q* next; };" + use, ""},
		{"value of one declared only", "struct Q; struct P { Q next; };" + use, "a.metal:1:22: unknown type Q"},
		{"typedef of itself", "typedef P Q;\ntypedef Q P;" + use, "a.metal:2:11: type P is defined by itself"},
		{"twice", "struct P { int a; };\nstruct P { int b; };" + use,
			"a.metal:2:1: struct P is defined twice; the first is at a.metal:1:1"},
		{"enum twice", "enum P { A };\nenum P { B };" + use,
			"a.metal:2:1: enum P is defined twice; the first is at a.metal:1:1"},
		{"unknown field type", "struct P {\n  Q q;\n};" + use, "a.metal:2:3: unknown type Q"},
		{"unknown size", "struct P {\n  int q[N];\n};" + use, "a.metal:2:9: unknown name N"},
		{"zero size", "struct P {\n  int q[0];\n};" + use, "a.metal:2:9: a size must be a positive integer, this is 0"},
		{"negative size", "struct P {\n  int q[-1];\n};" + use, "a.metal:2:9: a size must be a positive integer, this is -1"},
		{"open size", "struct P {\n  int q[];\n};" + use, "a.metal:2:8: an array needs its size here"},
		{"huge", "struct P {\n  int q[1L << 60];\n};" + use,
			"a.metal:2:9: a size must be a positive integer, this is 1152921504606846976"},
		{"large", "struct P {\n  float4 q[1L << 37];\n};" + use,
			"a.metal:2:11: an array of 137438953472 elements of float4 is too large"},
		{"two fields", "struct P {\n  int q;\n  float q;\n};" + use, "a.metal:3:9: struct P has two fields q"},
		{"void field", "struct P {\n  void q;\n};" + use, "a.metal:2:3: field q cannot be of type void"},
		{"ids", "struct P { device float* a [[id(0)]]; uint b [[id(N)]]; uint c; float d [[id(1u << 8)]]; };" +
			"constant int N = 3;" + use, ""},
		{"ids that do not increase", "struct P { device float* a [[id(1)]]; uint b [[id(0)]]; };" + use,
			"a.metal:2:15: warning: kernel k is left out: struct P has fields whose [[id(n)]] do not increase, which " +
				"metalgen does not lay out"},
		{"one id twice", "struct P { device float* a [[id(1)]]; uint b [[id(1)]]; };" + use,
			"a.metal:1:44: struct P has two fields with [[id(1)]]"},
		{"negative id", "struct P { device float* a [[id(-1)]]; };" + use,
			"a.metal:1:26: field a: [[id(-1)]]: the number must be 0 to 4294967295"},
		{"id without a number", "struct P { device float* a [[id]]; };" + use,
			"a.metal:1:26: field a: [[id]] needs a number, as in [[id(0)]]"},
		{"id of nothing known", "struct P { device float* a [[id(M)]]; };" + use, "a.metal:1:26: unknown name M"},
		{"opaque field", "struct P { metal::command_buffer c; };" + use,
			"a.metal:2:15: warning: kernel k is left out: struct P has a field c of type command_buffer, which metalgen does " +
				"not bind"},
		{"aligned without a number", "struct P { char a; int b [[gnu::aligned]]; };" + use,
			"a.metal:2:15: warning: kernel k is left out: struct P has the attribute aligned without a number, which metalgen " +
				"does not lay out"},
		{"bit-field of no integer", "struct P {\n  float q : 3;\n};" + use,
			"a.metal:2:9: a bit-field is of an integer type, not float"},
		{"bit-field too wide", "struct P {\n  uchar q : 9;\n};" + use,
			"a.metal:2:13: a bit-field of uchar has 1 to 8 bits, not 9"},
		{"bit-field of no bits", "struct P {\n  uint q : 0;\n};" + use,
			"a.metal:2:12: a bit-field of uint has 1 to 32 bits, not 0"},
		{"bit-field twice", "struct P {\n  uint q : 1, q : 2;\n};" + use, "a.metal:2:15: struct P has two fields q"},
		{"unnamed union with a name that is taken", "struct P {\n  int a; union { float a; };\n};" + use,
			"a.metal:2:24: struct P has two fields a"},
		{"inherits from no struct", "struct P : int { int a; };" + use, "a.metal:1:12: struct P cannot inherit from int"},
		{"inherits from a union", "union U { int a; };\nstruct P : U { int b; };" + use,
			"a.metal:2:12: struct P cannot inherit from U"},
		{"inherits from itself", "struct P : P { int b; };" + use, "a.metal:1:1: struct P contains itself"},
		{"itself through a template", "template <typename T> struct B { T x; };\nstruct P : B<P> { int b; };" + use,
			"a.metal:2:1: struct P contains itself (in B<P>)"},
		{"itself through an array of a template",
			"template <typename T> struct B { T x[2]; };\nstruct P : B<P> { int b; };" + use,
			"a.metal:2:1: struct P contains itself (in B<P>)"},
		{"inherits from a template that inherits from it",
			"template <typename T> struct B : T { int x; };\nstruct P : B<P> { int b; };" + use,
			"a.metal:2:1: struct P contains itself (in B<P>)"},
		{"its size through a template",
			"template <typename T> struct B { char x[sizeof(T)]; };\nstruct P : B<P> { int b; };" + use,
			"a.metal:1:41: P has no size (in B<P>)"},
		{"a trait of itself",
			"template <typename T> struct B { char x[metal::is_empty_v<T> ? 1 : 2]; };\nstruct P : B<P> { int b; };" + use,
			"a.metal:3:15: warning: kernel k is left out: a trait of struct P is used within it, which metalgen does not " +
				"support yet"},
		{"inherits from what there is not", "struct P : Missing { int b; };" + use, "a.metal:1:12: unknown type Missing"},
		{"field of an unnamed enum", "struct P { enum { A } a; };" + use,
			"a.metal:2:15: warning: kernel k is left out: struct P has a field of an enum without a name, which metalgen does " +
				"not lay out yet"},
		{"alignas", "struct P {\n  alignas(3) int a;\n};" + use, "a.metal:2:3: alignas(3): an alignment is a power of two"},
		{"one error for many uses",
			"struct P { Q q; };\nstruct R { P p; };\nkernel void a(device P* x) {}\nkernel void b(device R* x) {}",
			"a.metal:1:12: unknown type Q"},
		{"unused structs are not laid out", "struct Q { Missing m; };\nkernel void k(device int* x) {}", ""},
	})
}
