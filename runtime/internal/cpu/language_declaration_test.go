package cpu

import (
	"math"
	"strconv"
	"testing"
)

// TestDeclarations has the forms in which public sources declare things that are rare elsewhere, and their like.
func TestDeclarations(t *testing.T) {
	runClassCases(t, []classCase{
		{"attributes between the words of a declaration", `
struct __attribute__((aligned(32))) Wide { char c; };
struct Near { char c; __attribute__((aligned(8))) char d; char e __attribute__((aligned(4))); };
struct __attribute__((packed)) Tight { char c; int i; short s; };
struct Mixed { char c; int i __attribute__((packed)); };
constant __attribute__((aligned(16))) int table[2] = {3, 4};
int g(__attribute__((unused)) int a, const __attribute__((unused)) thread int* p) { return *p; }
int f(int x) {
	const __attribute__((unused)) int a = x;
	__attribute__((unused)) int b = 2;
	int __attribute__((unused)) c = 3;
	thread int* __attribute__((unused)) p = &c;
	int [[maybe_unused]] d = 4;
	int e [[maybe_unused]] = 5, h __attribute__((unused)) = 6;
	return a + b + *p + d + e + h + g(1, &a) + sizeof(Wide) + sizeof(Near) * 100 + sizeof(Tight) * 1000 +
		sizeof(Mixed) * 10000 + table[1];
}`, func(x int32) int32 { return 2*x + 20 + 32 + 1600 + 7000 + 50000 + 4 }},
		{"braces as columns of a matrix", `
int f(int x) {
	float2x2 a({1, 2}, {3, float(x)}), b = {{1, 2}, float2(3, x)}, c{float2(1, 2), {3, float(x)}};
	float2x2 d = float2x2({1, 2}, float2(3, x)), e = float2x2({{1, 2}, {3, float(x)}});
	float2x2 list[1] = {{{1, 2}, {3, float(x)}}};
	float2x2 sum = a + b + c + d + e + list[0];
	return sum[0][0] + sum[0][1] * 10 + sum[1][0] * 100 + sum[1][1] * 1000;
}`, func(x int32) int32 { return 6 + 120 + 1800 + 6000*x }},
		{"a matrix divided by a scalar", `
int f(int x) {
	float2x3 m = float2x3(2, 4, 6, 8, 10, float(2 * x)), n = m;
	n /= 2;
	float2x3 both = m / 2.0f + n + (m + m) / 4;
	return both[0][0] + both[0][1] * 10 + both[0][2] * 100 + both[1][0] * 1000 + both[1][1] * 10000 + both[1][2] * 100000;
}`, func(x int32) int32 { return 3*(1+20+300+4000+50000) + 300000*x }},
		{"vectors of more than four elements", `
typedef int int8v __attribute__((ext_vector_type(8)));
using half16v = half __attribute__((ext_vector_type(16)));
typedef __attribute__((ext_vector_type(6))) short short6v;
int8v twice(int8v v) { return v + v; }
int f(int x) {
	int8v v = x, w = {0, 1, 2, 3, 4, 5, 6, 7};
	v = twice(v) + w * 10;
	half16v h;
	for (int i = 0; i < 16; i++) h[i] = half(i);
	short6v s = short6v(7);
	int8v low = v.s01234567;
	int total = v[7] + int(h[15]) * 100 + s[5] * 10000 + low.s3 + v.lo.x + w.hi.w + w.even.y + w.odd.z;
	return total + sizeof(int8v) + sizeof(short6v) + sizeof(half16v);
}`, func(x int32) int32 { return 2*x + 70 + 1500 + 70000 + 2*x + 30 + 2*x + 7 + 2 + 5 + 32 + 16 + 32 }},
		{"names of the library in a namespace of the source", `
namespace m { using metal::clamp; using metal::numeric_limits; using metal::vec; namespace n { using metal::max; } }
namespace w { using namespace metal; inline int abs(int x) { return 1000; } }
namespace b = m::n;
namespace c = metal;
namespace q { int g(int x) { return m::clamp(x, 0, 5) + b::max(x, 2) + w::min(x, 3) + w::abs(x) + c::max(x, 1); } }
int f(int x) {
	m::vec<int, 2> v = 3;
	return q::g(x) + v.y + (m::numeric_limits<uchar>::max() == 255 ? 7 : 0);
}`, func(x int32) int32 { return min(max(x, 0), 5) + max(x, 2) + min(x, 3) + 1000 + max(x, 1) + 3 + 7 }},
		{"specialisations of overloaded templates", `
template <typename T> T get(thread const int* p, int x) { return T(1); }
template <> int2 get<int2>(thread const int* p, int x) { return int2(2); }
template <typename T> T get(constant int* p, uint x) { return T(3); }
template <> int2 get<int2>(constant int* p, uint x) { return int2(4); }
template <> short get(constant int* p, uint x) { return 5; }
constant int t[1] = {0};
int f(int x) {
	return get<int2>(&x, 1).x + get<int>(&x, 1) * 10 + get<int2>(t, 1u).x * 100 + get<int>(t, 1u) * 1000 +
		get<short>(t, 1u) * 10000;
}`, func(int32) int32 { return 2 + 10 + 400 + 3000 + 50000 }},
		{"templates of constructors", `
template <typename T> struct V {
	T x;
	V(T a) : x(a) {}
	template <typename U> V(V<U> o) : x(o.x) {}
	template <typename U> V(U a, V<U> b) : x(a * b.x) {}
};
template <typename T> struct W { T x; W(T a) : x(a) {} template <typename U> W(thread const W<U>& o) : x(o.x + 1) {} };
int take(V<float> v) { return v.x; }
int f(int x) {
	V<int> a(x);
	V<float> b = a, c(a), d{a}, e = V<float>(a);
	W<int> w(x);
	W<float> u = w;
	return b.x + c.x + d.x + e.x + take(a) + u.x + V<float>(2, a).x;
}`, func(x int32) int32 { return 5*x + x + 1 + 2*x }},
		{"sequences of integers", `
template <size_t... I> int total(index_sequence<I...>) { return (int(I) + ... + 0); }
template <typename T, T... I> int count(metal::integer_sequence<T, I...> s) { return s.size() * 10 + sizeof(T); }
template <typename... T> int types(T...) { return total(index_sequence_for<T...>{}); }
template <int N> int below() { return total(make_index_sequence<N>()); }
template <typename F, int... I> void each(F g, metal::integer_sequence<int, I...>) { (g(I), ...); }
int f(int x) {
	int n = 0;
	each([&](int i) { n += i * x; }, make_integer_sequence<int, 4>{});
	return n + total(make_index_sequence<5>{}) + count(make_integer_sequence<short, 3>{}) + types(1, 2.0f, 3u) +
		below<4>() + total(index_sequence<7, 8>{}) + below<0>() + int(make_index_sequence<9>::size()) +
		is_same<make_integer_sequence<int, 3>::value_type, int>::value;
}`, func(x int32) int32 { return 6*x + 10 + 32 + 3 + 6 + 15 + 9 + 1 }},
		{"static members with values outside of the class", `
struct P { int a; float b; };
struct L {
	int v;
	static const constant L low;
	static const constant int n;
	static constant const P pair;
	struct In { static const constant int deep; };
};
constexpr constant L L::low{.v = 5};
constant const int L::n = 7;
constant const P L::pair = {8, 9};
constant const int L::In::deep = 100;
namespace ns { struct S { static const constant int k; }; constant const int S::k = 1000; }
struct R { using type = L; static constant constexpr L first = L::low; };
template <typename Op> typename Op::type pick(bool b) { return b ? Op::first : Op::type::low; }
int f(int x) { return pick<R>(x > 2).v + L::n + L::pair.a + int(L::pair.b) + L::In::deep + ns::S::k; }`,
			func(int32) int32 { return 5 + 7 + 8 + 9 + 100 + 1000 }},
		{"constructors by address space", `
struct C {
	int a;
	constexpr C() : a(1) {}
	constexpr C() threadgroup : a(2) {}
	C(int x) thread : a(x) {}
	C(int x) device : a(-x) {}
};
int f(int x) { C c, d(x); return c.a + 10 * d.a; }`, func(x int32) int32 { return 1 + 10*x }},
		{"unions whose second field has a value", `
union V { uint u; float g = 2.0f; };
struct S { int n; union { uint w; float g = 3.0f; }; };
union W { uint u; float g = 2.0f; W() {} W(uint x) : u(x) {} };
int f(int x) {
	V a, b{}, c{7u}, d = {.g = 5.0f}, e[2];
	S s, t{}, q{1};
	W w, v(9u);
	return int(a.g + b.g + d.g + e[1].g + s.g + t.g + q.g + w.g) + c.u + v.u;
}`, func(int32) int32 { return 2 + 2 + 5 + 2 + 3 + 3 + 3 + 2 + 7 + 9 }},
		{"more than 64 KB of variables", `
int f(int x) {
	int m[130 * 130];
	for (int i = 0; i < 130; i++) m[i * 131] = i * x;
	return m[131 * 129];
}`, func(x int32) int32 { return 129 * x }},
	})
}

// TestNumericLimits compares all members of numeric_limits with what C++ says of such formats (C++14 18.3.2.4), as
// section 6.1 of the specification does of the library's own.
func TestNumericLimits(t *testing.T) {
	type row struct {
		member                      string
		float, half, bfloat, int32_ float64
		uchar                       float64
	}
	inf := math.Inf(1)
	rows := []row{
		{"max()", math.MaxFloat32, 65504, 0x1.fep127, math.MaxInt32, 255},
		{"lowest()", -math.MaxFloat32, -65504, -0x1.fep127, math.MinInt32, 0},
		{"min()", 0x1p-126, 0x1p-14, 0x1p-126, math.MinInt32, 0},
		{"epsilon()", 0x1p-23, 0x1p-10, 0x1p-7, 0, 0},
		{"round_error()", 0.5, 0.5, 0.5, 0, 0},
		{"infinity()", inf, inf, inf, 0, 0},
		{"denorm_min()", 0x1p-149, 0x1p-24, 0x1p-133, 0, 0},
		{"is_specialized", 1, 1, 1, 1, 1},
		{"is_signed", 1, 1, 1, 1, 0},
		{"is_integer", 0, 0, 0, 1, 1},
		{"is_exact", 0, 0, 0, 1, 1},
		{"is_bounded", 1, 1, 1, 1, 1},
		{"is_modulo", 0, 0, 0, 0, 1},
		{"is_iec559", 1, 1, 1, 0, 0},
		{"has_infinity", 1, 1, 1, 0, 0},
		{"has_quiet_NaN", 1, 1, 1, 0, 0},
		{"has_signaling_NaN", 1, 1, 1, 0, 0},
		{"has_denorm_loss", 0, 0, 0, 0, 0},
		{"has_denorm", 1, 1, 1, 0, 0},
		{"round_style", 1, 1, 1, 0, 0},
		{"traps", 0, 0, 0, 0, 0},
		{"tinyness_before", 0, 0, 0, 0, 0},
		{"digits", 24, 11, 8, 31, 8},
		{"digits10", 6, 2, 2, 9, 2}, // of half that is HALF_DIG, which the specification says is 2
		{"max_digits10", 9, 5, 4, 0, 0},
		{"radix", 2, 2, 2, 2, 2},
		{"min_exponent", -125, -13, -125, 0, 0},
		{"max_exponent", 128, 16, 128, 0, 0},
		{"min_exponent10", -37, -4, -37, 0, 0},
		{"max_exponent10", 38, 4, 38, 0, 0},
	}
	types := []string{"float", "half", "bfloat", "int", "uchar"}
	source := "kernel void test(device float* out) {\n"
	for i, r := range rows {
		for j, typ := range types {
			source += "\tout[" + strconv.Itoa(len(types)*i+j) + "] = float(numeric_limits<" + typ + ">::" + r.member + ");\n"
		}
	}
	out := make([]float32, len(types)*len(rows))
	compute(t, source+"}", threads(1), out)
	for i, r := range rows {
		for j, want := range []float64{r.float, r.half, r.bfloat, r.int32_, r.uchar} {
			if got := out[len(types)*i+j]; got != float32(want) {
				t.Errorf("numeric_limits<%s>::%s is %v, want %v", types[j], r.member, got, want)
			}
		}
	}
}

// TestArgumentsOfProgram has arguments that variables of the program declare (MSL specification 5.9), which functions
// and methods use too. Kernels take those that they mention, after their own.
func TestArgumentsOfProgram(t *testing.T) {
	const n = 70
	in, out, extra := make([]float32, n), make([]float32, n), []float32{0.5}
	for i := range in {
		in[i] = float32(i)
	}
	compute(t, `
uint3 tid [[thread_position_in_grid]];
const ushort lane [[thread_index_in_simdgroup]];
constant float& constant by [[buffer(2)]];
device float* constant out [[buffer(1)]];
uint unused [[threads_per_grid]];
static float scaled() { return by * lane; }
namespace q {
	uint size [[threads_per_threadgroup]];
	template <typename T> T below(T n) { return n < 1 ? T(tid.x + size) : below(n - 1) + 1; }
}
struct Context { float get() { return scaled() + tid.x; } };
kernel void test(device const float* in [[buffer(0)]]) {
	auto f = [](float x) { return x * tid.x; };
	Context c;
	if (tid.x % 2 == 0) out[tid.x] = c.get() + f(in[tid.x]) + q::below(lane % 3) * 10000;
}
kernel void other(device float* o, uint tid [[thread_position_in_threadgroup]]) { o[tid] = scaled(); }`,
		threads(n), in, out, extra)
	for i, got := range out {
		want := float32(0)
		if i%2 == 0 {
			want = 0.5*float32(i%32) + float32(i) + float32(i*i) + float32(i+n+i%32%3)*10000
		}
		if got != want {
			t.Errorf("out[%d] is %v, want %v", i, got, want)
		}
	}
}
