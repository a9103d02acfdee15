package parser

import (
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// grammarTests are sources and the trees of their declarations.
var grammarTests = []struct{ text, want string }{
	{`kernel void f();`, `Function{Result {Pre [kernel] Path [void]} Name f}`},
	{
		`kernel void f(device float* x [[buffer(0)]], device const float* y [[buffer(1)]], const device float *z, float
			device const * const w) {}`,
		`Function{Result {Pre [kernel] Path [void]} Name f Params [{Type {Pre [device] Path [float]} Pointers [{Op *}]
			Declarator {Name x After [[[buffer(0)]]]}} {Type {Pre [device const] Path [float]} Pointers [{Op *}] Declarator
			{Name y After [[[buffer(1)]]]}} {Type {Pre [const device] Path [float]} Pointers [{Op *}] Declarator {Name z}}
			{Type {Path [float] Post [device const]} Pointers [{Op * Quals [const]}] Declarator {Name w}}] Body yes}`},
	{
		`kernel void f(device float* __restrict x, device volatile uint& n, volatile device atomic_uint* a, threadgroup
			half* s [[threadgroup(0)]], thread int& t);`,
		`Function{Result {Pre [kernel] Path [void]} Name f Params [{Type {Pre [device] Path [float]} Pointers [{Op * Quals
			[__restrict]}] Declarator {Name x}} {Type {Pre [device volatile] Path [uint]} Pointers [{Op &}] Declarator {Name
			n}} {Type {Pre [volatile device] Path [atomic_uint]} Pointers [{Op *}] Declarator {Name a}} {Type {Pre
			[threadgroup] Path [half]} Pointers [{Op *}] Declarator {Name s After [[[threadgroup(0)]]]}} {Type {Pre [thread]
			Words [int]} Pointers [{Op &}] Declarator {Name t}}]}`},
	{
		`kernel void f(constant float (&t)[4] [[buffer(0)]], device int (*p)[2][3], constant uint& n, constant P* p2
			[[buffer(3)]]) {}`,
		`Function{Result {Pre [kernel] Path [void]} Name f Params [{Type {Pre [constant] Path [float]} Declarator {Inner
			{Ptr [{Op &}] Name t} Dims [{Size ‹4›}] After [[[buffer(0)]]]}} {Type {Pre [device] Words [int]} Declarator
			{Inner {Ptr [{Op *}] Name p} Dims [{Size ‹2›} {Size ‹3›}]}} {Type {Pre [constant] Path [uint]} Pointers
			[{Op &}] Declarator {Name n}} {Type {Pre [constant] Path [P]} Pointers [{Op *}] Declarator {Name p2 After
			[[[buffer(3)]]]}}] Body yes}`},
	{`kernel void f(float a[4], device float b[], float c[2][N + 1] [[buffer(0)]]);`,
		`Function{Result {Pre [kernel] Path [void]} Name f Params [{Type {Path [float]} Declarator {Name a Dims [{Size
			‹4›}]}} {Type {Pre [device] Path [float]} Declarator {Name b Dims [{}]}} {Type {Path [float]} Declarator
			{Name c Dims [{Size ‹2›} {Size ‹N+1›}] After [[[buffer(0)]]]}}]}`},
	{
		`kernel void f(constant uint& n [[buffer(0), maybe_unused]], uint i [[clang::x]] [[thread_position_in_grid]],
			[[maybe_unused]] uint j, uint2 [[threads_per_grid]], uint);`,
		`Function{Result {Pre [kernel] Path [void]} Name f Params [{Type {Pre [constant] Path [uint]} Pointers [{Op &}]
			Declarator {Name n After [[[buffer(0),maybe_unused]]]}} {Type {Path [uint]} Declarator {Name i After
			[[[clang::x]] [[thread_position_in_grid]]]}} {Before [[[maybe_unused]]] Type {Path [uint]} Declarator {Name j}}
			{Type {Path [uint2]} Declarator {After [[[threads_per_grid]]]}} {Type {Path [uint]}}]}`},
	{`kernel void f(unsigned int a, unsigned b, const unsigned char c, long long d, signed short e, unsigned long int g);`,
		`Function{Result {Pre [kernel] Path [void]} Name f Params [{Type {Words [unsigned int]} Declarator {Name a}} {Type
			{Words [unsigned]} Declarator {Name b}} {Type {Pre [const] Words [unsigned char]} Declarator {Name c}} {Type
			{Words [long long]} Declarator {Name d}} {Type {Words [signed short]} Declarator {Name e}} {Type {Words
			[unsigned long int]} Declarator {Name g}}]}`},
	{
		`kernel void f(vec<float, 4> a, device metal::array<half, 4>& b, array<texture2d<float>, 8> c,
			array<array<vec<half, 4>, 2>> d);`,
		`Function{Result {Pre [kernel] Path [void]} Name f Params [{Type {Path [vec] Args {Args [‹float› ‹4›]}}
			Declarator {Name a}} {Type {Pre [device] Path [metal array] Args {Args [‹half› ‹4›]}} Pointers [{Op &}]
			Declarator {Name b}} {Type {Path [array] Args {Args [‹texture2d<float>› ‹8›]}} Declarator {Name c}}
			{Type {Path [array] Args {Args [‹array<vec<half,4>,2>›]}} Declarator {Name d}}]}`},
	{
		`kernel void f(device metal::vec<T, 2>::type const* a, ::metal::float4 b, struct P c, enum E d, typename
			T::value_type e, T::template X<4> g);`,
		`Function{Result {Pre [kernel] Path [void]} Name f Params [{Type {Pre [device] Path [metal vec] Args {Args
			[‹T› ‹2›]} Member [type] Post [const]} Pointers [{Op *}] Declarator {Name a}} {Type {Path [ metal
			float4]} Declarator {Name b}} {Type {Tag struct Path [P]} Declarator {Name c}} {Type {Tag enum Path [E]}
			Declarator {Name d}} {Type {Pre [typename] Path [T value_type]} Declarator {Name e}} {Type {Path [T X] Args
			{Args [‹4›]}} Declarator {Name g}}]}`},
	{`kernel void f(texture2d<float, access::write> t [[texture(0)]], sampler s [[sampler(0)]], texture2d<half> u);`,
		`Function{Result {Pre [kernel] Path [void]} Name f Params [{Type {Path [texture2d] Args {Args [‹float›
			‹access::write›]}} Declarator {Name t After [[[texture(0)]]]}} {Type {Path [sampler]} Declarator {Name s
			After [[[sampler(0)]]]}} {Type {Path [texture2d] Args {Args [‹half›]}} Declarator {Name u}}]}`},
	{
		`kernel void f(uint n = 4, float4 v = float4(1, 2, 3, 4), P p = {1, 2}, int k = vec<int, 2>(1, 2).x, bool b = c <
			1);`,
		`Function{Result {Pre [kernel] Path [void]} Name f Params [{Type {Path [uint]} Declarator {Name n} Default ‹4›}
			{Type {Path [float4]} Declarator {Name v} Default ‹float4(1,2,3,4)›} {Type {Path [P]} Declarator {Name p}
			Default ‹{1,2}›} {Type {Words [int]} Declarator {Name k} Default ‹vec<int,2>(1,2).x›} {Type {Path [bool]}
			Declarator {Name b} Default ‹c<1›}]}`},
	{`kernel void f(uint3 tid [[thread_position_in_grid]], device float& x) [[user(a)]] {}`,
		`Function{Result {Pre [kernel] Path [void]} Name f Params [{Type {Path [uint3]} Declarator {Name tid After
			[[[thread_position_in_grid]]]}} {Type {Pre [device] Path [float]} Pointers [{Op &}] Declarator {Name x}}] After
			[[[user(a)]]] Body yes}`},
	{
		`[[kernel]] void f() {} [[kernel, max_total_threads_per_threadgroup(256)]] void g() {} [[host_name("h")]]
			[[kernel]] void h();`, `Function{Attributes [[[kernel]]] Result {Path [void]} Name f Body yes}
			Function{Attributes [[[kernel,max_total_threads_per_threadgroup(256)]]] Result {Path [void]} Name g Body yes}
			Function{Attributes [[[host_name("h")]] [[kernel]]] Result {Path [void]} Name h}`},
	{`__attribute__((max_total_threads_per_threadgroup(64))) kernel void f(device float* x __attribute__((buffer(0)))) {}`,
		`Function{Attributes [[[max_total_threads_per_threadgroup(64)]]] Result {Pre [kernel] Path [void]} Name f Params
			[{Type {Pre [device] Path [float]} Pointers [{Op *}] Declarator {Name x After [[[buffer(0)]]]}}] Body yes}`},
	{`static kernel void f() {} kernel device float* g(); kernel void a::f() {}`,
		`Function{Result {Pre [static kernel] Path [void]} Name f Body yes}
			Function{Result {Pre [kernel device] Path [float]} Pointers [{Op *}] Name g}
			Function{Result {Pre [kernel] Path [void]} Name a::f Body yes}`},
	{
		`mesh float object(float mesh) { return mesh; } [[mesh]] void m() {} [[object, a]] void o() {} vertex float4 v() {
			return 0; } fragment float4 g();`, `Helper object
			Stage mesh
			Stage object
			Stage vertex
			Stage fragment`},
	{`struct P { uint dim; float eps; };`,
		`Struct{Tag struct Name P Members [{Field {Type {Path [uint]} Vars [{Declarator {Name dim}}]}} {Field {Type {Path
			[float]} Vars [{Declarator {Name eps}}]}}]}`},
	{`struct P { float x, y[4], *z; device const float* p; packed_float3 v; array<half, 4> a; const uint n; };`,
		`Struct{Tag struct Name P Members [{Field {Type {Path [float]} Vars [{Declarator {Name x}} {Declarator {Name y
			Dims [{Size ‹4›}]}} {Pointers [{Op *}] Declarator {Name z}}]}} {Field {Type {Pre [device const] Path
			[float]} Vars [{Pointers [{Op *}] Declarator {Name p}}]}} {Field {Type {Path [packed_float3]} Vars [{Declarator
			{Name v}}]}} {Field {Type {Path [array] Args {Args [‹half› ‹4›]}} Vars [{Declarator {Name a}}]}} {Field
			{Type {Pre [const] Path [uint]} Vars [{Declarator {Name n}}]}}]}`},
	{
		`struct P { uint n [[id(0)]]; [[maybe_unused]] float x; alignas(16) float y; alignas(float4) float z [[user(a,
			b)]]; };`,
		`Struct{Tag struct Name P Members [{Field {Type {Path [uint]} Vars [{Declarator {Name n After [[[id(0)]]]}}]}}
			{Field {Before [[[maybe_unused]]] Type {Path [float]} Vars [{Declarator {Name x}}]}} {Field {Align [{Expr
			‹16›}] Type {Path [float]} Vars [{Declarator {Name y}}]}} {Field {Align [{Expr ‹float4›}] Type {Path
			[float]} Vars [{Declarator {Name z After [[[user(a,b)]]]}}]}}]}`},
	{
		`struct P { struct Q { float x; struct R { int y; } r; }; Q q; struct { int z; } w[2]; struct { int anon; }; union
			{ int i; float f; } u; union { int j; }; };`,
		`Struct{Tag struct Name P Members [{Nested {Tag struct Name Q Members [{Field {Type {Path [float]} Vars
			[{Declarator {Name x}}]}} {Nested {Tag struct Name R Members [{Field {Type {Words [int]} Vars [{Declarator {Name
			y}}]}}] Vars [{Declarator {Name r}}]}}]}} {Field {Type {Path [Q]} Vars [{Declarator {Name q}}]}} {Nested {Tag
			struct Members [{Field {Type {Words [int]} Vars [{Declarator {Name z}}]}}] Vars [{Declarator {Name w Dims [{Size
			‹2›}]}}]}} {Nested {Tag struct Members [{Field {Type {Words [int]} Vars [{Declarator {Name anon}}]}}]}}
			{Nested {Tag union Members [{Field {Type {Words [int]} Vars [{Declarator {Name i}}]}} {Field {Type {Path
			[float]} Vars [{Declarator {Name f}}]}}] Vars [{Declarator {Name u}}]}} {Nested {Tag union Members [{Field {Type
			{Words [int]} Vars [{Declarator {Name j}}]}}]}}]}`},
	{`struct P { enum E { A, B }; enum class F : ushort { C = 4 } f; enum { G }; E e; struct Q* next; enum E e2; };`,
		`Struct{Tag struct Name P Members [{Enum {Name E Values [{Name A} {Name B}]}} {Enum {Class class Name F Base {Path
			[ushort]} Values [{Name C Value ‹4›}] Vars [{Declarator {Name f}}]}} {Enum {Values [{Name G}]}} {Field {Type
			{Path [E]} Vars [{Declarator {Name e}}]}} {Field {Type {Tag struct Path [Q]} Vars [{Pointers [{Op *}] Declarator
			{Name next}}]}} {Field {Type {Tag enum Path [E]} Vars [{Declarator {Name e2}}]}}]}`},
	{
		`struct P { typedef float real; using T = half; typedef struct { int x; } I; static constant int N = 4; static
			constexpr int M = N * 2; real r[N]; };`,
		`Struct{Tag struct Name P Members [{Typedef {Type {Path [float]} Vars [{Declarator {Name real}}]}} {Using {Name T
			Type {Path [half]}}} {Typedef {Struct {Tag struct Members [{Field {Type {Words [int]} Vars [{Declarator {Name
			x}}]}}] Vars [{Declarator {Name I}}]}}} {Field {Type {Pre [static constant] Words [int]} Vars [{Declarator {Name
			N} Value ‹4›}]}} {Field {Type {Pre [static constexpr] Words [int]} Vars [{Declarator {Name M} Value
			‹N*2›}]}} {Field {Type {Path [real]} Vars [{Declarator {Name r Dims [{Size ‹N›}]}}]}}]}`},
	{
		`struct P { P() {} P(int a) : x(a), y{a} {} ~P() = default; int x; P& operator=(thread const P&) = delete; float
			get() const { return x; } template <typename T> T as() { return x; } friend bool eq(P a, P b) { return true; }
			static_assert(1, ""); float y; };`,
		`Struct{Tag struct Name P Members [{Skipped yes Decl Helper P} {Skipped yes Decl Helper P} {Skipped yes Decl
			Helper ~P} {Field {Type {Words [int]} Vars [{Declarator {Name x}}]}} {Skipped yes Decl Helper operator=}
			{Skipped yes Decl Helper get} {Skipped yes Decl Template{Params [{Name T}] Kind function Name as} Other}
			{Skipped yes Decl Helper eq} {Skipped yes Decl Other} {Field {Type {Path [float]} Vars [{Declarator {Name y}}]}}]}`},
	{`struct P { float a() device { return 1; }; bool operator()(int x) { return x; } bool operator==(P o); int n; };`,
		`Struct{Tag struct Name P Members [{Skipped yes Decl Helper a} {Skipped yes Decl Helper operator()} {Skipped yes
			Decl Helper operator==} {Field {Type {Words [int]} Vars [{Declarator {Name n}}]}}]}`},
	{`struct P { public: uint a; private: uint b; protected: uint c; ; };`,
		`Struct{Tag struct Name P Members [{Access public} {Field {Type {Path [uint]} Vars [{Declarator {Name a}}]}}
			{Access private} {Field {Type {Path [uint]} Vars [{Declarator {Name b}}]}} {Access protected} {Field {Type {Path
			[uint]} Vars [{Declarator {Name c}}]}} {Empty yes}]}`},
	{`struct P { uint a : 3, b : 5; int c : N + 1; float d = 1; int e{2}; int g[2] = {1, 2}; };`,
		`Struct{Tag struct Name P Members [{Field {Type {Path [uint]} Vars [{Declarator {Name a Bits ‹3›}} {Declarator
			{Name b Bits ‹5›}}]}} {Field {Type {Words [int]} Vars [{Declarator {Name c Bits ‹N+1›}}]}} {Field {Type
			{Path [float]} Vars [{Declarator {Name d} Value ‹1›}]}} {Field {Type {Words [int]} Vars [{Declarator {Name
			e} Value ‹{2}›}]}} {Field {Type {Words [int]} Vars [{Declarator {Name g Dims [{Size ‹2›}]} Value
			‹{1,2}›}]}}]}`},
	{
		`struct alignas(16) P { float x; }; struct [[maybe_unused]] P2 { float x; }; struct P3 : Base<int>, Other { float
			x; }; struct P4 final { float x; }; struct P5 {} a, b = {}; struct { int x; } c; class C { public: int x; };`,
		`Struct{Tag struct Align [{Expr ‹16›}] Name P Members [{Field {Type {Path [float]} Vars [{Declarator {Name
			x}}]}}]}
			Struct{Tag struct Before [[[maybe_unused]]] Name P2 Members [{Field {Type {Path [float]} Vars [{Declarator {Name
			x}}]}}]}
			Struct{Tag struct Name P3 Bases [{Type {Path [Base] Args {Args [‹int›]}}} {Type {Path [Other]}}] Members [{Field
			{Type {Path [float]} Vars [{Declarator {Name x}}]}}]}
			Struct{Tag struct Name P4 Final yes Members [{Field {Type {Path [float]} Vars [{Declarator {Name x}}]}}]}
			Struct{Tag struct Name P5 Vars [{Declarator {Name a}} {Declarator {Name b} Value ‹{}›}]}
			Struct{Tag struct Members [{Field {Type {Words [int]} Vars [{Declarator {Name x}}]}}] Vars [{Declarator {Name c}}]}
			Struct{Tag class Name C Members [{Access public} {Field {Type {Words [int]} Vars [{Declarator {Name x}}]}}]}`},
	{`constant struct P { int x; } p = {1}; struct P { int x; } [[maybe_unused]]; struct S<float> { int x; };`,
		`Struct{Quals [constant] Tag struct Name P Members [{Field {Type {Words [int]} Vars [{Declarator {Name x}}]}}]
			Vars [{Declarator {Name p} Value ‹{1}›}]}
			Struct{Tag struct Name P Members [{Field {Type {Words [int]} Vars [{Declarator {Name x}}]}}] After
			[[[maybe_unused]]]}
			Struct{Tag struct Name S Args {Args [‹float›]} Members [{Field {Type {Words [int]} Vars [{Declarator {Name
			x}}]}}]}`},
	{`union U { float f; uint u; }; struct E {};`,
		`Struct{Tag union Name U Members [{Field {Type {Path [float]} Vars [{Declarator {Name f}}]}} {Field {Type {Path
			[uint]} Vars [{Declarator {Name u}}]}}]}
			Struct{Tag struct Name E}`},
	{
		`enum E { A, B = 2, C = A + (1, 2), D [[maybe_unused]] = 5, }; enum class F : uint { X }; enum struct G { Y };
			enum { Z = sizeof(int) }; enum E {}; enum H { W } h = W; enum [[maybe_unused]] I { V };`,
		`Enum{Name E Values [{Name A} {Name B Value ‹2›} {Name C Value ‹A+(1,2)›} {Name D After [[[maybe_unused]]]
			Value ‹5›}]}
			Enum{Class class Name F Base {Path [uint]} Values [{Name X}]}
			Enum{Class struct Name G Values [{Name Y}]}
			Enum{Values [{Name Z Value ‹sizeof(int)›}]}
			Enum{Name E}
			Enum{Name H Values [{Name W}] Vars [{Declarator {Name h} Value ‹W›}]}
			Enum{Before [[[maybe_unused]]] Name I Values [{Name V}]}`},
	{
		`typedef float real; typedef device float* fp; typedef unsigned int u, u4[4]; typedef const float cf; typedef
			struct { int x; } P; typedef struct Q { int x; } Q, *QP; typedef enum { A } E; typedef enum F : int { B } F;
			typedef struct R R; typedef vec<float, 4> f4; typedef enum E E2;`,
		`Typedef{Type {Path [float]} Vars [{Declarator {Name real}}]}
			Typedef{Type {Pre [device] Path [float]} Vars [{Pointers [{Op *}] Declarator {Name fp}}]}
			Typedef{Type {Words [unsigned int]} Vars [{Declarator {Name u}} {Declarator {Name u4 Dims [{Size ‹4›}]}}]}
			Typedef{Type {Pre [const] Path [float]} Vars [{Declarator {Name cf}}]}
			Typedef{Struct {Tag struct Members [{Field {Type {Words [int]} Vars [{Declarator {Name x}}]}}] Vars [{Declarator
			{Name P}}]}}
			Typedef{Struct {Tag struct Name Q Members [{Field {Type {Words [int]} Vars [{Declarator {Name x}}]}}] Vars
			[{Declarator {Name Q}} {Pointers [{Op *}] Declarator {Name QP}}]}}
			Typedef{Enum {Values [{Name A}] Vars [{Declarator {Name E}}]}}
			Typedef{Enum {Name F Base {Words [int]} Values [{Name B}] Vars [{Declarator {Name F}}]}}
			Typedef{Type {Tag struct Path [R]} Vars [{Declarator {Name R}}]}
			Typedef{Type {Path [vec] Args {Args [‹float› ‹4›]}} Vars [{Declarator {Name f4}}]}
			Typedef{Type {Tag enum Path [E]} Vars [{Declarator {Name E2}}]}`},
	{
		`using real = float; using p = device float*; using v = vec<float, 4>; using a = float[4]; using metal::max; using
			q [[maybe_unused]] = const unsigned int; using s = struct P; using f = void(device float* x, int); using g =
			void(int); using h = int (*)(int);`, `Using{Name real Type {Path [float]}}
			Using{Name p Type {Pre [device] Path [float]} Pointers [{Op *}]}
			Using{Name v Type {Path [vec] Args {Args [‹float› ‹4›]}}}
			Using{Name a Type {Path [float]} Dims [{Size ‹4›}]}
			Using{Name metal Rest [max]}
			Using{Name q Type {Pre [const] Words [unsigned int]} After [[[maybe_unused]]]}
			Using{Name s Type {Tag struct Path [P]}}
			Using{Name f Type {Path [void]} Params {Params [{Type {Pre [device] Path [float]} Pointers [{Op *}] Declarator
			{Name x}} {Type {Words [int]}}]}}
			Using{Name g Type {Path [void]} Params {Params [{Type {Words [int]}}]}}
			Using{Name h Type {Words [int]} Abstract {Ptr [{Op *}]} Params {Params [{Type {Words [int]}}]}}`},
	{
		`constant int N [[function_constant(0)]]; constexpr constant float T[2] = {1, 2}; constant bool has_mask
			[[function_constant(1)]]; static constant uint M = 4 * (N + 1), K = 2; constant float4 w{1, 2, 3, 4}; constant
			float4 x = float4{1, 2, 3, 4};`,
		`Variable{Type {Pre [constant] Words [int]} Vars [{Declarator {Name N After [[[function_constant(0)]]]}}]}
			Variable{Type {Pre [constexpr constant] Path [float]} Vars [{Declarator {Name T Dims [{Size ‹2›}]} Value
			‹{1,2}›}]}
			Variable{Type {Pre [constant] Path [bool]} Vars [{Declarator {Name has_mask After [[[function_constant(1)]]]}}]}
			Variable{Type {Pre [static constant] Path [uint]} Vars [{Declarator {Name M} Value ‹4*(N+1)›} {Declarator {Name
			K} Value ‹2›}]}
			Variable{Type {Pre [constant] Path [float4]} Vars [{Declarator {Name w} Value ‹{1,2,3,4}›}]}
			Variable{Type {Pre [constant] Path [float4]} Vars [{Declarator {Name x} Value ‹float4{1,2,3,4}›}]}`},
	{
		`constant vec<float, 4> v = vec<float, 4>(1, 2, 3, 4); constant int c = a < b, d = e > f; constant auto z =
			metal::array<int, 2>{1, 2}; alignas(16) constant float t[4] = {0}; [[maybe_unused]] constant uint o = 1;
			constant bool p = is_same<A, B>::value;`,
		`Variable{Type {Pre [constant] Path [vec] Args {Args [‹float› ‹4›]}} Vars [{Declarator {Name v} Value
			‹vec<float,4>(1,2,3,4)›}]}
			Variable{Type {Pre [constant] Words [int]} Vars [{Declarator {Name c} Value ‹a<b›} {Declarator {Name d} Value
			‹e>f›}]}
			Variable{Type {Pre [constant] Path [auto]} Vars [{Declarator {Name z} Value ‹metal::array<int,2>{1,2}›}]}
			Variable{Align [{Expr ‹16›}] Type {Pre [constant] Path [float]} Vars [{Declarator {Name t Dims [{Size ‹4›}]}
			Value ‹{0}›}]}
			Variable{Before [[[maybe_unused]]] Type {Pre [constant] Path [uint]} Vars [{Declarator {Name o} Value ‹1›}]}
			Variable{Type {Pre [constant] Path [bool]} Vars [{Declarator {Name p} Value ‹is_same<A,B>::value›}]}`},
	{
		`constant struct P q = {1}; constant float (&r)[4] = t; constant uint lut[2][2] = {{1, 2}, {3, 4}}; constant char
			s[] = "a;b,c";`, `Variable{Type {Pre [constant] Tag struct Path [P]} Vars [{Declarator {Name q} Value ‹{1}›}]}
			Variable{Type {Pre [constant] Path [float]} Vars [{Declarator {Inner {Ptr [{Op &}] Name r} Dims [{Size ‹4›}]}
			Value ‹t›}]}
			Variable{Type {Pre [constant] Path [uint]} Vars [{Declarator {Name lut Dims [{Size ‹2›} {Size ‹2›}]} Value
			‹{{1,2},{3,4}}›}]}
			Variable{Type {Pre [constant] Words [char]} Vars [{Declarator {Name s Dims [{}]} Value ‹"a;b,c"›}]}`},
	{`struct S { struct P q = {1}; struct P r; };`,
		`Struct{Tag struct Name S Members [{Field {Type {Tag struct Path [P]} Vars [{Declarator {Name q} Value ‹{1}›}]}}
			{Field {Type {Tag struct Path [P]} Vars [{Declarator {Name r}}]}}]}`},
}

func TestGrammar(t *testing.T) {
	for _, test := range grammarTests {
		expectText(t, test.text, dumpSource(t, test.text), test.want)
	}
}

// brokenTests are sources with mistakes, and all that is said about them.
var brokenTests = []struct{ text, want string }{
	{"kernel void f(device float* x [[buffer(0)]], {\n}", "m.metal:1:14: missing ): this ( is never closed"},
	{"kernel void f(device float* x [[buffer(0)]] {\n}\nkernel void g(,) {}",
		"m.metal:1:14: missing ): this ( is never closed\nm.metal:3:15: unexpected \",\": expected , or )"},
	{"kernel void f(float x y) {}", `m.metal:1:23: unexpected "y": expected , or )`},
	{"kernel void (float x) {}", `m.metal:1:13: unexpected "(": expected a name`},
	{"kernel f(float x) {}", `m.metal:1:9: unexpected "(": expected a name`},
	{"kernel void f(device float x[[buffer(0)) {}", "m.metal:1:29: missing ]: this [ is never closed"},
	{"kernel void f(device float* [buffer(0)]) {}", `m.metal:1:29: unexpected "[": expected , or )`},
	{"kernel void f(uint x [[buffer(0]]) {}", "m.metal:1:30: missing ): this ( is never closed"},
	{"kernel void f(uint x [[buffer 0]]) {}", `m.metal:1:22: bad attribute [[buffer 0]]: unexpected "0": expected ]`},
	{"kernel void f(uint x [[]], uint y [[buffer()]], uint z [[1]]) {}",
		`m.metal:1:56: bad attribute [[1]]: unexpected "1": expected ]`},
	{"kernel void f(vec<float, 4 x) {}", "m.metal:1:18: missing >: these template arguments are never closed"},
	{"kernel void f(array<array<vec<half, 4>>, N>> 1)> d) {}", "m.metal:1:51: unexpected ): no ( is open here"},
	{"kernel void f(uint x = ) {}", `m.metal:1:24: unexpected ")": expected a value`},
	{"kernel void f(uint 3) {}", `m.metal:1:20: unexpected "3": expected , or )`},
	{"kernel void f(device float* device) {}", ""},
	{"kernel void f(uint x) return 1;", `m.metal:1:23: unexpected "return": expected a body or ;`},
	{"kernel void f(uint x)\n\nkernel void g(uint 4) {}",
		"m.metal:1:22: missing ; after this declaration\nm.metal:3:20: unexpected \"4\": expected , or )"},
	{"kernel void f() { if (x) {\nkernel void g() {}\n}",
		"m.metal:1:17: missing }: this { is never closed\nm.metal:3:1: unexpected }: no { is open here"},
	{"kernel void f() { g(1; }\nkernel void h() {}", "m.metal:1:20: missing ): this ( is never closed"},
	{"kernel void f() { } }\nkernel void g() {}", "m.metal:1:21: unexpected }: no { is open here"},
	{"kernel void f() { a[1); }",
		"m.metal:1:20: missing ]: this [ is never closed\nm.metal:1:22: unexpected ): no ( is open here"},
	{"struct P { uint x; }\nkernel void f() {}", "m.metal:1:21: missing ; after this declaration"},
	{"struct P { uint x }; int y;", `m.metal:1:19: unexpected "}": expected ;`},
	{"struct P { uint x;", "m.metal:1:10: missing }: this { is never closed"},
	{"struct P { uint; };", `m.metal:1:16: unexpected ";": expected a name`},
	{"struct P { uint [[id(0)]]; };", "m.metal:1:17: unexpected attribute [[id(0)]] before the name"},
	{"struct P { uint x[3; };", "m.metal:1:18: missing ]: this [ is never closed"},
	{"struct P { void (*f)(3); };", `m.metal:1:22: unexpected "3": expected )`},
	{"struct P { alignas 16 float x; };", `m.metal:1:20: unexpected "16": expected (`},
	{"struct 3 { uint x; };", `m.metal:1:8: unexpected "3": expected {`},
	{"struct P { uint x; } 4;", `m.metal:1:22: unexpected "4": expected ;`},
	{"enum E { A B };", `m.metal:1:12: unexpected "B": expected , or }`},
	{"enum E { A = , B };", `m.metal:1:14: unexpected ",": expected a value`},
	{"enum E : { A };", `m.metal:1:10: unexpected "{": expected a type`},
	{"typedef float;", `m.metal:1:14: unexpected ";": expected a name`},
	{"typedef struct { int x; } 1;", `m.metal:1:27: unexpected "1": expected ;`},
	{"using T = ;", `m.metal:1:11: unexpected ";": expected a type`},
	{"using 3 = float;", `m.metal:1:7: unexpected "3": expected a name`},
	{"constant int N = ;", `m.metal:1:18: unexpected ";": expected a value`},
	{"constant int N = 4\nkernel void f() {}", "m.metal:1:19: missing ; after this declaration"},
	{"using namespace metal\nkernel void f() {}", "m.metal:1:22: missing ; after this declaration"},
	{"static_assert(1)\nkernel void f() {}", "m.metal:1:17: missing ; after this declaration"},
	{"constant int N 4;", `m.metal:1:16: unexpected "4": expected ;`},
	{"constant int = 4;", `m.metal:1:14: unexpected "=": expected a name`},
	{"int x", "m.metal:1:1: this declaration does not end: missing ; or body"},
	{"namespace n", "m.metal:1:1: this namespace is not followed by a body or a semicolon"},
	{"namespace n { int x;", "m.metal:1:13: missing }: this { is never closed"},
	{`extern "C" { kernel void f() {}`, "m.metal:1:12: missing }: this { is never closed"},
	{");int y;", "m.metal:1:1: unexpected ): no ( is open here"},
	{"int x = (1;\nkernel void f() {}", "m.metal:1:9: missing ): this ( is never closed"},
	{"kernel void f(float x, ...) {}", `m.metal:1:24: unexpected "...": expected a type`},
	{"kernel void f(int (*fn)(int 3)) {}", `m.metal:1:29: unexpected "3": expected )`},
	{"#define BAD kernel void f(uint 5) {}\nBAD", `m.metal:2:1: unexpected "5": expected , or )`},
}

func TestBrokenDeclarations(t *testing.T) {
	for _, test := range brokenTests {
		_, errs := parseText(test.text)
		if diff := cmp.Diff(test.want, errs.Error()); diff != "" {
			t.Errorf("%s\n%s", test.text, diff)
		}
	}
}

// TestAttributes: equal texts share their parse, and each node finds its own.
func TestAttributes(t *testing.T) {
	tree, errs := parseText(
		"kernel void f(device float* x [[buffer(0), clang::a(1, N + 2)]], uint i [[thread_position_in_grid]] " +
			"[[b c(3) d]]) {}")
	expectClean(t, errs)
	var got []string
	for _, p := range tree.Decls[0].Function.Params {
		for _, a := range tree.Attributes(p.Before, p.Declarator.After) {
			got = append(got, dump(a))
		}
	}
	want := []string{"{Name buffer Args [‹0›]}", "{Name a Args [‹1› ‹N+2›]}", "{Name thread_position_in_grid}",
		"{Name b}", "{Name c Args [‹3›]}", "{Name d}"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// hugeSources are sources that repeat something n times.
func hugeSources(n int) map[string]string {
	return map[string]string{
		"parentheses":        strings.Repeat("(", n),
		"brackets":           "int x " + strings.Repeat("[[", n),
		"braces":             strings.Repeat("{", n),
		"closing":            strings.Repeat(")]}", n),
		"namespaces":         strings.Repeat("namespace {\n", n),
		"extern":             strings.Repeat("extern \"C\" {", n),
		"kernels in scopes":  strings.Repeat("namespace {\nkernel void f() {", n),
		"nested structs":     strings.Repeat("struct {", n),
		"unclosed kernels":   strings.Repeat("kernel void f(\n", n),
		"angles":             "vec" + strings.Repeat("<vec", n) + " x;",
		"comparisons":        "constant bool x = a" + strings.Repeat(" < a", n) + ";",
		"helpers":            strings.Repeat("int f() requires a < b {}", n),
		"pointers":           "int " + strings.Repeat("*", n) + "x;",
		"dimensions":         "int x" + strings.Repeat("[1]", n) + ";",
		"attributes":         "int x" + strings.Repeat("[[a]]", n) + ";",
		"values":             "constant int x[] = {" + strings.Repeat("1,", n) + "1};",
		"one line":           "constant int x = " + strings.Repeat("1 + ", 3*n) + "1;",
		"path":               "a" + strings.Repeat("::a", n) + " x;",
		"members":            "struct P {" + strings.Repeat("int x; void f() {}", n/10) + "};",
		"missing semicolons": strings.Repeat("struct P {}\n", n/10),
		"comment":            "/*" + strings.Repeat("\n * a", n) + "*/ int x;",
	}
}

// TestHugeSources: nothing takes work that grows with the square of a source, or
// stack that grows with it. Splitting looks at each token a bounded number of times,
// and four times the source takes about four times the memory.
func TestHugeSources(t *testing.T) {
	const n, mostSteps = 1000, 8
	longer := hugeSources(4 * n)
	for name, text := range hugeSources(n) {
		unit, errs := preprocessOnly(text)
		if s := split(unit.Tokens, &errs); s.steps > mostSteps*len(unit.Tokens) {
			t.Errorf("%s: splitting %d tokens took %d steps", name, len(unit.Tokens), s.steps)
		}
		expectLinear(t, name, text, longer[name], func(text string) {
			tree, _ := parseText(text)
			for _, file := range tree.Files {
				for i := range file.Comments {
					file.Comments[i].Lines()
				}
			}
		})
	}
}

// expectLinear checks that f allocates in proportion to a text; longer is
// four times as long. Were it in proportion to the square, it would be 16 times as
// much.
func expectLinear(t *testing.T, name, text, longer string, f func(text string)) {
	t.Helper()
	f(text) // fills caches
	if less, more := allocated(f, text), allocated(f, longer); more > 8*less+1<<16 {
		t.Errorf("%s: %d bytes for a text of %d, and %d for one of %d", name, less, len(text), more, len(longer))
	}
}

// allocated returns how many bytes f allocates.
func allocated(f func(string), text string) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f(text)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
