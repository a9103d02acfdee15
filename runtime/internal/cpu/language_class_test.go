package cpu

import (
	"math"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
)

// classCase is a function of MSL, int f(int x), with its result.
type classCase struct {
	name   string
	source string
	want   func(x int32) int32
}

// runClassCases calls each function where its argument differs from lane to lane,
// where it is the same for all, and for some of the lanes only.
func runClassCases(t *testing.T, cases []classCase) {
	const n = 45
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			in, out := make([]int32, n), make([]int32, 3*n)
			for i := range in {
				in[i] = int32(i*7%23 - 5)
			}
			compute(t, c.source+`
kernel void test(device const int* in, device int* out, uint i [[thread_position_in_grid]]) {
	out[i] = f(in[i]);
	out[`+"45"+` + i] = f(in[3]);
	out[90 + i] = -99;
	if (i % 3 != 1) {
		out[90 + i] = f(in[i]);
	}
}`, threads(n), in, out)
			for i, x := range in {
				some := int32(-99)
				if i%3 != 1 {
					some = c.want(x)
				}
				if got, want := [3]int32{out[i], out[n+i], out[2*n+i]}, [3]int32{c.want(x), c.want(in[3]), some}; got != want {
					t.Fatalf("thread %d, f(%d) and f(%d): %d, want %d", i, x, in[3], got, want)
				}
			}
		})
	}
}

func TestMethods(t *testing.T) {
	runClassCases(t, []classCase{
		{"fields through this", `
struct Counter {
	int n;
	short step = 2;
	void add(int by) { n += by * step; }
	int twice() const { return 2 * n; }
};
int f(int x) {
	Counter c;
	c.n = x;
	c.add(3);
	if (x > 0) c.add(x);
	return c.twice() + c.n;
}`, func(x int32) int32 {
			n := x + 6
			if x > 0 {
				n += 2 * x
			}
			return 3 * n
		}},
		{"a method of a value", `
struct P { int a, b; int sum() const { return a + b; } P swapped() const { return {b, a}; } int take() { a += 1;
	return a * b; } };
P make(int x) { P p; p.a = x; p.b = x * x; return p; }
int f(int x) { return make(x).sum() - make(x + 1).swapped().a + make(x).take(); }
`, func(x int32) int32 { return x + x*x - (x+1)*(x+1) + (x+1)*x*x }},
		{"constructors, bases and initial values", `
struct Base { int a; Base(int v) : a(v + 1) {} int get() const { return a; } };
struct Derived : Base {
	int b = 4; int c;
	Derived(int v, int w) : Base(v), c(w) { if (w < 0) c = -w; }
	Derived(int v) : Derived(v, -v) { b += 1; }
	int all() const { return get() * 100 + b * 10 + c; }
};
int f(int x) { Derived d(x, 2), e(x); return d.all() + 3 * e.all(); }
`, func(x int32) int32 {
			c := -x
			if c < 0 {
				c = x
			}
			return (x+1)*100 + 42 + 3*((x+1)*100+50+c)
		}},
		{"initial values in braces, and of negative arguments of a template", `
template <int N> int less(int v) { return v + N; }
struct Base { int a[2]; int b; };
struct Derived : Base { int2 c; int d; Derived(int v) : Base{{v, 2}, v + 3}, c{v, less<-7>(v)}, d(less<-1>(v)) {} };
int f(int x) { Derived s(x); return s.a[0] + 10 * s.a[1] + 100 * s.b + 3 * s.c.x + 5 * s.c.y + 7 * s.d; }
`, func(x int32) int32 { return x + 20 + 100*(x+3) + 3*x + 5*(x-7) + 7*(x-1) }},
		{"a base is copied from an object that also converts", `
struct Base { int a; Base(int v) : a(v) {} };
struct Derived : Base { int b; Derived(int v) : Base(v), b(3) {}
	operator int() const { return Base(*this).a * 100 + b; } };
int take(Base b) { return b.a; }
int f(int x) { Derived d(x); Base b = Base(d), c(d), e = d; return b.a + 3 * c.a + 5 * e.a + 7 * take(d) + int(d); }
`, func(x int32) int32 { return 16*x + 100*x + 3 }},
		{"the nearest base is copied", `
struct A { int a; };
struct B : A { int b; B(const thread A& o, int n) : A(o), b(n) {} B(const thread A& o) : A(o), b(99) {} };
struct C : B { C(int v) : B(A{v}, 2) {} };
int f(int x) { C c(x); B b = B(c), d(c), e = c; return b.a + b.b * 100 + d.b * 10 + e.b + B(A{x}).b; }
`, func(x int32) int32 { return x + 200 + 20 + 2 + 99 }},
		{"operators and conversions", `
struct V {
	int x, y;
	V operator+(V o) const { return {x + o.x, y + o.y}; }
	thread V& operator+=(V o) { x += o.x; y += o.y; return *this; }
	int operator[](int i) const { return i == 0 ? x : y; }
	operator int() const { return x * 10 + y; }
	bool operator<(V o) const { return x < o.x; }
};
V operator*(V v, int k) { return {v.x * k, v.y * k}; }
int f(int x) {
	V a = {x, 1}, b = {2, x};
	V c = (a + b) * 3;
	(c += a) += b;
	if (a < b) c += c;
	return int(c) + c[1] + c[0];
}`, func(x int32) int32 {
			cx, cy := 4*(x+2), 4*(1+x)
			if x < 2 {
				cx, cy = 2*cx, 2*cy
			}
			return cx*10 + cy + cy + cx
		}},
		{"an operator that follows", `
struct At { int v[2]; int k; thread int& operator*() { return v[k]; }
	int operator*(At o) const { return k * 10 + o.k; } };
int f(int x) { At a = {{x, 7}, 0}; *a += 3; if (x > 2) a.k = 1; *a = *a * 2; return a.v[0] * 100 + a.v[1] + a * a; }
`, func(x int32) int32 {
			if x > 2 {
				return (x+3)*100 + 14 + 11
			}
			return (x+3)*200 + 7
		}},
		{"references as results", `
struct Tile {
	int v[6];
	thread int& at(int i, int j) { return v[i * 3 + j]; }
	const thread int& at(int i, int j) const { return v[i * 3 + j]; }
	thread Tile& set(int i, int x) { v[i] = x; return *this; }
};
thread int& larger(thread int& a, thread int& b) { if (a > b) return a; return b; }
int f(int x) {
	Tile t;
	for (int i = 0; i < 6; i++) t.v[i] = i;
	t.at(1, 1) += x;
	t.at(x & 1, 2) = 50;
	t.set(0, 7).set(3, x);
	int p = x, q = 4;
	larger(p, q) = 100;
	const Tile u = t;
	int sum = 0;
	for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) sum = 3 * sum + u.at(i, j);
	return sum + p * 2 + q;
}`, func(x int32) int32 {
			v := [6]int32{7, 1, 2, x, 4 + x, 5}
			v[(x&1)*3+2] = 50
			p, q := x, int32(4)
			if p > q {
				p = 100
			} else {
				q = 100
			}
			sum := int32(0)
			for _, n := range v {
				sum = 3*sum + n
			}
			return sum + p*2 + q
		}},
		{"a result that refers to a value", `
struct N { int n; const thread N& self() const { return *this; } };
int less(const thread N& a, const thread N& b) { return a.n * 10 - b.n; }
int f(int x) { return less(N{x}.self(), N{x * 3}.self()); }
`, func(x int32) int32 { return x*10 - x*3 }},
		{"fields that are references and pointers", `
struct Writer { thread int& to; thread int* more; Writer(thread int& a, thread int* b) : to(a), more(b) {}
	void put(int x) { to = x; more[1] = x + 1; } };
int f(int x) {
	int a = 1, list[3] = {1, 2, 3};
	Writer w(a, list);
	w.put(x);
	w.more = &a;
	if (x > 3) *w.more += 5;
	thread int* all[2] = {list, &a};
	return a * 100 + list[1] * 10 + *all[x & 1];
}`, func(x int32) int32 {
			a := x
			if x > 3 {
				a += 5
			}
			last := int32(1)
			if x&1 == 1 {
				last = a
			}
			return a*100 + (x+1)*10 + last
		}},
		{"empty structs and static members", `
struct Add { static constexpr constant int zero = 3; int operator()(int a, int b) const { return a + b; } };
struct Mul { static constexpr constant int zero = 1; static int apply(int a, int b) { return a * b; }
	int operator()(int a, int b) const { return apply(a, b); } };
template <typename Op> int fold(int x) { Op op; int r = Op::zero; for (int i = 1; i < 4; i++) r = op(r, x + i);
	return r; }
int f(int x) { Add list[2]; return fold<Add>(x) - fold<Mul>(x) + list[1](x, 1) + int(sizeof(Add)); }
`, func(x int32) int32 { return 3*x + 9 - (x+1)*(x+2)*(x+3) + x + 2 }},
		{"arrays of structs with arrays", `
struct Row { int v[3]; int n; };
struct Grid { Row rows[2]; Row& get(int) thread; };
int sum(Row r) { r.v[0] += 100; return r.v[0] + r.v[1] * 2 + r.v[2] * 3 + r.n; }
int f(int x) {
	Row rows[2] = {{{1, 2, 3}, 4}, {{x, x + 1, x + 2}, 9}};
	rows[x & 1].v[(x + 9) % 3] += 10;
	Row copy = rows[1];
	rows[1] = rows[0];
	copy.n = x;
	return sum(copy) * 7 + sum(rows[1]) * 3 + rows[0].v[0];
}`, func(x int32) int32 {
			type row [4]int32
			rows := [2]row{{1, 2, 3, 4}, {x, x + 1, x + 2, 9}}
			rows[x&1][(x+9)%3] += 10
			last := rows[1]
			rows[1] = rows[0]
			last[3] = x
			sum := func(r row) int32 { return 100 + r[0] + r[1]*2 + r[2]*3 + r[3] }
			return sum(last)*7 + sum(rows[1])*3 + rows[0][0]
		}},
	})
}

func TestLambdas(t *testing.T) {
	runClassCases(t, []classCase{
		{"change what is around them", `
int f(int x) {
	int n = 1, m = x;
	auto add = [&](int by) { n += by; if (by > 3) m *= 2; return n; };
	int a = n;
	int b = add(x) + add(4) * 10;
	return a * 3 + b + n * 100 + m;
}`, func(x int32) int32 {
			n, m := 1+x, x
			if x > 3 {
				m *= 2
			}
			b := n
			n += 4
			m *= 2
			return 3 + b + n*10 + n*100 + m
		}},
		{"see nothing that is declared behind them", `
struct S {
	int v;
	int run(int x) {
		auto g = [&](int k) { v += k; return v + x; };
		short2 v = short2(x);
		if (x > 3) { auto h = [&]() { return x * 2; }; int x = 100; v.y += h() - x; }
		return g(v.x) + v.y;
	}
};
int f(int x) { S s = {3}; return s.run(x) + s.v; }`, func(x int32) int32 {
			y := x
			if x > 3 {
				y = 3*x - 100
			}
			return 3 + x + x + y + 3 + x
		}},
		{"call methods around them", `
struct A { int x; int get(int k) const { return x * k; } int add(int k) { return x += k; }
	int run() { auto g = [&](int k) { return get(k) + add(k) + this->get(2); }; return g(3) * 10 + g(1); } };
int f(int x) { A a = {x}; return a.run() + a.x; }`, func(x int32) int32 {
			return (3*x+x+3+2*(x+3))*10 + x + 3 + x + 4 + 2*(x+4) + x + 4
		}},
		{"given to templates", `
template <typename F> void times(int n, F body) { for (int i = 0; i < n; i++) body(i); }
template <typename F> int twice(const thread F& body, int x) { return body(body(x)); }
int f(int x) {
	int sum = x, list[4] = {0, 1, 2, 3};
	int before = sum;
	times(4, [&](int i) { sum += i * x; list[3 - i] = sum; });
	int k = 3;
	return before + sum * 2 + list[0] * 3 + list[3] * 5 + twice([k](int v) { return v * k + 1; }, x);
}`, func(x int32) int32 { return x + (x+6*x)*2 + (x+6*x)*3 + x*5 + (x*3+1)*3 + 1 }},
		{"whose caller borrows", `
template <typename F> int call(F body, int v, int w) { body(); return v * 100 + w; }
int f(int x) {
	int n = x;
	int r = call([&]() { n = 7; }, n, n + 1);
	return r + n;
}`, func(x int32) int32 { return x*100 + x + 1 + 7 }},
		{"that keep values", `
struct S { int v; int run() { auto g = [this](int k) { v += k; return v; }; return g(2) + g(3); } };
template <typename F> int call(F f, int x) { x += 100; return f(x); }
int f(int x) {
	int n = x + 5, m = 2;
	auto old = [=](int k) { return n * 10 + k; };
	auto mixed = [n, &m](int k) { m += k; return n + m; };
	m += 1;
	S s = {n};
	return old(1) + mixed(3) * 2 + call(old, 1) + s.run() + s.v + m;
}`, func(x int32) int32 {
			n := x + 5
			return n*10 + 1 + (n+6)*2 + n*10 + 101 + n + 2 + n + 5 + n + 5 + 6
		}},
		{"for any type", `
int f(int x) {
	int calls = 0;
	auto half_of = [&](auto v) { calls += 1; return v / 2; };
	float h = half_of(float(x));
	int q = half_of(x);
	auto more = [&](thread auto& v) { v += 1; };
	more(q); more(h);
	return int(h * 2) * 10 + q + calls * 1000;
}`, func(x int32) int32 { return (x+2)*10 + x/2 + 1 + 2000 }},
		{"in lambdas and methods", `
struct S {
	int v;
	int run(int x) {
		auto outer = [&](int k) { auto inner = [&](int j) { v += j; x -= 1; }; inner(k); inner(2 * k); return x; };
		if (x & 1) outer(5);
		return outer(x) * 10 + v;
	}
};
int f(int x) { S s; s.v = 3; return s.run(x) + s.v; }`, func(x int32) int32 {
			v := int32(3)
			outer := func(k int32) int32 { v += 3 * k; x -= 2; return x }
			if x&1 != 0 {
				outer(5)
			}
			return outer(x)*10 + 2*v
		}},
		{"that return early", `
int f(int x) {
	auto find = [&](int from) { for (int i = from; i < 6; i++) { if (i * i > x) return i; } return -1; };
	return find(0) + find(3) * 10;
}`, func(x int32) int32 {
			find := func(from int32) int32 {
				for i := from; i < 6; i++ {
					if i*i > x {
						return i
					}
				}
				return -1
			}
			return find(0) + find(3)*10
		}},
	})
}

func TestTemplates(t *testing.T) {
	runClassCases(t, []classCase{
		{"classes with arrays", `
template <typename T, int N> struct Stack {
	T items[N]; int n = 0;
	void push(T v) { if (n < N) items[n++] = v; }
	T sum() const { T s = 0; for (int i = 0; i < n; i++) s += items[i]; return s; }
	static constexpr constant int size = N;
};
template <int N> struct Half { static constexpr constant int value = N / 2; };
int f(int x) {
	Stack<int, 3> a; Stack<short, Half<9>::value> b;
	for (int i = 0; i < 6; i++) { if (i != x) a.push(i * x); b.push(short(x + i)); }
	return a.sum() + b.sum() * 10 + a.size * 1000 + b.size;
}`, func(x int32) int32 {
			a, n, b := int32(0), 0, int32(0)
			for i := range int32(6) {
				if i != x && n < 3 {
					a += i * x
					n++
				}
				if i < 4 {
					b += x + i
				}
			}
			return a + b*10 + 3000 + 4
		}},
		{"if constexpr and deduction", `
template <typename T> int kind(T v) { if constexpr (is_same_v<T, float>) return int(v * 2);
	else if constexpr (sizeof(T) == 2) return v + 100; else return v; }
template <typename T, typename U = T> U convert(T v) { return U(v); }
template <int N, typename T> T power(T v) { if constexpr (N == 0) return T(1); else return v * power<N - 1>(v); }
int f(int x) {
	return kind(x) + kind(float(x) + 0.5f) + kind(short(x)) + int(convert<int, char>(x + 256)) + power<3>(x); }
`, func(x int32) int32 { return x + 2*x + 1 + x + 100 + x + x*x*x }},
		{"constants that are computed", `
struct S { int a; int b[2]; constexpr S(int v) : a(v * 2) { b[0] = v; b[1] = a + 1; }
	constexpr int sum() const constant { return a + b[0] + b[1]; } };
struct P { int a, b; };
constexpr P pair(int v) { return {v, v * v}; }
constant S table = S(4);
constant P both = pair(5);
int f(int x) {
	static constexpr constant P local = pair(3);
	int r = 0;
	if (x > 2) r = table.b[x & 1];
	return r + table.a * 100 + table.sum() + both.b + local.a + x;
}`, func(x int32) int32 {
			r := x
			if x > 2 {
				r += [2]int32{4, 9}[x&1]
			}
			return r + 800 + 21 + 25 + 3
		}},
		{"range-based for", `
struct P { int a; int b[2]; };
int f(int x) {
	P list[3] = {{1, {x, 2}}, {x, {3, 4}}, {5, {6, x}}};
	int sum = 0;
	for (thread auto& p : list) { p.a *= 2; for (int b : p.b) { if (b == 3) continue; sum += p.a * b; } }
	return sum + list[0].a + list[1].a;
}`, func(x int32) int32 {
			sum := int32(0)
			for _, p := range [3][3]int32{{1, x, 2}, {x, 3, 4}, {5, 6, x}} {
				for _, b := range p[1:] {
					if b != 3 {
						sum += 2 * p[0] * b
					}
				}
			}
			return sum + 2 + 2*x
		}},
	})
}

func TestFieldsThatShareBytes(t *testing.T) {
	runClassCases(t, []classCase{
		{"a union's fields", `
union Bits { float value; uint word; uchar bytes[4]; ushort2 halves; };
int f(int x) {
	Bits b;
	b.value = float(x);
	b.bytes[x & 3] ^= 1;
	Bits c = b;
	c.halves.y += 2;
	return int(b.word ^ c.word) + int(c.word >> 7);
}`, func(x int32) int32 {
			b := floatBits(float32(x)) ^ 1<<(8*uint32(x&3))
			c := b&0xffff | uint32(uint16(b>>16)+2)<<16
			return int32(b^c) + int32(c>>7)
		}},
		{"a union as a value", `
union Bits { uint word; char bytes[4]; };
struct Both { Bits b; int n; };
Bits make(int x) { Bits b = {uint(x) * 0x01010101u}; return b; }
Both pair(Bits b, int n) { b.bytes[0] += 1; return {b, n}; }
int f(int x) { return make(x + 5).bytes[2] + pair(make(x), x).b.bytes[0] * 100 + pair(make(1), x).n; }
`, func(x int32) int32 {
			w := uint32(x) * 0x01010101
			v := uint32(x+5) * 0x01010101
			return int32(int8(v>>16)) + int32(int8(w+1))*100 + x
		}},
		{"bit-fields", bitFields, bitFieldsOf},
		{"bit-fields of packed structs", "#pragma pack(1)" + bitFields, bitFieldsOf},
		{"bit-fields of structs packed by two", "#pragma pack(2)" + bitFields, bitFieldsOf},
		{"an unnamed union", `
struct V { union { struct { int lo, hi; }; int all[2]; }; int n; };
int f(int x) { V v; v.n = 3; v.all[0] = x; v.all[1] = 2 * x; v.all[x & 1] += 1; return v.lo + v.hi * 100 + v.n; }
`, func(x int32) int32 {
			v := [2]int32{x, 2 * x}
			v[x&1]++
			return v[0] + v[1]*100 + 3
		}},
	})
}

const bitFields = `
struct Packed { uint low : 5; int mid : 7; uint high : 20; uchar flag : 1; char small : 3; ulong wide : 40;
	int plain; };
constant Packed fixed = {3, -5, 70000, 1, -2, 1ul << 39, 9};
int sum(Packed p) {
	return int(p.low) + p.mid * 3 + int(p.high) * 5 + p.flag * 7 + p.small * 11 + int(p.wide >> 30) * 13 + p.plain; }
int f(int x) {
	Packed p = {uint(x), x, 1};
	p.mid += 1;
	p.high = uint(x) - 1;
	p.small = char(x);
	p.wide = ulong(x) << 31;
	p.flag = x & 1;
	Packed q = p;
	q.low++;
	q.plain = x;
	return sum(p) + sum(q) * 2 + sum(fixed) + (p.high == q.high ? 1000 : 0);
}`

// bitFieldsOf computes what f of bitFields does, wherever the fields lie.
func bitFieldsOf(x int32) int32 {
	sum := func(low, mid, high, flag, small, wide, plain int32) int32 {
		return low + mid*3 + high*5 + flag*7 + small*11 + wide*13 + plain
	}
	low, high, small := x&31, (x-1)&(1<<20-1), x<<29>>29
	wide := int32(uint64(int64(x)) << 31 & (1<<40 - 1) >> 30)
	return sum(low, x+1, high, x&1, small, wide, 0) + 2*sum((low+1)&31, x+1, high, x&1, small, wide, x) +
		sum(3, -5, 70000, 1, -2, 512, 9) + 1000
}

func floatBits(f float32) uint32 { return math.Float32bits(f) }

// TestElementsOfMatrices reads and writes what each thread holds of a
// simdgroup_matrix, as a variable, in arrays and in structs.
func TestElementsOfMatrices(t *testing.T) {
	const n = 64
	in, out := make([]float32, n), make([]float32, 3*n)
	for i := range in {
		in[i] = float32(i*i%37) / 2
	}
	compute(t, `
template <typename T> struct Tile {
	simdgroup_matrix<T, 8, 8> parts[2];
	float scale;
	void add(int i, T by) { parts[i].thread_elements()[1] += by; }
};
kernel void test(device float* in, device float* out, ushort lane [[thread_index_in_simdgroup]]) {
	simdgroup_float8x8 m;
	simdgroup_load(m, in, 8);
	ushort qid = lane / 4, row = (qid & 4) + (lane / 2) % 4, col = (qid & 2) * 2 + (lane % 2) * 2;
	float2 held = m.thread_elements();
	out[row * 8 + col] = held.x;
	out[row * 8 + col + 1] = held.y;
	m.thread_elements()[0] = float(row * 10 + col);
	m.thread_elements()[1] *= 2;
	simdgroup_store(m, out + 64, 8);
	Tile<half> t;
	simdgroup_half8x8 h(2);
	t.parts[1] = h;
	t.parts[lane & 0].thread_elements() = half2(lane, 1);
	t.add(1, half(lane));
	t.parts[0].thread_elements().y += 0.5h;
	simdgroup_float8x8 sum(0);
	simdgroup_multiply_accumulate(sum, t.parts[0], t.parts[1], sum);
	simdgroup_store(sum, out + 128, 8);
}`, threads(32), in, out)
	var a, b [n]float32
	for lane := range 32 {
		row, col := lanes.Element(lane)
		at := row*8 + col
		if out[at] != in[at] || out[at+1] != in[at+1] {
			t.Errorf("lane %d holds %g and %g, want %g and %g", lane, out[at], out[at+1], in[at], in[at+1])
		}
		if got := [2]float32(out[n+at:]); got != [2]float32{float32(row*10 + col), in[at+1] * 2} {
			t.Errorf("lane %d: %g stored", lane, got)
		}
		a[at], a[at+1] = float32(lane), 1.5
		b[at+1] = float32(lane)
	}
	for i := range 8 {
		b[9*i] += 2
	}
	for i := range n {
		want := float32(0)
		for k := range 8 {
			want += a[i/8*8+k] * b[k*8+i%8]
		}
		if out[2*n+i] != want {
			t.Errorf("product %d is %g, want %g", i, out[2*n+i], want)
		}
	}
}

// TestStructsInThreadgroupMemory has methods work on objects there, and on those
// of buffers.
func TestStructsInThreadgroupMemory(t *testing.T) {
	out := make([]int32, 3*40)
	compute(t, `
struct Pair { int a; short b[2]; void add(int v) threadgroup { a += v; b[v & 1] += 1; } int sum() const threadgroup {
	return a + b[0] * 10 + b[1] * 100; } void add(int v) device { a += v; } };
struct Loader {
	device const Pair* from; threadgroup Pair* to; thread int* count;
	Loader(device const Pair* from, threadgroup Pair* to, thread int* count) : from(from), to(to), count(count) {}
	void load(int i) { to[i] = from[i]; *count += 1; }
	void next() { from += 1; }
};
kernel void test(device Pair* out, uint i [[thread_position_in_grid]]) {
	threadgroup Pair pairs[64];
	out[i].a = int(i); out[i].b[0] = 1; out[i].b[1] = short(i);
	threadgroup_barrier(mem_flags::mem_device);
	int loads = 0;
	Loader l(out, pairs, &loads);
	l.load(i);
	if (i % 4 == 2) l.load(i);
	pairs[i].add(int(i) + 3);
	threadgroup_barrier(mem_flags::mem_threadgroup);
	Pair other = pairs[(i + 1) % 40];
	int sum = pairs[i].sum();
	threadgroup_barrier(mem_flags::mem_device);
	out[i].a = sum + other.a * 1000;
	out[i].b[0] = short(loads);
	out[i].add(1);
}`, threads(40), out)
	_ = out
	pair := func(i int32) (a, b0, b1 int32) {
		a, b0, b1 = 2*i+3, 1, i
		if (i+3)&1 == 0 {
			b0++
		} else {
			b1++
		}
		return a, b0, b1
	}
	for i := range int32(40) {
		a, b0, b1 := pair(i)
		next, _, _ := pair((i + 1) % 40)
		loads := int32(1)
		if i%4 == 2 {
			loads = 2
		}
		want := [2]int32{a + b0*10 + b1*100 + next*1000 + 1, loads | i<<16}
		if got := [2]int32(out[2*i:]); got != want {
			t.Errorf("thread %d: %d, want %d", i, got, want)
		}
	}
}

func TestTypesWithoutNames(t *testing.T) {
	runClassCases(t, []classCase{
		{"constructors set fields of unions and structs without names", `
struct S {
	int first;
	union {
		struct { short low, high = 7; };
		int both;
		float f;
	};
	struct { int a = 3; int b = 4; };
	S(int x) : first(x), both(x * 65536 + 9), b(x) {}
	S(short l, bool) : first(1), low(l) {}
};
int f(int x) {
	S s(x), u(short(x), true);
	return s.first + 10 * s.low + 100 * s.high + 1000 * s.a + 10000 * s.b + 7 * u.low + 11 * u.high + 13 * u.b;
}`, func(x int32) int32 {
			return x + 90 + 100*x + 3000 + 10000*x + 7*x + 77 + 52
		}},
		{"fields of a union in a body are its variables", `
int f(int x) {
	union { int whole; uchar bytes[4]; struct { short low, high; }; };
	whole = x;
	bytes[1] += 1;
	high = 5;
	return whole;
}`, func(x int32) int32 {
			return x&^0xff00&0xffff | int32(uint8(uint32(x)>>8)+1)<<8 | 5<<16
		}},
		{"constants and enums", `
int f(int x) {
	const struct { int a, b; } table[] = {{1, 2}, {3, 4}, {5, 6}};
	static constant struct { float w; int n; } one = {1.5f, 4};
	enum { low = 2, high = 9 } e = low;
	if (x > 0) e = high;
	struct { struct { int k; } in; int l; } nest{{x}, 2};
	return table[x & 1].a * 10 + table[2].b + one.n + int(one.w * 2) + e + nest.in.k * nest.l;
}`, func(x int32) int32 {
			e := int32(2)
			if x > 0 {
				e = 9
			}
			return []int32{1, 3}[x&1]*10 + 6 + 4 + 3 + e + x*2
		}},
		{"designated fields", `
union W { float f; uint u; ushort h[2]; };
struct P { int a = 3; union { int b; float c; }; int d[2]; };
constant W one = {.u = 0x3f800000};
constant P p = {.b = 5, .d = {6, 7}};
int f(int x) {
	P q = {.d = {[1] = x}, .b = 2};
	W w = {.h = {1, ushort(x)}};
	return int(one.f) + p.a * 10 + p.b * 100 + p.d[x & 1] + q.a + q.b + q.d[0] + q.d[1] + int(w.u >> 16);
}`, func(x int32) int32 {
			return 1 + 30 + 500 + 6 + x&1 + 3 + 2 + 0 + x + int32(uint16(x))
		}},
	})
}

func TestBitFieldsInBodies(t *testing.T) {
	runClassCases(t, []classCase{
		{"every way to write one", `
struct B { uint a : 3; int b : 5; uint c : 24; bool on : 1; };
uint twice(uint v) { return 2 * v; }
int f(int x) {
	B s = {5, -3, 100, true}, z{};
	s.a = uint(x);
	s.b += x;
	s.c++;
	--s.c;
	s.c <<= 1;
	z = s;
	z.on = x > 3;
	uint old = z.a++;
	int v = (s.a = 9);
	auto [a, b, c, on] = z;
	return s.a + 10 * s.b + 100 * s.c + int(twice(z.a)) * 7 + old * 3 + z.on + v + a * 11 + b * 13 + int(c) + on +
		(s.on ? 1 : 0);
}`, func(x int32) int32 {
			five := func(v int32) int32 { return v << 27 >> 27 }
			sa, sb := x&7, five(-3+x)
			za, old := (sa+1)&7, sa
			on := int32(0)
			if x > 3 {
				on = 1
			}
			sa = 9 & 7
			return sa + 10*sb + 100*200 + 2*za*7 + old*3 + on + sa + za*11 + sb*13 + 200 + on + 1
		}},
	})
}

func TestArraysAsObjects(t *testing.T) {
	runClassCases(t, []classCase{
		{"members of metal::array", `
int sum(thread const int* from, thread const int* to) { int s = 0; for (; from != to; from++) s += *from; return s; }
int f(int x) {
	array<int, 4> a = {1, 2, 3, x};
	a.front() += 10;
	a.back() *= 2;
	a.data()[1] = 7;
	return sum(a.begin(), a.end()) * 10 + int(a.size()) + (a.empty() ? 100 : 0) + int(a.max_size());
}`, func(x int32) int32 {
			return (11+7+3+2*x)*10 + 4 + 4
		}},
		{"auto copies a metal::array and points to another", `
int f(int x) {
	array<int, 2> a = {x, 2};
	int p[2] = {x, 3};
	auto b = a;
	auto q = p;
	b[0] = 50;
	q[0] = 60;
	return a[0] + b[0] + p[0];
}`, func(x int32) int32 {
			return x + 50 + 60
		}},
		{"bindings copy arrays", `
int f(int x) {
	int a[3] = {x, 2, 3};
	auto [p, q, r] = a;
	const auto [s, t, u] = a;
	auto& [v, w, y] = a;
	a[0] = 100;
	q = 5;
	w = 6;
	return p + 10 * q + 100 * r + s + a[1] + v + t + u + y;
}`, func(x int32) int32 {
			return x + 50 + 300 + x + 6 + 100 + 2 + 3 + 3
		}},
		{"pointers and references to arrays by casts", `
int f(int x) {
	int a[6] = {1, 2, 3, 4, 5, x};
	thread int (*rows)[2] = (thread int(*)[2])a;
	thread auto& last = (thread int(&)[2])a[4];
	last[0] = 9;
	return rows[1][1] * 100 + rows[2][0] * 10 + last[1] + reinterpret_cast<thread int(*)[3]>(&a[0])[1][2];
}`, func(x int32) int32 {
			return 400 + 90 + x + x
		}},
	})
}

func TestMethodsOfValues(t *testing.T) {
	runClassCases(t, []classCase{
		{"a value is the thread's", `
template <typename T, size_t N> struct Table {
	const constant T& operator[](size_t i) const constant { return elements[i]; }
	device T& operator[](size_t i) device { return elements[i]; }
	thread T& operator[](size_t i) thread { return elements[i]; }
	const thread T& operator[](size_t i) const thread { return elements[i]; }
	int which() const { return 1; }
	int which() { return 2; }
	T elements[N];
};
constant Table<int, 3> known = {{7, 8, 9}};
Table<int, 3> make(int x) { return {{x, 2 * x, 3 * x}}; }
int f(int x) {
	const Table<int, 3> fixed = make(x);
	return make(x)[x & 1] + Table<int, 3>{1, 2, 3}[2] * 10 + known[1] * 100 + fixed[2] + make(1).which() * 1000 +
		fixed.which() * 10000;
}`, func(x int32) int32 {
			return x*(1+x&1) + 30 + 800 + 3*x + 2000 + 10000
		}},
		{"large variables that begin as zeros", `
struct Big { bool on[3000]; short s[2000]; };
int f(int x) {
	Big b = {};
	int r = 0;
	for (int i = 0; i < 2; i++) {
		Big c{};
		array<int, 1500> d = {5, x};
		r += c.on[2999] + c.s[1999] + d[0] + d[1] + d[1499];
		c.on[2999] = true; c.s[1999] = 3; d[1499] = 100;
		b.s[i] += 2;
	}
	return r + b.s[0] + b.s[1] + b.s[2];
}`, func(x int32) int32 {
			return 2*(5+x) + 4
		}},
	})
}

func TestLambdasWithValuesOfTheirOwn(t *testing.T) {
	runClassCases(t, []classCase{
		{"values that change", `
template <typename F> int refer(thread F& f) { return f(); }
template <typename F> int apply(F f) { return f() + f(); }
int f(int x) {
	int t[2] = {1, x};
	auto next = [x]() mutable { return x += 3; };
	auto grow = [n = x, t]() mutable { n *= 2; t[0] += 5; return n + t[0]; };
	int s = next() + refer(next) * 10 + next() * 100 + x;
	s += grow() * 1000; s += grow();
	for (int i = 0; i < 2; i++) { auto each = [i]() mutable { return i++; }; s += each(); s += each() * 7; }
	return s + t[0] + apply([v = x]() mutable { return ++v; });
}`, func(x int32) int32 {
			return (x + 3) + (x+6)*10 + (x+9)*100 + x + (2*x+6)*1000 + 4*x + 11 + 7 + 1 + 14 + 1 + 2*x + 3
		}},
		{"initial values, copies and references", `
struct P { int a; int w[2]; };
template <typename F> int twice(F g, int x) { return g(x) + g(x + 1); }
int f(int x) {
	int n = x, m = 2;
	P p = {x, {3, 4}};
	int t[3] = {5, 6, x};
	auto g = [k = n * 2, n, p, &r = m, t, q = float2(1.5f, n)](int y) {
		return k + n * 10 + p.a * 100 + p.w[1] + r * 1000 + t[2] + int(q.x * 2 + q.y) + y;
	};
	n = 50; m = 7; p.a = 60; p.w[1] = 70; t[2] = 80;
	int s = g(1) + twice(g, 2);
	for (int i = 0; i < 3; i++) {
		auto h = [i, twice_i{i * 2}] { return i + twice_i; };
		i += 0;
		s += h() * (i + 1);
	}
	auto outer = [v = s](int z) {
		auto inner = [w = v + z, z] { return w * 2 + z; };
		z += 100;
		return inner() + z;
	};
	s = 1;
	return outer(3) + [j = s + x] { return j; }() + (x > 0 ? [c = x * 3]() { return c; }() : 0);
}`, func(x int32) int32 {
			g := func(y int32) int32 { return 2*x + 10*x + 100*x + 4 + 7000 + x + 3 + x + y }
			s := g(1) + g(2) + g(3)
			for i := range int32(3) {
				s += 3 * i * (i + 1)
			}
			r := (s+3)*2 + 3 + 103 + 1 + x
			if x > 0 {
				r += 3 * x
			}
			return r
		}},
	})
}
