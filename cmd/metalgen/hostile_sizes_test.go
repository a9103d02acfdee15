package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// large are sources of ten thousand of something, and more. A walk over all of them for each would take minutes.
var large = map[string]struct {
	source func(n int) string
	n      int
	stderr string // matches the first line of it; "" for a source that is accepted
}{
	"enumerators": {n: 100_000, source: func(n int) string {
		return "enum E { a0" + listed(1, n, func(i int) string { return fmt.Sprintf(",\na%d = a%d + 1", i, i-1) }) +
			"};\nkernel void k(constant E& e, device float* x) {}\n"
	}},
	"arguments": {n: 100_000, source: func(n int) string {
		return "kernel void k(device float* a" +
			listed(0, n, func(i int) string { return fmt.Sprintf(",\ndevice float* a%d", i) }) + ") {}\n"
	}, stderr: `^a\.metal:32:15: kernel k has more buffer arguments than Metal's 31$`},
	"dimensions": {n: 30_000, source: func(n int) string {
		return "struct P { int x" + strings.Repeat("[1]", n) + "; };\nkernel void k(constant P& p, device float* x) {}\n"
	}, stderr: `^a\.metal:1:1: struct P is too large for Go: `},
	"instances": {n: 20_000, source: func(n int) string {
		return "template <int N> kernel void t(device float* x) {}\n" + listed(0, n, func(i int) string {
			return fmt.Sprintf("template [[host_name(\"t_%d\")]] kernel void t<%d>(device float*);\n", i, i)
		})
	}},
	"host names alike in Go": {n: 10_000, source: func(n int) string {
		return "template <int N> kernel void t(device float* x) {}\n" + listed(0, n, func(i int) string {
			return fmt.Sprintf("template [[host_name(\"%s\")]] kernel void t<%d>(device float*);\n", alike(i), i)
		})
	}},
	"fields alike in Go": {n: 10_000, source: func(n int) string {
		return "struct P {" + listed(0, n, func(i int) string { return "int " + alike(i) + ";\n" }) +
			"};\nkernel void k(constant P& p, device float* x) {}\n"
	}},
	"tokens": {n: 1 << 20, source: func(n int) string { return strings.Repeat(";", n+2) },
		stderr: `^a\.metal:1:1048578: more than 1048576 tokens$`},
}

func listed(from, to int, item func(i int) string) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		b.WriteString(item(i))
	}
	return b.String()
}

// alike is a name for each number: in camel case all are the same.
func alike(i int) string {
	var b strings.Builder
	b.WriteString("x")
	for bit := range 17 {
		if i>>bit&1 == 0 {
			fmt.Fprintf(&b, "_%c", 'a'+bit)
		} else {
			fmt.Fprintf(&b, "%c", 'A'+bit)
		}
	}
	return b.String()
}

func TestHostileSizes(t *testing.T) {
	if !*long {
		t.Skip("takes seconds: only with -long")
	}
	for name, test := range large {
		t.Run(name, func(t *testing.T) {
			status, stderr, in, out := runOn(t, []txtar.File{{Name: "a.metal", Data: []byte(test.source(test.n))}})
			if test.stderr == "" {
				if status != exitOK || stderr != "" {
					t.Fatalf("exit status %d, want 0: %.500s", status, stderr)
				}
				checkGo(t, out)
				documented(t, in)
				return
			}
			line, _, _ := strings.Cut(stderr, "\n")
			if status != exitError || !regexp.MustCompile(test.stderr).MatchString(line) {
				t.Errorf("exit status %d, want 1: %.500s\nwant %s", status, line, test.stderr)
			}
		})
	}
}
