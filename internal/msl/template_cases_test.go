package msl

import (
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// templatePrelude begins the one kernel of these tests.
func templateSource(declarations, body string) string {
	return "#include <metal_stdlib>\nusing namespace metal;\n" + declarations +
		"\nkernel void k(device float* out [[buffer(0)]], device const float* in [[buffer(1)]], uint tid " +
		"[[thread_position_in_grid]]) {\n" + body + "\n}\n"
}

// instanceTests are declarations and statements that use them, with what is made of
// the statements and of the functions that they call.
var instanceTests = []struct{ name, declarations, body, want string }{
	{"methods",
		`struct S { int n; int get() const { return n; } void set(int x) { n = x; } thread int& ref() { return n; } static ` +
			`int zero() { return 0; } int twice() const { return 2 * get(); } };
int read(S s) { return s.get(); }`, `S s{3};
s.set(s.get() + S::zero());
s.ref() = 4;
s.ref()++;
out[0] = read(s) + s.twice();
thread const S* p = &s;
out[1] = p->get();`, `s<S addressed> = S{3:int}
S::set(s, (S::get(s) + S::zero()))
*S::ref(s) = 4:int
*S::ref(s)++
out[0:int] = float((read(s) + S::twice(s)))
p<thread const S*> = thread const S*(&s)
out[1:int] = float(S::get(*p))
S::set(this S&, x int) void { this.n = x }
S::get(this const S&) int { return this.n }
S::zero() int { return 0:int }
S::ref(this S& addressed) thread int* { return &this.n }
read(s S) int { return S::get(s) }
S::twice(this const S&) int { return (2:int * S::get(this)) }`},
	{"methods by const and address space",
		`struct S { float v; float get() { return v; } float get() const { return v + 1; } float get() const device { ` +
			`return v + 2; } float get() constant { return v + 3; } };
constant S fixed = {1};`, `S s{1};
const S c{2};
out[0] = s.get();
out[1] = c.get();
out[2] = (*(device const S*)in).get();
out[3] = fixed.get();`, `s<S> = S{1:float}
c<const S> = S{2:float}
out[0:int] = S::get(s)
out[1:int] = S::get(c)
out[2:int] = S::get(*device const S*(in))
out[3:int] = S::get(fixed)
S::get(this S&) float { return this.v }
S::get(this const S&) float { return (this.v + 1:float) }
S::get(this device const S&) float { return (this.v + 2:float) }
S::get(this constant const S&) float { return (this.v + 3:float) }`},
	{"constructors", `struct B { int n; B(int x) : n(x) {} };
struct S : B { float f; int k = 7; S(int x, float y = 2) : B(x + 1), f(y) { k += x; } S() : S(1) {} explicit S(bool ` +
		`b) : B(0), f(b) {} };`, `S a(1);
S b{1, 3.0f};
S c;
S d = S(true);
S e = {2, 3};
S f = a;
out[0] = f.n + f.f + f.k;`, `a<S> = S::S(1:int, 2:float)
b<S> = S::S(1:int, 3:float)
c<S> = S::S()
d<S> = S::S(true:bool)
e<S> = S::S(2:int, 3:float)
f<S> = a
out[0:int] = ((float(f..n) + f.f) + float(f.k))
S::S(x int, y float) S { this<S>; this. = B::B((x + 1:int)); this.f = y; this.k = 7:int; this.k += x in int; return ` +
		`this }
B::B(x int) B { this<B>; this.n = x; return this }
S::S() S { this<S> = S::S(1:int, 2:float); return this }
S::S(b bool) S { this<S>; this. = B::B(0:int); this.f = float(b); this.k = 7:int; return this }`},
	{"conversions",
		`struct H { ushort bits; H(float x) : bits(ushort(x)) {} operator float() const { return float(bits); } explicit ` +
			`operator bool() const { return bits != 0; } };
float take(float x) { return x; }
H give(H h) { return h; }`, `H h = 1.5f;
out[0] = h;
out[1] = take(h) + h * 2;
h = 2;
if (h) h = give(3.0f);
float4 v = float4(h);`, `h<H> = H::H(1.5:float)
out[0:int] = H::operator float(h)
out[1:int] = (take(H::operator float(h)) + (H::operator float(h) * 2:float))
h = H::H(2:float)
if H::operator bool(h) h = give(H::H(3:float))
v<float4> = float4(H::operator float(h))
H::H(x float) H { this<H>; this.bits = ushort(x); return this }
H::operator float(this const H&) float { return float(this.bits) }
take(x float) float { return x }
H::operator bool(this const H&) bool { return (int(this.bits) != 0:int):bool }
give(h H) H { return h }`},
	{"operators", `struct C { float re, im; };
C operator+(C a, C b) { return {a.re + b.re, a.im + b.im}; }
C operator*(C a, float b) { return C{a.re * b, a.im * b}; }
C operator-(C a) { return {-a.re, -a.im}; }
thread C& operator+=(thread C& a, C b) { a.re += b.re; return a; }
bool operator==(C a, C b) { return a.re == b.re; }
struct M { float v[4]; thread float& operator[](int i) { return v[i]; } float operator()(int i, int j) const { ` +
		`return v[2 * i + j]; } friend bool operator<(M a, M b) { return a.v[0] < b.v[0]; } friend float first(M m) { ` +
		`return m.v[0]; } };`, `C a{1, 2};
C b = a + a * 2 + -a;
b += a;
out[0] = b == a;
M m;
m[1] = b.re;
out[1] = m(0, 1);
out[2] = m < m;
out[3] = first(m);`, `a<C> = C{1:float, 2:float}
b<C addressed> = operator+(operator+(a, operator*(a, 2:float)), operator-(a))
*operator+=(b, a)
out[0:int] = float(operator==(b, a))
m<M addressed>
*M::operator[](m, 1:int) = b.re
out[1:int] = M::operator()(m, 0:int, 1:int)
out[2:int] = float(operator<(m, m))
out[3:int] = first(m)
operator+(a C, b C) C { return C{(a.re + b.re), (a.im + b.im)} }
operator*(a C, b float) C { return C{(a.re * b), (a.im * b)} }
operator-(a C) C { return C{-a.re, -a.im} }
operator+=(a C& addressed, b C) thread C* { a.re += b.re in float; return &a }
operator==(a C, b C) bool { return (a.re == b.re):bool }
M::operator[](this M& addressed, i int) thread float* { return &this.v[i] }
M::operator()(this const M&, i int, j int) float { return this.v[((2:int * i) + j)] }
operator<(a M, b M) bool { return (a.v[0:int] < b.v[0:int]):bool }
first(m M) float { return m.v[0:int] }`},
	{"references as results and parameters", `template <typename T> thread T& at(thread T* p, int i) { return p[i]; }
template <typename T> void swap(thread T& a, thread T& b) { T c = a; a = b; b = c; }
device float& place(device float* p, uint i) { return p[i]; }`, `float x[2] = {1, 2};
at(x, 0) = 3;
swap(x[0], x[1]);
place(out, tid) += x[0];
thread float& r = at(x, 1);
r = 5;`, `x<float[2] addressed> = float[2]{1:float, 2:float}
*at<float>(decay(x), 0:int) = 3:float
swap<float>(x[0:int], x[1:int])
*place(out, tid) += x[0:int] in float
r<float&> = *at<float>(decay(x), 1:int)
r = 5:float
at<float>(p thread float*, i int) thread float* { return &p[i] }
swap<float>(a float&, b float&) void { c<float> = a; a = b; b = c }
place(p device float*, i uint) device float* { return &p[i] }`},
	{"lambdas", `template <typename F> float apply(F f, float x) { return f(x) + f(x + 1); }`, `float k = 2;
auto add = [&](float x) { k += 1; return x + k; };
auto scale = [=](auto x) -> float { return x * 3; };
out[0] = add(1);
out[1] = scale(2) + scale(2.0f);
out[2] = apply(add, 1);
auto none = [](int x) { if (x > 0) return 1; return 2; };
out[3] = none(1);`, `k<float> = 2:float
add<<lambda at a.metal:6:12>> = <lambda at a.metal:6:12>{}
scale<<lambda at a.metal:7:14>> = <lambda at a.metal:7:14>{}
out[0:int] = lambda(1:float)
out[1:int] = (lambda(2:int) + lambda(2:float))
out[2:int] = apply<<lambda at a.metal:6:12>>(add, 1:float)
none<<lambda at a.metal:11:13>> = <lambda at a.metal:11:13>{}
out[3:int] = float(lambda(1:int))
lambda(x float) float { k += 1:float in float; return (x + k) }
lambda(x int) float { return float((x * 3:int)) }
lambda(x float) float { return (x * 3:float) }
apply<<lambda at a.metal:6:12>>(f <lambda at a.metal:6:12>, x float) float { return (lambda(x) + lambda((x + ` +
		`1:float))) }
lambda(x float) float { k += 1:float in float; return (x + k) }
lambda(x int) int { if (x > 0:int):bool return 1:int; return 2:int }`},
	{"auto results", `auto half_of(int x) { return x / 2.0f; }
template <typename T> auto twice_of(T x) -> decltype(x + x) { return x + x; }
auto nothing(thread float& x) { x = 1; }`, `auto x = half_of(3);
auto y = twice_of(short(3));
nothing(x);`, `x<float> = half_of(3:int)
y<int> = twice_of<short>(3:short)
nothing(x)
half_of(x int) float { return (float(x) / 2:float) }
twice_of<short>(x short) int { return (int(x) + int(x)) }
nothing(x float&) void { x = 1:float }`},
	{"function templates",
		`template <typename T, int N> T sum(thread const T (&x)[N]) { T s = 0; for (int i = 0; i < N; i++) s += x[i]; ` +
			`return s; }
template <typename T> T load(device const T* p, uint i) { return p[i]; }
template <typename To, typename From> To cast(From x) { return static_cast<To>(x); }
template <int N, typename T> T times(T x) { return N * x; }
template <float (*f)(float)> float call(float x) { return f(x); }
float square(float x) { return x * x; }
template <typename T> T only(T x) { if constexpr (is_same_v<T, int>) { return x + 1; } else if constexpr (sizeof(T) ` +
			`== 2) return x; else { return T(undefined_elsewhere(x)); } }`, `float a[3] = {1, 2, 3};
out[0] = sum(a) + load(in, tid);
out[1] = cast<int>(2.5f) + times<3>(1.5f);
out[2] = call<square>(2);
out[3] = only(1) + only(half(1));`, `a<float[3]> = float[3]{1:float, 2:float, 3:float}
out[0:int] = (sum<float, 3>(a) + load<float>(in, tid))
out[1:int] = (float(cast<int, float>(2.5:float)) + times<3, float>(1.5:float))
out[2:int] = call<square>(2:float)
out[3:int] = float((half(only<int>(1:int)) + only<half>(1:half)))
sum<float, 3>(x const float[3]&) float { s<float> = 0:float; loop (i<int> = 0:int; (i < 3:int):bool; i++) s += x[i] ` +
			`in float; return s }
load<float>(p device const float*, i uint) float { return p[i] }
cast<int, float>(x float) int { return int(x) }
times<3, float>(x float) float { return (3:float * x) }
call<square>(x float) float { return square(x) }
square(x float) float { return (x * x) }
only<int>(x int) int { { { return (x + 1:int) } } }
only<half>(x half) half { { { return x } } }`},
	{"class templates",
		`template <typename T, int R, int C> struct Tile { T v[R][C]; static constexpr constant int count = R * C; void ` +
			`fill(T x) { for (short i = 0; i < R; i++) for (short j = 0; j < C; j++) v[i][j] = x; } template <typename U> ` +
			`Tile<U, R, C> to() const { Tile<U, R, C> t; t.fill(U(v[0][0])); return t; } thread T& at(int i, int j) { return ` +
			`v[i][j]; } };
template <typename T> using Square = Tile<T, 2, 2>;`, `Square<float> t;
t.fill(1);
t.at(0, 1) = 2;
auto h = t.to<half>();
out[0] = h.v[1][1] + Square<float>::count;
float w[decltype(t)::count];`, `t<Tile<float, 2, 2> addressed>
Tile<float, 2, 2>::fill(t, 1:float)
*Tile<float, 2, 2>::at(t, 0:int, 1:int) = 2:float
h<Tile<half, 2, 2>> = Tile<float, 2, 2>::to<half>(t)
out[0:int] = float((h.v[1:int][1:int] + 4:half))
w<float[4]>
Tile<float, 2, 2>::fill(this Tile<float, 2, 2>&, x float) void { loop (i<short> = 0:short; (int(i) < 2:int):bool; ` +
			`i++) loop (j<short> = 0:short; (int(j) < 2:int):bool; j++) this.v[int(i)][int(j)] = x }
Tile<float, 2, 2>::at(this Tile<float, 2, 2>& addressed, i int, j int) thread float* { return &this.v[i][j] }
Tile<float, 2, 2>::to<half>(this const Tile<float, 2, 2>&) Tile<half, 2, 2> { t<Tile<half, 2, 2>>; Tile<half, 2, ` +
			`2>::fill(t, half(this.v[0:int][0:int])); return t }
Tile<half, 2, 2>::fill(this Tile<half, 2, 2>&, x half) void { loop (i<short> = 0:short; (int(i) < 2:int):bool; i++) ` +
			`loop (j<short> = 0:short; (int(j) < 2:int):bool; j++) this.v[int(i)][int(j)] = x }`},
	{"names found by their arguments", `struct G { float x; };
G operator*(G a, G b) { return {a.x * b.x}; }
float name(G g) { return g.x; }
namespace n {
struct H { int x; };
int operator*(H a, H b) { return 1; }
int name(H a) { return a.x; }
float f(G a) { return (a * a).x + name(a); }
}`, `out[0] = n::f(G{in[0]}) + name(n::H{1});`, `out[0:int] = (n::f(G{in[0:int]}) + float(n::name(n::H{1:int})))
n::f(a G) float { return (operator*(a, a).x + name(a)) }
operator*(a G, b G) G { return G{(a.x * b.x)} }
name(g G) float { return g.x }
n::name(a n::H) int { return a.x }`},
	{"members of bases",
		`template <typename T> struct Base { T x; T get() const { return x; } T get() const device { return x; } static ` +
			`constexpr constant int size = sizeof(T); };
template <typename T> struct Derived : Base<T> { T y; T sum() const { return this->x + y + this->get() + ` +
			`Base<T>::size; } };
struct Leaf : Derived<float> { };
float read(Base<float> b) { return b.x; }
void set(thread Base<float>& b) { b.x = 3; }
void put(device Base<float>* b) { b->x = 4; }`, `Leaf l;
l.x = 1;
l.y = 2;
out[0] = l.sum() + read(l);
set(l);
put((device Leaf*)out);
device Leaf* leaf = (device Leaf*)out;
device const Base<float>* first = leaf;
out[1] = first->get();`, `l<Leaf>
l...x = 1:float
l..y = 2:float
out[0:int] = (Derived<float>::sum(l.) + read(l..))
set(l..)
put(&*device Leaf*(out)..)
leaf<device Leaf*> = device Leaf*(out)
first<device const Base<float>*> = &*leaf..
out[1:int] = Base<float>::get(*first)
Derived<float>::sum(this const Derived<float>&) float { return (((this..x + this.y) + Base<float>::get(this.)) + ` +
			`4:float) }
Base<float>::get(this const Base<float>&) float { return this.x }
read(b Base<float>) float { return b.x }
set(b Base<float>&) void { b.x = 3:float }
put(b device Base<float>*) void { *b.x = 4:float }
Base<float>::get(this device const Base<float>&) float { return this.x }`},
	{"statements", `struct S { int a; float b; };`, `auto [i, f] = S{1, 2};
int x = 3;
while (int y = x) { x--; if (y == 2) continue; out[y] = f; }
switch (int z = x + i; z) { case 1: out[0] = z; break; default: break; }
if (int w = x; w > 0) out[1] = w;`, `<i, f><S> = S{1:int, 2:float}
i<int&> = <i, f>.a
f<float&> = <i, f>.b
x<int> = 3:int
loop (; ; ) { y<int> = x; if !bool(y) break; { x--; if (y == 2:int):bool continue; out[y] = f } }
{ z<int> = (x + i); switch z { case 1: out[0:int] = float(z); break; case default: break; } }
{ w<int> = x; if (w > 0:int):bool out[1:int] = float(w) }`},
	{"simd-group matrices",
		`template <typename T> void scale(thread simdgroup_matrix<T, 8, 8>& m, T k) { m.thread_elements()[0] *= k; }`,
		`simdgroup_float8x8 m(0);
thread auto& e = m.thread_elements();
e[0] = 1;
e.y = 2;
reinterpret_cast<thread float2&>(m.thread_elements()) = float2(3);
float2 v = m.thread_elements();
scale(m, 2.0f);`,
		`m<simdgroup_matrix<float, 8, 8>> = metal::simdgroup_matrix_diagonal(0:float):simdgroup_matrix<float, 8, 8>
e<float2&> = elements(m)
e[0:int] = 1:float
e.y = 2:float
elements(m) = float2(3:float)
v<float2> = elements(m)
scale<float>(m, 2:float)
scale<float>(m simdgroup_matrix<float, 8, 8>&, k float) void { elements(m)[0:int] *= k in float }`},
	{"casts to references", ``, `float x = 1;
reinterpret_cast<thread uint&>(x) |= 1;
(thread uint&)x = 2;
reinterpret_cast<device uint&>(out[0]) = 3;
out[1] = reinterpret_cast<thread const float&>(x);`, `x<float addressed> = 1:float
*thread uint*(&x) |= 1:uint in uint
*thread uint*(&x) = 2:uint
*device uint*(&out[0:int]) = 3:uint
out[1:int] = *thread const float*(&x)`},
	{"the library's insides", ``,
		`out[0] = __metal_exp(in[0], __METAL_FAST_MATH__) + __metal_fmax(in[0], 1.0f, __METAL_PRECISE_MATH__);
constexpr int k = __builtin_ctz(8) + __builtin_clz(1u) + __builtin_popcount(7);
const uniform<int> u = make_uniform(k);
threadgroup float zeros[4] = {0};
out[1] = __metal_get_simdgroup_size(ushort());`,
		`out[0:int] = (metal::fast::exp(in[0:int]) + metal::precise::fmax(in[0:int], 1:float))
u<const int> = 37:int
loop (<index><int> = 0:int; (<index> < 4:int):bool; ++<index>) { zeros[<index>] = 0:float }
out[1:int] = float(metal::threads_per_simdgroup():ushort)`},
	{"initial values that use other fields", `struct N { int n; int twice = 2 * n; int more = twice + 1; };`, `N a{3};
N b{3, 4};`, `a<N> = N(3:int)
b<N> = N(3:int, 4:int)
N(n int) N { this<N>; this.n = n; this.twice = (2:int * this.n); this.more = (this.twice + 1:int); return this }
N(n int, twice int) N { this<N>; this.n = n; this.twice = twice; this.more = (this.twice + 1:int); return this }`},
	{"a function that ends with itself", `void count(int n, thread int& x) { if (n > 0) { x += n; count(n - 1, x); } }`,
		`int x = 0;
count(3, x);`, `x<int> = 0:int
count(3:int, x)
count(n int, x int&) void { loop (; ; ) { if (n > 0:int):bool { x += n in int; <next n><int> = (n - 1:int); n = ` +
			`<next n>; continue }; break } }`},
}

func TestInstances(t *testing.T) {
	for _, tt := range instanceTests {
		t.Run(tt.name, func(t *testing.T) {
			p := mustAnalyze(t, templateSource(tt.declarations, tt.body))
			fn, errs := p.Body(onlyKernel(t, p))
			if errs != nil {
				t.Fatalf("unexpected errors:\n%v", errs)
			}
			var lines []string
			for _, s := range fn.Body.List {
				lines = append(lines, tree.Line(s))
			}
			for _, f := range calledBy(fn) {
				lines = append(lines, printFunc(f))
			}
			if got := strings.Join(lines, "\n"); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
