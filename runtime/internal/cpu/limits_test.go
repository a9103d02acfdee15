package cpu

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// TestLimits holds that a kernel which asks for too much is an error with a position, before memory is allocated for
// it and whether or not it comes to any instruction.
func TestLimits(t *testing.T) {
	sum := strings.Repeat(" + a", 1<<13)
	for _, tt := range []struct {
		name, source string
		want         string // "" where it runs, and x[0] is 7
	}{
		{"a chain of operators", "kernel void test(device uint* x) { uint a = 0; x[0] = 7" + sum + "; }", ""},
		{"chains in calls", "template <int N> uint f(thread uint& a) { return f<N - 1>(a)" + sum + "; }\n" +
			"template <> uint f<0>(thread uint& a) { return 7; }\n" +
			"kernel void test(device uint* x) { uint a = 0; x[0] = f<10>(a); }", ""},
		{"else if in calls", "template <int N> uint f(uint a) { " + strings.Repeat("if (a) a++; else ", 190) +
			"return f<N - 1>(a); return a; }\ntemplate <> uint f<0>(uint a) { return 7; }\n" +
			"kernel void test(device uint* x) { x[0] = f<60>(1) + f<120>(1) + f<180>(1); }",
			"test.metal:1:2130: statements and expressions nest deeper than 32768 here, with those of the calls around"},
		{"calls without instructions", "template <int N> void f() { f<N - 1>(); f<N - 1>(); }\n" +
			"template <> void f<0>() {}\nkernel void test(device uint* x) { f<150>(); x[0] = 7; }",
			"test.metal:1:29: the kernel comes to more than 4194304 expressions with its calls inlined"},
		{"a constant of terabytes", "constant uint table[1ul << 37] = {};\n" +
			"kernel void test(device uint* x, uint t [[thread_position_in_grid]]) { x[t] = table[t]; }",
			"test.metal:1:15: the constants that the kernel reads take more than the 16777216 bytes that the CPU device has " +
				"for them"},
		{"many constants", "template <int N> struct A { static constant uint table[1 << 22]; };\n" +
			"constant uint a[1 << 21] = {7}; constant uint b[1 << 21] = {}; constant uint c[1] = {};\n" +
			"kernel void test(device uint* x, uint t [[thread_position_in_grid]]) { x[t] = a[t] + b[t] + c[t]; }",
			"test.metal:2:78: the constants that the kernel reads take more than the 16777216 bytes that the CPU device has " +
				"for them"},
		{"constant loads", manyLoads(200, 8), ""},
		{"too many constant loads", manyLoads(1200, 11),
			"test.metal:4:101: the values that the kernel holds at once take more than the 67108864 bytes that the CPU " +
				"device has for them"},
		{"an array without numbers", "struct E {};\n" +
			"kernel void test(device uint* x, device E (&e)[1ul << 39]) { (void)e; x[0] = 7; }", ""},
		{"private memory", "kernel void test(device uint* x, uint t [[thread_position_in_grid]]) " +
			"{ uint a[1ul << 37]; a[t] = 7; x[0] = a[t]; }",
			"test.metal:1:77: the variables of a thread take more than the 262144 bytes that the CPU device has for them"},
		{"threadgroup memory", "kernel void test(device uint* x, uint t [[thread_position_in_grid]]) " +
			"{ threadgroup uint a[1ul << 37]; a[t] = 7; x[0] = a[t]; }",
			"the kernel needs 549755813888 bytes of threadgroup memory, with its own variables, and the device has 32768"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := make([]uint32, 1)
			p := make([]uint64, 1200*1000)
			err := execute(t, tt.source, threads(1), x, p)
			if late, ok := errors.AsType[*driver.CallError](err); ok { // compiling took long, so the call was recorded first
				err = late.Err
			}
			var internal *interp.InternalError
			switch {
			case errors.As(err, &internal):
				t.Errorf("%v\n%s", err, internal.Stack)
			case tt.want == "" && (err != nil || x[0] != 7):
				t.Errorf("got %d, error %.300v", x[0], err)
			case tt.want != "" && (err == nil || err.Error() != tt.want):
				t.Errorf("got error\n%.500v\nwant\n%s", err, tt.want)
			}
		})
	}
}

// manyLoads is a kernel that loads structs of a constant argument, n < 2^bits of them.
func manyLoads(n, bits int) string {
	return fmt.Sprintf(`struct S { ulong a[1000]; };
struct T { S s[%d]; };
template <int N, int D> struct F { static void f(constant T& p) { F<2*N, D-1>::f(p); F<2*N+1, D-1>::f(p); } };
template <int N> struct F<N, 0> { static void f(constant T& p) { if constexpr (N < %[1]d) { (void)p.s[N]; } } };
kernel void test(device uint* x, constant T& p) { F<0, %[2]d>::f(p); x[0] = 7; }`, n, bits)
}

// TestThreadgroupsOfLargeFrames holds that a threadgroup whose threads take too much is not given the memory.
func TestThreadgroupsOfLargeFrames(t *testing.T) {
	err := execute(t, manyLoads(100, 7), threads(1024), make([]uint32, 1), make([]uint64, 100*1000))
	want := "the values of 1024 threads take 1024028672 bytes, and the CPU device has 536870912 for a threadgroup"
	if err == nil || err.Error() != want {
		t.Errorf("got error\n%v\nwant\n%s", err, want)
	}
}
