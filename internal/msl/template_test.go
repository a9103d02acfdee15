package msl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// templateChoices asserts which specialisations, overloads and values the language
// chooses. Clang agrees with all of it.
const templateChoices = `#include <metal_stdlib>
using namespace metal;

// partial and explicit specialisations
template <typename T> struct kind { enum { value = 0 }; };
template <typename T> struct kind<device T*> { enum { value = 1 }; };
template <typename T> struct kind<device const T*> { enum { value = 2 }; };
template <typename T, int N> struct kind<vec<T, N>> { enum { value = 10 + N }; };
template <typename T> struct kind<vec<T, 4>> { enum { value = 20 }; };
template <> struct kind<float4> { enum { value = 21 }; };
template <typename T, int N> struct kind<T[N]> { static constexpr constant int value = 30 + N; };
template <> struct kind<half> { static constant constexpr const int value = 40; };
template <typename T> constexpr constant int kind_v = kind<T>::value;

template <typename T, typename U> struct pair { T a; U b; };
template <typename T, typename U> struct match { static constexpr constant int value = 0; };
template <typename T> struct match<T, T> { static constexpr constant int value = 1; };
template <typename T, typename U> struct match<pair<T, U>, T> { static constexpr constant int value = 2; };
template <template <typename, typename> class C> struct apply { using type = C<int, float>; };

// enable_if
template <typename T, typename = void> struct has_type { static constexpr constant bool value = false; };
template <typename T> struct has_type<T, enable_if_t<sizeof(typename T::type) != 0>> { static constexpr constant ` +
	`bool value = true; };
struct typed { using type = float; };
struct untyped {};
template <typename T> constexpr enable_if_t<is_integral_v<T> & !is_signed_v<T>, int> sort(T) { return 1; }
template <typename T> constexpr enable_if_t<is_integral_v<T> && is_signed_v<T>, int> sort(T) { return 2; }
template <typename T, typename = enable_if_t<is_floating_point<T>::value>> constexpr int sort(T) { return 3; }

// overloads and partial ordering
constexpr int which(int) { return 1; }
constexpr int which(float) { return 2; }
template <typename T> constexpr int which(T) { return 3; }
template <typename T> constexpr int which(vec<T, 2>) { return 4; }
template <typename T, int N> constexpr int which(vec<T, N>) { return 5; }
template <typename T> constexpr int which(pair<T, T>) { return 6; }
template <typename T, typename U> constexpr int which(pair<T, U>) { return 7; }
constexpr int small(char) { return 1; }
constexpr int small(long) { return 2; }
constexpr int small(float) { return 3; }
constexpr int promoted(int) { return 1; }
constexpr int promoted(short) { return 2; }
constexpr int promoted(uint) { return 3; }
constexpr int many(float, float = 2, int = 3) { return 1; }
constexpr int many(int, int, int) { return 2; }
template <typename T> constexpr int explicitly(T) { return 1; }
template <> constexpr int explicitly<float>(float) { return 2; }
template <> constexpr int explicitly(half) { return 3; }

// recursion of constants
template <int N> struct factorial { static constexpr constant int value = N * factorial<N - 1>::value; };
template <> struct factorial<0> { static constexpr constant int value = 1; };
constexpr int log2_of(int n) { int k = 0; while (n > 1) { n /= 2; ++k; } return k; }
constexpr int sum_to(int n) { int s = 0; for (int i = 1; i <= n; i++) { if (i == 3) continue; s += i; } return s; }
constexpr int pick(bool b) { if (b) return 1; else return 2; }
template <typename T, T v> struct constant_of { static constexpr constant T value = v; constexpr operator T() const ` +
	`{ return v; } };
template <int N> using number = constant_of<int, N>;
template <typename T, T a, typename U, U b> constexpr auto operator+(constant_of<T, a>, constant_of<U, b>) { return ` +
	`constant_of<decltype(a + b), a + b>{}; }
enum class Mode : uchar { Off, On = 4 };
template <Mode M> struct mode { static constexpr constant bool on = M == Mode::On; };
constexpr constant int table[4] = {2, 3, 5, 7};
struct Point { int x; int y; };
constexpr constant Point origin[2] = {{1, 2}, {3, 4}};
template <typename T, int K = sizeof(T) * 2, typename U = vec<T, 4>> struct defaults { using type = U; static ` +
	`constexpr constant int size = K; };
template <typename T> struct outer { template <int N> struct inner { using type = T[N]; static constexpr constant ` +
	`int n = N; }; };
template <typename T> struct base { using type = T; static constexpr constant int seven = 7; };
template <typename T> struct derived : base<T> { using own = typename base<T>::type; static constexpr constant int ` +
	`eight = base<T>::seven + 1; };
template <typename T> struct limits_of { static constexpr constant T big = numeric_limits<T>::max(); };

template <typename T> constexpr T fold_back(T x) { return x; }
template <typename T, int N> constexpr int length_of(thread const T (&)[N]) { return N; }
template <typename R, typename T> constexpr R cast_to(T x) { return R(x); }

kernel void k(device float* out [[buffer(0)]]) {
  static_assert(kind_v<int> == 0, "");
  static_assert(kind<device float*>::value == 1, "");
  static_assert(kind<device const float*>::value == 2, "");
  static_assert(kind<half2>::value == 12, "");
  static_assert(kind<half4>::value == 20, "");
  static_assert(kind<float4>::value == 21, "");
  static_assert(kind<int[5]>::value == 35, "");
  static_assert(kind_v<half> == 40, "");
  static_assert(match<int, float>::value == 0, "");
  static_assert(match<int, int>::value == 1, "");
  static_assert(match<pair<int, half>, int>::value == 2, "");
  static_assert(match<pair<int, half>, half>::value == 0, "");
  static_assert(is_same_v<apply<pair>::type, pair<int, float>>, "");
  static_assert(has_type<typed>::value && !has_type<untyped>::value && !has_type<int>::value, "");
  static_assert(sort(1u) == 1 && sort(1) == 2 && sort(1.0f) == 3 && sort(1.0h) == 3, "");
  static_assert(which(1) == 1 && which(1.0f) == 2 && which(1u) == 3 && which(half(1)) == 3, "");
  static_assert(which(float2(0)) == 4 && which(int3(0)) == 5, "");
  static_assert(which(pair<int, int>{1, 2}) == 6 && which(pair<int, half>{1, 2}) == 7, "");
  static_assert(promoted(char(1)) == 1 && promoted(short(1)) == 2 && promoted(ushort(1)) == 1 && promoted(true) == ` +
	`1, "");
  static_assert(many(1) == 1 && many(1, 2) == 1 && many(1, 2, 3) == 2, "");
  static_assert(explicitly(1) == 1 && explicitly(1.0f) == 2 && explicitly(1.0h) == 3, "");
  static_assert(factorial<5>::value == 120, "");
  static_assert(log2_of(256) == 8 && sum_to(5) == 12 && pick(false) == 2, "");
  static_assert(number<3>::value == 3 && number<3>() + number<4>() == 7, "");
  static_assert(decltype(number<3>() + number<4>())::value == 7, "");
  static_assert(mode<Mode::On>::on && !mode<Mode::Off>::on, "");
  static_assert(table[2] == 5 && origin[1].y == 4, "");
  static_assert(defaults<half>::size == 4 && defaults<half, 3>::size == 3, "");
  static_assert(is_same_v<defaults<half>::type, half4> && is_same_v<defaults<half, 1, int>::type, int>, "");
  static_assert(is_same_v<outer<float>::inner<3>::type, float[3]> && outer<int>::inner<9>::n == 9, "");
  static_assert(is_same_v<derived<half>::own, half> && derived<int>::eight == 8 && derived<int>::seven == 7, "");
  static_assert(limits_of<uchar>::big == 255 && limits_of<short>::big == 32767, "");
  static_assert(fold_back<float>(1) == 1.0f && cast_to<int>(2.5f) == 2, "");
  static_assert(is_same_v<decltype(fold_back<uchar>(1)), uchar> && is_same_v<decltype(cast_to<half>(1)), half>, "");
  static_assert(sizeof(pair<char, int>) == 8 && alignof(pair<char, float4>) == 16, "");
  static_assert(is_same_v<conditional_t<(sizeof(int) > 2), half, float>, half>, "");
  static_assert(is_same_v<remove_cv_t<const int>, int> && is_same_v<make_unsigned_t<short>, ushort>, "");
  int four[4];
  static_assert(length_of(four) == 4, "");
  constexpr int squares[3] = {1, 4, 9};
  static_assert(squares[2] == 9, "");
  constexpr Point p = {1, 2};
  static_assert(p.y == 2, "");
}
`

func TestTemplateChoices(t *testing.T) {
	p := mustAnalyze(t, templateChoices)
	if _, errs := p.Body(onlyKernel(t, p)); errs != nil {
		t.Errorf("unexpected errors:\n%v", errs)
	}
}

// instantiations has explicit instantiations in all forms.
const instantiations = `#include <metal_stdlib>
using namespace metal;
template <typename T> struct Params { T scale; uint n; };
enum Op { Add, Mul };
enum class Mode : uchar { Fast = 2, Safe };
struct block_q { half d; uchar qs[16]; };
void dequantize(device const block_q* b, short il, thread float4x4& m) { m = float4x4(float(b->d)); }
template <typename T> T twice(T x) { return x + x; }
template <typename T, int N = 4> [[kernel]] void rms(device const T* x [[buffer(0)]], device T* y [[buffer(1)]], ` +
	`constant Params<T>& p [[buffer(2)]], uint i [[thread_position_in_grid]]) { y[i] = x[i] * T(N) * p.scale; }
template <typename T, typename U, bool B> [[kernel, max_total_threads_per_threadgroup(sizeof(T) * 32)]] void ` +
	`cast(device const T* x, device U* y, threadgroup vec<T, 4>* s, uint i [[thread_position_in_grid]]) { y[i] = U(x[i]); }
template <typename block, short nl, void (*f)(device const block*, short, thread float4x4&)> kernel void get(device ` +
	`const block* x, device float* y) { float4x4 m; f(x, nl, m); y[0] = m[0][0]; }
template <Op op, Mode mode> kernel void enums(device float* x) { x[0] = float(op) + float(mode); }
template <typename T> kernel void same(device T* x) { x[0] = twice(x[0]); }
template <typename T> kernel void same(device T* x, constant uint& n) { x[n] = 0; }
typedef decltype(get<block_q, 1, dequantize>) get_t;
namespace lib { template <int N> kernel void scaled(device metal::conditional_t<(N > 2), half, float>* x) { x[0] = ` +
	`N; } }
#define instance(name, type, n) template [[host_name(#name "_" #type)]] [[kernel]] void rms<type, n>(device const ` +
	`type* x [[buffer(0)]], device type* y [[buffer(1)]], constant Params<type>& p [[buffer(2)]], uint i ` +
	`[[thread_position_in_grid]]);
#define both(name, n) instance(name, half, n) instance(name, float, n)

template [[host_name("rms_float")]] [[kernel]] void rms<float>(device const float* x [[buffer(0)]], device float* y ` +
	`[[buffer(1)]], constant Params<float>& p [[buffer(2)]], uint i [[thread_position_in_grid]]);
template [[host_name("rms_half_8")]] [[kernel]] decltype(rms<half, 8>) rms<half, 8>;
both(rms_macro, 2)
template [[host_name("cast_" "float" "_half")]] [[kernel]] decltype(cast<float, half, true>) cast<float, half, true>;
template [[host_name("get_q")]] kernel get_t get<block_q, 2, dequantize>;
template [[host_name("enums_1")]] kernel decltype(enums<Add, Mode::Fast>) enums<Mul, Mode::Safe>;
template [[host_name("same_1")]] kernel void same<float>(device float* x);
template [[host_name("same_2")]] kernel void same<float>(device float* x, constant uint& n);
template [[host_name("same_3")]] kernel void same(device int* x);
template [[host_name("scaled_4")]] kernel void lib::scaled<4>(device half* x);
template [[host_name("scaled_1")]] kernel decltype(lib::scaled<1>) lib::scaled<1>;
[[host_name("plain_name")]] kernel void plain(device float* x) { x[0] = 1; }
`

// instantiated is what they come to: parameters with types, and what the kernel is
// an instance of.
const instantiated = `rms_float(x device const float* 0, y device float* 1, p constant Params<float>& 2, i uint) of ` +
	`rms<float, 4>
rms_half_8(x device const half* 0, y device half* 1, p constant Params<half>& 2, i uint) of rms<half, 8>
rms_macro_half(x device const half* 0, y device half* 1, p constant Params<half>& 2, i uint) of rms<half, 2>
rms_macro_float(x device const float* 0, y device float* 1, p constant Params<float>& 2, i uint) of rms<float, 2>
cast_float_half(x device const float* 0, y device half* 1, s threadgroup float4* 0, i uint) of cast<float, half, ` +
	`true>, at most 128
get_q(x device const block_q* 0, y device float* 1) of get<block_q, 2, dequantize>
enums_1(x device float* 0) of enums<1, 3>
same_1(x device float* 0) of same<float>
same_2(x device float* 0, n constant uint& 1) of same<float>
same_3(x device int* 0) of same<int>
scaled_4(x device half* 0) of lib::scaled<4>
scaled_1(x device float* 0) of lib::scaled<1>
plain_name(x device float* 0)`

// An instantiation may leave arguments to defaults, whatever the parameters that use them are.
func TestInstantiationsWithDefaults(t *testing.T) {
	p := mustAnalyze(t, `
template <typename L, typename R = L> kernel void add(device L* d [[buffer(0)]], constant R& v [[buffer(1)]],
	device const R* w [[buffer(2)]]) { d[0] += L(v) + L(w[0]); }
template [[host_name("i")]] kernel void add<int>(device int*, constant int&, device const int*);
template [[host_name("if")]] kernel void add<int, float>(device int*, constant float&, device const float*);
template [[host_name("deduced")]] kernel void add(device half*, constant int&, device const int*);
template [[host_name("unsigned")]] kernel void add<int>(device int*, constant uint&, device const uint*);
template <typename T, int N = 4> kernel void fill(device T* d [[buffer(0)]], constant T (&v)[N] [[buffer(1)]]) { }
template [[host_name("f4")]] kernel void fill<float>(device float*, constant float (&)[4]);`)
	var lines []string
	for _, k := range p.Kernels {
		lines = append(lines, describeKernel(k)+resolve.ArgList(k.Args))
	}
	want := `i(d device int* 0, v constant int& 1, w device const int* 2)<int, int>
if(d device int* 0, v constant float& 1, w device const float* 2)<int, float>
deduced(d device half* 0, v constant int& 1, w device const int* 2)<half, int>
unsigned(d device int* 0, v constant uint& 1, w device const uint* 2)<int, uint>
f4(d device float* 0, v constant float[4]& 1)<float, 4>`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestInstantiations(t *testing.T) {
	p := mustAnalyze(t, instantiations)
	var lines []string
	for _, k := range p.Kernels {
		line := describeKernel(k)
		if k.Template != nil {
			line += " of " + k.Template.Name + resolve.ArgList(k.Args)
		}
		if k.MaxThreads > 0 {
			line += fmt.Sprint(", at most ", k.MaxThreads)
		}
		lines = append(lines, line)
		if _, errs := p.Body(k); errs != nil {
			t.Errorf("%s: unexpected errors:\n%v", k.Name, errs)
		}
	}
	if got := strings.Join(lines, "\n"); got != instantiated {
		t.Errorf("got\n%s\nwant\n%s", got, instantiated)
	}
}

// describeKernel writes a kernel with its parameters and their indexes.
func describeKernel(k *tree.Kernel) string {
	var params []string
	for _, x := range k.Params {
		text := x.Name + " "
		if x.Kind == tree.BuiltinParam {
			text += x.Type.String()
		} else {
			typ := x.Type
			if x.Pointer {
				typ = tree.PointerTo(typ, x.Space, x.Const)
				text += typ.Spelled()
			} else {
				text += x.Space + " " + typ.Spelled() + "&"
			}
			text += fmt.Sprintf(" %d", x.Index)
		}
		params = append(params, text)
	}
	return k.Name + "(" + strings.Join(params, ", ") + ")"
}

func TestTemplateErrors(t *testing.T) {
	k := "\nkernel void k(device float* o [[buffer(0)]], device int* n [[buffer(1)]]) { BODY }"
	for _, tt := range []struct{ name, declarations, body, want string }{
		{"no such template", "", "Missing<float> x;", "a.metal:2:77: unknown type Missing<...>"},
		{"too many arguments", "template <typename T> struct S { T x; };", "S<float, int> s;",
			"a.metal:2:78: S takes 1 template arguments, these are 2"},
		{"too few arguments", "template <typename T, int N> struct S { T x; };", "S<float> s;",
			"a.metal:2:77: S needs more template arguments"},
		{"a value for a type", "template <typename T> struct S { T x; };", "S<3> s;",
			"a.metal:2:79: unexpected \"3\": expected a type"},
		{"a type for a value", "template <int N> struct S { int x[N]; };", "S<float> s;", "a.metal:2:79: unknown name float"},
		{"declared only", "template <typename T> struct S;", "S<float> s;",
			"a.metal:2:77: S<float> is declared but not defined"},
		{"wrong in an instance", "template <typename T> struct S { T x[sizeof(T) - 4]; };", "S<float> s;",
			"a.metal:1:38: a size must be a positive integer, this is 0 (in S<float>)"},
		{"wrong in a body", "template <typename T> T f(T x) {\n return x.y; }", "o[0] = f(1.0f);",
			"a.metal:2:10: float has no member y (in f<float>, instantiated at a.metal:3:84)"},
		{"wrong in a method", "template <typename T> struct S { T get() {\n return missing; } };", "S<int> s; s.get();",
			"a.metal:2:9: unknown name missing (in S<int>::get, instantiated at a.metal:3:88)"},
		{"wrong in a nested instance",
			"template <typename T> T g(T x) { return nothing; }\ntemplate <typename T> T f(T x) { return g(x); }",
			"o[0] = f(1);", "a.metal:1:41: unknown name nothing (in g<int>, instantiated at a.metal:2:41)"},
		{"not deduced", "template <typename T> T f(int x) { return T(x); }", "o[0] = f(1);",
			"a.metal:2:84: no function f takes (int): a.metal:1:23: the template arguments of f are not deduced"},
		{"deduced two ways", "template <typename T> T f(T a, T b) { return a; }", "o[0] = f(1, 2.0f);",
			"a.metal:2:84: no function f takes (int, float): a.metal:1:32: argument 1 of f does not take float"},
		{"no template fits", "template <typename T> metal::enable_if_t<metal::is_integral_v<T>, T> f(T x) { return x; }",
			"o[0] = f(1.0f);", "a.metal:2:84: no function f takes (float): a.metal:1:23: enable_if<false, float> has no type"},
		{"ambiguous",
			"template <typename T> int f(T a, int b) { return 1; }\ntemplate <typename T> int f(int a, T b) { return 2; }",
			"o[0] = f(1, 2);",
			"a.metal:3:84: the call of f is ambiguous: the functions at a.metal:1:23 and a.metal:2:23 take (int, int) equally " +
				"well"},
		{"address spaces", "template <typename T> T f(device T* x) { return x[0]; }", "float x[2]; o[0] = f(x);",
			"a.metal:2:96: no function f takes (float[2]): a.metal:1:27: argument 0 of f does not take float[2]"},
		{"no such member", "template <typename T> struct S { using type = T; };", "S<int>::other x; o[0] = S<int>::value;",
			"a.metal:2:77: S<int> has no type other\na.metal:2:101: S<...>::value has no such member"},
		{"without end", "template <int N> struct S { static constexpr constant int value = S<N + 1>::value; };",
			"o[0] = S<0>::value;",
			"a.metal:1:18: S<1000> needs more than 1000 other functions, constants or types that each need the next"},
		{"function of another type",
			"int f(int x) { return x; }\ntemplate <float (*g)(float)> float call(float x) { return g(x); }",
			"o[0] = call<f>(1);",
			"a.metal:3:84: no function call<...> takes (int): a.metal:3:89: f is no function of the type " +
				"that parameter g wants"},
		{"no constant", "template <int N> struct S { int x; };", "int three = 3; S<three> s;",
			"a.metal:2:94: three has no value that is known here"},
		{"pack without dots", "template <typename... Ts> int f(Ts... x) { return x; }", "o[0] = f(1, 2);",
			"a.metal:1:33: x is a pack: it can only be named in front of ... (in f<int, int>, instantiated at a.metal:2:84)"},
		{"pack of types without dots", "template <typename... Ts> int f(Ts... x) { return Ts(3); }", "o[0] = f(1, 2);",
			"a.metal:1:11: Ts is a pack: it can only be named in front of ... (in f<int, int>, instantiated at a.metal:2:84)"},
		{"dots without a pack", "int g(int x) { return x; }", "o[0] = g(n[0]...);",
			"a.metal:2:86: there is no pack in front of the ... that follows this"},
		{"packs of two sizes", "int g(int x) { return x; }\ntemplate <int... Ns, typename... Ts> int f(Ts... x) " +
			"{ return g((x + Ns)...); }", "o[0] = f<1, 2, 3>(1, 2);",
			"a.metal:2:69: pack x has 2 elements, and Ns has 3 (in f<1, 2, 3, int, int>, instantiated at a.metal:3:84)"},
		{"sizeof... of no pack", "", "int x = 1; o[0] = sizeof...(x);", "a.metal:2:95: x is no pack"},
		{"fold over nothing", "template <typename... Ts> int f(Ts... x) { return (x + ...); }", "o[0] = f();",
			"a.metal:1:54: a fold over no elements has no value with + (in f<>, instantiated at a.metal:2:84)"},
		{"too many for a pack", "int g(int x) { return x; }\ntemplate <typename... Ts> int f(Ts... x) { return g(x...); }",
			"o[0] = f(1, 2);", "a.metal:2:51: g takes 1 argument, these are 2 (in f<int, int>, instantiated at a.metal:3:84)"},
		{"packs without end", "template <typename... Ts> struct D { using type = typename D<Ts..., Ts...>::type; };",
			"D<int>::type x;", "a.metal:1:62: a pack has more than 1024 elements"},
		{"declval", "", "o[0] = metal::declval<float>();",
			"a.metal:2:84: declval<T>() takes a type, and has its place in decltype and sizeof"},
		{"static_assert in an instance",
			"template <typename T> T f(T x) { static_assert(sizeof(T) == 4, \"size\"); return x; }", "o[0] = f(half(1));",
			"a.metal:1:34: static_assert fails (in f<half>, instantiated at a.metal:2:84)"},
		{"no such method", "struct S { int get() const { return 1; } void set() { } };",
			"S s; s.put(); const S c{}; c.set(); s.get(1); S::get();",
			"a.metal:2:83: S has no method put\na.metal:2:105: no method set of a const thread object takes ()\n" +
				"a.metal:2:114: no method get of a thread object takes (int)\na.metal:2:123: no static method get takes ()"},
		{"no such constructor", "struct S { int x; S(int a) : x(a) {} };", "S s; S t(1, 2); S u = o;",
			"a.metal:2:79: S has no constructor without arguments\na.metal:2:85: S cannot be made of (int, int)\n" +
				"a.metal:2:99: cannot convert device float* to S"},
		{"initial values in a constructor", "struct S { int x; S(int a) : y(a), x(1), x(2) {} };", "S s(1);",
			"a.metal:1:30: S has no field or base of this name\na.metal:1:42: x has two initial values"},
		{"explicit",
			"struct S { int x; explicit S(int a) : x(a) {} explicit operator float() const { return x; } };\n" +
				"float f(float x) { return x; }", "S s = 1; S t(1); o[0] = f(t);",
			"a.metal:3:83: cannot convert int to S\na.metal:3:103: cannot convert S to float"},
		{"deleted", "struct S { int x; S(int a) = delete; S(float b) : x(b) {} };", "S s(1);",
			"a.metal:2:80: S is deleted: it cannot be called with (int)"},
		{"method without a body", "struct S { int get() const; };", "S s; o[0] = s.get();",
			"a.metal:2:90: get is declared but has no body"},
		{"no operator", "struct S { int x; };", "S a, b; a + b; -a; a[0]; a(1); a++;",
			"a.metal:2:87: operator + does not take S and S\na.metal:2:92: operator - does not take S\n" +
				"a.metal:2:97: S has no elements\na.metal:2:102: S has no method operator()\n" +
				"a.metal:2:109: operator ++ does not take S"},
		{"ambiguous operator",
			"struct S { int x; }; int operator+(S a, int b) { return 1; }\nint operator+(S a, uint b) { return 2; }",
			"S a; o[0] = a + 1.5f;",
			"a.metal:3:91: operator + is ambiguous: the functions at a.metal:1:22 and a.metal:2:1 take (S, float) equally well"},
		{"temporary bound to a reference", "void f(thread int& x) { }", "f(1 + 2);",
			"a.metal:2:81: a reference cannot refer to this: it is a value, not a variable"},
		{"lambda that captures nothing", "", "int x = 1; auto f = []() { return x; }; f();",
			"a.metal:2:111: x is not captured by the lambda at a.metal:2:97"},
		{"lambda that copies what changes", "", "int x = 1; auto f = [=]() { return x; }; x = 2; f();",
			"a.metal:2:97: the lambda captures x by value, but x may change afterwards: that is not supported"},
		{"copy of a lambda that changes", "", "int x = 1; auto f = [y = x]() mutable { return y++; }; f(); auto g = f;",
			"a.metal:2:146: a copy of a lambda that changes values of its own is not supported"},
		{"lambda that changes a copy", "", "int x = 1; auto f = [x]() { return x++; }; f();",
			"a.metal:2:113: cannot assign to this: x is const"},
		{"lambda that sets a value of its own", "", "int x = 1; auto f = [y = x, x]() { y = 2; x++; }; f();",
			"a.metal:2:114: cannot assign to this: y is const\na.metal:2:120: cannot assign to this: x is const"},
		{"lambda with a value that is wrong", "", "auto f = [y = z, &w = 1]() { return y; }; f();",
			"a.metal:2:91: unknown name z"},
		{"lambda with other arguments", "", "auto f = [](int x) { return x; }; f(); f(o);",
			"a.metal:2:112: the lambda at a.metal:2:86 does not take ()\n" +
				"a.metal:2:117: the lambda at a.metal:2:86 does not take (device float*)"},
		{"this outside of a method", "", "this->x = 1;", "a.metal:2:77: there is no this here"},
		{"call of what is no function", "", "int x = 1; x(2);", "a.metal:2:89: int cannot be called"},
		{"recursion", "auto f(int x) { return x ? f(x - 1) + 1 : 0; }", "o[0] = f(1);",
			"a.metal:1:28: f calls itself before a return says what it returns"},
		{"bindings", "struct S { int a, b; };", "auto [x] = S{1, 2}; auto [y, z] = 1;",
			"a.metal:2:82: S has no 1 parts to name\na.metal:2:102: int has no 2 parts to name"},
		{"elements of a matrix", "",
			"metal::simdgroup_float8x8 m; auto p = &m.thread_elements(); auto& h = reinterpret_cast<thread " +
				"half4&>(m.thread_elements());",
			"a.metal:2:115: the elements of a simdgroup_matrix have no address\n" +
				"a.metal:2:147: the elements of a simdgroup_matrix cannot be seen as half4, only as float2"},
		{"casts to references", "", "reinterpret_cast<thread float&>(o[0]) = 1; (thread float&)1 = 2;",
			"a.metal:2:77: cannot convert device float to a reference to thread: the address spaces differ\n" +
				"a.metal:2:120: a reference cannot refer to this: it is a value, not a variable"},
		{"threadgroup initialiser", "", "threadgroup float x[2] = {1};",
			"a.metal:2:95: threadgroup variable x cannot have an initial value other than zero"},
		{"ray tracing", "", "metal::raytracing::intersection_query<metal::raytracing::triangle_data> q; q.next();",
			"a.metal:2:84: metalgen does not know ray tracing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, errs := analyze(t, tt.declarations+strings.Replace(k, "BODY", tt.body, 1))
			if len(errs) == 0 {
				fn, list := p.Body(onlyKernel(t, p))
				if fn != nil {
					t.Fatal("no error")
				}
				errs = list
			}
			if got := errs.Error(); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
