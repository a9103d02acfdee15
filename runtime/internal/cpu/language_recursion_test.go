package cpu

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// TestRecursion calls functions that call themselves, with lanes that go to different
// depths, and with lanes that do not make the call.
func TestRecursion(t *testing.T) {
	var fib, ways func(n int32) int32
	fib = func(n int32) int32 {
		if n < 2 {
			return n
		}
		return fib(n-1) + fib(n-2)
	}
	ways = func(n int32) int32 {
		sum := int32(1)
		for k := n - 2; k > 0; k -= 2 {
			if k == 7 {
				continue
			}
			if k == 3 && n > 9 {
				break
			}
			sum += ways(k) * k
		}
		return sum
	}
	runClassCases(t, []classCase{
		{"what is computed before the call is there behind it", `
int f(int n) { if (n <= 1) return 1; int before = n * 3; return before + n * f(n - 1) - before; }`,
			func(x int32) int32 {
				r := int32(1)
				for ; x > 1; x-- {
					r *= x
				}
				return r
			}},
		{"two calls in an expression", `
int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int f(int x) { return fib(x) + fib(x / 2) * 1000; }`, func(x int32) int32 { return fib(x) + fib(x/2)*1000 }},
		{"an argument that is a call", `
int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
int f(int x) { return ack(2, max(x, 0) & 7); }`, func(x int32) int32 { return 2*(max(x, 0)&7) + 3 }},
		{"functions that call each other, by way of one that does not", `
bool odd(int n);
bool next(int n) { return n > 1 ? odd(n - 1) : n == 0; }
bool even(int n) { if (n == 0) return true; return odd(n - 1); }
bool odd(int n) { if (n == 0) { return false; } bool r = next(n); return n == 1 ? true : r; }
int f(int x) { int n = abs(x); return (even(n) ? 1 : 0) + (odd(n) ? 10 : 0) + (next(n + 1) ? 100 : 0); }`,
			func(x int32) int32 {
				var odd, even, next func(n int32) bool
				next = func(n int32) bool {
					if n > 1 {
						return odd(n - 1)
					}
					return n == 0
				}
				even = func(n int32) bool { return n == 0 || odd(n-1) }
				odd = func(n int32) bool { return n != 0 && (n == 1 || next(n)) }
				r := int32(0)
				n := max(x, -x)
				if even(n) {
					r++
				}
				if odd(n) {
					r += 10
				}
				if next(n + 1) {
					r += 100
				}
				return r
			}},
		{"loops that lanes leave at different times, with calls in them", `
int ways(int n) {
	int sum = 1;
	for (int k = n - 2; k > 0; k -= 2) {
		if (k == 7) continue;
		if (k == 3 && n > 9) break;
		sum += ways(k) * k;
	}
	return sum;
}
int f(int x) { return ways(x); }`, ways},
		{"a switch whose cases call and return", `
int walk(int n, int depth) {
	switch (n % 4) {
	case 0: return depth;
	case 1: n -= 1;
	case 2: depth += walk(n / 2, depth + 1); break;
	default: if (n > 8) return walk(n - 3, depth + 2) * 2; depth += 100;
	}
	return depth + n;
}
int f(int x) { return walk(abs(x), 0); }`, func(x int32) int32 {
			var walk func(n, depth int32) int32
			walk = func(n, depth int32) int32 {
				switch n % 4 {
				case 0:
					return depth
				case 1:
					n--
					fallthrough
				case 2:
					depth += walk(n/2, depth+1)
				default:
					if n > 8 {
						return walk(n-3, depth+2) * 2
					}
					depth += 100
				}
				return depth + n
			}
			return walk(max(x, -x), 0)
		}},
		{"references and pointers to variables of those who call", `
struct Node { thread Node* up; int n; };
int sum(thread const Node* at) { int s = 0; for (; at != nullptr; at = at->up) s = s * 3 + at->n; return s; }
int down(thread Node* up, int n, thread int& calls, const thread int& step) {
	Node me = {up, n};
	calls++;
	int below = n <= 0 ? sum(&me) : down(&me, n - step, calls, step);
	me.n += 1;
	return below + me.n;
}
int f(int x) {
	int calls = 0, r = 0;
	r = down(nullptr, x, calls, 2);
	int two = 2;
	r += down(nullptr, x / 2, calls, two) * 7;
	return r * 100 + calls;
}`, func(x int32) int32 {
			calls := int32(0)
			down := func(x int32) int32 {
				var list []int32
				for n := x; ; n -= 2 {
					calls++
					list = append(list, n)
					if n <= 0 {
						break
					}
				}
				s, r := int32(0), int32(0)
				for _, n := range slices.Backward(list) {
					s = s*3 + n
					r += n + 1
				}
				return s + r
			}
			r := down(x)
			r += down(x/2) * 7
			return r*100 + calls
		}},
		{"arrays of each activation's own", `
int count(int n, int row, thread const int* columns) {
	int mine[6];
	for (int i = 0; i < row; i++) mine[i] = columns[i];
	if (row == n) return 1;
	int total = 0;
	for (int c = 0; c < n; c++) {
		bool free = true;
		for (int i = 0; i < row && free; i++)
			free = mine[i] != c && abs(mine[i] - c) != row - i;
		if (!free) continue;
		mine[row] = c;
		total += count(n, row + 1, mine);
	}
	return total;
}
int f(int x) { int none[1]; return count(abs(x) % 7, 0, none); }`, func(x int32) int32 {
			return []int32{1, 1, 0, 0, 2, 10, 4}[max(x, -x)%7]
		}},
		{"sorting an array of who calls", `
void sort(thread int* a, int low, int high) {
	if (low >= high) return;
	int at = low;
	for (int i = low; i < high; i++) {
		if (a[i] < a[high]) { int t = a[i]; a[i] = a[at]; a[at] = t; at++; }
	}
	int t = a[at]; a[at] = a[high]; a[high] = t;
	sort(a, low, at - 1);
	sort(a, at + 1, high);
}
int f(int x) {
	int a[8];
	for (int i = 0; i < 8; i++) a[i] = (x * 37 + i * 11) & 15;
	sort(a, 0, 7);
	int r = 0;
	for (int i = 0; i < 8; i++) r = r * 16 + a[i];
	return r;
}`, func(x int32) int32 {
			var a []int32
			for i := range int32(8) {
				a = append(a, (x*37+i*11)&15)
			}
			slices.Sort(a)
			r := int32(0)
			for _, v := range a {
				r = r*16 + v
			}
			return r
		}},
		{"methods, constructors and values of every kind", `
struct V { float4 v; bool on; half h; long big; int w[2]; };
struct C {
	int n;
	C(int n) : n(n > 0 ? C(n - 3).n + 2 : n) {}
	void grow(int by) { if (by <= 0) return; n += by; grow(by - 2); n ^= 1; }
	V get(int k, bool flag, V was) const {
		if (k <= 0) return was;
		V r = get(k - 1, !flag,
			{was.v + float4(k, 1, flag, n), !was.on, half(was.h + 1), was.big * 3 + k, {was.w[1], k}});
		r.w[0] += k;
		return r;
	}
};
int f(int x) {
	C c(x);
	c.grow(x);
	V v = c.get(x & 3, x > 0, {float4(0), false, 0.5h, 1, {7, 8}});
	return c.n + int(v.v.x + v.v.y * 10 + v.v.z * 100 + v.v.w) + (v.on ? 1000 : 0) + int(v.h * 2) + int(v.big) +
		v.w[0] * 5 + v.w[1];
}`, func(x int32) int32 {
			var made func(n int32) int32
			made = func(n int32) int32 {
				if n > 0 {
					return made(n-3) + 2
				}
				return n
			}
			n := made(x)
			var grow func(by int32)
			grow = func(by int32) {
				if by <= 0 {
					return
				}
				n += by
				grow(by - 2)
				n ^= 1
			}
			grow(x)
			vx, vy, vz, vw, on, h2, big, w0, w1 := int32(0), int32(0), int32(0), int32(0), false, int32(1), int32(1), int32(7),
				int32(8)
			flag := x > 0
			ks := int32(0)
			for k := x & 3; k > 0; k-- {
				vx, vy, vw = vx+k, vy+1, vw+n
				if flag {
					vz++
				}
				on, h2, big, w0, w1, flag = !on, h2+2, big*3+k, w1, k, !flag
				ks += k
			}
			r := n + vx + vy*10 + vz*100 + vw + h2 + big + (w0+ks)*5 + w1
			if on {
				r += 1000
			}
			return r
		}},
		{"one cycle inside another, templates and overloads", `
template <typename T> T power(T x, int n) { return n == 0 ? T(1) : n % 2 ? x * power(x, n - 1) : power(x * x, n / 2); }
int inner(int n) { return n <= 0 ? 1 : int(power(2.0f, n)) + inner(n - 1); }
int outer(int n) { int k = inner(n); return n <= 0 ? k : outer(n - 1) + k * power(n, 2); }
int f(int x) { return outer(x & 7); }`, func(x int32) int32 {
			inner := func(n int32) int32 {
				r := int32(1)
				for ; n > 0; n-- {
					r += 1 << n
				}
				return r
			}
			r := int32(0)
			for n := x & 7; ; n-- {
				if n <= 0 {
					return r + inner(n)
				}
				r += inner(n) * n * n
			}
		}},
		{"lambdas that are given themselves", `
template <typename F> int each(F g, int n) { return n <= 0 ? 0 : g(n) + each(g, n - 1); }
int f(int x) {
	auto sum = [](auto self, int n) -> int { return n <= 0 ? 0 : self(self, n - 1) + n; };
	return sum(sum, x) + each([](int n) { return 2 * n; }, x);
}`, func(x int32) int32 {
			x = max(x, 0)
			return 3 * x * (x + 1) / 2
		}},
		{"references to parts, and through functions that are inlined", `
struct S { int a; int2 v; int w[3]; };
void add(thread int& to, int n) { if (n <= 0) return; to += n; add(to, n - 1); }
void both(thread int& a, thread S& s, int n) {
	thread int& r = s.w[1];
	add(a, n);
	add(r, n / 2);
	thread S& t = s;
	add(t.a, 2);
}
int peek(const thread int& v, int n) { return n <= 0 ? v : peek(v, n - 1) + 1; }
int f(int x) {
	S s = {1, int2(5, 6), {1, 2, 3}};
	int a = 10;
	both(a, s, x);
	both(s.w[x & 1], s, 3);
	return a + s.a * 3 + s.w[0] * 5 + s.w[1] * 7 + s.w[2] * 11 + peek(s.v.y, 3) * 13 + peek(x + 1, x) + peek(a, 2);
}`, func(x int32) int32 {
			sum := func(n int32) int32 { n = max(n, 0); return n * (n + 1) / 2 }
			a, sa, w := 10+sum(x), int32(1+3+3), [3]int32{1, 2, 3}
			w[1] += sum(x / 2)
			w[x&1] += sum(3)
			w[1] += sum(1)
			return a + sa*3 + w[0]*5 + w[1]*7 + w[2]*11 + 9*13 + (x + 1 + max(x, 0)) + a + 2
		}},
	})
}

// TestRecursionOverBuffers follows links in a buffer to depths that differ, and adds up what
// it finds there; barriers and simd-groups work within a recursion too.
func TestRecursionOverBuffers(t *testing.T) {
	const n = 100
	links, values, out := make([]int32, 2*n), make([]float32, n), make([]float32, 2*n)
	for i := range n {
		links[2*i], links[2*i+1], values[i] = int32(2*i+1), int32(2*i+2), float32(i)
	}
	compute(t, `
struct Node { int left, right; };
float sum(device const Node* nodes, constant float* values, int at, threadgroup float* seen, bool first) {
	if (at >= 100) return 0;
	device const Node* n = nodes + at;
	float r = values[at] + sum(nodes, values, n->left, seen, false) + sum(nodes, values, n->right, seen, false);
	if (first && at == 99) seen[0] = r;
	return r;
}
float level(float x, int n) {
	threadgroup_barrier(mem_flags::mem_threadgroup);
	return n == 0 ? simd_max(x) : level(x + 1, n - 1) + simd_max(x);
}
kernel void test(device const Node* nodes, constant float* values, device float* out,
		threadgroup float* seen, uint i [[thread_position_in_grid]]) {
	if (i == 0) seen[0] = 0;
	threadgroup_barrier(mem_flags::mem_threadgroup);
	out[i] = sum(nodes, values, int(i), seen, true);
	threadgroup_barrier(mem_flags::mem_threadgroup);
	out[100 + i] = level(float(i), 3) + seen[0];
}`, threads(n), links, values, out, shared(16))
	var sum func(i int) float32
	sum = func(i int) float32 {
		if i >= n {
			return 0
		}
		return float32(i) + sum(2*i+1) + sum(2*i+2)
	}
	for i, got := range out[:n] {
		if want := sum(i); got != want {
			t.Errorf("sum from %d is %v, want %v", i, got, want)
		}
		last := float32(min(i|31, n-1))
		if got, want := out[n+i], 4*last+1+2+3+99; got != want {
			t.Errorf("level %d is %v, want %v", i, got, want)
		}
	}
}

// TestRecursionWithoutEndIsAFault: the call stack has an end, however little an activation
// takes and however much.
func TestRecursionWithoutEndIsAFault(t *testing.T) {
	for _, tt := range []struct{ name, source, want string }{
		{"calls", "int down(int n) {\n return n > 1000 ? 0 : 1 + down(n + 1); }",
			"test.metal:2:28: the call of down is number 257"},
		{"two functions",
			"int b(int n);\nint a(int n) { return b(n) + n; } int b(int n) { return a(n) * 2; } " +
				"int down(int n) { return a(n); }",
			"test.metal:2:57: the call of a is number 257"},
		{"variables", "int down(int n) { int big[999];\n big[n % 999] = n; return down(n + 1) + big[n % 999]; }",
			"test.metal:2:27: the call of down is number 9"},
		{"registers", "int down(int n) { float4x4 m(n), o = m * m;\n float4x4 p = m + o; " +
			"return down(n + 1) + int((m * o * p)[0][0]); }",
			"test.metal:2:29: the call of down is number "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			source := tt.source + "\nkernel void test(device int* o, uint i [[thread_position_in_grid]]) {\n\to[i] = 7;\n" +
				"\tif (i == 41) o[i] = down(i);\n}"
			out := make([]int32, 64)
			err := execute(t, source, threads(64), out)
			var fault *driver.Fault
			if !errors.As(err, &fault) || fault.Thread != [3]int{41, 0, 0} || fault.Kernel != "test" {
				t.Fatal(err)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%q does not say %q", err, tt.want)
			}
			// the device is as good as before
			out = make([]int32, 64)
			if err := execute(t, source, threads(32), out); err != nil || out[31] != 7 {
				t.Error(err, out)
			}
		})
	}
}

// TestLambdasOfOthersInARecursion: a routine does not know where the variables of its
// callers are.
func TestLambdasOfOthersInARecursion(t *testing.T) {
	err := execute(t, `
template <typename F> int each(F g, int n) { return n <= 0 ? 0 : g(n) + each(g, n - 1); }
kernel void test(device int* o, uint i [[thread_position_in_grid]]) {
	int k = o[i];
	o[i] = each([&](int n) { return n + k; }, i);
}`, threads(4), make([]int32, 4))
	const want = "test.metal:5:38: the CPU device does not support variable k in a lambda that each<"
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestRecursionStops: calls that multiply take longer than anybody waits.
func TestRecursionStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := executeContext(ctx, t, `
int down(int n) { return n > 200 ? 0 : down(n + 1) + down(n + 1); }
kernel void test(device int* o, uint i [[thread_position_in_grid]]) { o[i] = down(i); }`,
		threads(64), make([]int32, 64))
	if err == nil || !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
