package parser

import (
	"strings"
	"testing"
)

// templateTests are sources and the trees of their declarations.
var templateTests = []struct{ text, want string }{
	{`template <typename T, int N = 4, bool B = (N > 2), class U = vec<T, 4>, typename... Ts> float f(T x);`,
		`Template{Params [{Name T} {Name N Value {Type {Words [int]} Declarator {Name N}} Default ‹4›} {Name B Value
			{Type {Path [bool]} Declarator {Name B}} Default ‹(N>2)›} {Name U Default ‹vec<T,4>›} {Name Ts Pack
			yes}] Kind function Name f} Other`},
	{
		`template <void (*f)(thread float&), template <typename, int N> class C = S, E e = E::A, typename = void, int...>
			struct P;`,
		`Template{Params [{Name f Value {Type {Path [void]} Declarator {Inner {Ptr [{Op *}] Name f} Params {Params [{Type
			{Pre [thread] Path [float]} Pointers [{Op &}]}]}}}} {Name C Template [{} {Name N Value {Type {Words [int]}
			Declarator {Name N}}}] Default ‹S›} {Name e Value {Type {Path [E]} Declarator {Name e}} Default ‹E::A›}
			{Default ‹void›} {Pack yes Value {Type {Words [int]} Pack yes}}] Kind struct Name P} Other`},
	{`template <typename T, enable_if_t<sizeof(T) < 8, bool> = true> bool f(T x) { return true; }`,
		`Template{Params [{Name T} {Value {Type {Path [enable_if_t] Args {Args [‹sizeof(T)<8› ‹bool›]}}} Default
			‹true›}] Kind function Name f} Other`},
	{
		`template <typename T, typename S<T>::type N, const device T* p, T (&r)[2]> constexpr constant bool v = sizeof(T)
			> 4;`,
		`Template{Params [{Name T} {Name N Value {Type {Pre [typename] Path [S] Args {Args [‹T›]} Member [type]}
			Declarator {Name N}}} {Name p Value {Type {Pre [const device] Path [T]} Pointers [{Op *}] Declarator {Name p}}}
			{Name r Value {Type {Path [T]} Declarator {Inner {Ptr [{Op &}] Name r} Dims [{Size ‹2›}]}}}] Kind variable
			Name v} Other`},
	{
		`template <> struct P<float> { int x; }; template <typename T> struct P<device T*> final : B<T> {}; template <>
			void f<half>(half x); template <> constexpr bool v<int> = true;`,
		`Template{Kind struct Name P Args {Args [‹float›]}} Other
			Template{Params [{Name T}] Kind struct Name P Args {Args [‹device T*›]}} Other
			Template{Kind function Name f Args {Args [‹half›]}} Other
			Template{Kind variable Name v Args {Args [‹int›]}} Other`},
	{`template <typename T> using A = vec<T, 4>; template <typename T> class C; template <typename T> friend struct Q;`,
		`Template{Params [{Name T}] Kind alias Name A} Other
			Template{Params [{Name T}] Kind struct Name C} Other
			Template{Params [{Name T}] Name Q} Other`},
	{
		`template <typename T> template <int N> void S<T>::f(int x) {} template <> bool S<float, vec<half, 2>>::g() const
			thread { return true; }`,
		`Template{Params [{Name T}] Inner {Params [{Name N Value {Type {Words [int]} Declarator {Name N}}}]} Kind function
			Name f Scope ‹S<T>›} Other
			Template{Kind function Name g Scope ‹S<float,vec<half,2>>›} Other`},
	{
		`template <typename T, int N> [[kernel, max_total_threads_per_threadgroup(N)]] void k(device T* x [[buffer(0)]],
			constant S<T>& s [[buffer(1)]], uint i [[thread_position_in_grid]]) {}`,
		`Template{Params [{Name T} {Name N Value {Type {Words [int]} Declarator {Name N}}}] Kind function Name k}
			Function{Attributes [[[kernel,max_total_threads_per_threadgroup(N)]]] Result {Path [void]} Name k Params [{Type
			{Pre [device] Path [T]} Pointers [{Op *}] Declarator {Name x After [[[buffer(0)]]]}} {Type {Pre [constant] Path
			[S] Args {Args [‹T›]}} Pointers [{Op &}] Declarator {Name s After [[[buffer(1)]]]}} {Type {Path [uint]}
			Declarator {Name i After [[[thread_position_in_grid]]]}}] Body yes}`},
	{`template [[host_name("f_" "float")]] [[kernel]] void f<float>(device const float* x, uint i);`,
		`Instantiation{Attributes [[[host_name("f_" "float")]] [[kernel]]] Kernel yes HostName f_float Type ‹void›
			Path [f] Args {Args [‹float›]} Signature yes}`},
	{
		`template [[host_name("x")]] [[kernel]] decltype(f<T, 1>) f<T, 1>; template [[host_name("y")]] kernel f_t ns::f<b,
			(2 > 1)>; template kernel [[host_name("z")]] [[max_total_threads_per_threadgroup(32)]] void f(device float* x);`,
		`Instantiation{Attributes [[[host_name("x")]] [[kernel]]] Kernel yes HostName x Type ‹decltype(f<T,1>)› Path
			[f] Args {Args [‹T› ‹1›]}}
			Instantiation{Attributes [[[host_name("y")]]] Quals [kernel] Kernel yes HostName y Type ‹f_t› Path [ns f] Args
			{Args [‹b› ‹(2>1)›]}}
			Instantiation{Attributes [[[host_name("z")]] [[max_total_threads_per_threadgroup(32)]]] Quals [kernel] Kernel yes
			HostName z Type ‹void› Path [f] Signature yes}`},
	{`template struct S<float>; template void f<int>(int); template class ns::S<vec<float, 2>>;`,
		`Instantiation{Tag struct Path [S] Args {Args [‹float›]}}
			Instantiation{Type ‹void› Path [f] Args {Args [‹int›]} Signature yes}
			Instantiation{Tag class Path [ns S] Args {Args [‹vec<float,2>›]}}`},
	{
		`template <typename T> bool operator<(S<T> a, S<T> b); template <typename T, typename = enable_if_t<!v<T>>> auto
			operator||(A, T) { return A{}; }`, `Template{Params [{Name T}] Kind function Name operator<} Other
			Template{Params [{Name T} {Default ‹enable_if_t< !v<T>>›}] Kind function Name operator||} Other`},
	{
		`using U = union { float f; uint u; }; typedef decltype(f<a, 1>) f_t; typedef void g_t(device float* x); typedef
			void (h_t)(int, uint y); using fn = void (*)(int); typedef float (*row)[4];`,
		`Using{Name U Struct {Tag union Members [{Field {Type {Path [float]} Vars [{Declarator {Name f}}]}} {Field {Type
			{Path [uint]} Vars [{Declarator {Name u}}]}}]}}
			Typedef{Type {Decltype {Expr ‹f<a,1>›}} Vars [{Declarator {Name f_t}}]}
			Typedef{Type {Path [void]} Vars [{Declarator {Inner {Name g_t} Params {Params [{Type {Pre [device] Path [float]}
			Pointers [{Op *}] Declarator {Name x}}]}}}]}
			Typedef{Type {Path [void]} Vars [{Declarator {Inner {Name h_t} Params {Params [{Type {Words [int]}} {Type {Path
			[uint]} Declarator {Name y}}]}}}]}
			Using{Name fn Type {Path [void]} Abstract {Ptr [{Op *}]} Params {Params [{Type {Words [int]}}]}}
			Typedef{Type {Path [float]} Vars [{Declarator {Inner {Ptr [{Op *}] Name row} Dims [{Size ‹4›}]}}]}`},
	{`constant constexpr const float S<6, 3>::table[8]; void (*fp)(int x) = nullptr; constant L logger("a", 1);`,
		`Variable{Type {Pre [constant constexpr const] Path [float]} Vars [{Declarator {Name table Dims [{Size
			‹8›}]}}] Scope {Path [S] Args {Args [‹6› ‹3›]}}}
			Other
			Variable{Type {Pre [constant] Path [L]} Vars [{Declarator {Name logger} Args ‹"a",1›}]}`},
	{
		`struct P { int : 3; uint : 2; uint a : 1; void (*f)(int); T (*q)[4]; using V = union { int i; float f; }; union {
			struct { half a; half b; }; half2 v; }; float get() const { return a; } };`,
		`Struct{Tag struct Name P Members [{Field {Type {Words [int]} Vars [{Declarator {Bits ‹3›}}]}} {Field {Type
			{Path [uint]} Vars [{Declarator {Bits ‹2›}}]}} {Field {Type {Path [uint]} Vars [{Declarator {Name a Bits
			‹1›}}]}} {Field {Type {Path [void]} Vars [{Declarator {Inner {Ptr [{Op *}] Name f} Params {Params [{Type
			{Words [int]}}]}}}]}} {Field {Type {Path [T]} Vars [{Declarator {Inner {Ptr [{Op *}] Name q} Dims [{Size
			‹4›}]}}]}} {Using {Name V Struct {Tag union Members [{Field {Type {Words [int]} Vars [{Declarator {Name
			i}}]}} {Field {Type {Path [float]} Vars [{Declarator {Name f}}]}}]}}} {Nested {Tag union Members [{Nested {Tag
			struct Members [{Field {Type {Path [half]} Vars [{Declarator {Name a}}]}} {Field {Type {Path [half]} Vars
			[{Declarator {Name b}}]}}]}} {Field {Type {Path [half2]} Vars [{Declarator {Name v}}]}}]}} {Skipped yes Decl
			Helper get}]}`},
	{
		`namespace a::b { template <int N> struct S; } inline namespace c { template <> struct d::S<1> { }; } namespace {
			extern "C" { template void f<int>(); } }`,
		`Template{Params [{Name N Value {Type {Words [int]} Declarator {Name N}}}] Kind struct Name S} Other
			Template{Kind struct Name S Args {Args [‹1›]} Scope ‹d›} Other
			Instantiation{Type ‹void› Path [f] Args {Args [‹int›]} Signature yes}`},
}

func TestTemplates(t *testing.T) {
	for _, test := range templateTests {
		expectText(t, test.text, dumpSource(t, test.text), test.want)
	}
}

// templatedTests are templates and what is after their heads.
var templatedTests = []struct{ text, want string }{
	{
		`template <typename T> struct P : public B<T>, C { using type = T; static constexpr constant int N = sizeof(T) *
			8; T x[N]; struct Q { typename X<T>::type y; }; template <int M = 4> void f() { } P(T a) : x(a) {} operator T()
			const { return x[0]; } };`,
		`Struct{Tag struct Name P Bases [{Access public Type {Path [B] Args {Args [‹T›]}}} {Type {Path [C]}}] Members
			[{Using {Name type Type {Path [T]}}} {Field {Type {Pre [static constexpr constant] Words [int]} Vars
			[{Declarator {Name N} Value ‹sizeof(T)*8›}]}} {Field {Type {Path [T]} Vars [{Declarator {Name x Dims [{Size
			‹N›}]}}]}} {Nested {Tag struct Name Q Members [{Field {Type {Pre [typename] Path [X] Args {Args [‹T›]}
			Member [type]} Vars [{Declarator {Name y}}]}}]}} {Skipped yes Decl Template{Params [{Name M Value {Type {Words
			[int]} Declarator {Name M}} Default ‹4›}] Kind function Name f} Other} {Skipped yes Decl Helper P} {Skipped
			yes Decl Helper operator T}]}`},
	{`template <typename T> constexpr constant bool v = is_same_v<T, int> || (sizeof(T) > 2);`,
		`Variable{Type {Pre [constexpr constant] Path [bool]} Vars [{Declarator {Name v} Value ‹is_same_v<T,int>
			||(sizeof(T)>2)›}]}`},
	{`template <typename T> using A = typename X<T>::template Y<4>::type;`,
		`Using{Name A Type {Pre [typename] Path [X] Args {Args [‹T›]} Member [Y] Rest [{Args {Args [‹4›]} Member
			[type]}]}}`},
	{`template <typename T> struct C;`, `Other`},
	{`template <typename T> T f(T x) { return x; }`,
		`Function{Result {Path [T]} Name f Params [{Type {Path [T]} Declarator {Name x}}] Body yes}`},
}

func TestTemplated(t *testing.T) {
	for _, test := range templatedTests {
		tree, _ := parseText(test.text)
		d, err := tree.Templated(tree.Decls[0])
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		d.Template = nil
		expectText(t, test.text, dumpDecl(d), test.want)
	}
}

var brokenTemplateTests = []struct{ text, want string }{
	{`template <typename T kernel void f() {}`, `m.metal:1:10: missing >: these template parameters are never closed`},
	{`template <int N = g(1)>> void f() {} template <int 3> void h() {}`,
		"m.metal:1:10: missing >: these template parameters are never closed\nm.metal:1:52: unexpected \"3\""},
	{`template <typename T,> void f();`, `m.metal:1:22: unexpected ">": expected a template parameter`},
	{`template <int 3> void f();`, `m.metal:1:15: unexpected "3"`},
	{`template <typename T = > void f();`, `m.metal:1:24: unexpected ">": expected a value`},
	{`template <template <typename> T> void f();`, `m.metal:1:31: unexpected "T": expected class`},
	{`template kernel void f;`, `m.metal:1:22: this instantiation has neither template arguments nor parameters`},
	{`template kernel f<int>;`, `m.metal:1:17: an instantiation needs a type and a name, as in template void f<float>();`},
	{`template <typename T> kernel void f(uint 3) {}`, `m.metal:1:42: unexpected "3": expected , or )`},
	{`template [[host_name]] ;`, `m.metal:1:24: unexpected ";": expected the name of a template`},
	{`template <3> struct S {};`, `m.metal:1:11: unexpected "3": expected a type`},
	{`template [[1]] kernel void f<int>();`, `m.metal:1:10: bad attribute [[1]]: unexpected "1": expected ]`},
	{`struct P { template <typename T, > void f(); };`, `m.metal:1:34: unexpected ">": expected a template parameter`},
	{`template <typename T>> struct S {};`, `m.metal:1:10: missing >: these template parameters are never closed`},
	{`struct P { P& operator=(P) = default float get() { return 1; } int x; };`,
		`m.metal:1:12: this declaration does not end: missing ; or body`},
	{`typedef decltype() f_t;`, `m.metal:1:18: unexpected ")": expected a value`},
	{`struct P : { int x; };`, `m.metal:1:12: unexpected "{": expected a type`},
}

func TestBrokenTemplates(t *testing.T) {
	for _, test := range brokenTemplateTests {
		if _, errs := parseText(test.text); errs.Error() != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.text, errs, test.want)
		}
	}
}

// Instantiations by macros have the names that Metal sees.
func TestHostNames(t *testing.T) {
	tree, errs := parseText(
		`#define F(name, T, ...) template [[host_name(#name "_" #T)]] [[kernel]] decltype(f<T, __VA_ARGS__>) ` +
			`f<T, __VA_ARGS__>;
#define G(name, T) F(name##_1, T, 1) F(name##_2, T, 2)
#define H(name) template [[host_name( #name )]] kernel void f<float>(device float *x);
G(copy, float) G(copy, half) H(a  "b\\n" c) H(and)`)
	expectClean(t, errs)
	var names []string
	for _, d := range tree.Decls {
		names = append(names, d.Instantiation.HostName)
	}
	if got := strings.Join(names, " "); got != `copy_1_float copy_2_float copy_1_half copy_2_half a "b\\n" c and` {
		t.Error(got)
	}
}

// The members of a struct are parsed on demand.
func TestMembers(t *testing.T) {
	tree, errs := parseText(`template <typename T> struct P {
	T x;
	P(T a) : x(a) {}
	struct Q { template <int N> T f(T y) const { T z = (T)-y; return (N)-z; } };
	using U = struct { T g() { return T(1); } };
};`)
	expectClean(t, errs)
	whole, err := tree.Templated(tree.Decls[0])
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var visit func(s *Struct)
	visit = func(s *Struct) {
		for _, m := range s.Members {
			switch {
			case m.Nested != nil:
				visit(m.Nested)
			case m.Using != nil:
				visit(m.Using.Struct)
			case m.Decl != nil:
				f, err := tree.ParseFunction(m.Decl)
				if err != nil {
					t.Fatal(err)
				}
				b, errs := tree.ParseBody(m.Decl, isBodyType)
				expectClean(t, errs)
				got = append(got, f.Name+" "+showStmt(b))
			}
		}
	}
	visit(whole.Struct)
	want := "P {}\nf {‹T› z = cast<{Type {Path [T]}}>((-y)); return (N - z);}\ng {return T(1);}"
	if got := strings.Join(got, "\n"); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// Template heads take memory in proportion to their length, and end.
func TestHugeTemplates(t *testing.T) {
	const n = 500
	for _, test := range []struct{ open, end string }{
		{"template <int N> ", "void f();"}, {"template <", ""}, {"template <typename T, ", "int N> void f();"},
		{"template <int N = a < ", "> void f();"}, {"template <template <typename> ", "class T> void f();"},
		{"a<", " f();"}, {"S<T>::", "f();"}, {"operator ", "f();"}, {"template ", "f<1>;"},
		{"template <> struct S { ", "};"}, {"struct S { template <int N> void f() {} ", "};"}, {"f(", ");"},
		{"coherent(device) ", "int x;"},
	} {
		texts := func(n int) []string {
			text := strings.Repeat(test.open, n) + test.end
			return []string{text, "struct P { " + text + " };", "kernel void f(" + text + ") {}"}
		}
		longer := texts(4 * n)
		for i, text := range texts(n) {
			expectLinear(t, test.open, text, longer[i], func(text string) {
				tree, _ := parseText(text)
				for _, d := range tree.Decls {
					tree.ParseFunction(d)
					tree.Templated(d)
				}
			})
		}
	}
}
