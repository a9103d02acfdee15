package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/npy"
)

// chained defines S as 4,096 times a piece of an expression, by macros.
func chained(piece string) string {
	eight := func(s string) string { return strings.TrimSpace(strings.Repeat(s+" ", 8)) }
	return "#define P " + strings.Repeat(piece, 8) + "\n#define Q " + eight("P") + "\n#define R " + eight("Q") +
		"\n#define S " + eight("R") + "\n"
}

// calls is a kernel that makes x[0] 1, through n functions that each add 28,672 times nothing.
func calls(n int) string {
	return chained("+a") + `template <int N> int f(thread int& a) { return f<N-1>(a) S S S S S S S; }
template <> int f<0>(thread int& a) { return 1; }
kernel void k(device int* x [[buffer(0)]]) { int a = 0; x[0] = f<` + fmt.Sprint(n) + `>(a); }
`
}

// structLoads is a kernel that loads n structs of 1,024 numbers, n being at most 2^bits, and makes x[0] 7.
func structLoads(n, bits int) string {
	return fmt.Sprintf(`struct S { ulong a[1024]; };
struct T { S s[%d]; };
template <int N, int D> struct F { static void f(constant T& p) { F<2*N, D-1>::f(p); F<2*N+1, D-1>::f(p); } };
template <int N> struct F<N, 0> { static void f(constant T& p) { if constexpr (N < %[1]d) { (void)p.s[N]; } } };
kernel void k(device int* x [[buffer(0)]], constant T& p [[buffer(1)]]) {
  F<0, %[2]d>::f(p);
  x[0] = 7; x[1] = uint(p.s[0].a[0]);
}
`, n, bits)
}

type hostileKernel struct {
	source string
	args   []string
	want   uint32 // x[0]
	stderr string // matches the first line of it; "" for a kernel that runs
	long   bool   // only with -long
}

// hostileKernels returns sources that are fine to generate from, and hard to run. A variable would be built
// again by each command of a script, since that is this program, too.
func hostileKernels() map[string]hostileKernel {
	return map[string]hostileKernel{
		"a chain in a call":  {source: calls(1), want: 1},
		"chains in 4 calls":  {source: calls(4), want: 1},
		"chains in 10 calls": {source: calls(10), want: 1},
		"chains in 20 calls": {source: calls(20),
			stderr: `a\.metal:5:60: the kernel comes to more than 1048576 instructions with its calls inlined`},
		"256 struct loads": {source: structLoads(200, 8), args: []string{"-arg", "p=zeros"}, want: 7},
		"16,384 struct loads": {source: structLoads(15000, 14), args: []string{"-arg", "p=zeros"}, long: true,
			stderr: `k: p: a T \(a\.metal:5:56\) has 122880000 bytes, and metalgen run takes elements of at most 33554432$`},
		"100,000 struct loads": {source: structLoads(100000, 17), args: []string{"-arg", "p=zeros"},
			stderr: `a\.metal:5:56: argument p has 819200000 bytes, and a value has at most 268435456$`},
		"elements of 64 GB": {
			source: "struct S { int a[1ul << 34]; };\nkernel void k(device int* x [[buffer(0)]], device S* s [[buffer(1)]]) " +
				"{ x[0] = s->a[0]; }\n",
			stderr: `k: s: a S \(a\.metal:2:54\) has 68719476736 bytes, and metalgen run takes elements of at most 33554432$`,
		},
		"a constant of 512 GB": {
			source: "constant uint table[1ul << 37] = {};\nkernel void k(device int* x [[buffer(0)]], " +
				"uint t [[thread_position_in_grid]]) { x[t] = table[t]; }\n",
			stderr: `a\.metal:1:15: the constants that the kernel reads take more than the 16777216 bytes`,
		},
	}
}

func TestHostileKernels(t *testing.T) {
	for name, test := range hostileKernels() {
		t.Run(name, func(t *testing.T) {
			if test.long && !*long {
				t.Skip("takes seconds: only with -long")
			}
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "in", "a.metal"), []byte(test.source))
			out := filepath.Join(dir, "x.npy")
			args := append([]string{"run", "-in", filepath.Join(dir, "in"), "-kernel", "k", "-device", "cpu", "-grid", "1",
				"-threads", "1", "-arg", "x=zeros:int32[4]", "-o", "x=" + out}, test.args...)
			var stdout, stderr bytes.Buffer
			status := run(args, &stdout, &stderr)
			if test.stderr != "" {
				line, _, _ := strings.Cut(stderr.String(), "\n")
				if status != exitError || !regexp.MustCompile(test.stderr).MatchString(line) {
					t.Errorf("exit status %d, want 1: %.500s\nwant %s", status, line, test.stderr)
				}
				return
			}
			if status != exitOK {
				t.Fatalf("exit status %d: %.500s", status, &stderr)
			}
			a, err := npy.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if got := binary.LittleEndian.Uint32(a.Data); got != test.want {
				t.Errorf("x[0] is %d, want %d", got, test.want)
			}
		})
	}
}
