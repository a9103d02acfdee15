package cpu

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// statementCases are bodies that compute r from i, with the same in Go. before is
// what stands before the kernel.
var statementCases = []struct {
	name, before, body string
	want               func(i int) int
}{
	{"default member initialisers", "struct D { int a = 3; int b = 4; }; struct O { D d; int w[2] = {5, 6}; };", `
		D e{}; D z; D arr[2] = {}; O o = {{i}};
		r = e.b * 1000 + z.a * 100 + arr[1].b * 10 + arr[i & 1].a + D().a + o.d.a + o.d.b + o.w[1];`, func(i int) int {
		return 4346 + i + 10
	}},
	{"default member initialisers each time round", "struct D { int a = 3; };", `for (int j = 0; j < 3; j++) { D d;
		d.a += i; r += d.a; }`, func(i int) int {
		return 3 * (3 + i)
	}},
	{"a value of each call's own by default", `int g(int a) { return a + 1; } int f(int a, int b = g(2) + g(3)) {
		return a + b; }`, `
		r = f(i) + f(1) + f(i, 2);`, func(i int) int {
		return i + 7 + 8 + i + 2
	}},
	{"logical operators of vectors", "", `
		int4 v = int4(i, 5, 10, i - 3);
		bool4 b = v > 4 && v < 10, c = v < 2 || b, d = b && i > 7;
		r = b.x + 2 * b.y + 4 * b.z + 8 * b.w + 16 * c.x + 32 * c.w + 64 * d.y;`, func(i int) (r int) {
		within := func(v int) bool { return v > 4 && v < 10 }
		for bit, set := range []bool{
			within(i), true, false, within(i - 3), i < 2 || within(i), i-3 < 2 || within(i-3), i > 7,
		} {
			if set {
				r |= 1 << bit
			}
		}
		return r
	}},
	{"addresses of constants", `constant int n = 7; constant constexpr int m = 9; constant float pi1 = 3.25f; 
		int f(constant int& x, constant int* y) { return x * 10 + *y; }
		int g(constant float& x) { return int(x * 4); }`, `
		constant int& a = n; constant int* b = &m; constant int* c = i % 2 ? &n : b;
		int w[n]; w[i % n] = 1;
		r = f(n, &m) + f(a, c) + g(pi1) + w[i % 7];`, func(i int) int {
		last := 9
		if i%2 == 1 {
			last = 7
		}
		return 79 + 70 + last + 13 + 1
	}},
	{"overloads below are not seen", `int f(float x) { return 1; } int g(int x) { return f(x); } int f(int x) {
		return 2; }`, `
		r = g(i) * 10 + f(i);`, func(int) int { return 12 }},
	{"if and else chain", "", `if (i < 5) r = 1; else if (i % 3 == 0) r = 2; else if (i == 64) { r = 3; }
		else r = 4;`, func(i int) int {
		switch {
		case i < 5:
			return 1
		case i%3 == 0:
			return 2
		case i == 64:
			return 3
		}
		return 4
	}},
	{"nested loops that lanes leave at different times", "", `
		for (int a = 0; a < i; a++) {
			if (a == 9) break;
			for (int b = a; ; b += 2) {
				if (b > i) break;
				if ((b + i) % 3 == 0) continue;
				r += b;
			}
			if (r > 200) break;
		}`, func(i int) (r int) {
		for a := 0; a < i; a++ {
			if a == 9 {
				break
			}
			for b := a; ; b += 2 {
				if b > i {
					break
				}
				if (b+i)%3 == 0 {
					continue
				}
				r += b
			}
			if r > 200 {
				break
			}
		}
		return r
	}},
	{"do while", "", `int n = i; do { r += n; n--; if (n == 7) continue; r++; } while (n > 0);`, func(i int) (r int) {
		for n := i; ; {
			r += n
			n--
			if n != 7 {
				r++
			}
			if n <= 0 {
				return r
			}
		}
	}},
	{"while with its own steps", "", `int n = i; while (n != 1 && r < 50) { n = n % 2 == 0 ? n / 2 : 3 * n + 1;
		r++; }`, func(i int) (r int) {
		for n := i; n != 1 && r < 50; r++ {
			if n%2 == 0 {
				n /= 2
			} else {
				n = 3*n + 1
			}
		}
		return r
	}},
	{"for with several variables", "", `for (int a = 0, b = i; a < b; a += 2, b--) r += b - a;`, func(i int) (r int) {
		for a, b := 0, i; a < b; a, b = a+2, b-1 {
			r += b - a
		}
		return r
	}},
	{"switch with fall-through and default in the middle", "", `
		switch (i % 9) {
		case 0: r = 1;
		case 1: r += 10; break;
		case 2: case 3: r = 100;
		default: r += 1000;
		case 7: r += 10000; break;
		case 8: if (i > 20) break; r = 5;
		}`, func(i int) (r int) {
		switch i % 9 {
		case 0:
			return 11
		case 1:
			return 10
		case 2, 3:
			return 11100
		case 7:
			return 10000
		case 8:
			if i > 20 {
				return 0
			}
			return 5
		}
		return 11000
	}},
	{"a case that falls through with a value from before the switch", "", `
		int before = i * 3 + 1, k0 = 0;
		r = i;
		switch (i % 5) {
		case 3: case 4: break;
		case 2: default: r = before;
		case 1: k0 = r;
		}
		r += 100 * k0;`, func(i int) int {
		switch i % 5 {
		case 3, 4:
			return i
		case 1:
			return i + 100*i
		}
		return 101 * (i*3 + 1)
	}},
	{"cases that exchange variables and fall through", "", `
		int x = i + 1, y = 10 * i, a = x, b = y;
		switch (i % 4) {
		case 0: r = 1;
		case 1: { int t = a; a = b; b = t; }
		case 2: r += a * 3 + b;
		}
		r += x * 1000 + y * 7;`, func(i int) (r int) {
		x, y := i+1, 10*i
		switch i % 4 {
		case 0:
			r = 1 + y*3 + x
		case 1:
			r = y*3 + x
		case 2:
			r = x*3 + y
		}
		return r + x*1000 + y*7
	}},
	{"a switch on what its cases assigned in the last round", "", `
		int state = i % 4;
		for (int k = 0; k < 9 + i % 2; k++) {
			int next = k % 3;
			switch (state) {
			case 0: r += 1;
			case 2: r += 10 * next; next = 3; break;
			case 1: r += 3;
			case 3: r += 100 * next;
			}
			state = next;
		}`, func(i int) (r int) {
		state := i % 4
		for k := range 9 + i%2 {
			next := k % 3
			switch state {
			case 0:
				r, next = r+1+10*next, 3
			case 2:
				r, next = r+10*next, 3
			case 1:
				r += 3 + 100*next
			case 3:
				r += 100 * next
			}
			state = next
		}
		return r
	}},
	{"break in a loop in a switch", "", `
		switch (i & 3) {
		case 1: for (int k = 0; k < 10; k++) { if (k == i) break; r++; } r += 100; break;
		case 2: while (true) { if (++r > i) break; }
		case 3: r += 7;
		}`, func(i int) int {
		switch i & 3 {
		case 1:
			return min(10, i) + 100
		case 2:
			return i + 8
		case 3:
			return 7
		}
		return 0
	}},
	{"switch in a loop, with continue", "", `
		for (int k = 0; k < i; k++) {
			switch (k % 4) {
			case 0: continue;
			case 1: r += 1; break;
			case 2: if (k > 20) { k += 3; break; }
			default: r += 100;
			}
			r += 1000;
			if (r > 9000) break;
		}`, func(i int) (r int) {
		for k := 0; k < i; k++ {
			switch k % 4 {
			case 0:
				continue
			case 1:
				r++
			case 2:
				if k > 20 {
					k += 3
				} else {
					r += 100
				}
			default:
				r += 100
			}
			r += 1000
			if r > 9000 {
				break
			}
		}
		return r
	}},
	{"return from a function inside loops", `int find(int n, int limit) {
	for (int a = 1; a < limit; a++) {
		for (int b = a; b < limit; b++) {
			if (a * b == n) return a * 100 + b;
			if (a * b > n) break;
		}
		if (a * a > n) return -a;
	}
	return 7;
}`, `r = find(i, 12); r += 1000 * find(i + 1, 5);`, func(i int) int {
		find := func(n, limit int) int {
			for a := 1; a < limit; a++ {
				for b := a; b < limit; b++ {
					if a*b == n {
						return a*100 + b
					}
					if a*b > n {
						break
					}
				}
				if a*a > n {
					return -a
				}
			}
			return 7
		}
		return find(i, 12) + 1000*find(i+1, 5)
	}},
	{"return from a switch and a do", `int f(int n) { do { switch (n % 5) { case 0: return n; case 1: n += 3; break;
		case 2: n += 1; continue; default: n--; } n += 2; } while (n < 60); return -n; }`,
		`r = f(i);`, func(n int) int {
			for {
				skip := false
				switch n % 5 {
				case 0:
					return n
				case 1:
					n += 3
				case 2:
					n++
					skip = true
				default:
					n--
				}
				if !skip {
					n += 2
				}
				if n >= 60 {
					return -n
				}
			}
		}},
	{"only the chosen side of ?: has its effect", "", `int a = 0, b = 0;
		int c = i % 3 == 0 ? (a += 5, a) : i % 3 == 1 ? b++ : (b = i, a -= 1); r = a * 1000 + b * 10 + c;`, func(i int) int {
		switch i % 3 {
		case 0:
			return 5005
		case 1:
			return 10
		}
		return -1000 + 10*i - 1
	}},
	{"short circuit", `bool note(thread int& n, bool v) { n++; return v; }`,
		`int n = 0; bool a = i > 5 && note(n, i > 9), b = i < 20 || note(n, true) && note(n, false); r = n * 10 + a * 2 + b;
			if (!(i & 1) || note(n, false)) r += 100; r += n * 1000;`, func(i int) int {
			n := 0
			note := func(v bool) bool { n++; return v }
			a := i > 5 && note(i > 9)
			b := i < 20 || note(true) && note(false)
			r := n*10 + 2*int(truth(a)) + int(truth(b))
			if i&1 == 0 || note(false) {
				r += 100
			}
			return r + n*1000
		}},
	{"comma", "", `int a = (r = i, r + 1); for (int k = 0; k++, k < 4; ) a += k;
		r += a;`, func(i int) int { return i + i + 1 + 6 }},
	{"references", `void swap_(thread int& a, thread int& b) { int t = a; a = b; b = t; }
void twice(thread int& a) { if (a > 30) return; a *= 2; }
int both(thread const int& a, thread int& b) { b += a; return a; }`,
		`int a = i, b = 5; int v[3] = {1, 2, 3}; swap_(a, b); twice(b); swap_(v[i % 3], a);
			thread int& alias = v[1]; alias += 10; twice(v[2]);
			r = both(b, b) + a * 1000 + b * 10 + v[0] + v[1] + v[2];`, func(i int) int {
			a, b, v := 5, i, []int{1, 2, 3}
			if b <= 30 {
				b *= 2
			}
			v[i%3], a = a, v[i%3]
			v[1] += 10
			if v[2] <= 30 {
				v[2] *= 2
			}
			b += b
			return b + a*1000 + b*10 + v[0] + v[1] + v[2]
		}},
	{"default arguments and overloads", `int f(int a, int b = 7, int c = 2) { return a * b + c; }
int f(float a) { return 1000; }
int g(uint a) { return 1; } int g(long a) { return 2; } int g(half a) { return 3; }`,
		`r = f(i) + f(i, 2) * 3 + f(1, 2, 3) + f(1.5f) + g(uint(i)) + g(long(i)) * 10 +
			g(half(1)) * 100;`, func(i int) int { return i*7 + 2 + (2*i+2)*3 + 5 + 1000 + 321 }},
	{"calls within calls", `int f0(int n) { return n + 1; } int f1(int n) { return f0(f0(n)) * 2; } int f2(int n) {
	if (n % 2) return f1(f1(n)); return f1(f0(n)); }
int f3(int n) { int s = 0; for (int k = 0; k < n % 4; k++) s += f2(k + n); return s; } int f4(int n) {
	return f3(n) + f3(f2(n)); } int f5(int n) { return f4(n) - f4(f0(n)); }`,
		`r = f5(i);`, func(i int) int {
			f0 := func(n int) int { return n + 1 }
			f1 := func(n int) int { return f0(f0(n)) * 2 }
			f2 := func(n int) int {
				if n%2 != 0 {
					return f1(f1(n))
				}
				return f1(f0(n))
			}
			f3 := func(n int) (s int) {
				for k := range n % 4 {
					s += f2(k + n)
				}
				return s
			}
			f4 := func(n int) int { return f3(n) + f3(f2(n)) }
			return f4(i) - f4(f0(i))
		}},
	{"what is the same for all lanes until it is not", "", `int a = 5, b = a; if (i == 40) a = 6; r = a * b; int c = 1;
		while (c < i) c *= 2; b = c; if (a == 6) { b = 1; c = b + a; } r += b * 1000 + c;`, func(i int) int {
		a, b, c := 5, 5, 1
		if i == 40 {
			a = 6
		}
		r := a * b
		for c < i {
			c *= 2
		}
		b = c
		if a == 6 {
			b, c = 1, 7
		}
		return r + b*1000 + c
	}},
	{"shadowing and scopes", "", `int a = i; { int a = 3; r += a; { int a = r; a++; r += a; } a++; r += a; }
		for (int a = 0; a < 2; a++) { int b = a; b += 5; r += b; }
		r += a;`, func(i int) int { return 3 + 4 + 4 + 5 + 6 + i }},
	{"variables of a loop's body begin anew", "", `for (int k = 0; k < 3 + i % 2; k++) { int fresh = 1;
		if (k == i % 4) fresh = 10; fresh += k; int other[2] = {fresh}; other[1] += k;
		r = r * 3 + other[0] + other[1]; }`, func(i int) (r int) {
		for k := range 3 + i%2 {
			fresh := 1
			if k == i%4 {
				fresh = 10
			}
			r = r*3 + fresh + k + k
		}
		return r
	}},
	{"early return", "", `if (i == 3) { *out = -3; return; } for (int k = 0; k < 10; k++) { if (k * 5 == i) { *out = -k;
		return; } r += k; } if (i & 1) { if (i & 2) return; r++; }`, func(i int) int {
		switch {
		case i == 3:
			return -3
		case i%5 == 0 && i < 50:
			return -i / 5
		case i&3 == 3:
			return 0
		}
		return 45 + i&1
	}},
	{"values used after they change", "", `int a = i; int b = a; a++; int c = a + a++; r = b * 100 + (c > 0) + a;
		int d = r; d = d + (d = 1, 2); r = b + r * 2;`, func(i int) int { r := i*100 + 1 + i + 2; return i + r*2 }},
	{"bools", "", `bool a = i & 1, b = !a, c = a; if (i > 10) c = b; a ^= c; b |= i == 2; c &= true; bool2 v = bool2(a, c);
		r = a + b * 2 + c * 4 + any(v) * 8 + all(v) * 16 + (a == b) * 32 + (a < b) * 64;`, func(i int) int {
		a := i&1 != 0
		b, c := !a, a
		if i > 10 {
			c = b
		}
		a = a != c
		b = b || i == 2
		return int(truth(a) + truth(b)*2 + truth(c)*4 + truth(a || c)*8 + truth(a && c)*16 + truth(a == b)*32 +
			truth(!a && b)*64)
	}},
	{"a function that not all lanes call", `int g(thread int& n) { n += 3;
		for (int k = 0; k < 4; k++) if (k == n % 4) return k; return 9; }`,
		`int n = i; if (i % 3) { r = g(n); if (i % 3 == 2) r += 10 * g(n); } r += n * 100;`, func(i int) int {
			n, r := i, 0
			g := func() int { n += 3; return n % 4 }
			if i%3 != 0 {
				r = g()
				if i%3 == 2 {
					r += 10 * g()
				}
			}
			return r + n*100
		}},
	{"a function that gives back what it changed", `int f(thread int& n) { n += 3;
		return n; }`, `int n = i;
		if (i > 40) r = f(n); r += n * 100; if (i > 3000) f(r);`, func(i int) int {
		if i > 40 {
			return i + 3 + (i+3)*100
		}
		return i * 100
	}},
	{"empty statements and loops", "", `; {} for (int k = 0; k < i; k++) ; while (false) {} do ; while (0); if (i) ;
		else r = 3; switch (i) {} r++;`, func(i int) int {
		if i == 0 {
			return 4
		}
		return 1
	}},
}

func TestStatementsInDivergentFlow(t *testing.T) {
	t.Parallel()
	for _, c := range statementCases {
		source := c.before + `
kernel void test(device int* output, uint at [[thread_position_in_grid]]) {
	int i = at; device int* out = output + at; int r = 0;
` + c.body + "\n\t*out = r;\n}"
		for _, n := range []int{1, 31, 32, 33, 100} {
			r := make([]int32, n+1)
			r[n] = 12345
			if err := execute(t, source, threads(n), r); err != nil {
				t.Errorf("%s: %v", c.name, err)
				break
			}
			for i, got := range r[:n] {
				if want := int32(c.want(i)); got != want {
					t.Errorf("%s, %d threads: thread %d gives %d, want %d", c.name, n, i, got, want)
					break
				}
			}
			if r[n] != 12345 {
				t.Errorf("%s: a thread beyond the last one wrote", c.name)
			}
		}
	}
}

func TestGuardedLoadsTouchNothingBeyond(t *testing.T) {
	t.Parallel()
	a, r := make([]int32, 50), make([]int32, 100)
	for i := range a {
		a[i] = int32(i%3) - 1
	}
	compute(t, `kernel void test(device const int* a, device int* r, constant int& n,
		uint at [[thread_position_in_grid]]) {
	int i = at;
	r[i] = (i < n && a[i] > 0) + 2 * (i >= n || a[i] == 0) + 4 * (i < n ? a[i] : 7);
	if (i < n) if (a[i] < 0) r[i] += 100;
	for (int k = i; k < n && a[k] != 1; k++) r[i] += 1000;
	int d = i % 4;
	r[i] += d != 0 && 12 / d > 5 ? 10000 : 0;
}`, threads(100), a, r, int32(50))
	for i := range 100 {
		v := int32(7)
		if i < 50 {
			v = a[i]
		}
		want := truth(i < 50 && v > 0) + 2*truth(i >= 50 || v == 0) + 4*v
		if v < 0 {
			want += 100
		}
		for k := i; k < 50 && a[k] != 1; k++ {
			want += 1000
		}
		if d := i % 4; d != 0 && 12/d > 5 {
			want += 10000
		}
		if r[i] != want {
			t.Errorf("thread %d: %d, want %d", i, r[i], want)
		}
	}
}

// threadPlace is where a thread is.
type threadPlace struct {
	group, in, size, full, groups, grid [3]int
}

func (p threadPlace) index() int  { return p.in[0] + p.size[0]*(p.in[1]+p.size[1]*p.in[2]) }
func (p threadPlace) count() int  { return p.size[0] * p.size[1] * p.size[2] }
func (p threadPlace) before() int { return p.full[0] * p.full[1] * p.full[2] }

// positionValues are the built-in arguments with what they are for a thread.
var positionValues = []struct {
	attribute string
	want      func(p threadPlace) any
}{
	{"thread_position_in_grid", func(p threadPlace) any {
		return [3]int{p.group[0]*p.full[0] + p.in[0], p.group[1]*p.full[1] + p.in[1], p.group[2]*p.full[2] + p.in[2]}
	}},
	{"thread_position_in_threadgroup", func(p threadPlace) any { return p.in }},
	{"threadgroup_position_in_grid", func(p threadPlace) any { return p.group }},
	{"threads_per_threadgroup", func(p threadPlace) any { return p.size }},
	{"dispatch_threads_per_threadgroup", func(p threadPlace) any { return p.full }},
	{"threadgroups_per_grid", func(p threadPlace) any { return p.groups }},
	{"threads_per_grid", func(p threadPlace) any { return p.grid }},
	{"grid_size", func(p threadPlace) any { return p.grid }},
	{"grid_origin", func(p threadPlace) any { return [3]int{} }},
	{"thread_index_in_threadgroup", func(p threadPlace) any { return p.index() }},
	{"thread_index_in_simdgroup", func(p threadPlace) any { return p.index() % 32 }},
	{"simdgroup_index_in_threadgroup", func(p threadPlace) any { return p.index() / 32 }},
	{"simdgroups_per_threadgroup", func(p threadPlace) any { return (p.count() + 31) / 32 }},
	{"dispatch_simdgroups_per_threadgroup", func(p threadPlace) any { return (p.before() + 31) / 32 }},
	{"threads_per_simdgroup", func(p threadPlace) any { return 32 }},
	{"thread_execution_width", func(p threadPlace) any { return 32 }},
	{"thread_index_in_quadgroup", func(p threadPlace) any { return p.index() % 4 }},
	{"quadgroup_index_in_threadgroup", func(p threadPlace) any { return p.index() / 4 }},
	{"quadgroups_per_threadgroup", func(p threadPlace) any { return (p.count() + 3) / 4 }},
	{"dispatch_quadgroups_per_threadgroup", func(p threadPlace) any { return (p.before() + 3) / 4 }},
}

// TestThreadsKnowWhereTheyAre covers all built-in arguments, for threadgroups of
// all shapes, with smaller ones at the edge of the grid.
func TestThreadsKnowWhereTheyAre(t *testing.T) {
	t.Parallel()
	var params, steps []string
	for n, v := range positionValues {
		kind, width := "uint", 1
		if _, vector := v.want(threadPlace{size: [3]int{1, 1, 1}}).([3]int); vector {
			kind, width = "uint3", 3
		}
		params = append(params, fmt.Sprintf("%s v%d [[%s]]", kind, n, v.attribute))
		if width == 3 {
			steps = append(steps, fmt.Sprintf("r[at++] = v%d.x; r[at++] = v%d.y; r[at++] = v%d.z;", n, n, n))
		} else {
			steps = append(steps, fmt.Sprintf("r[at++] = v%d; at += 2;", n))
		}
	}
	stride := 3 * len(positionValues)
	source := fmt.Sprintf(`kernel void test(device uint* r, %s) {
	uint at = %d * (v0.x + v6.x * (v0.y + v6.y * v0.z));
	%s
}`, strings.Join(params, ", "), stride, strings.Join(steps, "\n\t"))
	for _, grid := range []driver.Grid{
		{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{1, 1, 1}},
		{Threadgroups: [3]int{3, 1, 1}, Threads: [3]int{33, 1, 1}},
		{Threadgroups: [3]int{2, 2, 1}, Threads: [3]int{32, 3, 1}},
		{Threadgroups: [3]int{2, 3, 2}, Threads: [3]int{64, 2, 2}},
		{Threadgroups: [3]int{2, 1, 3}, Threads: [3]int{5, 7, 3}},
		{Threadgroups: [3]int{1, 2, 1}, Threads: [3]int{1, 40, 1}},
		{Threadgroups: [3]int{2, 1, 1}, Threads: [3]int{1, 1, 70}},
		{Threadgroups: [3]int{1, 1, 2}, Threads: [3]int{16, 4, 1}},
		{Threadgroups: [3]int{3, 1, 1}, Threads: [3]int{64, 1, 1}, Size: [3]int{150, 1, 1}},
		{Threadgroups: [3]int{2, 3, 2}, Threads: [3]int{32, 4, 2}, Size: [3]int{45, 10, 3}},
		{Threadgroups: [3]int{2, 2, 1}, Threads: [3]int{32, 2, 1}, Size: [3]int{64, 3, 1}},
		{Threadgroups: [3]int{2, 2, 2}, Threads: [3]int{7, 5, 3}, Size: [3]int{13, 6, 5}},
	} {
		size := grid.Size
		if size == [3]int{} {
			for i := range size {
				size[i] = grid.Threadgroups[i] * grid.Threads[i]
			}
		}
		total := size[0] * size[1] * size[2]
		r := make([]uint32, total*stride)
		compute(t, source, grid, r)
		for n := range total {
			position := [3]int{n % size[0], n / size[0] % size[1], n / (size[0] * size[1])}
			p := threadPlace{full: grid.Threads, groups: grid.Threadgroups, grid: size}
			for i := range position {
				p.group[i], p.in[i] = position[i]/grid.Threads[i], position[i]%grid.Threads[i]
				p.size[i] = min(grid.Threads[i], size[i]-p.group[i]*grid.Threads[i])
			}
			for k, v := range positionValues {
				got := r[n*stride+3*k : n*stride+3*k+3]
				want := []uint32{0, 0, 0}
				switch w := v.want(p).(type) {
				case int:
					want[0] = uint32(w)
				case [3]int:
					want = []uint32{uint32(w[0]), uint32(w[1]), uint32(w[2])}
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%+v: %s of thread %v is %v, want %v", grid, v.attribute, position, got, want)
				}
			}
		}
	}
}

// TestPositionsMayBeNarrowerVectors: a kernel of one dimension asks for a scalar.
func TestPositionsMayBeNarrowerVectors(t *testing.T) {
	t.Parallel()
	r := make([]uint32, 4*12*5)
	compute(t, `kernel void test(device uint* r, ushort2 p [[thread_position_in_grid]], ushort x [[threads_per_grid]],
		ushort lane [[thread_index_in_simdgroup]], uint2 in [[thread_position_in_threadgroup]]) {
	uint at = 4 * (p.x + x * p.y);
	r[at] = p.x; r[at + 1] = p.y; r[at + 2] = lane; r[at + 3] = in.x + 100 * in.y;
}`, driver.Grid{Threadgroups: [3]int{2, 1, 1}, Threads: [3]int{6, 5, 1}}, r)
	for i := range 60 {
		x, y := i%12, i/12
		want := []uint32{uint32(x), uint32(y), uint32((x%6 + 6*y) % 32), uint32(x%6 + 100*y)}
		if got := r[4*i : 4*i+4]; !slices.Equal(got, want) {
			t.Errorf("thread (%d, %d): %v, want %v", x, y, got, want)
		}
	}
}

// TestSimdGroupsMeetAtBarriers passes values through threadgroup memory, with
// divergent flow between the barriers.
func TestSimdGroupsMeetAtBarriers(t *testing.T) {
	t.Parallel()
	const source = `
void share(threadgroup int* s, uint i, uint n) { s[i] += s[(i + 1) % n]; }
kernel void test(device int* r, threadgroup int* s, constant uint& rounds, uint i [[thread_position_in_threadgroup]],
	uint n [[threads_per_threadgroup]], uint g [[threadgroup_position_in_grid]], uint at [[thread_position_in_grid]]) {
	threadgroup int own[128];
	threadgroup int total;
	s[i] = i + 1000 * g;
	if (i == 0) total = 0;
	threadgroup_barrier(mem_flags::mem_threadgroup);
	for (uint k = 0; k < rounds; k++) {
		int v = s[(i + 1) % n];
		if (i % 3 == 0) {
			for (uint j = 0; j < i % 5; j++) { if (j == 3) break; v += j; }
		}
		threadgroup_barrier(mem_flags::mem_threadgroup);
		s[i] = v;
		own[n - 1 - i] = v;
		threadgroup_barrier(mem_flags::mem_threadgroup);
		if (i == n - 1) { for (uint j = 0; j < n; j++) total += own[j]; }
	}
	threadgroup_barrier(mem_flags::mem_threadgroup);
	r[at] = total + own[i];
}`
	for _, n := range []int{1, 31, 33, 64, 100, 128} {
		for _, rounds := range []int{0, 1, 5} {
			if rounds == 0 && (n > 1 || chosen(t) != nil) {
				continue // own is then undefined, which this device alone fills
			}
			groups := 5
			r := make([]int32, groups*n)
			grid := threads(n)
			grid.Threadgroups[0] = groups
			compute(t, source, grid, r, shared((4*n+15)&^15), uint32(rounds))
			for g := range groups {
				s, own, total := make([]int, n), make([]int, n), 0
				for i := range s {
					s[i] = i + 1000*g
				}
				for range rounds {
					next := make([]int, n)
					for i := range next {
						next[i] = s[(i+1)%n]
						if i%3 == 0 {
							for j := 0; j < i%5 && j < 3; j++ {
								next[i] += j
							}
						}
						own[n-1-i] = next[i]
					}
					s = next
					for _, v := range own {
						total += v
					}
				}
				if rounds == 0 {
					own[0] = -1 // what undefined memory is filled with
				}
				for i := range n {
					if got := int(r[g*n+i]); got != total+own[i] {
						t.Fatalf("%d threads, %d rounds: thread %d of threadgroup %d: %d, want %d", n, rounds, i, g, got, total+own[i])
					}
				}
			}
		}
	}
}

// TestBarriersInDivergentFlowAreFaults: hardware would hang.
func TestBarriersInDivergentFlowAreFaults(t *testing.T) {
	t.Parallel()
	const head = `kernel void test(device int* r, uint i [[thread_position_in_threadgroup]],
	uint s [[simdgroup_index_in_threadgroup]]) {
`
	const barrier = "threadgroup_barrier(mem_flags::mem_threadgroup);"
	for body, want := range map[string]string{
		"if (i < 5)\n" + barrier: "test.metal:4:1: B: thread (0, 0, 0) and 4 more did, " +
			"and thread (5, 0, 0) and 58 more did not: passed it by at test.metal:3:1, in thread (0, 0, 0)",
		"if (i == 40) r[i] = 1; else\n" + barrier: "test.metal:4:1: B: thread (0, 0, 0) and 62 more did, " +
			"and thread (40, 0, 0) did not: passed it by at test.metal:3:1, in",
		"for (uint k = 0; k < i; k++)\n" + barrier: "test.metal:4:1: B: thread (1, 0, 0) and 62 more did, " +
			"and thread (0, 0, 0) did not: out of the loop at test.metal:3:1, in",
		"for (uint k = 0; k < s; k++)\n" + barrier: "test.metal:4:1: B: thread (32, 0, 0) and 31 more did, " +
			"and thread (0, 0, 0) and 31 more did not: out of the loop at test.metal:3:1, in",
		"for (uint k = 0; k < 9; k++) { if (i == k) continue;\n" + barrier + "}": "test.metal:4:1: " +
			"B: thread (1, 0, 0) and 62 more did, and thread (0, 0, 0) did not: " +
			"in the next round of the loop at test.metal:3:1, in",
		"if (s == 1)\n" + barrier: "test.metal:4:1: B: thread (32, 0, 0) and 31 more did, " +
			"and thread (0, 0, 0) and 31 more did not: passed it by at test.metal:3:1, in",
		"if (r[i] == 0)\nif (s == 1)\n" + barrier: "test.metal:5:1: B: thread (32, 0, 0) and 31 more did, " +
			"and thread (0, 0, 0) and 31 more did not: at the end of the kernel, in",
		"if (s == 0)\n" + barrier + "\nelse { r[i]++;\n" + barrier + "}": "test.metal:4:1: B: thread (0, 0, 0) and 31 more " +
			"did, and thread (32, 0, 0) and 31 more did not: waiting at another barrier at test.metal:6:1, in",
		"if (i < 40) {\n" + barrier + "} else if (i > 50) {\n" + barrier + "}": "test.metal:4:1: " +
			"B: thread (0, 0, 0) and 39 more did, and thread (40, 0, 0) and 23 more did not: passed it by at test.metal:3:1, in",
	} {
		want = strings.Replace(want, "B:", interp.ErrDivergentBarrier.Error()+":", 1)
		err := execute(t, head+body+"\nr[i] = 2;\n}", threads(64), make([]int32, 64))
		if !errors.Is(err, interp.ErrDivergentBarrier) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v, want %q", body, err, want)
		}
	}
	// lanes that returned are not missed
	r := make([]int32, 64)
	compute(t, head+"if (i % 2) return;\nr[i] = i;\n"+barrier+"\nr[i + 1] = r[(i + 34) % 64];\n}", threads(64), r)
	for i := 0; i < 64; i += 2 {
		if want := int32(i+34) % 64; r[i+1] != want {
			t.Errorf("thread %d reads %d, want %d", i, r[i+1], want)
		}
	}
}

func TestASimdGroupMayEndBeforeTheOthers(t *testing.T) {
	t.Parallel()
	r := make([]int32, 96)
	compute(t, `kernel void test(device int* r, uint i [[thread_position_in_threadgroup]],
		uint s [[simdgroup_index_in_threadgroup]]) {
	threadgroup int shared[96];
	shared[i] = i;
	threadgroup_barrier(mem_flags::mem_threadgroup);
	if (s == 1) { r[i] = -1; return; }
	threadgroup_barrier(mem_flags::mem_threadgroup);
	r[i] = shared[95 - i];
}`, threads(96), r)
	for i, got := range r {
		want := int32(95 - i)
		if i/32 == 1 {
			want = -1
		}
		if got != want {
			t.Errorf("thread %d: %d, want %d", i, got, want)
		}
	}
}

// A chain of else if is no nesting.
func TestElseIfChain(t *testing.T) {
	var body strings.Builder
	const n = 300
	for i := range n {
		fmt.Fprintf(&body, "if (i == %d) out[i] = %d; else ", i, i*i)
	}
	out := make([]int32, n+20)
	compute(t, `kernel void test(device int* out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
		`+body.String()+"out[i] = 5; }", threads(len(out)), out)
	for i, v := range out {
		want := int32(i * i)
		if i >= n {
			want = 5
		}
		if v != want {
			t.Errorf("thread %d: got %d, want %d", i, v, want)
		}
	}
}
