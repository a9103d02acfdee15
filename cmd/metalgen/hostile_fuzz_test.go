package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// FuzzStructure looks for structures that bring the process down or keep it busy: what nests, what multiplies, what is
// large. The input chooses them, and each leads to the one before it. The source is generated from, compiled for the
// CPU device, and run for one threadgroup.
func FuzzStructure(f *testing.F) {
	for kind := range structures {
		f.Add([]byte{byte(kind), 0x21})                              // small
		f.Add([]byte{byte(kind), 0x52, byte(kind) + 1, 0x43, 0, 17}) // with others
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		source, params := structured(choices)
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "in", "a.metal"), []byte(source))
		ends(t, source, "-in", filepath.Join(dir, "in"), "-out", filepath.Join(dir, "gen"), "-quiet")
		ends(t, source, "doc", "-in", filepath.Join(dir, "in"), "-out", filepath.Join(dir, "site"), "-quiet")
		args := []string{"run", "-in", filepath.Join(dir, "in"), "-kernel", "k", "-device", "cpu", "-grid", "1,1,1",
			"-threads", "32,1,1", "-arg", "x=zeros:int32[64]", "-o", "x=" + filepath.Join(dir, "x.npy")}
		for _, p := range params {
			args = append(args, "-arg", p+"=zeros:uint8[1048576]")
		}
		ends(t, source, args...)
	})
}

var (
	crash    = regexp.MustCompile(`internal error|runtime error|goroutine \d`)
	atSource = regexp.MustCompile(`a\.metal:\d+:\d+: |kernel|threads take`)
)

// ends runs the command, which must end with success or with a message about the source. Go's fuzzer sees to it that
// it ends within 10 s.
func ends(t *testing.T, source string, args ...string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := run(args, &stdout, &stderr)
	text := stderr.String()
	if status == exitUsage || crash.MatchString(text) || status == exitError && !atSource.MatchString(text) {
		t.Errorf("exit status %d: %.2000s\n%.4000s", status, text, source)
	}
}

// structure is a piece of a source. It declares what its name begins with, and leads to inner, an expression of the
// piece before it; both expressions are ints that may use the variable a of a function.
type structure func(w *structureWriter, name, inner string, n int) (expr string)

// structures are the pieces that an input chooses from.
var structures = []structure{
	func(w *structureWriter, name, inner string, n int) string { // a chain of operators
		return "(" + inner + strings.Repeat(w.pick(" + a", " * 3", " - a * 2", " | 1", " << a"), n) + ")"
	},
	func(w *structureWriter, name, inner string, n int) string { // a chain that decides
		return "int(" + inner + strings.Repeat(w.pick(" && a", " || a", " == a", ", a"), n) + ")"
	},
	func(w *structureWriter, name, inner string, n int) string { // brackets
		n = min(n, w.brackets())
		open := w.pick("(1 + ", "int(", "-(", "(a ? 1 : ", "(a ? 1 : 2) + (")
		return strings.Repeat(open, n) + inner + strings.Repeat(")", n)
	},
	func(w *structureWriter, name, inner string, n int) string { // functions that call the next
		w.printf("int %s0(int a) { return %s; }\n", name, inner)
		body := w.pick("return %[1]s%[3]d(a);", "return %[1]s%[3]d(a) + %[1]s%[3]d(a);",
			"if (a) return %[1]s%[3]d(a); return 1;", "a += %[1]s%[3]d(a); return a;")
		for i := 1; i <= n; i++ {
			w.printf("int %[1]s%[2]d(int a) { "+body+" }\n", name, i, i-1)
		}
		return fmt.Sprintf("%s%d(a)", name, n)
	},
	func(w *structureWriter, name, inner string, n int) string { // instances of a function
		again := w.pick("%[1]s<N - 1>(a)", "%[1]s<N - 1>(a) + %[1]s<N - 1>(a)", "%[1]s<N / 2>(a) + %[1]s<N - 1>(a)",
			"%[1]s<N - 1>(%[1]s<N - 1>(a))", "(a ? %[1]s<N - 1>(a) : 1)")
		w.printf("template <int N> int %[1]s(int a) { return "+again+" + (%[2]s); }\n", name, inner)
		w.printf("template <> int %s<0>(int a) { return %s; }\n", name, inner)
		return fmt.Sprintf("%s<%d>(a)", name, n)
	},
	func(w *structureWriter, name, inner string, n int) string { // constants of instances of a class
		again := w.pick("%[1]s<N - 1>::v", "%[1]s<N - 1>::v + %[1]s<N - 1>::v", "%[1]s<N / 2>::v + %[1]s<N - 1>::v")
		chain := strings.Repeat(" + 1", w.size())
		w.printf("template <int N> struct %[1]s { static constant constexpr int v = "+again+"%[2]s; };\n", name, chain)
		w.printf("template <> struct %s<0> { static constant constexpr int v = 1; };\n", name)
		return fmt.Sprintf("(%s<%d>::v + %s)", name, n, inner)
	},
	func(w *structureWriter, name, inner string, n int) string { // types of instances of instances
		again := w.pick("%[1]sP<T>", "%[1]sP<T, T>", "%[1]sP<T, T, T, T, T, T, T, T>", "%[1]sP<%[1]sP<T>, int>")
		w.printf("template <typename... T> struct %[1]sP { int v; };\ntemplate <int N, typename T> struct %[1]s { "+
			"typedef typename %[1]s<N - 1, "+again+">::t t; };\n", name)
		w.printf("template <typename T> struct %s<0, T> { typedef T t; };\n", name)
		return fmt.Sprintf("(sizeof(%s<%d, int>::t) + %s)", name, n, inner)
	},
	func(w *structureWriter, name, inner string, n int) string { // calls in constant expressions
		w.printf("template <int N> constexpr int %[1]s(int a) { int s = %[1]s<N - 1>(a)%[2]s; "+
			"for (int i = 0; i < %[3]d; i++) s += i; return s; }\n", name, strings.Repeat(" + a", w.size()), w.size())
		w.printf("template <> constexpr int %s<0>(int a) { return 1; }\n", name)
		return fmt.Sprintf("(sizeof(int[%s<%d>(1) & 3 | 1]) + %s)", name, n, inner)
	},
	func(w *structureWriter, name, inner string, n int) string { // structs of structs
		fields := w.pick("%[1]s%[3]d a;", "%[1]s%[3]d a; %[1]s%[3]d b;", "%[1]s%[3]d a[2];", "%[1]s%[3]d a; int b;")
		w.printf("struct %s0 { %s };\n", name, w.pick("int v;", "", "int v = 1;", "int v[64];"))
		for i := 1; i <= n; i++ {
			w.printf("struct %[1]s%[2]d { "+fields+" };\n", name, i, i-1)
		}
		w.printf("int %s(int a) { %[1]s%d s = {}; %[1]s%[2]d t = s; return sizeof(t) + %s; }\n", name, n, inner)
		return name + "(a)"
	},
	func(w *structureWriter, name, inner string, n int) string { // classes that inherit
		w.printf("struct %s0 { %s };\n", name, w.pick("int f() { return 1; }", "int v; int f() { return v; }"))
		for i := 1; i <= n; i++ {
			w.printf("struct %[1]s%[2]d : %[1]s%[3]d { };\n", name, i, i-1)
		}
		w.printf("int %s(int a) { %[1]s%d s; return s.f() + %s; }\n", name, n, inner)
		return name + "(a)"
	},
	func(w *structureWriter, name, inner string, n int) string { // tables and arrays
		w.printf("constant int %st[%dul * %d] = {%s};\n", name, n, 1<<(w.next()%40), w.pick("", "1, 2", "{}"))
		return fmt.Sprintf("(%st[a] + %s)", name, inner)
	},
	func(w *structureWriter, name, inner string, n int) string { // variables of a function
		w.printf("int %s(int a) { %sint t[%dul * %d]; t[a] = %s; return t[a]; }\n", name,
			w.pick("", "threadgroup "), n, 1<<(w.next()%40), inner)
		return name + "(a)"
	},
	func(w *structureWriter, name, inner string, n int) string { // many variables
		w.printf("int %s(int a) {\n", name)
		declare := w.pick("int v%d = a;", "int v%d[2]; v%[1]d[a] = 1;", "float4 v%d = a;", "struct S%d { int a; } v%[1]d;")
		for i := range n {
			w.printf(declare+"\n", i)
		}
		w.printf("return %s; }\n", inner)
		return name + "(a)"
	},
	func(w *structureWriter, name, inner string, n int) string { // enumerators
		w.printf("enum %s { %[1]sv0", name)
		for i := 1; i <= n; i++ {
			w.printf(", %[1]sv%[2]d = %[1]sv%[3]d + 1", name, i, i-1)
		}
		w.printf(" };\n")
		return fmt.Sprintf("(%sv%d + %s)", name, n, inner)
	},
	func(w *structureWriter, name, inner string, n int) string { // statements in a row
		w.printf("int %s(int a) { %s return %s; }\n", name, strings.Repeat(w.pick("if (a) a++; else ", "if (a) return 1;\n",
			"for (int i = 0; i < a; i++) a -= i;\n", "a++;\n", "{ int b = a; a = b; }\n", "switch (a) { case 1: return 2; }\n"),
			n)+"a++;", inner)
		return name + "(a)"
	},
	func(w *structureWriter, name, inner string, n int) string { // statements within one another
		n = min(n, w.brackets())
		w.printf("int %s(int a) { %s return %s; %s return 1; }\n", name, strings.Repeat(w.pick("{", "if (a) {",
			"while (a) {", "if (a) a = 1; else {", "switch (a) { default:"), n), inner, strings.Repeat("}", n))
		return name + "(a)"
	},
	func(w *structureWriter, name, inner string, n int) string { // lambdas within one another
		n = min(n, w.brackets()/2)
		w.printf("int %s(int a) { return %s%s%s; }\n", name, strings.Repeat("[&](int a) { return ", n), inner,
			strings.Repeat("; }(a)", n))
		return name + "(a)"
	},
	func(w *structureWriter, name, inner string, n int) string { // default values
		w.printf("int %s0() { return 1; }\n", name)
		value := w.pick("%[1]s%[3]d()", "%[1]s%[3]d() + %[1]s%[3]d()")
		for i := 1; i <= n; i++ {
			w.printf("int %[1]s%[2]d(int b = "+value+") { return b; }\n", name, i, i-1)
		}
		return fmt.Sprintf("(%s%d() + %s)", name, n, inner)
	},
	func(w *structureWriter, name, inner string, n int) string { // a chain of members
		w.printf("struct %s { int v; thread %[1]s& f() { return *this; } %[1]s g() { return *this; } };\n", name)
		w.printf("int %s_(int a) { %[1]s s; s.v = %s; return s%s.v; }\n", name, inner,
			strings.Repeat(w.pick(".f()", ".g()", ".f().g()"), n))
		return name + "_(a)"
	},
	func(w *structureWriter, name, inner string, n int) string { // parts of vectors
		return fmt.Sprintf("(int2(%s)%s.x)", inner, strings.Repeat(w.pick(".xy", ".yx"), n))
	},
	func(w *structureWriter, name, inner string, n int) string { // overloads
		for i := range n {
			w.printf("struct %[1]s%[2]d { }; int %[1]s(%[1]s%[2]d a) { return 1; }\n", name, i)
		}
		w.printf("int %s(int a) { return %s; }\n", name, inner)
		return strings.Repeat(name+"(", min(n, 64)) + "a" + strings.Repeat(")", min(n, 64))
	},
	func(w *structureWriter, name, inner string, n int) string { // namespaces
		for i := range n {
			w.printf("namespace %[1]s%[2]d { int %[1]sf%[2]d(int a) { return 1; } } using namespace %[1]s%[2]d;\n", name, i)
		}
		w.printf("int %s(int a) { return %s; }\n", name, inner)
		return name + "(a)"
	},
	func(w *structureWriter, name, inner string, n int) string { // macros
		w.printf("#define %s0 a\n", name)
		body := w.pick("%[1]s%[3]d + %[1]s%[3]d", "(%[1]s%[3]d)", "%[1]s%[3]d + 1")
		for i := 1; i <= n; i++ {
			w.printf("#define %[1]s%[2]d "+body+"\n", name, i, i-1)
		}
		w.printf("int %s(int a) { return (%[1]s%d) + %s; }\n", name, n, inner)
		return name + "(a)"
	},
	func(w *structureWriter, name, inner string, n int) string { // loads from a constant argument
		w.printf("struct %sS { %s a[%d]; };\n", name, w.pick("ulong", "int", "half4"), 1<<(w.next()%16))
		w.printf("template <int N, int D> struct %[1]s { static void f(constant %[1]sS* p) "+
			"{ %[1]s<2*N, D-1>::f(p); %[1]s<2*N+1, D-1>::f(p); } };\n", name)
		w.printf("template <int N> struct %[1]s<N, 0> { static void f(constant %[1]sS* p) { %[2]s } };\n", name,
			w.pick("(void)p[N];", "thread auto s = p[N];", "(void)p->a[N];"))
		w.params = append(w.params, name)
		w.body = append(w.body, fmt.Sprintf("%s<0, %d>::f(p%[1]s);", name, n))
		return inner
	},
	func(w *structureWriter, name, inner string, n int) string { // kernels and arguments
		for i := range n {
			w.printf("kernel void %s%d(%s) { }\n", name, i, w.pick("device int* x", "device int* x, constant int& n"))
		}
		return inner
	},
	func(w *structureWriter, name, inner string, n int) string { // instances of kernels
		w.printf("template <typename T, int N> kernel void %s(device T* x) { x[0] = N; }\n", name)
		for i := range n {
			w.printf("template [[host_name(\"%[1]s%[2]d\")]] kernel void %[1]s<%[3]s, %[2]d>(device %[3]s*);\n", name, i,
				w.pick("int", "float"))
		}
		return inner
	},
	func(w *structureWriter, name, inner string, n int) string { // types of types
		w.printf("template <typename T> struct %s { T a%s; };\n", name, w.pick("", "; T b", "[2]"))
		n = min(n, 60)
		w.printf("int %s_(int a) { %s s; return sizeof(s) + %s; }\n", name, strings.Repeat(name+"<", n)+"int"+
			strings.Repeat(" >", n), inner)
		return name + "_(a)"
	},
	func(w *structureWriter, name, inner string, n int) string { // matrices and simd-groups
		return fmt.Sprintf("(int(float4x4(a)%s[0][0]) + %s)", strings.Repeat(" * float4x4(2)", n), inner)
	},
	func(w *structureWriter, name, inner string, n int) string { // annotations of a grid
		w.printf("// metalgen:grid (%s)\nkernel void %s(device int* x, constant uint& n) { }\n",
			strings.Repeat("(", n)+"n"+strings.Repeat(w.pick(")", " + n)", " * n)"), n), name)
		return inner
	},
}

// structureWriter writes a source as an input chooses.
type structureWriter struct {
	strings.Builder
	choices []byte
	params  []string // pieces whose struct k takes
	body    []string
}

// maxStructured bounds the source. What it writes out takes time in proportion, and is what TestHostileSizes is about.
const maxStructured = 1 << 18

func (w *structureWriter) printf(format string, args ...any) {
	if w.Len() < maxStructured {
		fmt.Fprintf(w, format, args...)
	}
}

// next returns a choice; those that the input does not have are 0.
func (w *structureWriter) next() int {
	if len(w.choices) == 0 {
		return 0
	}
	c := w.choices[0]
	w.choices = w.choices[1:]
	return int(c)
}

func (w *structureWriter) pick(list ...string) string { return list[w.next()%len(list)] }

// size returns a number up to 32783: a byte has its logarithm and what is added.
func (w *structureWriter) size() int {
	c := w.next()
	return 1<<(c>>4) + c&15
}

// brackets returns how deep brackets nest, below the limit and above.
func (w *structureWriter) brackets() int { return []int{40, 100, 240, 300}[w.next()%4] }

// structured returns the source that an input chooses, and the arguments of its kernel k besides x.
func structured(choices []byte) (source string, params []string) {
	w := &structureWriter{choices: choices}
	w.printf("#include <metal_stdlib>\nusing namespace metal;\n")
	expr := "1"
	for i := 0; len(w.choices) > 0 && i < 8 && w.Len() < maxStructured && len(expr) < maxStructured; i++ {
		kind := w.next() % len(structures)
		expr = structures[kind](w, fmt.Sprintf("s%d", i), expr, w.size())
	}
	fmt.Fprint(w, "kernel void k(device int* x")
	for _, p := range w.params {
		fmt.Fprintf(w, ", constant %sS* p%[1]s", p)
		params = append(params, "p"+p)
	}
	fmt.Fprintf(w, ") { int a = x[0]; %s x[0] = %s; }\n", strings.Join(w.body, " "), expr)
	return w.String(), params
}
