package msl

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
)

// TestBodyShaders checks every body of the library.
func TestBodyShaders(t *testing.T) {
	files, _ := filepath.Glob("../../shaders/*.metal")
	if len(files) == 0 {
		t.Fatal("no shaders")
	}
	for _, file := range files {
		checkFile(t, file)
	}
}

func checkFile(t *testing.T, file string) {
	t.Helper()
	unit, errs := preprocess.Run(filepath.Base(file), file, &preprocess.Options{ReadFile: os.ReadFile})
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	tree, errs := parser.Parse(unit)
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	p, errs := Analyze(tree)
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	for _, k := range p.Kernels {
		if _, errs := p.Body(k); len(errs) > 0 {
			t.Errorf("%s: kernel %s:\n%v", file, k.Name, errs)
		}
	}
}

// bodyPrelude begins the one kernel of the tests, whose body starts on line 31.
const bodyPrelude = `#include <metal_stdlib>
using namespace metal;
struct P { float3 a; uint n; float w[4]; };
struct Q { P p; int i; half2 h; };
union U { float f; uint u; };
enum E { A, B = 5 };
enum class F : ushort { X, Y };
constant float table[4] = {1, 2, 3};
constant constexpr uint eight = 8;
constant float third = 1.0f / 3;
constant float4 ones = float4(1);
constant bool flag [[function_constant(0)]];
float twice(float x) { return 2 * x; }
int twice(int x) { return 2 * x; }
float first(device const float* x) { return x[0]; }
float first(threadgroup const float* x) { return x[0]; }
float first(thread const float* x) { return x[0]; }
void bump(thread float& x, float by = 1) { x += by; }
float norm1(const float4 v) { return abs(v.x); }
P make(uint n) { return P{float3(0), n}; }
bool both(bool a, bool b) { return a && b; }
namespace ns { struct S { int v; }; int get(S s) { return s.v; } constant int k = 3; }
template <typename T> T same(T x) { return x; }
int loop(int x); int spin(int x) { return loop(x); } int loop(int x) { return spin(x); }
float noBody(float x);
int max(int a, P b) { return a; }
void amb(float x, int y) {} void amb(int x, float y) {}
kernel void k(device float* out [[buffer(0)]], device const float* in [[buffer(1)]], constant P& p [[buffer(2)]], ` +
	`device uint4* u4 [[buffer(3)]],
    device packed_float3* p3 [[buffer(4)]], device atomic_uint* at [[buffer(5)]], device Q* q [[buffer(6)]], device ` +
	`half* hp [[buffer(7)]],
    threadgroup float* tg [[threadgroup(0)]], uint tid [[thread_position_in_grid]], uint3 pos ` +
	`[[thread_position_in_threadgroup]]) {
`

// bodyOf checks the one kernel of the tests with a body.
func bodyOf(t *testing.T, body string) (*tree.Func, parser.ErrorList) {
	t.Helper()
	p := mustAnalyze(t, bodyPrelude+body+"\n}")
	return p.Body(onlyKernel(t, p))
}

func TestBody(t *testing.T) {
	for _, tt := range bodyTests {
		t.Run(tt.name, func(t *testing.T) {
			fn, errs := bodyOf(t, tt.body)
			if errs != nil {
				t.Fatalf("unexpected errors:\n%v", errs)
			}
			lines := make([]string, len(fn.Body.List))
			for i, s := range fn.Body.List {
				lines[i] = tree.Line(s)
			}
			if got := strings.Join(lines, "\n"); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestBodyErrors(t *testing.T) {
	for _, tt := range bodyErrorTests {
		t.Run(tt.name, func(t *testing.T) {
			fn, errs := bodyOf(t, tt.body)
			if got := errs.Error(); got != tt.want || fn != nil {
				t.Errorf("got function %v and errors\n%s\nwant\n%s", fn, got, tt.want)
			}
		})
	}
}

// TestBodyParams holds the variables of a kernel against its parameters.
func TestBodyParams(t *testing.T) {
	fn, errs := bodyOf(t, "")
	if errs != nil {
		t.Fatal(errs)
	}
	for i, v := range fn.Params {
		if v.Name != fn.Kernel.Params[i].Name || !v.Param {
			t.Errorf("parameter %d is %s", i, v.Name)
		}
	}
	want := fn.Name + "(" + strings.Join([]string{
		"out device float*", "in device const float*", "p constant const P&", "u4 device uint4*", "p3 device packed_float3*",
		"at device atomic_uint*", "q device Q*", "hp device half*", "tg threadgroup float*", "tid uint", "pos uint3",
	}, ", ") + ") void"
	if got := fn.Signature(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestBodyCalls holds that functions are checked once, and constants are one
// variable wherever they stand.
func TestBodyCalls(t *testing.T) {
	p := mustAnalyze(t, `
constant float table[2] = {1, 2};
float pick(uint i) { return table[i]; }
kernel void a(device float* o [[buffer(0)]]) { o[0] = pick(0); }
kernel void b(device float* o [[buffer(0)]]) { o[0] = pick(1) + table[0]; }
kernel void c(device float* o [[buffer(0)]]) { o[0] = nothing; }
`)
	var group sync.WaitGroup
	funcs := make([]*tree.Func, 3)
	for i := range 12 {
		group.Go(func() {
			fn, errs := p.Body(p.Kernels[i%3])
			if (i%3 == 2) != errs.HasErrors() {
				t.Errorf("kernel %d: %v", i%3, errs)
			}
			if i < 3 {
				funcs[i] = fn
			}
		})
	}
	group.Wait()
	call := func(s tree.Stmt) *tree.Call { return find[*tree.Call](s.(*tree.ExprStmt).X) }
	a, b := call(funcs[0].Body.List[0]), call(funcs[1].Body.List[0])
	if a.Func != b.Func || a.Func.Name != "pick" || a.Func.Kernel != nil {
		t.Errorf("the kernels call %p and %p", a.Func, b.Func)
	}
	inner := find[*tree.VarRef](a.Func.Body.List[0].(*tree.Return).X.(*tree.Index).X).Var
	if !inner.Static || inner.Space != "constant" || printExpr(inner.Init) != "float[2]{1:float, 2:float}" {
		t.Errorf("table is %+v", inner)
	}
}

// find gives the first node of a type in an expression of the test above.
func find[T tree.Expr](e tree.Expr) T {
	switch x := e.(type) {
	case T:
		return x
	case *tree.Assign:
		return find[T](x.R)
	case *tree.Binary:
		return find[T](x.X)
	}
	var none T
	return none
}

// TestBodySources has errors that take more than a body.
func TestBodySources(t *testing.T) {
	for _, tt := range []struct{ name, source, want string }{
		{"error in a function that two kernels call",
			"float f() { return x; }\nkernel void k(device float* o [[buffer(0)]]) { o[0] = f(); }",
			"a.metal:1:20: unknown name x"},
		{"type that is broken", "struct S { X x; };\nkernel void k(device float* o [[buffer(0)]]) { S s; }",
			"a.metal:1:12: unknown type X"},
		{"missing return",
			"float f(int a) { if (a) return 1; else if (a + 1) { } else return 2; }\n" +
				"kernel void k(device float* o [[buffer(0)]]) { f(1); }", ""},
		{"all paths return",
			"float f(int a) { switch (a) { case 1: return 1; default: return 2; } }\n" +
				"float g() { for (;;) { if (f(1)) return 1; } }\nfloat h() { do { return 1; } while (true); }\n" +
				"kernel void k(device float* o [[buffer(0)]]) { g(); h(); }", ""},
		{"break leaves",
			"float f(int a) { while (true) { if (a) break; } }\nkernel void k(device float* o [[buffer(0)]]) { f(1); }",
			""},
		{"constant that needs itself",
			"constant float a = b + metal::exp(1.0f);\nconstant float b = a;\n" +
				"kernel void k(device float* o [[buffer(0)]]) { o[0] = a; }", "a.metal:2:20: the value of a depends on itself"},
		{"deduced constant of the program",
			"constant auto a = 3ul, b = a + 1;\nkernel void k(device float* o [[buffer(0)]]) { o[0] = b; }", ""},
		{"variable of the program", "float a = 1;\nkernel void k(device float* o [[buffer(0)]]) { o[0] = a; }",
			"a.metal:1:7: a is a variable of the program: it must be in the constant address space"},
		{"prototype and definition",
			"float f(int a = 1);\nfloat f(int a) { return a; }\nkernel void k(device float* o [[buffer(0)]]) { o[0] = f(); }",
			""},
		{"two definitions",
			"float f(int a) { return 1; }\nfloat f(int b) { return 2; }\n" +
				"kernel void k(device float* o [[buffer(0)]]) { o[0] = f(1); }",
			"a.metal:2:1: f is defined twice; the first is at a.metal:1:1"},
		{"hidden names",
			"constant int n = 4;\nstruct S { float x[n]; };\n" +
				"kernel void k(device float* o [[buffer(0)]]) { const int n = 2; S s; static_assert(sizeof(s) == 16); " +
				"static_assert(n == 2); }", ""},
		{"namespaces",
			"namespace a { constant int c = 1; float f() { return c; } namespace b { float g() { return f() + c; } } }\n" +
				"using namespace a;\nkernel void k(device float* o [[buffer(0)]]) { o[0] = f() + a::b::g() + b::g() + ::a::c; }",
			""},
		{"threadgroup in a function",
			"void f() { threadgroup float x[4]; }\nkernel void k(device float* o [[buffer(0)]]) { f(); }",
			"a.metal:1:30: threadgroup variable x must be declared in a kernel"},
		{"functions declared below",
			"int f(float x) { return 1; }\nint g(int x) { return f(x); }\nint f(int x) { return nothing; }\n" +
				"kernel void k(device float* o [[buffer(0)]]) { o[0] = g(1); }", ""},
		{"function that is only below",
			"int g(int x) { return f(x); }\nint f(int x) { return x; }\n" +
				"kernel void k(device float* o [[buffer(0)]]) { o[0] = g(1); }",
			"a.metal:1:23: unknown function f: it is first declared below, at a.metal:2:1"},
		{"function below a constant",
			"constant float c[1] = {f(1)};\nfloat f(int x) { return x; }\n" +
				"kernel void k(device float* o [[buffer(0)]]) { o[0] = c[0]; }",
			"a.metal:1:24: unknown function f: it is first declared below, at a.metal:2:1"},
		{"body below",
			"float f(int a, int b = 2);\nfloat g() { return f(1); }\nfloat f(int a, int b) { return a + b; }\n" +
				"kernel void k(device float* o [[buffer(0)]]) { o[0] = g(); }", ""},
		{"thread beside another address space",
			"kernel void k(const device uchar* w [[buffer(0)]], device uchar* o [[buffer(1)]]) { thread const device uchar* " +
				"p[2]; p[0] = w; o[0] = p[0][1]; }", ""},
		{"assert", "kernel void k(device uchar* o [[buffer(0)]]) { assert(o[0] > 1 && \"text\"); o[0] = 1; }", ""},
		{"function of the library until there is one",
			"namespace n {\nfloat g() { return metal::max(1.0f, 2.0f); }\n" +
				"kernel void k(device float* o [[buffer(0)]]) { o[0] = g() + max(1.0f, 2.0f); }\n" +
				"float max(float a, float b) { return nothing; }\n}", ""},
		{"default value that needs itself",
			"int f(int a = f()) { return a; }\nkernel void k(device int* o [[buffer(0)]]) { o[0] = f(); }",
			"a.metal:1:15: the default value of a parameter of f depends on itself"},
		{"enums with a type",
			"enum E : ushort { A };\nvoid f(ushort x) { } void f(int x) { f(nothing); }\n" +
				"void g(int x) { } void g(uint x) { g(nothing); }\nkernel void k(device int* o [[buffer(0)]]) { f(A); g(A); }", ""},
		{"pointers and bool",
			"void f(device void* p) { } void f(bool b) { f(nothing); }\nkernel void k(device int* o [[buffer(0)]]) { f(o); }",
			""},
		{"reference to a constant",
			"constant float pi1 = 3.25f;\nfloat f(constant float& x) { return x; }\n" +
				"kernel void k(device float* o [[buffer(0)]]) { float a[int(pi1)]; o[0] = f(pi1) + a[0]; }", ""},
		{"names through a namespace's namespace",
			"namespace a { namespace b { constant int c = 2; constant float d = metal::exp(1.0f); float f() { return d; } } " +
				"using namespace b; float g() { int x[c]; return f() + c + x[0]; } }\nusing namespace a;\n" +
				"kernel void k(device float* o [[buffer(0)]]) { o[0] = g() + a::g(); }", ""},
		{"braces of a constant", "constant uint c{-1};\nkernel void k(device uint* o [[buffer(0)]]) { o[0] = c; }",
			"a.metal:1:17: braces do not narrow -1 to uint, which does not hold it"},
		{"union whose second field has a value",
			"union U { int a; float b = 1; };\nkernel void k(device float* o [[buffer(0)]]) { U u; }", ""},
		{"union whose fields both have values",
			"union U { int a = 1; float b = 1; };\nkernel void k(device float* o [[buffer(0)]]) { U u; }",
			"a.metal:1:28: union U has initial values for two fields"},
		{"pointer in a struct",
			"struct Node { int v; device Node* next; };\n" +
				"kernel void k(device Node* n [[buffer(0)]]) { n->next->v = n->next->next[1].v; }", ""},
		{"argument that is not bound", "kernel void k(device float** o [[buffer(0)]]) { }",
			"a.metal:1:30: argument o: a buffer needs device or constant before its type"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, _ := analyze(t, tt.source)
			for range 2 { // the second time from what is known
				_, errs := p.Body(p.Kernels[0])
				if got := errs.Error(); got != tt.want {
					t.Errorf("got\n%s\nwant\n%s", got, tt.want)
				}
			}
		})
	}
}

// TestBodyChains holds that what hangs together in long chains takes neither
// the whole stack nor time that grows faster than the chain.
func TestBodyChains(t *testing.T) {
	const kernel = "kernel void k(device float* o [[buffer(0)]]) { o[0] = last; }"
	for _, tt := range []struct {
		name, first, next, last string
		n                       int
		want                    string
	}{
		{"functions", "float f0() { return 1; }\n", "float f%d() { return f%d(); }\n", "f%d()", 20000,
			"needs more than 1000 other functions"},
		{"functions that are not too many", "float f0() { return 1; }\n", "float f%d() { return f%d(); }\n", "f%d()", 900,
			""},
		{"constants", "constant float f0 = 1;\n", "constant float f%d = f%d + metal::exp(1.0f);\n", "f%d", 20000,
			"needs more than 1000 other functions"},
		{"constants that are not too many", "constant float f0 = 1;\n", "constant float f%d = f%d + metal::exp(1.0f);\n",
			"f%d", 900, ""},
		{"numbers", "constant float f0 = 1;\n", "constant float f%d = f%d + 1;\n", "f%d", 20000,
			"needs more than 1000 other functions"},
		{"enums", "enum { f0 = 1 };\n", "enum { f%d = f%d + 1 };\n", "f%d", 20000, "needs more than 1000 other functions"},
		{"types", "struct f0 { float x; };\n", "struct f%d { f%d x; };\n", "sizeof(f%d)", 20000,
			"needs more than 1000 other functions"},
		{"default values", "float f0() { return 1; }\n", "float f%d(float a = f%[2]d()) { return a; }\n", "f%d()", 400, ""},
		{"default values twice", "float f0() { return 1; }\n", "float f%d(float a = f%[2]d() + f%[2]d()) { return a; }\n",
			"f%d()", 12, ""},
		{"default values twice and again", "float f0() { return 1; }\n",
			"float f%d(float a = f%[2]d() + f%[2]d()) { return a; }\n", "f%d()", 400,
			"default values come to more than 65536 nodes here"},
		{"initial values of fields", "struct f0 { float x = 1; };\n", "struct f%d { float x = f%[2]d().x + f%[2]d().x; };\n",
			"f%d().x", 400, "default values come to more than 65536 nodes here"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var source strings.Builder
			source.WriteString(tt.first)
			for i := 1; i <= tt.n; i++ {
				fmt.Fprintf(&source, tt.next, i, i-1)
			}
			source.WriteString(strings.Replace(kernel, "last", fmt.Sprintf(tt.last, tt.n), 1))
			p, errs := analyze(t, source.String())
			if errs.HasErrors() {
				t.Fatal(errs[0])
			}
			_, errs = p.Body(p.Kernels[0])
			if got := errs.Error(); tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %.300s", got)
			}
			if n := p.resolver.Work.Steps; n > 100*tt.n {
				t.Errorf("%d take %d steps", tt.n, n)
			}
		})
	}
}

func TestBuiltinNames(t *testing.T) {
	names := library.Builtins()
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) || len(names) < 200 {
		t.Errorf("%d names: %q", len(names), names)
	}
}
