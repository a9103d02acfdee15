package binding

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

func TestGoNames(t *testing.T) {
	tests := []struct{ name, exported, local string }{
		{"fused_norm_add_f32", "FusedNormAddF32", "fusedNormAddF32"},
		{"K", "K", "k"}, {"q_pe", "QPe", "qPe"}, {"ID", "ID", "id"}, {"IDs", "IDs", "iDs"},
		{"HTTPServer", "HTTPServer", "httpServer"},
		{"x1_2", "X1_2", "x1_2"}, {"x12", "X12", "x12"}, {"x1_y2", "X1Y2", "x1Y2"}, {"a__b", "AB", "ab"}, {"a_", "A", "a"},
		{"_x", "X", "x"}, {"__x", "X", "x"}, {"_3d", "X3d", "x3d"}, {"_", "", ""}, {"", "", ""},
		{"ns::kernel_a", "NsKernelA", "nsKernelA"}, {"a::b", "AB", "ab"},
		{"größe", "Größe", "größe"}, {"élan", "Élan", "élan"}, {"数", "X数", "x数"},
		{"type", "Type", "type"}, {"range", "Range", "range"},
	}
	for _, tt := range tests {
		if got := goName(tt.name); got != tt.exported {
			t.Errorf("goName(%q) = %q, want %q", tt.name, got, tt.exported)
		}
		if got := localName(tt.name); got != tt.local {
			t.Errorf("localName(%q) = %q, want %q", tt.name, got, tt.local)
		}
	}
}

func TestFileStems(t *testing.T) {
	for file, want := range map[string]string{
		"norm.metal": "norm", "sub/norm.metal": "norm", "a.b.metal": "a_b", "a-b c.metal": "a_b_c", "_a.metal": "a",
		"4bit.metal":  "metal4bit",
		"größe.metal": "gr__e", "___.metal": "metal", ".metal": "metal", "no_extension": "no_extension", "A.metal": "A",
	} {
		if got := fileStem(file); got != want {
			t.Errorf("fileStem(%q) = %q, want %q", file, got, want)
		}
	}
}

func TestArgumentNames(t *testing.T) {
	s := mustBuild(t, `
struct P { uint a_b; uint aB; uint _; uint __; uint type; };
kernel void k(device float* grid, device float* constants, device float* a_b, device float* aB, device float* type,
	device float* _, constant P& p, device float*, uint i [[thread_position_in_grid]]) {}`)
	var args, fields []string
	for _, a := range s.Kernels[0].Args {
		args = append(args, a.Go)
	}
	for _, f := range s.Structs[0].Fields {
		fields = append(fields, f.Go)
	}
	if got, want := strings.Join(args, " "), "GridArg ConstantsArg AB ABArg Type Arg P ArgArg "; got != want {
		t.Errorf("arguments %s, want %s", got, want)
	}
	if got, want := strings.Join(fields, " "), "AB AB_ Field Field_ Type"; got != want {
		t.Errorf("fields %s, want %s", got, want)
	}
}

func TestLeafNames(t *testing.T) {
	s := mustBuild(t, `
struct P { uint dim; uint ne[4]; }; struct Q { uint dim; P inner; };
// metalgen:threadgroups (q.dim, p.dim, dim)
// metalgen:threads (p.ne[1], q.inner.dim, len(x))
kernel void k(device float* x, constant P& p, constant Q& q, constant uint& dim) {}`)
	var got []string
	for _, l := range s.Kernels[0].Leaves {
		got = append(got, fmt.Sprintf("%s=%s(%s)", l.Go, l.Text, l.GoType))
	}
	want := "lenX=len(x)(int) dim=p.dim(uint32) ne1=p.ne[1](uint32) qDim=q.dim(uint32) qInnerDim=q.inner.dim(uint32) " +
		"dim_=dim(uint32)"
	if got := strings.Join(got, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestNameCollisions(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"foo and Foo", "kernel void foo() {}\nkernel void Foo() {}",
			"a.metal:2:1: the Go name Foo of kernel Foo is taken by kernel foo at a.metal:1:1; " +
				"metalgen:name gives a kernel another"},
		{"arguments", "kernel void foo() {}\nkernel void foo_args() {}",
			"a.metal:2:1: the Go name FooArgs of kernel foo_args is taken by the arguments of kernel foo at a.metal:1:1; " +
				"metalgen:name gives a kernel another"},
		{"unexported", "kernel void id() {}\nkernel void ID() {}",
			"a.metal:2:1: the Go name idKernel of the description of kernel ID is taken by the description of kernel id at " +
				"a.metal:1:1; metalgen:name gives a kernel another"},
		{"struct and kernel", "struct P { int x; };\nkernel void p(constant P& q) {}", ""},
		{"enum and grid", "enum p_grid { A };\n// metalgen:grid (n, 1, 1)\n" +
			"kernel void p(constant p_grid& q, constant uint& n) {}", ""},
		{"structs", "struct a_b { int x; };\nstruct aB { int x; };\nkernel void k(constant a_b& x, constant aB& y) {}",
			"a.metal:2:1: the Go name AB of struct aB is taken by struct a_b at a.metal:1:1; " +
				"metalgen:name gives a kernel another"},
		{"enumerator", "enum E { A };\nstruct E_A { int x; };\nkernel void k(constant E_A& x, constant E& y) {}",
			"a.metal:1:1: the Go name EA of enumerator A is taken by struct E_A at a.metal:2:1; " +
				"metalgen:name gives a kernel another"},
		{"function constants", "constant int c [[function_constant(0)]];\nkernel void AConstants() {}",
			"a.metal:2:1: the Go name AConstants of kernel AConstants is taken by the function constants of a.metal at " +
				"a.metal:1:14; metalgen:name gives a kernel another"},
		{"preload", "kernel void preload() {}",
			"a.metal:1:1: the Go name Preload of kernel preload is taken by the function that compiles all kernels; " +
				"metalgen:name gives a kernel another"},
		{"Preload", "struct Preload { int x; };\nkernel void k(constant Preload& p) {}", ""},
		{"preload, named", "// metalgen:name PreloadAll\nkernel void preload() {}", ""},
		{"settled by annotation", "kernel void foo() {}\n// metalgen:name OtherFoo\nkernel void Foo() {}", ""},
		{"no name", "kernel void _() {}",
			"a.metal:1:1: kernel _ has no name that Go can use; give it one with metalgen:name"},
		{"named", "// metalgen:name Underscore\nkernel void _() {}", ""},
		{"bad name", "// metalgen:name lower\nkernel void k() {}",
			"a.metal:1:18: metalgen:name: \"lower\" is no exported Go identifier"},
		{"twice in a source", "kernel void k() {}\nkernel void k() {}",
			"a.metal:2:1: kernel k is defined twice; the first is at a.metal:1:1: Metal takes one of a name"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, errs := build(t, tt.source); errs.Error() != tt.want {
				t.Errorf("got\n%s\nwant\n%s", errs, tt.want)
			}
		})
	}
}

func TestUnused(t *testing.T) {
	n := names{}
	looks := 0
	for i := range 20_000 {
		name := unused("x", "_", func(s string) bool { looks++; return n[s] })
		if n[name] {
			t.Fatalf("%s is taken", name)
		}
		n[name] = true
		want := "x" + strings.Repeat("_", min(i, 8))
		if i >= 8 {
			want += strconv.Itoa(i - 7)
		}
		if name != want {
			t.Fatalf("%d: %s, want %s", i, name, want)
		}
	}
	if looks > 20_000*40 {
		t.Errorf("%d looks", looks)
	}
}

func TestTypesMoveAsideForKernels(t *testing.T) {
	s := mustBuild(t, `
struct fill { int x; }; struct fill_args { int x; }; struct FillArgsStruct { int x; }; enum fill_grid { A };
// metalgen:grid (n, 1, 1)
kernel void fill(constant fill_args& a, constant FillArgsStruct& b, constant fill_grid& c, constant uint& n) {}
kernel void other(constant struct fill& a) {}`)
	var got []string
	for _, st := range s.Structs {
		got = append(got, st.Go)
	}
	for _, e := range s.Enums {
		got = append(got, e.Go, e.Values[0].Go)
	}
	want := "FillArgsStruct_ FillArgsStruct FillStruct FillGridEnum FillGridEnumA"
	if got := strings.Join(got, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
