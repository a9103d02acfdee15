package msl

import (
	"fmt"
	"testing"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// elementType is the type of a buffer that is declared with the type's text.
func elementType(t *testing.T, declarations, typ string) *tree.Type {
	t.Helper()
	p := mustAnalyze(t, "using namespace metal;\n"+declarations+"\nkernel void k(device "+typ+"* x [[buffer(0)]]) {}")
	return onlyKernel(t, p).Params[0].Type
}

func TestScalarVectorMatrixSizes(t *testing.T) {
	scalars := []struct {
		name string
		size int
	}{
		{"bool", 1}, {"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"int", 4}, {"uint", 4},
		{"long", 8}, {"ulong", 8}, {"half", 2}, {"bfloat", 2}, {"float", 4},
	}
	check := func(typ string, size, align int) {
		t.Helper()
		if got := elementType(t, "", typ); got.Size != size || got.Align != align {
			t.Errorf("%s: size %d, align %d; want %d, %d", typ, got.Size, got.Align, size, align)
		}
	}
	for _, s := range scalars {
		check(s.name, s.size, s.size)
		for n := 2; n <= 4; n++ {
			space := n
			if n == 3 {
				space = 4
			}
			check(fmt.Sprintf("%s%d", s.name, n), space*s.size, space*s.size)
			check(fmt.Sprintf("vec<%s, %d>", s.name, n), space*s.size, space*s.size)
			if s.name != "bool" {
				check(fmt.Sprintf("packed_%s%d", s.name, n), n*s.size, s.size)
				check(fmt.Sprintf("packed_vec<%s, %d>", s.name, n), n*s.size, s.size)
			}
			for rows := 2; rows <= 4; rows++ {
				column := rows
				if rows == 3 {
					column = 4
				}
				switch s.name {
				case "half", "float":
					check(fmt.Sprintf("%s%dx%d", s.name, n, rows), n*column*s.size, column*s.size)
					fallthrough
				case "bfloat":
					check(fmt.Sprintf("matrix<%s, %d, %d>", s.name, n, rows), n*column*s.size, column*s.size)
				}
			}
		}
	}
}

func TestOtherSizes(t *testing.T) {
	tests := []struct {
		declarations, typ string
		size, align       int
		text              string
	}{
		{"", "size_t", 8, 8, "size_t"},
		{"", "ptrdiff_t", 8, 8, "ptrdiff_t"},
		{"", "uint8_t", 1, 1, "uint8_t"},
		{"", "int64_t", 8, 8, "int64_t"},
		{"", "unsigned int", 4, 4, "unsigned int"},
		{"", "unsigned", 4, 4, "unsigned"},
		{"", "long long", 8, 8, "long long"},
		{"", "signed char", 1, 1, "signed char"},
		{"", "metal::float4", 16, 16, "float4"},
		{"", "vec<uint8_t, 4>", 4, 4, "uchar4"},
		{"", "vec<float, 1>", 4, 4, "float"},
		{"", "vec<float, 1 + 2>", 16, 16, "float3"},
		{"", "atomic_int", 4, 4, "atomic_int"},
		{"", "atomic_uint", 4, 4, "atomic_uint"},
		{"", "atomic_bool", 1, 1, "atomic_bool"},
		{"", "atomic_float", 4, 4, "atomic_float"},
		{"", "atomic_ulong", 8, 8, "atomic_ulong"},
		{"", "atomic<uint>", 4, 4, "atomic_uint"},
		{"", "array<float, 3>", 12, 4, "float[3]"},
		{"", "array<float3, 2>", 32, 16, "float3[2]"},
		{"typedef float row[4];", "row", 16, 4, "float[4]"},
		{"typedef float grid[2][4];", "grid", 32, 4, "float[2][4]"},
		{"using word = uint; typedef word words[3];", "words", 12, 4, "uint[3]"},
		{"enum E { A };", "E", 4, 4, "E"},
		{"enum class E : uchar { A };", "E", 1, 1, "E"},
		{"enum E : ulong { A };", "E", 8, 8, "E"},
		{"enum E { A = 0x80000000 };", "E", 4, 4, "E"},
		{"enum E { A = -1, B = 0x80000000 };", "E", 8, 8, "E"},
		{"enum E { A = 0x100000000 };", "E", 8, 8, "E"},
		{"typedef enum { A } E;", "E", 4, 4, "E"},
		{"struct P {};", "P", 1, 1, "P"},
		{"namespace n { struct P { int x; }; }", "n::P", 4, 4, "n::P"},
		{"namespace n { struct P { int x; }; } using namespace n;", "P", 4, 4, "n::P"},
		{"namespace n { struct P { int x; }; } using n::P;", "P", 4, 4, "n::P"},
		{"namespace a { namespace b { typedef ushort T; } struct P { b::T x; }; }", "a::P", 2, 2, "a::P"},
		{"typedef struct P { int x; } P;", "P", 4, 4, "P"},
		{"struct P { int x; }; typedef struct P P;", "P", 4, 4, "P"},
		{"typedef struct { int x; } P, Q;", "Q", 4, 4, "P"},
		{"struct P { int x; };", "struct P", 4, 4, "P"},
		{"typedef float A; typedef A B; using C = B;", "C", 4, 4, "float"},
	}
	for _, tt := range tests {
		t.Run(tt.declarations+tt.typ, func(t *testing.T) {
			got := elementType(t, tt.declarations, tt.typ)
			if got.Size != tt.size || got.Align != tt.align {
				t.Errorf("size %d, align %d; want %d, %d", got.Size, got.Align, tt.size, tt.align)
			}
			if text := got.String(); text != tt.text {
				t.Errorf("written %s, want %s", text, tt.text)
			}
		})
	}
}

func TestUnknownTypes(t *testing.T) {
	const pos = "a.metal:1:22: "
	for typ, want := range map[string]string{
		"double":              "unknown type double: Metal has none; use float",
		"float5":              "unknown type float5",
		"packed_bool2":        "unknown type packed_bool2",
		"packed_vec<bool, 2>": "packed_vec<bool, 2> is no vector type",
		"bfloat4x4":           "unknown type bfloat4x4",
		"int2x2":              "unknown type int2x2",
		"matrix<int, 2, 2>":   "matrix<int, 2, 2> is no matrix type",
		"matrix<float, 5, 2>": "matrix<float, 5, 2> is no matrix type",
		"vec<float, 5>":       "vec<float, 5> is no vector type",
		"vec<float4, 2>":      "vec<float4, 2> is no vector type",
		"vec<atomic_uint, 2>": "vec<atomic_uint, 2> is no vector type",
		"atomic<half>":        "atomic<half> is no type",
		"atomic<atomic_uint>": "atomic<atomic_uint> is no type",
		"atomic_half":         "unknown type atomic_half",
		"Missing":             "unknown type Missing",
		"n::Missing":          "unknown type n::Missing",
		"Pair<int>":           "unknown type Pair<...>",
	} {
		t.Run(typ, func(t *testing.T) {
			_, errs := analyze(t, "kernel void k(device "+typ+"* x) {}")
			if got := errs.Error(); got != pos+want {
				t.Errorf("got %s, want %s", got, pos+want)
			}
		})
	}
}
