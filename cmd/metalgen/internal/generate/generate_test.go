package generate

import (
	"bytes"
	"cmp"
	"go/format"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/parser/preprocess"
	"github.com/metalgen/metalgen/templates"
)

func packageName(string) (string, error) { return "gen", nil }

// TestFresh reports what of the generated code in this repository is not made of its sources as they are.
func TestFresh(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		{"shaders", "gen"},
		{"examples/image", "examples/image/gen"},
	} {
		all, err := Run(Config{In: filepath.FromSlash("../../../../" + c.in)}, packageName, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range all {
			for _, e := range l.Errors {
				t.Error(l.Describe(e))
			}
		}
		plan, err := NewPlan(filepath.FromSlash("../../../../"+c.out), all, false)
		if err != nil {
			t.Fatal(err)
		}
		if !plan.Empty() {
			var s strings.Builder
			plan.Summarize(&s)
			t.Errorf("%s is stale: run metalgen -in %s -out %s\n%s", c.out, c.in, c.out, &s)
		}
	}
}

func TestSourceDirs(t *testing.T) {
	dir := t.TempDir()
	writeTree(t, dir, map[string]string{
		"b.metal": "", "a.METAL": "", "a.h": "", ".c.metal": "", "metal": "", "d.metal.bak": "", "a_old.metal": "",
		"sub/c.metal": "", "sub/deep/d.metal": "", "_x/e.metal": "", ".x/f.metal": "", "none/g.h": "",
		"dir.metal/h.metal": "",
	})
	tests := []struct {
		cfg  Config
		want string
		err  string
	}{
		{Config{In: dir}, "a.METAL a_old.metal b.metal", ""},
		{Config{In: dir, Recursive: true}, "a.METAL a_old.metal b.metal dir.metal/h.metal sub/c.metal sub/deep/d.metal", ""},
		{Config{In: dir, Recursive: true, Ignore: []string{"*.METAL", "sub/*", "d.metal"}},
			"a_old.metal b.metal dir.metal/h.metal", ""},
		{Config{In: dir, Ignore: []string{"a*", "b*"}}, "", "no .metal files in "},
		{Config{In: filepath.Join(dir, "none")}, "", "no .metal files in "},
		{Config{In: filepath.Join(dir, "none"), Recursive: true}, "", "no .metal files in "},
		{Config{In: filepath.Join(dir, "nowhere")}, "", "-in "},
		{Config{In: filepath.Join(dir, "b.metal")}, "", "-in "},
	}
	for _, test := range tests {
		dirs, err := sourceDirs(test.cfg)
		if err != nil || test.err != "" {
			if err == nil || !strings.HasPrefix(err.Error(), cmp.Or(test.err, "no error")) {
				t.Errorf("%+v: %v, want %s", test.cfg, err, test.err)
			}
			continue
		}
		var got []string
		for _, d := range dirs {
			for _, f := range d.files {
				got = append(got, path.Join(filepath.ToSlash(d.rel), f))
			}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%+v: %v, want %s", test.cfg, got, test.want)
		}
	}
}

// FuzzGenerate: whatever the source is, no stage panics, and where none finds an
// error the Go files are as gofmt writes them.
func FuzzGenerate(f *testing.F) {
	sources, err := filepath.Glob(filepath.FromSlash("../../../../shaders/*"))
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range sources {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data), "")
	}
	for _, s := range fuzzSeeds {
		f.Add(s, "struct P { uint n; float3 v; };\n")
	}
	f.Fuzz(func(t *testing.T, text, header string) {
		read := func(path string) ([]byte, error) {
			switch filepath.Base(path) {
			case "a.metal":
				return []byte(text), nil
			case "a.h":
				return []byte(header), nil
			}
			return nil, fs.ErrNotExist
		}
		a := analyse("a.metal", "a.metal", &preprocess.Options{ReadFile: read})
		if a == nil {
			return
		}
		l := model("gen", []*analysed{a}, binding.Options{})
		for _, e := range l.Errors {
			l.Describe(e)
		}
		if l.Errors.HasErrors() {
			return
		}
		files, err := templates.Package(l.Package, templates.Options{})
		if err != nil {
			t.Fatalf("%v", err)
		}
		for _, file := range files {
			if !IsGenerated(string(file.Data)) {
				t.Fatalf("%s has no header", file.Name)
			}
			if path.Ext(file.Name) != ".go" {
				continue
			}
			want, err := format.Source(file.Data)
			if err != nil {
				t.Fatalf("%s: %v\n%s", file.Name, err, file.Data)
			}
			if !bytes.Equal(want, file.Data) {
				t.Fatalf("%s is not as gofmt writes it:\n%s\nwant\n%s", file.Name, file.Data, want)
			}
		}
	})
}

var fuzzSeeds = []string{
	`#include "a.h"
// metalgen:grid (p.n, max(1, n), 2)
// metalgen:threads (min(256, next_pow2(n)), 1, 1)
// metalgen:shape x [n * 3 + 1]
// metalgen:name Better
// metalgen:type x int32
kernel void k(device uint* x, constant P& p, constant uint& n, uint i [[thread_position_in_grid]]) {
    if (i >= n) return;
}
`,
	`constant bool c [[function_constant(1)]];
enum class E : ushort { a, b = 7 };
struct alignas(32) Q { E e; half3 h; packed_half3 p; float3x3 m; bool b[3]; ulong u; };
/// Doc.
/** More. */
kernel void q(device Q* q [[buffer(3)]], constant E& e, threadgroup float* s [[threadgroup(1)]],
    device atomic_uint& a) {}
`,
	`namespace n { typedef device const bfloat* ptr; using T = half4; template <typename U> U f(U u) { return u; }
kernel void in_namespace(ptr x, device T* y /* [4] elements */) {} }
template <typename T> kernel void t(device T* x) {}
template [[host_name("t_f32")]] kernel void t<float>(device float*);
`,
	`// Grid: (n, 1, 1)
// Threadgroup: (256, 1, 1)
// buffer(0): x - float [n * d] text
#define ARG(T, x, i) device T* x [[buffer(i)]]
kernel void prose(ARG(float, x, 0), ARG(half, type, 1), constant uint& n, constant uint& d,
    uint t [[threadgroup_position_in_grid]]) {}
`,
	"kernel void k(texture2d<float, access::read> t [[texture(0)]], sampler s) {}\nvertex float4 v() { return 0; }\n" +
		"union U { int i; float f; };\n",
	"#if 1\n#error no\n#endif\nkernel int k(uint x) {}\n#define A A(\nA 1 ?",
}
