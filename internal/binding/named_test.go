package binding

import (
	"fmt"
	"strings"
	"testing"
)

func TestConstantsThatCallersMeetAreConstantsOfThePackage(t *testing.T) {
	// kernel returns one that takes TILE threads, after a definition of that.
	kernel := func(define, name string) string {
		return define + "\n// metalgen:threads (TILE, 1, 1)\nkernel void " + name + "(device float* x, constant uint& n, " +
			"uint i [[thread_position_in_grid]]) { if (i < n) x[i] = 1; }\n"
	}
	// documented returns one with a comment, after definitions.
	documented := func(define, comment string) string {
		return define + "\n/// " + comment + "\nkernel void k(device float* x, constant uint& n) {}"
	}
	tests := []struct{ name, a, b, want string }{
		{"a macro", kernel("#define TILE (1 << 8)", "k"), "", "a: Tile=256"},
		{"a constant", kernel("constant uint TILE = 4; // of a row", "k"), "", "a: Tile=4 of a row"},
		{"a comment above it", kernel("/// Rows of a block,\n/// all.\n///\n/// More.\n#define TILE 9", "k"), "",
			"a: Tile=9 rows of a block, all."},
		{"an enumerator", kernel("enum { TILE = 16 };", "k"), "", "a: Tile=16"},
		{"a namespace", "namespace lib {\n" + kernel("constant uint TILE = 8;", "k") + "}", "", "a: Tile=8"},
		{"a shape", "constant uint per_row = 4;\nkernel void k(device float* x, // [n * per_row]\nconstant uint& n) {}", "",
			"a: PerRow=4"},
		{"a guard", "constexpr constant uint width = 64;\nkernel void k(device float* x, " +
			"uint i [[thread_position_in_grid]]) { if (i < width) x[i] = 1; }", "", "a: Width=64"},
		{"a requirement", "#define MAX_N 9\n// metalgen:require n < MAX_N\n" +
			"kernel void k(device float* x, constant uint& n) {}", "", "a: MaxN=9"},
		{"a comment of a kernel", documented("#define MAX_N 9", "Takes at most MAX_N."), "", "a: MaxN=9"},
		{"a comment of an argument", "#define MAX_N 9\nkernel void k(device float* x, // at most MAX_N\n" +
			"constant uint& n) {}", "", "a: MaxN=9"},
		{"a comment of a field", "#define MAX_N 9\nstruct P { uint n; // at most MAX_N\n};\n" +
			"kernel void k(device float* x, constant P& p) {}", "", "a: MaxN=9"},
		{"a body only", "#define MAX_N 9\nkernel void k(device float* x) { x[MAX_N] = 1; }", "", "a:"},
		{"a word", documented("constant uint rows = 9;", "Takes rows."), "", "a:"},
		{"an argument of the name", "constant uint max_n = 3;\n/// Takes max_n.\n" +
			"kernel void k(device float* x, constant uint& max_n) {}", "", "a:"},
		{"no integer", documented("#define EPS_2 1e-5", "Adds EPS_2."), "", "a:"},
		{"of the library", documented("#include <metal_stdlib>", "Up to INT_MAX, __METAL_VERSION__ or UINT_MAX."), "", "a:"},
		{"a value of an enum", "enum Mode { MODE_A, MODE_B };\n/// Does MODE_B.\n" +
			"kernel void k(device float* x, constant Mode& m) {}", "", "a:"},
		{"alike in two sources", kernel("#define TILE 8", "k"), kernel("#define TILE 8", "l"), "a: Tile=8; b:"},
		{"unlike in two sources", kernel("#define TILE 8", "k"), kernel("#define TILE 4", "l"), "a: ATile=8; b: BTile=4"},
		{"unlike in one source", kernel("#define TILE 8", "k") + kernel("#undef TILE\n#define TILE 4", "l"), "",
			"a: ATile=8 ATileValue=4"},
		{"a kernel has the name", kernel("#define TILE 8", "tile"), "", "a: TileValue=8"},
		{"a type parameter has the name", "#define T_ 8\ntemplate <typename T> kernel void k(device T* x, // [n * T_]\n" +
			"constant uint& n) {}\ntemplate [[host_name(\"k_f\")]] kernel void k<float>(device float*, constant uint&);\n" +
			"template [[host_name(\"k_h\")]] kernel void k<half>(device half*, constant uint&);", "", "a: TValue=8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inputs := []Input{input(t, "a.metal", tt.a)}
			if tt.b != "" {
				inputs = append(inputs, input(t, "b.metal", tt.b))
			}
			pkg, errs := Build("gen", inputs, Options{})
			if errs.HasErrors() {
				t.Fatal(errs)
			}
			var list []string
			for _, s := range pkg.Sources {
				text := s.Stem + ":"
				for _, n := range s.Named {
					text += fmt.Sprintf(" %s=%d %s", n.Go, n.Value, n.Doc)
				}
				list = append(list, strings.TrimSpace(text))
			}
			if got := strings.ReplaceAll(strings.Join(list, "; "), "  ", " "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestConstantNames(t *testing.T) {
	for name, want := range map[string]string{
		"MAX_K": "MaxK", "max_k": "MaxK", "kMaxK": "MaxK", "TILE": "Tile", "BM": "BM", "N_R0_Q4_0": "NR0Q4_0", "k": "K",
		"kernel": "Kernel", "_": "Constant", "SIMD_WIDTH": "SimdWidth", "warpSize": "WarpSize",
	} {
		if got := constantName(name); got != want {
			t.Errorf("constantName(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestLengthsOfResultsHaveFunctions(t *testing.T) {
	s := mustBuild(t, `
// metalgen:threads (8, 1, 1)
// metalgen:threadgroups (rows, 1, 1)
kernel void k(device const float* in,  // [rows, dim]
              device float* out,       // [rows, dim]
              device float* sums,      // [rows]
              device float* constants, // [2 * 3]
              device float* state,     // [len(in) / dim]
              device float* own,       // [len(own) / 2]
              device float* grouped,   // [rows * tg_size]
              constant uint& rows, constant uint& dim, constant float& kLen) {
    out[0] = in[0]; sums[0] = 1; constants[0] = 1; state[0] += 1; own[0] = 1; grouped[0] = 1;
}
kernel void k_out_len() {}`)
	var got []string
	for _, a := range s.Kernels[0].Args {
		if a.Len != "" {
			var params []string
			for _, l := range s.Kernels[0].LeavesOf(a.Shape) {
				params = append(params, l.Go)
			}
			got = append(got, a.Len+"("+strings.Join(params, ", ")+")")
		}
	}
	if got, want := strings.Join(got, " "), "KOutLen_(rows, dim) KStateLen(lenIn, dim)"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
