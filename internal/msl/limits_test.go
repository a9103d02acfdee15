package msl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/parser"
)

// TestLimits holds that what multiplies ends in an error with a position: nothing takes the whole stack, and nothing
// goes on without end.
func TestLimits(t *testing.T) {
	chain := strings.Repeat("+a", 1<<14)
	out := func(body string) string {
		return "\nkernel void k(device int* o [[buffer(0)]]) { int a = o[0]; " + body + " }"
	}
	for _, tt := range []struct{ name, source, want string }{
		{"a chain of operators", out("o[0] = a" + chain + ";"), ""},
		{"a chain of numbers", "constant int c = 0" + strings.Repeat("+1", 1<<14) + ";" + out("o[c] = 1;"), ""},
		{"a chain of swizzles", out("o[0] = int2(a)" + strings.Repeat(".xy", resolve.MaxDepth) + ".x;"),
			"a.metal:2:80: statements and expressions nest deeper than 16384 here, with those of the functions and " +
				"constants around"},
		{"a chain of operators in a chain of constants", "template <int N> struct A { static constant int v = A<N - 1>::v" +
			strings.ReplaceAll(chain, "a", "1") + "; };\ntemplate <> struct A<0> { static constant int v = 1; };" +
			out("o[0] = A<900>::v;"), "a.metal:1:53: " + tooMuchWork},
		{"a chain of operators in a chain of functions", "template <int N> constexpr int f(int a) { return f<N - 1>(a)" +
			chain + "; }\ntemplate <> constexpr int f<0>(int a) { return 1; }" + out("int x[f<60>(1)];"),
			"a.metal:3:66: this is no constant expression"},
		{"else if in a chain of functions", "template <int N> int f(int a) {" +
			strings.Repeat("if (a) a++; else ", 1000) + "return f<N - 1>(a); return a; }\n" +
			"template <> int f<0>(int a) { return 1; }" + out("o[0] = f<900>(a);"),
			"a.metal:1:5921: statements and expressions nest deeper than 16384 here, with those of the functions and " +
				"constants around"},
		{"instances of instances of two", "template <typename A, typename B> struct P { int a; };\n" +
			"template <int N, typename T> struct G { typedef typename G<N - 1, P<T, T>>::t t; };\n" +
			"template <typename T> struct G<0, T> { typedef T t; };" + out("G<40, int>::t v; o[0] = v.a;"),
			"a.metal:2:59: " + tooLongName},
		{"instances of packs of instances", "template <typename... T> struct L {};\n" +
			"template <int N, typename T> struct G { typedef typename G<N - 1, L<T, T, T, T>>::t t; };\n" +
			"template <typename T> struct G<0, T> { typedef T t; };" + out("G<40, int>::t v; o[0] = sizeof(v);"),
			"a.metal:2:68: " + tooLongName},
		{"calls of a name with many meanings", inTurn("struct T%d {}; int f(T%[1]d t, int a) { return a; }\n", 2000) +
			"template <int N> int g(int a) { return f(T0{}, a) + g<N - 1>(a); }\n" +
			"template <> int g<0>(int a) { return 1; }" + out("o[0] = g<900>(a);"), "a.metal:1348:18: " + tooMuchWork},
		{"one namespace in use", strings.Repeat("namespace n { int f(); } using namespace n;", 300) + out(""), ""},
		{"namespaces in use", inTurn("namespace n%d { int f(); } using namespace n%[1]d;\n",
			resolve.MaxUsed+1) + out(""),
			"a.metal:257:29: the source uses more than 256 namespaces"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, errs := analyze(t, tt.source)
			if !errs.HasErrors() {
				_, errs = p.Body(p.Kernels[0])
			}
			if got := errs.Error(); got != tt.want {
				t.Errorf("got\n%.500s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// inTurn is a text for each number from 0 to n-1.
func inTurn(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

const tooLongName = "the name of an instance, with its arguments, takes more than 32768 bytes"

const tooMuchWork = "what the source asks for takes more than 2097152 steps to work out"

// TestStop holds that analysis and checks of bodies end soon when they are stopped.
func TestStop(t *testing.T) {
	unit, errs := preprocessed("constant int c = 0" + strings.Repeat("+1", 200) +
		";\nkernel void k(device int* o [[buffer(0)]], constant int (&x)[c] [[buffer(1)]]) { o[0] = x[0]" +
		strings.Repeat("+o[1]", 200) + "; }")
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	source, errs := parser.Parse(unit)
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	stopped := false
	stop := func() bool { return stopped }
	p, errs := AnalyzeUntil(source, stop)
	if errs.HasErrors() || p.Over() {
		t.Fatal(errs)
	}
	stopped = true
	if _, errs := p.BodyUntil(p.Kernels[0], stop); !strings.HasSuffix(errs.Error(), ": stopped") || !p.Over() {
		t.Errorf("Body: %v", errs)
	}
	stopped = false
	if fn, errs := p.BodyUntil(p.Kernels[0], stop); fn != nil || errs != nil {
		t.Errorf("Body, of a program that is over: %v, %v", fn, errs)
	}
	stopped = true
	if p, errs := AnalyzeUntil(source, stop); !strings.HasSuffix(errs.Error(), ": stopped") || !p.Over() {
		t.Errorf("Analyze: %v", errs)
	}
}
