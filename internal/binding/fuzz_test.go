package binding

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
)

// shaders returns the texts of the repository's own sources by name.
func shaders(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../../shaders/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no shaders: %v", err)
	}
	texts := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(file)] = string(text)
	}
	return texts
}

// FuzzBuild looks for sources on which making the model panics or hangs.
func FuzzBuild(f *testing.F) {
	for _, text := range shaders(f) {
		f.Add(text)
	}
	f.Add(rowKernel)
	f.Add("// Grid: (rows / 2, ceil(n / 4), 1) threadgroups × 8 threads\n" +
		"// Shared mem: (2*rows + tg_size) * sizeof(float)\n// metalgen:shared x tg_size\n" +
		"// buffer(0): x - float [p.ne[1] * len(x)] text\n" + rowKernel)
	f.Add("struct P { P* q; enum E e; union { int x; } u; };\n// metalgen:type x int8\n// metalgen:name Q\n" +
		"kernel void k(constant P& p, device char* x /* [p.q, 3] */) {}")
	f.Add("// metalgen:shape x [n * N]\n" +
		"template <typename T, typename I, int N> kernel void k(device T* x, constant I& n, threadgroup T* s) {}\n" +
		"template [[host_name(\"k\")]] kernel decltype(k<float, int, 1>) k<float, int, 1>;\n" +
		"template [[host_name(\"k_h\")]] kernel void k<half, long, 2>(device half*, constant long&, threadgroup half*);")
	f.Add("struct B { uint a : 3; int b : 30; };\nstruct P : B { union { float f; struct { short s, t; } u; }; };\n" +
		"constant bool c [[function_constant(0)]];\nconstant bool d = is_function_constant_defined(c) ? !c : true;\n" +
		"kernel void k(constant P& p, device P* q [[function_constant(d)]]) {}")
	f.Fuzz(func(t *testing.T, source string) {
		unit, errs := preprocess.Run("a.metal", "a.metal", &preprocess.Options{
			ReadFile: func(path string) ([]byte, error) {
				if path != "a.metal" {
					return nil, os.ErrNotExist
				}
				return []byte(source), nil
			},
		})
		if errs.HasErrors() {
			return
		}
		tree, _ := parser.Parse(unit) // declarations that fail are left out
		program, _ := msl.Analyze(tree)
		// as its own twin it collides in every way
		Build("gen", []Input{{File: "a.metal", Program: program}, {File: "b.metal", Program: program}}, Options{})
	})
}

// BenchmarkBuild measures the analysis and the model of the repository's own
// shaders, parsed beforehand.
func BenchmarkBuild(b *testing.B) {
	texts := shaders(b)
	type parsed struct {
		file string
		tree *parser.Tree
	}
	var trees []parsed
	for file := range texts {
		if filepath.Ext(file) != ".metal" {
			continue
		}
		unit, errs := preprocess.Run(file, file, &preprocess.Options{
			ReadFile: func(path string) ([]byte, error) {
				if text, ok := texts[filepath.Base(path)]; ok {
					return []byte(text), nil
				}
				return nil, os.ErrNotExist
			},
		})
		if errs.HasErrors() {
			b.Fatal(errs)
		}
		tree, errs := parser.Parse(unit)
		if errs.HasErrors() {
			b.Fatal(errs)
		}
		trees = append(trees, parsed{file, tree})
	}
	b.ReportAllocs()
	kernels := 0
	for b.Loop() {
		inputs := make([]Input, len(trees))
		for i, t := range trees {
			program, errs := msl.Analyze(t.tree)
			if errs.HasErrors() {
				b.Fatal(errs)
			}
			inputs[i] = Input{File: t.file, Program: program}
		}
		pkg, errs := Build("gen", inputs, Options{})
		if errs.HasErrors() {
			b.Fatal(errs)
		}
		kernels = 0
		for _, s := range pkg.Sources {
			kernels += len(s.Kernels)
		}
	}
	b.ReportMetric(float64(kernels), "kernels")
}
