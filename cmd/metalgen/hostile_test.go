package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

const kernelK = "kernel void k(device float* x [[buffer(0)]]) {}\n"

type hostileSource struct {
	source string
	stderr string // matches the first line of it; "" for a source that is accepted
}

// hostile returns sources that no archive can hold: too large, or no text. A variable would be built
// again by each command of a script, since that is this program, too.
func hostile() map[string]hostileSource {
	return map[string]hostileSource{
		"byte order mark": {source: "\ufeff" + kernelK},
		"CRLF": {
			source: "// metalgen:grid (1, 1, 1)\r\n#define X \\\r\n  x\r\nkernel void k(\r\n" +
				"    device float* X [[buffer(0)]]) {\r\n}\r\n"},
		"CRLF in an error": {source: "\r\nkernel void k(uint n) {}\r\n",
			stderr: `^a\.metal:2:20: argument n is passed by value but`},
		"no newline at end": {source: strings.TrimSpace(kernelK) + "// the end"},
		"NUL":               {source: "kernel void\x00 k(device float* x) {}\n", stderr: `^a\.metal:1:12:`},
		"only NUL":          {source: strings.Repeat("\x00", 1000), stderr: `^a\.metal:1:1:`},
		"invalid UTF-8":     {source: "kernel void k(device float* \xff\xfe) {}\n", stderr: `^a\.metal:1:29:`},
		"UTF-16":            {source: "\xff\xfek\x00e\x00r\x00n\x00e\x00l\x00", stderr: `^a\.metal:1:1:`},
		"long line":         {source: kernelK + "// " + strings.Repeat("long ", 2<<20) + "\n"},
		"long broken line": {source: kernelK + strings.Repeat(" ", 1<<20) + "\nkernel void l(" +
			strings.Repeat("device float* ", 1<<16) + ") {}\n", stderr: `^a\.metal:3:41: unexpected "\*": expected `},
		"long name":    {source: "kernel void " + strings.Repeat("k", 1<<16) + "(device float* x) {}\n"},
		"many kernels": {source: manyKernels(500, "device float* x, constant uint& n")},
		"many errors": {source: manyKernels(5000, "uint n"),
			stderr: `^a\.metal:1:24: argument n is passed by value but`},
		"many brackets": {source: "constant int x = " + strings.Repeat("(", 100000) + "1" + strings.Repeat(")", 100000) +
			";\n" + kernelK, stderr: `^a\.metal:1:274: brackets nest deeper than 256$`},
		"many unclosed": {source: "constant int x = " + strings.Repeat("(", 100000) + ";\n" + kernelK,
			stderr: `^a\.metal:1:274: brackets nest deeper than 256$`},
		"many braces": {source: "kernel void k(device float* x) {" + strings.Repeat("{", 100000) +
			strings.Repeat("}", 100000) + "}\n", stderr: `^a\.metal:1:288: brackets nest deeper than 256$`},
		"many namespaces": {source: strings.Repeat("namespace a {", 100000) + strings.Repeat("}", 100000) + "\n",
			stderr: `^a\.metal:1:3341: brackets nest deeper than 256$`},
		"many in an array": {source: "struct P { int x[" + strings.Repeat("(", 10000) + "1" + strings.Repeat(")", 10000) +
			"]; };\nkernel void k(constant P& p) {}\n", stderr: `^a\.metal:1:`},
		"many in a formula": {source: "// metalgen:grid (" + strings.Repeat("(", 10000) + "1" + strings.Repeat(")", 10000) +
			", 1, 1)\n" + kernelK, stderr: `^a\.metal:1:`},
		"many in #if": {source: "#if " + strings.Repeat("(", 100000) + "1" + strings.Repeat(")", 100000) +
			"\n#endif\n" + kernelK, stderr: `^a\.metal:1:`},
		"many #if": {source: strings.Repeat("#if 1\n", 100000) + strings.Repeat("#endif\n", 100000) + kernelK},
		"many pointers": {source: "kernel void k(device float " + strings.Repeat("*", 100000) + "x) {}\n",
			stderr: `^a\.metal:1:29:`},
		"many pointers to pointers": {source: "struct P { device float" + strings.Repeat("* device", 100000) + "* x; };\n" +
			"kernel void k(device P* p) {}\nkernel int l() {}\n", stderr: `more than 16 deep$`},
		"macro bomb": {source: bomb(" ", 64) + "constant int x = M64;\n" + kernelK,
			stderr: `^a\.metal:66:18: macro expansion of M64 produces more than`},
		"macro bomb in #if": {source: bomb(" + ", 64) + "#if M64\n#endif\n" + kernelK,
			stderr: `^a\.metal:66:5: macro expansion of M64 produces more than`},
		"include of itself": {source: "#include \"a.metal\"\n#include \"a.metal\"\n" + kernelK,
			stderr: `^a\.metal:1:10: #include is nested more than`},
		"struct of structs":  {source: structs(64), stderr: `: an array of 2 elements of`},
		"structs in structs": {source: nested(200), stderr: `^a\.metal:\d+:1: struct W\d+ is too large for Go: `},
		"structs of two": {source: doubled("struct S%d { S%d a; S%[2]d b; };\n"),
			stderr: `^a\.metal:17:1: struct S16 is too large: with the structs within it, it has more than 65536 fields$`},
		"classes of two": {
			source: doubled("struct S%d : S%d, T%[2]d {}; struct T%[1]d : S%[2]d, T%[2]d {};\n"),
			stderr: `^a\.metal:17:1: struct S16 is too large: `,
		},
		"templates of two": {
			source: "template <typename T> struct P { T a; T b; };\n" +
				"template <typename T, int N> struct B { typedef typename B<P<T>, N - 1>::t t; };\n" +
				"template <typename T> struct B<T, 0> { typedef T t; };\n" +
				"kernel void k(constant B<int, 40>::t& p, device float* x) {}\n",
			stderr: `^a\.metal:1:23: struct .* is too large: .* \(in .*\)$`,
		},
		"a value for no stack": {
			source: "struct P { char a[1ul << 29]; };\nkernel void k(constant P& p, device P* q) {}\n",
			stderr: `^a\.metal:2:27: argument p has 536870912 bytes, and a value has at most 268435456$`,
		},
		"chains in constants": {
			source: chained("+1") +
				"template <int N> struct A { static constant constexpr int v = A<N-1>::v S S S S S S S; };\n" +
				"template <> struct A<0> { static constant constexpr int v = 1; };\n" +
				"struct Params { float x[A<900>::v > 0 ? 1 : 2]; };\nkernel void k(constant Params& p, device float* x) {}\n",
			stderr: `^a\.metal:5:\d+: what the source asks for takes more than 2097152 steps to work out$`,
		},
		"chains in functions": {
			source: chained("+1") + "template <int N> constexpr int f() { return f<N-1>() S S S S S S S; }\n" +
				"template <> constexpr int f<0>() { return 1; }\nstruct Params { float x[f<60>() > 0 ? 1 : 2]; };\n" +
				"kernel void k(constant Params& p, device float* x) {}\n",
			stderr: `^a\.metal:7:37: this is no constant expression$`,
		},
		"control characters": {source: "kernel void \x1b[31mk(device float* x) {}\n", stderr: `^a\.metal:1:13:`},
	}
}

func manyKernels(n int, args string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "kernel void k%04d(%s) {}\n", i, args)
	}
	return b.String()
}

// bomb defines M1 and so on, each twice the one before it, joined by op.
func bomb(op string, depth int) string {
	var b strings.Builder
	b.WriteString("#define M0 1\n")
	for i := range depth {
		fmt.Fprintf(&b, "#define M%d M%d%sM%[2]d\n", i+1, i, op)
	}
	return b.String()
}

func structs(depth int) string {
	var b strings.Builder
	b.WriteString("struct S0 { int x; };\n")
	for i := range depth {
		fmt.Fprintf(&b, "struct S%d { S%d x[2]; };\n", i+1, i)
	}
	fmt.Fprintf(&b, "kernel void k(constant S%d& p) {}\n", depth)
	return b.String()
}

// nested is structs: each has the one before it as a field.
func nested(depth int) string {
	var b strings.Builder
	b.WriteString("struct W0 { int x; };\n")
	for i := range depth {
		fmt.Fprintf(&b, "struct W%d { W%d t; };\n", i+1, i)
	}
	fmt.Fprintf(&b, "kernel void k(constant W%d& p) {}\n", depth)
	return b.String()
}

// doubled is structs: each has the one before it twice.
func doubled(format string) string {
	const depth = 36
	var b strings.Builder
	b.WriteString("struct S0 {}; struct T0 {};\n")
	for i := range depth {
		fmt.Fprintf(&b, format, i+1, i)
	}
	fmt.Fprintf(&b, "kernel void k(device S%d* p) {}\n", depth)
	return b.String()
}

// documented reports a reference that cannot be written of sources that are accepted.
func documented(t *testing.T, in string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if status := run([]string{"doc", "-in", in, "-out", t.TempDir(), "-quiet"}, &stdout, &stderr); status != exitOK ||
		stdout.Len()+stderr.Len() > 0 {
		t.Errorf("doc: exit status %d: %s%.500s", status, &stdout, &stderr)
	}
}

// TestHostile feeds the command what nobody would write. It must end soon, and
// messages must stay readable.
func TestHostile(t *testing.T) {
	for name, test := range hostile() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// What does not end soon ends the whole test, by its own limit of time: a
			// limit here would be one on the machine.
			status, stderr, in, out := runOn(t, []txtar.File{{Name: "a.metal", Data: []byte(test.source)}})
			if test.stderr == "" {
				if status != exitOK || stderr != "" {
					t.Fatalf("exit status %d, want 0: %.500s", status, stderr)
				}
				checkGo(t, out)
				documented(t, in)
				return
			}
			line, quoted, _ := strings.Cut(stderr, "\n")
			if status != exitError || !regexp.MustCompile(test.stderr).MatchString(line) {
				t.Errorf("exit status %d, want 1: %.500s\nwant %s", status, line, test.stderr)
			}
			for l := range strings.Lines(quoted) {
				if len(l) > 1000 {
					t.Errorf("a line of %d bytes: %.200s", len(l), l)
				}
			}
			if i := strings.IndexFunc(stderr, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' }); i >= 0 {
				t.Errorf("control character at %d: %.200q", i, stderr)
			}
		})
	}
}
