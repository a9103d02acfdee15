package msl

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
)

// FuzzAnalyze looks for sources on which the analysis panics or hangs.
func FuzzAnalyze(f *testing.F) {
	for _, s := range []string{
		"struct P { float3 a; P* b; }; kernel void k(constant P& p [[buffer(0)]], uint i [[thread_position_in_grid]]) { " +
			"uint n = p.a; if (i >= n) return; }",
		"enum E { A = 1 << 3, B }; constant int N = B ? sizeof(E) : A / 0; typedef vec<float, N> T; kernel void k(device " +
			"T* x, array<texture2d<float>, 3> y) { x[0] = 1; }",
		"#define N M\n#define M N + 1\nconstant bool c [[function_constant(N)]]; namespace n { struct Q { alignas(16) int " +
			"x[2][N]; }; } using namespace n; using n::Q; kernel void k(device Q (*x)[4]) {}",
		"typedef struct { atomic_uint x; } P, Q; union U { P p; packed_half3 h; }; kernel void k(device U& u, device " +
			"float* o) { device float* p = o + 1; p[2] = 3; }",
	} {
		f.Add(s)
	}
	addSources(f)
	f.Fuzz(func(t *testing.T, source string) {
		unit, errs := preprocessed(source)
		if errs.HasErrors() {
			return
		}
		tree, _ := parser.Parse(unit) // declarations that fail are left out
		p, _ := Analyze(tree)
		for _, k := range p.Kernels {
			p.Guards(k)
			for _, param := range k.Params {
				p.AccessOf(k, param)
			}
			for _, c := range p.Constants {
				p.UsesName(k, c.Name)
			}
			for _, m := range tree.Macros {
				p.ConstantAt(m.Name, k.Decl)
			}
		}
	})
}

// addSources adds sources of templates and the kernels of shaders to what a target begins with.
func addSources(f *testing.F) {
	for _, tt := range instanceTests {
		f.Add(templateSource(tt.declarations, tt.body))
	}
	f.Add(templateChoices)
	f.Add(instantiations)
	files, _ := filepath.Glob("../../shaders/*.metal")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
}

// preprocessed returns the unit of a source that can include nothing.
func preprocessed(source string) (*preprocess.Unit, parser.ErrorList) {
	return preprocess.Run("a.metal", "a.metal", &preprocess.Options{
		ReadFile: func(path string) ([]byte, error) {
			if path != "a.metal" {
				return nil, os.ErrNotExist
			}
			return []byte(source), nil
		},
	})
}
