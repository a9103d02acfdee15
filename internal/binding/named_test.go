package binding

import (
	"fmt"
	"strings"
	"testing"
)

func TestConstantsThatCallersMeetAreConstantsOfThePackage(t *testing.T) {
	const guard = ", uint i [[thread_position_in_grid]]) { if (i < n) x[i] = 1; }"
	tests := []struct{ name, a, b, want string }{
		{"a shape", "constant uint per_row = 4; // of a row\nkernel void k(device float* x, // [n * per_row]\n" +
			"constant uint& n" + guard, "", "a: PerRow=4 of a row"},
		{"a macro", "#define BLOCK_SIZE (1 << 8)\n// metalgen:threads (BLOCK_SIZE, 1, 1)\n" +
			"kernel void k(device float* x, constant uint& n" + guard, "", "a: BlockSize=256"},
		{"an enumerator", "enum { kTile = 16 };\n// metalgen:threads (kTile, 1, 1)\n" +
			"kernel void k(device float* x, constant uint& n" + guard, "", "a: Tile=16"},
		{"a guard", "constexpr constant uint width = 64;\nkernel void k(device float* x, uint i [[thread_position_in_grid]]) " +
			"{ if (i < width) x[i] = 1; }", "", "a: Width=64"},
		{"a requirement", "#define MAX_N 9\n// metalgen:require n < MAX_N\nkernel void k(device float* x, constant uint& n" + guard,
			"", "a: MaxN=9"},
		{"a comment of a kernel", "#define MAX_N 9\n/// Takes at most MAX_N.\nkernel void k(device float* x, constant uint& n" + guard,
			"", "a: MaxN=9"},
		{"a comment of an argument", "#define MAX_N 9\nkernel void k(device float* x, constant uint& n, // at most MAX_N\n" +
			guard[2:], "", "a: MaxN=9"},
		{"a comment of a field", "#define MAX_N 9\nstruct P { uint n; // at most MAX_N\n};\n" +
			"kernel void k(device float* x, constant P& p) {}", "", "a: MaxN=9"},
		{"a body only", "#define MAX_N 9\nkernel void k(device float* x, constant uint& n) { x[MAX_N] = 1; }", "", "a:"},
		{"a word", "constant uint rows = 9;\n/// Takes rows.\nkernel void k(device float* x) {}", "", "a:"},
		{"an argument of the name", "#define N_ 9\nconstant uint max_n = 3;\n/// Takes max_n.\n" +
			"kernel void k(device float* x, constant uint& max_n) {}", "", "a:"},
		{"no integer", "#define EPS_2 1e-5\n/// Adds EPS_2.\nkernel void k(device float* x) {}", "", "a:"},
		{"of the library", "#include <metal_stdlib>\n/// Up to INT_MAX, __METAL_VERSION__ or UINT_MAX.\n" +
			"kernel void k(device float* x) {}", "", "a:"},
		{"a comment above it", "/// Rows of a block.\n///\n/// More.\n#define ROWS_ 9\nkernel void k(device float* x /* [n * ROWS_] */, " +
			"constant uint& n) {}", "", "a:"},
		{"a value of an enum", "enum Mode { MODE_A, MODE_B };\n/// Does MODE_B.\nkernel void k(device float* x, constant Mode& m) {}",
			"", "a:"},
		{"a namespace", "namespace lib {\nconstant uint tile = 8;\n// metalgen:threads (tile, 1, 1)\n" +
			"kernel void k(device float* x, constant uint& n" + guard + "\n}", "", "a: Tile=8"},
		{"alike in two sources", "#define TILE 8\n// metalgen:threads (TILE, 1, 1)\nkernel void k(device float* x, constant uint& n" + guard,
			"#define TILE 8\n// metalgen:threads (TILE, 1, 1)\nkernel void l(device float* x, constant uint& n" + guard, "a: Tile=8; b:"},
		{"unlike in two sources", "#define TILE 8\n// metalgen:threads (TILE, 1, 1)\nkernel void k(device float* x, constant uint& n" + guard,
			"#define TILE 4\n// metalgen:threads (TILE, 1, 1)\nkernel void l(device float* x, constant uint& n" + guard,
			"a: ATile=8; b: BTile=4"},
		{"unlike in one source", "#define TILE 8\n// metalgen:threads (TILE, 1, 1)\nkernel void k(device float* x, constant uint& n" + guard +
			"\n#undef TILE\n#define TILE 4\n// metalgen:threads (TILE, 1, 1)\nkernel void l(device float* x, constant uint& n" + guard,
			"", "a: ATile=8 ATileValue=4"},
		{"a kernel has the name", "#define TILE 8\n// metalgen:threads (TILE, 1, 1)\nkernel void tile(device float* x, constant uint& n" + guard,
			"", "a: TileValue=8"},
		{"a type parameter has the name", "#define T_ 8\ntemplate <typename T> kernel void k(device T* x /* [n * T_] */, // [n * T_]\n" +
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
