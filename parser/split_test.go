package parser

import (
	"fmt"
	"strings"
	"testing"
)

var kindNames = map[declKind]string{
	declFunction: "function", declStruct: "struct", declEnum: "enum", declTypedef: "typedef",
	declUsing: "using", declVariable: "variable", declOther: "other",
}

// splitText cuts a text up: `kind namespace::: tokens`, one line a declaration.
func splitText(text string) (string, ErrorList) {
	unit, errs := preprocessOnly(text)
	var b strings.Builder
	for _, d := range split(unit.Tokens, &errs).spans {
		scope := ""
		if len(d.Namespace) > 0 {
			scope = strings.Join(d.Namespace, "::") + ": "
		}
		body := ""
		if d.Open >= 0 {
			body = fmt.Sprintf(" {%d}", d.Close-d.Open-1)
		}
		kind := kindNames[d.Kind]
		if d.Explicit {
			kind = "instantiated " + kind
		} else if d.Head > d.From {
			kind = "template " + kind
		}
		fmt.Fprintf(&b, "%s%s%s: %s\n", kind, body, " "+scope, spell(unit.Tokens[d.From:d.To]))
	}
	return b.String(), errs
}

// splitTests are sources that Parse takes without complaint.
var splitTests = []struct{ text, want string }{
	{`int f(int x) { return x; } int g();`, `function {3} : int f(int x) { return x; }
function : int g();
`},
	{`kernel void f() {} vertex float4 v() { return 0; }`, `function {0} : kernel void f() {}
function {3} : vertex float4 v() { return 0; }
`},
	{`struct S { int x; }; struct T; class C {}; union U { int a; float b; };`, `struct {3} : struct S { int x; };
other : struct T;
struct {0} : class C {};
struct {6} : union U { int a; float b; };
`},
	{`struct S f(struct S s) { return s; } struct S g();`, `function {3} : struct S f(struct S s) { return s; }
function : struct S g();
`},
	{`struct S x = {1, 2}; constant struct S y{1}; struct S z; struct S* p; extern struct S q;`,
		`variable : struct S x = {1, 2};
variable {1} : constant struct S y{1};
variable : struct S z;
variable : struct S* p;
variable : extern struct S q;
`},
	{
		`struct S final { int x; }; struct S : A, B { int x; }; struct alignas(16) S { int x; }; ` +
			`struct [[maybe_unused]] S {};`, `struct {3} : struct S final { int x; };
struct {3} : struct S : A, B { int x; };
struct {3} : struct alignas(16) S { int x; };
struct {0} : struct [[maybe_unused]] S {};
`},
	{`struct { int x; } anonymous; struct S { int x; } a[2] = {{1}, {2}};`, `struct {3} : struct { int x; } anonymous;
struct {3} : struct S { int x; } a[2] = {{1}, {2}};
`},
	{`struct S { int f() { return 1; } } s;`, `struct {9} : struct S { int f() { return 1; } } s;
`},
	{`constant S table[2] = {{1, f(2)}, {3}}; constant float T[] = {1, 2}; constant float4 w = float4{1, 2, 3, 4};`,
		`variable : constant S table[2] = {{1, f(2)}, {3}};
variable : constant float T[] = {1, 2};
variable : constant float4 w = float4{1, 2, 3, 4};
`},
	{`constant int N [[function_constant(0)]]; [[maybe_unused]] constant int M = 1; int x, y[3], *z;`,
		`variable : constant int N [[function_constant(0)]];
variable : [[maybe_unused]] constant int M = 1;
variable : int x, y[3], *z;
`},
	{`constant float (&r)[4] = t; constant float (*p)[4]; void (*fp)(int); int (*table[2])(int) = {a, b};`,
		`variable : constant float (&r)[4] = t;
variable : constant float (*p)[4];
other : void (*fp)(int);
other : int (*table[2])(int) = {a, b};
`},
	{`constexpr sampler s(filter::linear); constexpr metal::sampler t(coord::pixel), u; sampler v(filter);
constexpr sampler w(int x) { return s; }`, `variable : constexpr sampler s(filter::linear);
variable : constexpr metal::sampler t(coord::pixel), u;
function : sampler v(filter);
function {3} : constexpr sampler w(int x) { return s; }
`},
	{`enum E { A, B = (1, 2) }; enum class F : uint { C }; enum G : int; enum class H; enum E e = A; enum { X } y;`,
		`enum {9} : enum E { A, B = (1, 2) };
enum {1} : enum class F : uint { C };
other : enum G : int;
other : enum class H;
variable : enum E e = A;
enum {1} : enum { X } y;
`},
	{`typedef float real; typedef struct { int x; } P; typedef struct Q { int x; } Q, *QP; typedef int (*fn)(int, int);`,
		`typedef : typedef float real;
typedef {3} : typedef struct { int x; } P;
typedef {3} : typedef struct Q { int x; } Q, *QP;
typedef : typedef int (*fn)(int, int);
`},
	{`typedef enum { A } E; typedef const struct { int x; } C; using R = float; using metal::max; using namespace metal;`,
		`typedef {1} : typedef enum { A } E;
typedef {3} : typedef const struct { int x; } C;
using : using R = float;
using : using metal::max;
other : using namespace metal;
`},
	{
		`template <typename T> T f(T x) { return x; } template <int N = 4> struct S { int x[N]; }; ` +
			`template [[host_name("f")]] kernel void f<float>();`,
		`template function {3} : template <typename T> T f(T x) { return x; }
template struct {6} : template <int N = 4> struct S { int x[N]; };
instantiated function : template [[host_name("f")]] kernel void f<float>();
`},
	{`template <typename T, typename = int> using V = vec<T, 4>; template <> struct S<1> {};`,
		`template using : template <typename T, typename = int> using V = vec<T, 4>;
template struct {0} : template <> struct S<1> {};
`},
	{`template <typename T>
kernel void f(T x) {}`, `template function {0} : template <typename T> kernel void f(T x) {}
`},
	{`[[kernel]] void f() {} [[kernel, max_total_threads_per_threadgroup(256)]] void g() {}`,
		`function {0} : [[kernel]] void f() {}
function {0} : [[kernel, max_total_threads_per_threadgroup(256)]] void g() {}
`},
	{`__attribute__((always_inline)) static inline float f() { return 1; } static inline
constexpr int g() { return 1; }`, `function {3} : __attribute__((always_inline)) static inline float f() { return 1; }
function {3} : static inline constexpr int g() { return 1; }
`},
	{
		`S operator+(S a, S b) { return a; } bool operator()(S a) { return 1; } int operator[](int i) { return i; } ` +
			`S& operator=(S a) { return a; }`, `function {3} : S operator+(S a, S b) { return a; }
function {3} : bool operator()(S a) { return 1; }
function {3} : int operator[](int i) { return i; }
function {3} : S& operator=(S a) { return a; }
`},
	{`S::S(int a) : x(a), y{a}, z{} { x = 1; } int f();`, `function {4} : S::S(int a) : x(a), y{a}, z{} { x = 1; }
function : int f();
`},
	{`auto f(int x) -> float4 { return x; } void g() noexcept {} int h() [[clang::noinline]];`,
		`function {3} : auto f(int x) -> float4 { return x; }
function {0} : void g() noexcept {}
function : int h() [[clang::noinline]];
`},
	{`static_assert(sizeof(S) == 4, "size");`, `other : static_assert(sizeof(S) == 4, "size");
`},
	{`namespace a { int x; namespace b::c { int y; } } int z;`, `variable a: : int x;
variable a::b::c: : int y;
variable : int z;
`},
	{
		`namespace { int x; } inline namespace v1 { int y; } namespace [[deprecated]] d { int w; }
			namespace e = a::b; int z;`,
		`variable : int x;
variable v1: : int y;
variable d: : int w;
variable : int z;
`},
	{`extern "C" { int f(); kernel void g() {} } extern "C" int h();`, `function : int f();
function {0} : kernel void g() {}
function : int h();
`},
	{`extern int x; extern constant float y;`, `variable : extern int x;
variable : extern constant float y;
`},
	{`;;int x;;`, `variable : int x;
`},
	{`namespace n {
kernel void f() {}
kernel void g() {}
} int x;`, `function {0} n: : kernel void f() {}
function {0} n: : kernel void g() {}
variable : int x;
`},
	{`kernel void f() { int a[2] = {1, 2}; if (a[0]) { g(a[(1)]); } } int x;`,
		`function {31} : kernel void f() { int a[2] = {1, 2}; if (a[0]) { g(a[(1)]); } }
variable : int x;
`},
	{`UNKNOWN
static int f() { return 1; }`, `function {3} : UNKNOWN static int f() { return 1; }
`},
}

func TestSplit(t *testing.T) {
	for _, test := range splitTests {
		got, errs := splitText(test.text)
		expectClean(t, errs)
		if got != test.want {
			t.Errorf("%s\ngot:\n%swant:\n%s", test.text, got, test.want)
		}
	}
}
