package parser

import (
	"strings"
	"testing"
)

// functionTests are declarations and their heads, parsed on demand.
var functionTests = []struct{ text, want string }{
	{`unsigned int g(unsigned, long long y); float4 const h(); inline METAL_FUNC thread T& k();`,
		`{Result {Words [unsigned int]} Name g Params [{Type {Words [unsigned]}} {Type {Words [long long]} Declarator
			{Name y}}]}
			{Result {Path [float4] Post [const]} Name h}
			{Result {Pre [inline thread] Path [T]} Pointers [{Op &}] Name k}`},
	{`METAL_FUNC constexpr auto f(T x, Us... us) -> vec<T, 4> { return x; }`,
		`{Result {Pre [constexpr] Path [auto]} Name f Params [{Type {Path [T]} Declarator {Name x}} {Type {Path [Us]} Pack
			yes Declarator {Name us}}] Trailing {Type {Path [vec] Args {Args [‹T› ‹4›]}}} Body yes}`},
	{
		`template <typename T> METAL_FUNC static T f(const thread T (&x)[4], device T (*p)[2], void (*g)(thread T&), T y =
			T(1)) { return x; }`,
		`{Result {Pre [static] Path [T]} Name f Params [{Type {Pre [const thread] Path [T]} Declarator {Inner {Ptr [{Op
			&}] Name x} Dims [{Size ‹4›}]}} {Type {Pre [device] Path [T]} Declarator {Inner {Ptr [{Op *}] Name p} Dims
			[{Size ‹2›}]}} {Type {Path [void]} Declarator {Inner {Ptr [{Op *}] Name g} Params {Params [{Type {Pre
			[thread] Path [T]} Pointers [{Op &}]}]}}} {Type {Path [T]} Declarator {Name y} Default ‹T(1)›}] Body yes}`},
	{`void S::f(int a) const device noexcept(true) {}`,
		`{Result {Path [void]} Name S::f Params [{Type {Words [int]} Declarator {Name a}}] After [const device noexcept]
			Body yes}`},
	{`template <typename T> template <int N> device T* S<T>::f(T x) {}`,
		`{Result {Pre [device] Path [T]} Pointers [{Op *}] Name f Params [{Type {Path [T]} Declarator {Name x}}] Body yes
			Scope {Path [S] Args {Args [‹T›]}}}`},
	{`template <typename T> S<T>::S(T a, T b) : Base<T>{a}, x(a, f<T, 2>(b)), y() {}`,
		`{Result {} Name S Params [{Type {Path [T]} Declarator {Name a}} {Type {Path [T]} Declarator {Name b}}] Inits
			[{Name {Path [Base] Args {Args [‹T›]}} Brace yes Args [‹a›]} {Name {Path [x]} Args [‹a›
			‹f<T,2>(b)›]} {Name {Path [y]}}] Body yes Scope {Path [S] Args {Args [‹T›]}}}`},
	{
		`template <> void f<half, 4>(half x); bool operator()(S a) { return 1; } S::operator device float*() const {
			return p; }`,
		`{Result {Path [void]} Name f Args {Args [‹half› ‹4›]} Params [{Type {Path [half]} Declarator {Name x}}]}
			{Result {Path [bool]} Name operator() Params [{Type {Path [S]} Declarator {Name a}}] Body yes}
			{Result {} Name operator device float* After [const] Body yes Scope {Path [S]}}`},
	{
		`kernel_t f(volatile coherent(system) device uint* x, volatile device coherent uint& y, typename X<T>::type z,
			decltype(a + b) w, constant const int64_t s[3], X<T>::Y<U>::Z q);`,
		`{Result {Path [kernel_t]} Name f Params [{Type {Pre [volatile coherent(system) device] Path [uint]} Pointers [{Op
			*}] Declarator {Name x}} {Type {Pre [volatile device coherent] Path [uint]} Pointers [{Op &}] Declarator {Name
			y}} {Type {Pre [typename] Path [X] Args {Args [‹T›]} Member [type]} Declarator {Name z}} {Type {Decltype
			{Expr ‹a+b›}} Declarator {Name w}} {Type {Pre [constant const] Path [int64_t]} Declarator {Name s Dims
			[{Size ‹3›}]}} {Type {Path [X] Args {Args [‹T›]} Member [Y] Rest [{Args {Args [‹U›]} Member [Z]}]}
			Declarator {Name q}}]}`},
	{
		`S::~S() = default; S::S(S&& o) = delete; template [[host_name("a")]] kernel void k<half>(device half* x
			[[buffer(0)]], uint i [[thread_position_in_grid]]);`, `{Result {} Name ~S Defined default Scope {Path [S]}}
			{Result {} Name S::S Params [{Type {Path [S]} Pointers [{Op &&}] Declarator {Name o}}] Defined delete}
			{Attributes [[[host_name("a")]]] Result {Pre [kernel] Path [void]} Name k Args {Args [‹half›]} Params [{Type
			{Pre [device] Path [half]} Pointers [{Op *}] Declarator {Name x After [[[buffer(0)]]]}} {Type {Path [uint]}
			Declarator {Name i After [[[thread_position_in_grid]]]}}]}`},
}

func TestFunctionHeads(t *testing.T) {
	for _, test := range functionTests {
		tree, errs := parseText(test.text)
		expectClean(t, errs)
		var got []string
		for _, d := range tree.Decls {
			f, err := tree.ParseFunction(d)
			if err != nil {
				t.Errorf("%s: %v", test.text, err)
				continue
			}
			got = append(got, dump(f))
		}
		expectText(t, test.text, strings.Join(got, "\n"), test.want)
	}
}
