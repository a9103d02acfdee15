package build

import (
	"errors"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/parser"
)

// TestErrors holds that what is not built is an error with a position, which calls the machine what the options say.
func TestErrors(t *testing.T) {
	for _, tt := range []struct{ name, source, want string }{
		{"an element of a swizzle as a place",
			"kernel void test(device metal::float4* x, uint i [[thread_position_in_grid]]) { x[0].zyx[i] = 1; }",
			"test.metal:1:89: the test device does not support an element of a swizzle, by an index that is not " +
				"known when compiling, as a place yet"},
		{"large values", "struct S { float a[2000]; };\nstatic S same(S s) { return s; }\n" +
			"kernel void test(device S* x) { x[0] = same(x[1]); }",
			"test.metal:3:46: a value of more than 1024 numbers is more than the test device holds in registers"},
		{"variables of a thread", "kernel void test(device uint* x, uint i [[thread_position_in_grid]]) " +
			"{ uint a[1ul << 37]; a[i] = 7; x[0] = a[i]; }",
			"test.metal:1:77: the variables of a thread take more than the 262144 bytes that the test device has " +
				"for them"},
		{"constants", "constant uint table[1ul << 37] = {};\n" +
			"kernel void test(device uint* x, uint i [[thread_position_in_grid]]) { x[i] = table[i]; }",
			"test.metal:1:15: the constants that the kernel reads take more than the 16777216 bytes that the test " +
				"device has for them"},
		{"a lambda in a function that calls itself",
			"template <class F> uint each(uint n, F f) { return n == 0 ? 0 : f(n) + each(n - 1, f); }\n" +
				"kernel void test(device uint* x) { uint k = 1; x[0] = each(x[1], [&](uint n) { return n + k; }); }",
			"test.metal:2:91: the test device does not support variable k in a lambda that each<"},
		{"calls within calls", "template <int N> uint f(uint a) { return f<N - 1>(a); }\n" +
			"template <> uint f<0>(uint a) { return a; }\nkernel void test(device uint* x) { x[0] = f<220>(1); }",
			"test.metal:1:18: the test device does not support calls nested so deep yet"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := analyzed(t, "test.metal", tt.source)
			fn, errs := p.BodyUntil(p.Kernels[0], never)
			if errs.HasErrors() {
				t.Fatal(errs)
			}
			_, err := Kernel(p.Kernels[0], fn, Options{Device: "the test device"})
			var positioned *parser.Error
			if !errors.As(err, &positioned) || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got error\n%v\nwant\n%s", err, tt.want)
			}
		})
	}
}

// TestStop holds that building ends where the options say so.
func TestStop(t *testing.T) {
	sum := strings.Repeat(" + a", 1<<10)
	p := analyzed(t, "test.metal", "kernel void test(device uint* x) { uint a = x[0]; x[0] = 7"+sum+"; }")
	fn, errs := p.BodyUntil(p.Kernels[0], never)
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	stop := func() bool { return true }
	if _, err := Kernel(p.Kernels[0], fn, Options{Device: "the test device", Stop: stop}); err != ir.ErrStopped {
		t.Errorf("got error %v, want %v", err, ir.ErrStopped)
	}
}
