package parser

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/parser/preprocess"
)

// bodyTypes are the types of the program in the tests.
var bodyTypes = []string{"float", "float2", "float4", "half", "uint", "uint2", "uint4", "size_t", "vec", "metal::vec",
	"metal::uint4", "simdgroup_matrix", "T", "P", "ns::P", "E"}

func isBodyType(path Path) bool { return slices.Contains(bodyTypes, strings.Join(path, "::")) }

// parseBodyText parses text as the body of a function with the parameters a, b,
// i, n, p and x.
func parseBodyText(text string) (*Block, ErrorList) {
	return parseBodyOf("void f(int a, int b, int i, int n, device float* p, float x) {" + text + "}")
}

func parseBodyOf(text string) (*Block, ErrorList) {
	tree, errs := parseText(text)
	if len(errs) > 0 || len(tree.Decls) == 0 {
		return nil, errs
	}
	return tree.ParseBody(tree.Decls[len(tree.Decls)-1], isBodyType)
}

// showStmt writes a statement with all its parentheses and braces.
func showStmt(s Stmt) string {
	switch s := s.(type) {
	case nil:
		return ""
	case *Block:
		var texts []string
		for _, inner := range s.List {
			texts = append(texts, showStmt(inner))
		}
		return "{" + strings.Join(texts, " ") + "}"
	case *DeclStmt:
		return showDecl(s)
	case *ExprStmt:
		return showExpr(s.X) + ";"
	case *If:
		text := "if "
		if s.Constexpr {
			text = "if constexpr "
		}
		text += "[" + showStmt(s.Init) + showCondition(s.Var, s.Cond) + "] " + showStmt(s.Then)
		if s.Else != nil {
			text += " else " + showStmt(s.Else)
		}
		return text
	case *For:
		return "for [" + showStmt(s.Init) + "|" + showOptional(s.Cond) + "|" + showOptional(s.Post) + "] " + showStmt(s.Body)
	case *While:
		return "while [" + showCondition(s.Var, s.Cond) + "] " + showStmt(s.Body)
	case *RangeFor:
		return "for [" + showStmt(s.Init) + strings.TrimSuffix(showDecl(s.Var), ";") + " : " + showExpr(s.Range) + "] " +
			showStmt(s.Body)
	case *Do:
		return "do " + showStmt(s.Body) + " while [" + showOptional(s.Cond) + "]"
	case *Switch:
		return "switch [" + showStmt(s.Init) + showCondition(s.Var, s.X) + "] " + showStmt(s.Body)
	case *Case:
		if s.X == nil {
			return "default:"
		}
		return "case " + showExpr(s.X) + ":"
	case *Break:
		return "break"
	case *Continue:
		return "continue"
	case *Return:
		return "return " + showOptional(s.X) + ";"
	case *StaticAssert:
		return "assert " + showExpr(s.Cond) + ";"
	}
	return fmt.Sprintf("?%T", s)
}

func showCondition(v *DeclStmt, e Expr) string {
	if v != nil {
		return showDecl(v)
	}
	return showOptional(e)
}

func showOptional(e Expr) string {
	if e == nil {
		return ""
	}
	return showExpr(e)
}

func showDecl(s *DeclStmt) string {
	var parts []string
	parts = append(parts, s.Before...)
	for _, a := range s.Align {
		parts = append(parts, "alignas("+join(a.Expr.List)+")")
	}
	switch {
	case s.Struct != nil:
		parts = append(parts, "Struct"+dump(s.Struct))
	case s.Enum != nil:
		parts = append(parts, "Enum"+dump(s.Enum))
	case s.Typedef != nil:
		parts = append(parts, "Typedef"+dump(s.Typedef))
	case s.Using != nil:
		parts = append(parts, "Using"+dump(s.Using))
	}
	if s.Type != nil {
		parts = append(parts, "‹"+showType(s.Type)+"›")
	}
	for _, v := range s.Vars {
		text := ""
		for _, p := range v.Pointers {
			text += strings.Join(append([]string{p.Op}, p.Quals...), " ") + " "
		}
		if in := v.Declarator.Inner; in != nil {
			text += "(" + in.Ptr[0].Op + in.Name + ")"
		}
		text += v.Declarator.Name
		if v.Bindings != nil {
			text += "[" + strings.Join(v.Bindings, ", ") + "]"
		}
		if v.Declarator.Params != nil {
			text += dump(v.Declarator.Params)
		}
		for _, d := range v.Declarator.Dims {
			text += "["
			if d.Size != nil {
				text += join(d.Size.List)
			}
			text += "]"
		}
		text += strings.Join(v.Declarator.After, "")
		if v.Init != nil {
			text += " = " + showExpr(v.Init)
		}
		parts = append(parts, text+",")
	}
	return strings.TrimSuffix(strings.Join(parts, " "), ",") + ";"
}

func showType(t *Type) string {
	words := slices.Clone(t.Pre)
	if t.Tag != "" {
		words = append(words, t.Tag)
	}
	name := strings.Join(t.Path, "::")
	if t.Args != nil {
		name += showArgs(t.Args)
	}
	for _, m := range t.Member {
		name += "::" + m
	}
	for _, r := range t.Rest {
		name += showArgs(r.Args) + strings.Join(append([]string{""}, r.Member...), "::")
	}
	if t.Decltype != nil {
		name = "decltype(" + join(t.Decltype.Expr.List) + ")" + strings.Join(append([]string{""}, t.Decltype.Member...), "::")
	}
	if name != "" {
		words = append(words, name)
	}
	return strings.Join(slices.Concat(words, t.Words, t.Post), " ")
}

var bodyTests = []struct{ text, want string }{
	{"", ""},
	{"; {} {;}", "{} {} {{}}"},
	{"a = b; a++; f(); (void)a;", "(a = b); (a++); f(); cast<{Type {Path [void]}}>(a);"},

	// Declarations.
	{"float y; uint k = 1, j = 2; const float c = 1.0f, d = c;",
		"‹float› y; ‹uint› k = 1, j = 2; ‹const float› c = 1.0f, d = c;"},
	{"threadgroup float s[32], y; uint2 g[2][n + 1] = {{uint2(1, 2), {3, 4}}}; float lut[] = {1, 2, 3,};",
		"‹threadgroup float› s[32], y; ‹uint2› g[2][n+1] = {{uint2(1, 2), {3, 4}}}; ‹float› lut[] = {1, 2, 3};"},
	{
		"device const float* q = p + i, *r; thread float& m = x; device float* const volatile z = nullptr; const device " +
			"float * __restrict w = p;",
		"‹device const float› * q = (p + i), * r; ‹thread float› & m = x; ‹device float› * const volatile z = " +
			"nullptr; ‹const device float› * __restrict w = p;"},
	{"float4 v(1.0f); float2 w{1, 2}; float4 e{}; P q = {1, {2, 3}}; P r(q, {1}); constexpr sampler s(coord::pixel);",
		"‹float4› v = (1.0f); ‹float2› w = {1, 2}; ‹float4› e = {}; ‹P› q = {1, {2, 3}}; ‹P› r = (q, " +
			"{1}); ‹constexpr sampler› s = (coord::pixel);"},
	{
		"auto y = x; const auto& z = x; static constexpr constant float k = 1; constexpr uint c{4}; float const y2 = 1; " +
			"unsigned const y3 = 1;",
		"‹auto› y = x; ‹const auto› & z = x; ‹static constexpr constant float› k = 1; ‹constexpr uint› c = " +
			"{4}; ‹float const› y2 = 1; ‹unsigned const› y3 = 1;"},
	{
		"simdgroup_matrix<float, 8, 8> m; metal::vec<float, 4> v; foo<vec<float, 2>> w; array<T, 4>::iterator t; " +
			"::metal::uint4 g; typename T::type k;",
		"‹simdgroup_matrix<float, 8, 8>› m; ‹metal::vec<float, 4>› v; ‹foo<vec<float,2>>› w; ‹array<T, " +
			"4>::iterator› t; ‹::metal::uint4› g; ‹typename T::type› k;"},
	{"unsigned int y = 1; long long z; unsigned w; const unsigned char c[2] = {1, 2}; bool ok = true; void* vp;",
		"‹unsigned int› y = 1; ‹long long› z; ‹unsigned› w; ‹const unsigned char› c[2] = {1, 2}; " +
			"‹bool› ok = true; ‹void› * vp;"},
	{"struct P q; struct Q; enum E e = A; Q* r; Unknown u = 1; ns::Unknown t;",
		"‹struct P› q; ‹struct Q›; ‹enum E› e = A; ‹Q› * r; ‹Unknown› u = 1; ‹ns::Unknown› t;"},
	{"threadgroup float (&t)[4] = s; device float (*q)[2] = r; float(*p); T(x);",
		"‹threadgroup float› (&t)[4] = s; ‹device float› (*q)[2] = r; float((*p)); T(x);"},
	{
		"[[maybe_unused]] float y = 1, z [[maybe_unused]]; alignas(16) float w[4]; __attribute__((aligned(4))) uint k; " +
			"[[a]] alignas(4) [[b]] float c;",
		"[[maybe_unused]] ‹float› y = 1, z[[maybe_unused]]; alignas(16) ‹float› w[4]; [[aligned(4)]] ‹uint› k; " +
			"[[a]] [[b]] alignas(4) ‹float› c;"},
	{"struct Q { float x; int y; }; Q q = {1, 2}; Q{1, 2}; (Q)q; Q * r;",
		"Struct{Tag struct Name Q Members [{Field {Type {Path [float]} Vars [{Declarator {Name x}}]}} {Field {Type {Words " +
			"[int]} Vars [{Declarator {Name y}}]}}]}; ‹Q› q = {1, 2}; Q{1, 2}; cast<{Type {Path [Q]}}>(q); ‹Q› * r;"},
	{
		"struct Q { struct R { int x; }; enum F { A }; typedef int I; using J = int; static constexpr int N = 1; } q = {}, " +
			"*r; Q::R s; (Q::I)-a; (Q::N)-a; (Q::J)-a; (Q::F)-a; (Q::R::x)-a;",
		"Struct{Tag struct Name Q Members [{Nested {Tag struct Name R Members [{Field {Type {Words [int]} Vars " +
			"[{Declarator {Name x}}]}}]}} {Enum {Name F Values [{Name A}]}} {Typedef {Type {Words [int]} Vars [{Declarator " +
			"{Name I}}]}} {Using {Name J Type {Words [int]}}} {Field {Type {Pre [static constexpr] Words [int]} Vars " +
			"[{Declarator {Name N} Value ‹1›}]}}]} q = {}, * r; ‹Q::R› s; cast<{Type {Path [Q I]}}>((-a)); (Q::N - " +
			"a); cast<{Type {Path [Q J]}}>((-a)); cast<{Type {Path [Q F]}}>((-a)); (Q::R::x - a);"},
	{
		"const struct { int x; } q = {1}; struct [[maybe_unused]] R final { int x; } [[b]]; union U { int i; float f; } u; " +
			"class alignas(8) C : public Base<4> { int x; }; struct P q2{1};",
		"Struct{Quals [const] Tag struct Members [{Field {Type {Words [int]} Vars [{Declarator {Name x}}]}}]} q = {1}; " +
			"[[b]] Struct{Tag struct Before [[[maybe_unused]]] Name R Final yes Members [{Field {Type {Words [int]} Vars " +
			"[{Declarator {Name x}}]}}]}; Struct{Tag union Name U Members [{Field {Type {Words [int]} Vars [{Declarator {Name " +
			"i}}]}} {Field {Type {Path [float]} Vars [{Declarator {Name f}}]}}]} u; Struct{Tag class Align [{Expr ‹8›}] " +
			"Name C Bases [{Access public Type {Path [Base] Args {Args [‹4›]}}}] Members [{Field {Type {Words [int]} Vars " +
			"[{Declarator {Name x}}]}}]}; ‹struct P› q2 = {1};"},
	{"enum F { A, B = 2 } f = A; enum class G : uint { C }; enum { D }; (F)-a; (A)-b; (G)-a; enum E : int { Z }; F * g;",
		"Enum{Name F Values [{Name A} {Name B Value ‹2›}]} f = A; Enum{Class class Name G Base {Path [uint]} Values " +
			"[{Name C}]}; Enum{Values [{Name D}]}; cast<{Type {Path [F]}}>((-a)); (A - b); cast<{Type {Path [G]}}>((-a)); " +
			"Enum{Name E Base {Words [int]} Values [{Name Z}]}; ‹F› * g;"},
	{
		"typedef float F; typedef struct { int x; } S, *SP; typedef enum { A } G; typedef device float* D; F y = (F)-x; " +
			"(S)-x; (SP)-x; (G)-x; (D)-x; (A)-x;",
		"Typedef{Type {Path [float]} Vars [{Declarator {Name F}}]}; Typedef{Struct {Tag struct Members [{Field {Type " +
			"{Words [int]} Vars [{Declarator {Name x}}]}}] Vars [{Declarator {Name S}} {Pointers [{Op *}] Declarator {Name " +
			"SP}}]}}; Typedef{Enum {Values [{Name A}] Vars [{Declarator {Name G}}]}}; Typedef{Type {Pre [device] Path " +
			"[float]} Vars [{Pointers [{Op *}] Declarator {Name D}}]}; ‹F› y = cast<{Type {Path [F]}}>((-x)); cast<{Type " +
			"{Path [S]}}>((-x)); cast<{Type {Path [SP]}}>((-x)); cast<{Type {Path [G]}}>((-x)); cast<{Type {Path " +
			"[D]}}>((-x)); (A - x);"},
	{"using F = float; using metal::max; using ns::P; using namespace metal; (F)-x; (P)-x; (max)-x;",
		"Using{Name F Type {Path [float]}}; Using{Name metal Rest [max]}; Using{Name ns Rest [P]}; " +
			"Using{Namespace [metal]}; cast<{Type {Path [F]}}>((-x)); cast<{Type {Path [P]}}>((-x)); (max - x);"},

	// Which names are types, by scope.
	{"(T)-a; float T = 1; (T)-a; T * a; { struct a {}; (a)-b; a * b; } (a)-b; a * b;",
		"cast<{Type {Path [T]}}>((-a)); ‹float› T = 1; (T - a); (T * a); {Struct{Tag struct Name a}; cast<{Type {Path " +
			"[a]}}>((-b)); ‹a› * b;} (a - b); (a * b);"},
	{
		"{ float T; (T)-a; } (T)-a; T * y; for (int T = 0; T < a; ++T) (T)-a; (T)-a; if (int T = 1; T) (T)-a; else (T)-b; " +
			"(T)-a;",
		"{‹float› T; (T - a);} cast<{Type {Path [T]}}>((-a)); ‹T› * y; for [‹int› T = 0;|(T < a)|(++T)] (T - " +
			"a); cast<{Type {Path [T]}}>((-a)); if [‹int› T = 1;T] (T - a); else (T - b); cast<{Type {Path [T]}}>((-a));"},
	{"(ns::P)-a; (ns::Q)-a; (metal::uint4)-a; (metal::T)-a; ns::P * q; ns::Q * a; ns::P q2; int ns; (ns::P)-a;",
		"cast<{Type {Path [ns P]}}>((-a)); (ns::Q - a); cast<{Type {Path [metal uint4]}}>((-a)); (metal::T - a); " +
			"‹ns::P› * q; (ns::Q * a); ‹ns::P› q2; ‹int› ns; (ns::P - a);"},
	{"float4 float4 = float4(1); (float4)-a;", "‹float4› float4 = float4(1); (float4 - a);"},
	{"float2 v = float2(x) * (float2)x, w = (float2)-x;",
		"‹float2› v = (float2(x) * cast<{Type {Path [float2]}}>(x)), w = cast<{Type {Path [float2]}}>((-x));"},

	// Statements.
	{"if (a) b; if (a) { b; } else c; if (a) b; else if (c) d; else e; if (a) if (b) c; else d;",
		"if [a] b; if [a] {b;} else c; if [a] b; else if [c] d; else e; if [a] if [b] c; else d;"},
	{"if constexpr (a) b; if (int k = f(); k > 1) a; if (a = 1; a) b; if (a) [[likely]] b; else [[unlikely]] { c; }",
		"if constexpr [a] b; if [‹int› k = f();(k > 1)] a; if [(a = 1);a] b; if [a] b; else {c;}"},
	{
		"for (;;) ; for (uint k = 0, j = n; k < j; ++k, --j) p[k] = j; for (a = 0; a < n; a++) { continue; } for (; a;) " +
			"break; for (device float* q = p; q; q++) {}",
		"for [||] {} for [‹uint› k = 0, j = n;|(k < j)|((++k) , (--j))] (p[k] = j); for [(a = 0);|(a < n)|(a++)] " +
			"{continue} for [|a|] break for [‹device float› * q = p;|q|(q++)] {}"},
	{"while (a < b) a++; do a++; while (a < b); do { break; } while (0); while (a) { if (b) continue; break; }",
		"while [(a < b)] (a++); do (a++); while [(a < b)] do {break} while [0] while [a] {if [b] continue break}"},
	{
		"switch (a) { case 1: b; break; case 2: case E::A: { c; } default: d; return; case a ? 1 : 2: {} [[fallthrough]]; " +
			"case 4: }",
		"switch [a] {case 1: b; break case 2: case E::A: {c;} default: d; return ; case (a ? 1 : 2): {} {} case 4:}"},
	{"switch (a) { case 1: for (;;) { break; } { case 2: a; } if (a) break; }",
		"switch [a] {case 1: for [||] {break} {case 2: a;} if [a] break}"},
	{"return; return x; return {1, {2}}; return P{1, 2}; return a, b; return -x;",
		"return ; return x; return {1, {2}}; return P{1, 2}; return (a , b); return (-x);"},
	{"static_assert(sizeof(float) == 4, \"four\" \" bytes\"); static_assert(n > 1 && a < b);",
		"assert (sizeof<{Type {Path [float]}}> == 4); assert ((n > 1) && (a < b));"},
	{"[[clang::loop]] for (;;) ; [[fallthrough]];", "for [||] {} {}"},
	{"\n#pragma unroll\nfor (;;) ;\n_Pragma(\"unroll\") for (;;) ;\n#pragma clang loop unroll(full)\nwhile (1) ;\n",
		"for [||] {} for [||] {} while [1] {}"},

	// The rest of C++14 and what Metal takes of 17.
	{
		`auto g = [&](auto k, thread float& y) mutable -> float { return y; }; dispatch(a, [=, &b, c = a + 1, this](T k) {
			for (;;) break; return k; }); h([] { return 1; });`,
		`‹auto› g = [&][{Type {Path [auto]} Declarator {Name k}} {Type {Pre [thread] Path [float]} Pointers [{Op &}]
			Declarator {Name y}}]mutable -> ‹float› {return y;}; dispatch(a, [=, {Ref yes Name b}, {Name c Init (a +
			1)}, {Name this}][{Type {Path [T]} Declarator {Name k}}] {for [||] break return k;}); h([][] {return 1;});`},
	{
		`for (auto& r : table[i % 2]) { r += 1; } for (const float y : {1, 2}) ; for (int k = 0; auto y : p) continue; for
			(int k = a ? b : i; k < n; k++) ;`,
		`for [‹auto› & r : table[(i % 2)]] {(r += 1);} for [‹const float› y : {1, 2}] {} for [‹int› k =
			0;‹auto› y : p] continue for [‹int› k = (a ? b : i);|(k < n)|(k++)] {}`},
	{
		`if (int k = f()) k++; else k--; while (auto q = next()) q++; switch (int k = a; k) { case 1: break; } switch
			(const int k = a) { default: ; }`,
		`if [‹int› k = f();] (k++); else (k--); while [‹auto› q = next();] (q++); switch [‹int› k = a;k] {case
			1: break} switch [‹const int› k = a;] {default: {}}`},
	{
		`auto [y, z] = pair; const auto& [w] = pair; device float (*q)[4] = r; void (*fp)(int, thread T&) = f; T (&t)[2] =
			u;`,
		`‹auto› [y, z] = pair; ‹const auto› & [w] = pair; ‹device float› (*q)[4] = r; ‹void› (*fp){Params
			[{Type {Words [int]}} {Type {Pre [thread] Path [T]} Pointers [{Op &}]}]} = f; ‹T› (&t)[2] = u;`},
	{
		`static constexpr constant float k[2] = {1, 2}; constexpr int m = 2; decltype(auto) y = f(); decltype(a + b) z =
			1; decltype(x)::type w; decltype(x)(a); decltype(x){a, b};`,
		`‹static constexpr constant float› k[2] = {1, 2}; ‹constexpr int› m = 2; ‹decltype(auto)› y = f();
			‹decltype(a+b)› z = 1; ‹decltype(x)::type› w; ‹decltype(x)›(a); ‹decltype(x)›{a, b};`},
	{
		`typename X<T>::type y = 1; typename X<T>::Y<4> z; y = typename X<T>::type(a, b); y = typename T::type{a};
			X<T>::f<4>(y); T::g(x); X<T>::Y<U>::h(x); X<T>::template f<4, (a > b)>(x);`,
		`‹typename X<T>::type› y = 1; ‹typename X<T>::Y<4>› z; (y = ‹typename X<T>::type›(a, b)); (y =
			‹typename T::type›{a}); X<T>::f<4>(y); T::g(x); X<T>::Y<U>::h(x); X<T>::f<4, (a>b)>(x);`},
	{
		`obj.template f<4>(x); obj.f<T, 4>(x); f.operator()(x, y); this->operator()(a); v = operator()(v, x); v =
			this->operator float(); ns::operator+(a, b); a.b<c>::d;`,
		`obj.f<4>(x); obj.f<T, 4>(x); f.operator()(x, y); this->operator()(a); (v = operator()(v, x)); (v = this->operator
			float()); ns::operator+(a, b); ((a.b < c) > ::d);`},
	{
		`n = sizeof...(Ts); f(xs...); f(g(xs)..., 1); y = (xs + ...); y = (... && xs); y = (0 + ... + xs); y = (xs + ... +
			0); v = T{xs...};`,
		`(n = sizeof...(Ts)); f(xs...); f(g(xs)..., 1); (y = fold<xs + ...>); (y = fold<... && xs>); (y = fold<0 + ... +
			xs>); (y = fold<xs + ... + 0>); (v = T{xs...});`},
	{
		`float s[4] = {[0 ... n - 1] = 0.0f}; float s2[2] = {[1] = 2, [0] = {1}}; P q = {.x = 1, .y = {2, 3}}; T l[1] =
			{[](int k) { return k; }(1)};`,
		`‹float› s[4] = {[0 ... (n - 1)] = 0.0f}; ‹float› s2[2] = {[1] = 2, [0] = {1}}; ‹P› q = {.x = 1, .y =
			{2, 3}}; ‹T› l[1] = {[][{Type {Words [int]} Declarator {Name k}}] {return k;}(1)};`},
	{`a = not b and (a or b) xor (compl n); if (a bitand b) ; a and_eq b; not a;`,
		`(a = ((!b) && ((a || b) ^ (~n)))); if [(a & b)] {} (a &= b); (!a);`},
	{
		`((const device T*)p)[1] = *((device const T(*)[4])p)[0]; y = (T(&)[2])p; k = *(device T*)(p + 1); z =
			sizeof(T(*)[4]); volatile device T* q = (volatile coherent(device) device T*)p;`,
		`(cast<{Type {Pre [const device] Path [T]} Pointers [{Op *}]}>(p)[1] = (*cast<{Type {Pre [device const] Path [T]}
			Abstract {Ptr [{Op *}]} Dims [{Size ‹4›}]}>(p)[0])); (y = cast<{Type {Path [T]} Abstract {Ptr [{Op &}]} Dims
			[{Size ‹2›}]}>(p)); (k = (*cast<{Type {Pre [device] Path [T]} Pointers [{Op *}]}>((p + 1)))); (z =
			sizeof<{Type {Path [T]} Abstract {Ptr [{Op *}]} Dims [{Size ‹4›}]}>); ‹volatile device T› * q =
			cast<{Type {Pre [volatile coherent(device) device] Path [T]} Pointers [{Op *}]}>(p);`},
	{
		`k = is_same_v<T, int> && a; k = is_same_v<T, int>; k = !is_same_v<T, half> ? 1 : 2; f(is_same_v<T, int>, a < b);
			f(a < b, n > i); f(u < v.x, w.y > (b)); frag<k.value, j.value>();`,
		`(k = (is_same_v<T, int> && a)); (k = is_same_v<T, int>); (k = ((!is_same_v<T, half>) ? 1 : 2)); f(is_same_v<T,
			int>, (a < b)); f((a < b), (n > i)); f(u<v.x, w.y>(b)); frag<k.value, j.value>();`},
	{
		`struct Q { T x; Q(T a) : x(a) {} T get() const { return x; } }; enum class F : uchar { A }; using V = vec<T, 4>;
			typedef typename X<T>::type Y; using namespace metal; using metal::max; V * q; Y * z; static_assert(n > 1);
			union { float f; uint u; } w;`,
		`Struct{Tag struct Name Q Members [{Field {Type {Path [T]} Vars [{Declarator {Name x}}]}} {Skipped yes Decl Helper
			Q} {Skipped yes Decl Helper get}]}; Enum{Class class Name F Base {Path [uchar]} Values [{Name A}]}; Using{Name V
			Type {Path [vec] Args {Args [‹T› ‹4›]}}}; Typedef{Type {Pre [typename] Path [X] Args {Args [‹T›]}
			Member [type]} Vars [{Declarator {Name Y}}]}; Using{Namespace [metal]}; Using{Name metal Rest [max]}; ‹V› * q;
			‹Y› * z; assert (n > 1); Struct{Tag union Members [{Field {Type {Path [float]} Vars [{Declarator {Name f}}]}}
			{Field {Type {Path [uint]} Vars [{Declarator {Name u}}]}}]} w;`},
	{
		`x = T(a) * T{b} + T(); y = T(a, b).x; y = vec<T, (n > 2)>(a); y = float(a) < T(b); X<sizeof(T) * 8> w2; a < T(1),
			b > 2;`,
		`(x = ((T(a) * T{b}) + T())); (y = T(a, b).x); (y = vec<T, (n>2)>(a)); (y = (float(a) < T(b)));
			‹X<sizeof(T)*8>› w2; ((a < T(1)) , (b > 2));`},
	{
		`int k = a, *j = &k; auto&& r = x; auto* q = p; const thread auto& z = x; for (a = 0, b = 1; a < b; a++, b--) ;
			_Pragma("unroll") for (;;) break;`,
		`‹int› k = a, * j = (&k); ‹auto› && r = x; ‹auto› * q = p; ‹const thread auto› & z = x; for [((a =
			0) , (b = 1));|(a < b)|((a++) , (b--))] {} for [||] break`},
	{`return [&] { return 1; }(); return {.x = 1};`, `return [&][] {return 1;}(); return {.x = 1};`},
	{`thread auto* q = &f<T, 4>; apply(f<4>); g(u<T>); y = a < b ? u<1> : v<2>; k = x<T>::value - 1; (X<T>::value) - 1;`,
		`‹thread auto› * q = (&f<T, 4>); apply(f<4>); g(u<T>); (y = ((a < b) ? u<1> : v<2>)); (k = ((x < T) > (::value -
			1))); (X<T>::value - 1);`},

	// Expressions.
	{
		"as_type<uint>(x); metal::as_type<float>(a) + 1; vec<float, 4>(1).x; simdgroup_matrix<float, 8, 8>(0.0f); " +
			"make_filled_simdgroup_matrix<float, 8, 8>(0); f<4>(x); f<>(); f<vec<float, 2>>(x);",
		"as_type<uint>(x); (metal::as_type<float>(a) + 1); vec<float, 4>(1).x; simdgroup_matrix<float, 8, 8>(0.0f); " +
			"make_filled_simdgroup_matrix<float, 8, 8>(0); f<4>(x); f<>(); f<vec<float,2>>(x);"},
	{"f<A & ~(" + strings.Repeat("B | ", 50) + "C), 2>(x);", "f<A&~(" + strings.Repeat("B|", 50) + "C), 2>(x);"},
	{
		"ns::f<T>::g(x); f<T>::template g<4>::h(x); numeric_limits<float>::max(); k = metal::numeric_limits<uint>::max() - " +
			"1; f<A::b, -1, (1 > 2), sizeof(int)>(x); ns::template f<4>(x);",
		"ns::f<T>::g(x); f<T>::g<4>::h(x); numeric_limits<float>::max(); (k = (metal::numeric_limits<uint>::max() - 1)); " +
			"f<A::b, -1, (1>2), sizeof(int)>(x); ns::f<4>(x);"},
	{
		"a < b && c > (d); a < b, c > (d); c < b && d > (e); ok = c < d || e > (f); c < d; c < d > e; i < b > (c); c < (d) " +
			"> (e);",
		"((a < b) && (c > d)); ((a < b) , (c > d)); ((c < b) && (d > e)); (ok = ((c < d) || (e > f))); (c < d); ‹c<d>› " +
			"e; ((i < b) > c); c<(d)>(e);"},
	{"for (int k = 0; k < n && a > (b); k++) ; x = a < b ? c > (d) : e; m.x < n.x, a.y > (b); m.x < float(a);",
		"for [‹int› k = 0;|((k < n) && (a > b))|(k++)] {} (x = ((a < b) ? (c > d) : e)); ((m.x < n.x) , (a.y > b)); " +
			"(m.x < float(a));"},
	{"m.template f<4>(x); m.f<float>(x); m->f<vec<T, 2>, 1>(x);", "m.f<4>(x); m.f<float>(x); m->f<vec<T,2>, 1>(x);"},
	{
		"v = float4{1, 2, 3, 4}; v = {1, 2}; f({1, 2}, P{a, {b}}); v = vec<float, 4>{1}; v = w = {}; v = ns::P{1}.x; v = " +
			"int{1}; v = bool{}; v = f<4>{1};",
		"(v = float4{1, 2, 3, 4}); (v = {1, 2}); f({1, 2}, P{a, {b}}); (v = vec<float, 4>{1}); (v = (w = {})); (v = " +
			"ns::P{1}.x); (v = int{1}); (v = bool{}); (v = f<4>{1});"},
	{
		"a = unsigned int(x); a = long(x); a = unsigned long{x} + 1; a = (size_t)a * (size_t)n; b = (unsigned)x; v = " +
			"(float4){1, 2};",
		"(a = cast<{Type {Words [unsigned int]}}>(x)); (a = long(x)); (a = (cast<{Type {Words [unsigned long]}}>(x) + 1)); " +
			"(a = (cast<{Type {Path [size_t]}}>(a) * cast<{Type {Path [size_t]}}>(n))); (b = cast<{Type {Words " +
			"[unsigned]}}>(x)); (v = cast<{Type {Path [float4]}}>({1, 2}));"},
	{
		"*(device const float4*)(p + 1); (const thread float&)x; sizeof(float4) * 2; reinterpret_cast<device const " +
			"uint*>(p)[1]; (device uint*)p + 1; (metal::vec<float, 2>)x; (unsigned char)x;",
		"(*cast<{Type {Pre [device const] Path [float4]} Pointers [{Op *}]}>((p + 1))); cast<{Type {Pre [const thread] " +
			"Path [float]} Pointers [{Op &}]}>(x); (sizeof<{Type {Path [float4]}}> * 2); cast<{Type {Pre [device const] Path " +
			"[uint]} Pointers [{Op *}]}>(p)[1]; (cast<{Type {Pre [device] Path [uint]} Pointers [{Op *}]}>(p) + 1); " +
			"cast<{Type {Path [metal vec] Args {Args [‹float› ‹2›]}}}>(x); cast<{Type {Words [unsigned char]}}>(x);"},
	{"f(\"a\" \"b\"\n\"c\"); f('a'); ok = true == false; this->x; q = nullptr; a = 'a' + 'b';",
		`f("abc"); f('a'); (ok = (true == false)); this->x; (q = nullptr); (a = ('a' + 'b'));`},
	{
		"p[i] += x; p[i + 1] = p[i] = x; v.xy = w.yx; (*q).x = q->y; a = b ? c : d; a <<= 1; a = ~b & !c; s[0][1]--; ++*p; " +
			"&p[1]; *p++ = 1;",
		"(p[i] += x); (p[(i + 1)] = (p[i] = x)); (v.xy = w.yx); ((*q).x = q->y); (a = (b ? c : d)); (a <<= 1); (a = ((~b) " +
			"& (!c))); (s[0][1]--); (++(*p)); (&p[1]); ((*(p++)) = 1);"},
}

func TestBody(t *testing.T) {
	for _, test := range bodyTests {
		b, errs := parseBodyText(test.text)
		if len(errs) > 0 {
			t.Errorf("%s\n%v", test.text, errs)
			continue
		}
		got := strings.TrimSuffix(strings.TrimPrefix(showStmt(b), "{"), "}")
		expectText(t, test.text, got, test.want)
	}
}

var bodyErrorTests = []struct{ text, want string }{
	{"a", `m.metal:2:3: unexpected "}": expected ;`},
	{"a b;", `m.metal:2:4: unexpected "b": expected ;`},
	{"a = 1\nb = 2; c d; x;", `m.metal:3:1: unexpected "b": expected ;`},
	{"float y = 1 float z = 2; c d;", `m.metal:2:14: unexpected "float": expected ;`},
	{"if (a b) { c d; } else { e f; } g h;", `m.metal:2:8: unexpected "b": expected )`},
	{"if a { b; } c d;", `m.metal:2:5: unexpected "a": expected (`},
	{"if (a) else b; c d;", `m.metal:2:9: unexpected "else": no if is open here`},
	{"else a;", `m.metal:2:2: unexpected "else": no if is open here`},
	{"if (float y) a; while (uint k = n, j = 1) b; for (; int k = 1;) ; if (a; b; c) d;",
		`m.metal:2:6: a condition declares one variable and gives it a value
m.metal:2:25: a condition declares one variable and gives it a value
m.metal:2:54: a declaration cannot be the condition here
m.metal:2:76: unexpected ";": expected )`},
	{"for (a; b) c; for (a; b; c; d) {} for (float : p) {} for (int k = 1; float y = 2 : p) {} for (;;)",
		`m.metal:2:11: unexpected ")": expected ;
m.metal:2:28: unexpected ";": expected )
m.metal:2:47: unexpected ":": expected a name
m.metal:2:79: unexpected "=": expected :
m.metal:2:99: unexpected "}": expected a statement`},
	{"for (a b; c; d) { e f; } for (auto y : p) { a h; }", `m.metal:2:9: unexpected "b": expected ;
m.metal:2:48: unexpected "h": expected ;`},
	{"while () a; while (a)", `m.metal:2:9: unexpected ")": expected an expression
m.metal:2:23: unexpected "}": expected a statement`},
	{"do a; until (b); do a; while (b) c;", `m.metal:2:8: unexpected "until": expected while
m.metal:2:35: unexpected "c": expected ;`},
	{
		"switch (a) b; switch (a b) { case: c; case 1 d; default 2: } case 1: a; default: b; switch (a) { case 1: if (b) " +
			"case 2: c; }", `m.metal:2:13: unexpected "b": expected {
m.metal:2:26: unexpected "b": expected )
m.metal:2:35: unexpected ":": expected an expression
m.metal:2:47: unexpected "d": expected :
m.metal:2:58: unexpected "2": expected :
m.metal:2:63: unexpected "case": no switch is open here
m.metal:2:74: unexpected "default": no switch is open here
m.metal:2:114: unexpected "case": a label stands in the block of its switch`},
	{`g([a b] { }); h([](3) { }); k([](int) -> { }); l([](int k) 3); m([&](int k) { break; });`,
		`m.metal:2:7: unexpected "b": expected ,
m.metal:2:21: unexpected "3": expected )
m.metal:2:43: unexpected "{": expected a type
m.metal:2:61: unexpected "3": expected {
m.metal:2:80: unexpected "break": no loop or switch is open here`},
	{
		`P q = {.3 = 1}; P r = {[1 = 2]}; y = (xs + ... 3); sizeof...(3); auto [3] = p; auto [a b] = p; decltype() z; ` +
			`y = (... 3); y = typename 3; f(decltype(x));`, `m.metal:2:26: unexpected "1": expected a name
m.metal:2:49: expected + or )
m.metal:2:63: expected the name of a pack
m.metal:2:73: unexpected "3": expected a name
m.metal:2:89: unexpected "b": expected ,
m.metal:2:106: unexpected ")": expected a value
m.metal:2:120: expected an operator
m.metal:2:137: expected a type
m.metal:2:153: unexpected ")": expected (`},
	{"break; continue; switch (a) { case 1: continue; } if (a) break; for (;;) break;",
		`m.metal:2:2: unexpected "break": no loop or switch is open here
m.metal:2:9: unexpected "continue": no loop is open here
m.metal:2:40: unexpected "continue": no loop is open here
m.metal:2:59: unexpected "break": no loop or switch is open here`},
	{"return 1 2; return {1;}; return a", `m.metal:2:11: unexpected "2": expected ;
m.metal:2:23: unexpected ";": expected }
m.metal:2:35: unexpected "}": expected ;`},
	{"goto end; end: a; try { a; } catch (...) { b; } asm(\"x\"); template <typename T> f();",
		`m.metal:2:2: goto is not supported in a body
m.metal:2:20: try is not supported in a body
m.metal:2:50: asm is not supported in a body
m.metal:2:60: template is not supported in a body`},
	{"a = new float; delete p; throw a; a = [3](int k) { return k; }(1); a = typeid(x); a = decltype(b);",
		`m.metal:2:6: new is not supported
m.metal:2:17: delete is not supported
m.metal:2:27: throw is not supported
m.metal:2:41: unexpected "3": expected a name
m.metal:2:73: typeid is not supported
m.metal:2:99: unexpected ";": expected (`},
	{"static_assert a; static_assert(a, b); static_assert(); static_assert(a) b;",
		`m.metal:2:16: unexpected "a": expected (
m.metal:2:36: unexpected "b": expected a string
m.metal:2:54: unexpected ")": expected an expression
m.metal:2:74: unexpected "b": expected ;`},
	{"float; float 3; float y z; float y[2] = 1 2;", `m.metal:2:7: unexpected ";": expected a name
m.metal:2:15: unexpected "3": expected ;
m.metal:2:26: unexpected "z": expected ;
m.metal:2:44: unexpected "2": expected ;`},
	{"float y = ; float z = 1,; float w = {1, 2 3}, v; float u(); float t(1,); float = 3; const = 2; const 4;",
		`m.metal:2:12: unexpected ";": expected an expression
m.metal:2:26: unexpected ";": expected a name
m.metal:2:44: unexpected "3": expected }
m.metal:2:59: unexpected ")": expected an expression
m.metal:2:72: unexpected ")": expected an expression
m.metal:2:81: unexpected "=": expected a name
m.metal:2:92: unexpected "=": expected a type
m.metal:2:103: unexpected "4": expected a type`},
	{"float *; float & = x; float return = 1; float y(int k); void g() { a; } b c;",
		`m.metal:2:9: unexpected ";": expected a name
m.metal:2:19: unexpected "=": expected a name
m.metal:2:30: unexpected "return": expected a name
m.metal:2:54: unexpected "k": expected )
m.metal:2:65: unexpected ")": expected an expression`},
	{"vec<float y; vec<float, 4 v = 1; const foo<a; as_type<uint(x); x.template f<a;",
		`m.metal:2:5: missing >: this < is never closed
m.metal:2:18: missing >: this < is never closed
m.metal:2:41: missing >: these template arguments are never closed
m.metal:2:55: missing >: this < is never closed
m.metal:2:77: missing >: this < is never closed`},
	{"struct Q { float 3; }; Q q; struct R { float x; } 3; enum F { 1 }; F f; a b;",
		`m.metal:2:19: unexpected "3": expected a name
m.metal:2:52: unexpected "3": expected a name
m.metal:2:64: unexpected "1": expected , or }
m.metal:2:76: unexpected "b": expected ;`},
	{"typedef float; typedef float 3; using = 3; using F = 4; typedef float G",
		`m.metal:2:15: unexpected ";": expected a name
m.metal:2:31: unexpected "3": expected a name
m.metal:2:40: unexpected "=": expected a name
m.metal:2:55: unexpected "4": expected a type
m.metal:2:73: unexpected "}": expected ;`},
	{"[[]] float x; [[1]] float y; alignas float z; alignas() float w;",
		`m.metal:2:16: bad attribute [[1]]: unexpected "1": expected ]
m.metal:2:39: unexpected "float": expected (
m.metal:2:56: unexpected ")": expected a value`},
	{"f(a b); f(a,); f(,); p[]; p[a b]; a.; a->1; a ? b; a ? b : ; a +; * ;", `m.metal:2:6: unexpected "b": expected )
m.metal:2:14: unexpected ")": expected an expression
m.metal:2:19: unexpected ",": expected an expression
m.metal:2:25: unexpected "]": expected an expression
m.metal:2:32: unexpected "b": expected ]
m.metal:2:38: expected the name of a member
m.metal:2:43: expected the name of a member
m.metal:2:51: unexpected ";": expected :
m.metal:2:61: unexpected ";": expected an expression
m.metal:2:66: unexpected ";": expected an expression
m.metal:2:70: unexpected ";": expected an expression`},
	{"P{1 2}; v = {1, ,}; a{1}; a = {1} + 2; a + {1}; f({1 2}); unsigned int x y; a = unsigned int; a = unsigned int{};",
		`m.metal:2:6: unexpected "2": expected }
m.metal:2:18: unexpected ",": expected an expression
m.metal:2:23: unexpected "{": expected ;
m.metal:2:45: unexpected "{": expected an expression
m.metal:2:55: unexpected "2": expected }
m.metal:2:75: unexpected "y": expected ;
m.metal:2:94: unexpected ";": expected (
m.metal:2:113: unexpected "}": expected an expression`},
	{"a = const; a = device float; a = if; a = struct P; R\"(a)\" \"b\"; using F = float float;",
		`m.metal:2:6: unexpected "const": expected an expression
m.metal:2:17: unexpected "device": expected an expression
m.metal:2:35: unexpected "if": expected an expression
m.metal:2:43: unexpected "struct": expected an expression
m.metal:2:60: strings with a prefix cannot be joined
m.metal:2:81: unexpected "float": expected ;`},
	{"a = (float) ; a = (float) sizeof(); reinterpret_cast<>(p); reinterpret_cast<float*>p;",
		`m.metal:2:14: unexpected ";": expected an expression
m.metal:2:35: unexpected ")": expected an expression
m.metal:2:55: expected a type`},
	{"{ a b; { a d; } } a f; { g", "m.metal:2:1: missing }: this { is never closed"},
	{"if (a { b; }", "m.metal:2:5: missing ): this ( is never closed"},
	{"namespace q { int a; } b c; extern \"C\" a;", `m.metal:2:2: a further name for a namespace is not supported in a body
m.metal:2:37: unexpected "\"C\"": expected a type`},
}

func TestBodyErrors(t *testing.T) {
	for _, test := range bodyErrorTests {
		_, errs := parseBodyOf("kernel void f(int a, int x, device float* p)\n{" + test.text + "}")
		if got := errs.Error(); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.text, got, test.want)
		}
	}
}

// Without isType only the language's own types are known, and a global or an
// enumerator is known to be no template.
func TestBodyWithoutTypes(t *testing.T) {
	tree, errs := parseText(
		"constant uint N = 4; enum E { A, B }; void f() { N < a, b > (c); B < a, b > (c); g < a, b > (c); " +
			"(void)a; (int)a; (float)(a); E(1); }")
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	b, errs := tree.ParseBody(tree.Decls[2], nil)
	want := "{((N < a) , (b > c)); ((B < a) , (b > c)); g<a, b>(c); cast<{Type {Path [void]}}>(a); cast<{Type {Words " +
		"[int]}}>(a); float(a); E(1);}"
	if got := showStmt(b); len(errs) > 0 || got != want {
		t.Errorf("%v\n got %s\nwant %s", errs, got, want)
	}
	tree, _ = parseText("void f();")
	if b, errs := tree.ParseBody(tree.Decls[0], nil); b != nil || errs != nil {
		t.Errorf("a function without a body has %s, %v", showStmt(b), errs)
	}
}

func TestParseFunction(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"inline float f(device const float* x, thread float& m, threadgroup float* s, uint n = 4) {}",
			"{Result {Pre [inline] Path [float]} Name f Params [{Type {Pre [device const] Path [float]} Pointers [{Op *}] " +
				"Declarator {Name x}} {Type {Pre [thread] Path [float]} Pointers [{Op &}] Declarator {Name m}} {Type {Pre " +
				"[threadgroup] Path [float]} Pointers [{Op *}] Declarator {Name s}} {Type {Path [uint]} Declarator {Name n} " +
				"Default ‹4›}] Body yes}"},
		{"static inline float4 g(float4 x);",
			"{Result {Pre [static inline] Path [float4]} Name g Params [{Type {Path [float4]} Declarator {Name x}}]}"},
		{"METAL_FUNC float h(float x) {}",
			"{Result {Path [float]} Name h Params [{Type {Path [float]} Declarator {Name x}}] Body yes}"},
		{"METAL_FUNC static const device unsigned int* h() {}",
			"{Result {Pre [static const device] Words [unsigned int]} Pointers [{Op *}] Name h Body yes}"},
		{"inline METAL_FUNC ALWAYS_INLINE float const h() {}",
			"{Result {Pre [inline] Path [float] Post [const]} Name h Body yes}"},
		{"METAL_FUNC ::metal::vec<float, 4> a::h() {}",
			"{Result {Path [ metal vec] Args {Args [‹float› ‹4›]}} Name a::h Body yes}"},
		{"ALWAYS_INLINE struct P h() {}", "{Result {Tag struct Path [P]} Name h Body yes}"},
		{"float const h() {}", "{Result {Path [float] Post [const]} Name h Body yes}"},
		{"__attribute__((always_inline)) inline float f() {}",
			"{Attributes [[[always_inline]]] Result {Pre [inline] Path [float]} Name f Body yes}"},
		{"static __attribute__((always_inline)) inline [[clang::noinline]] METAL_FUNC float f(float x [[a]]) {}",
			"{Attributes [[[always_inline]] [[clang::noinline]]] Result {Pre [static inline] Path [float]} Name f Params " +
				"[{Type {Path [float]} Declarator {Name x After [[[a]]]}}] Body yes}"},
		{"constexpr float f(int) {}",
			"{Result {Pre [constexpr] Path [float]} Name f Params [{Type {Words [int]}}] Body yes}"},
		{"kernel void k(uint i [[thread_position_in_grid]]) {}",
			"{Result {Pre [kernel] Path [void]} Name k Params [{Type {Path [uint]} Declarator {Name i After " +
				"[[[thread_position_in_grid]]]}}] Body yes}"},
		{"[[clang::noinline]] void f(thread float (&x)[4]) {}",
			"{Attributes [[[clang::noinline]]] Result {Path [void]} Name f Params [{Type {Pre [thread] Path [float]} " +
				"Declarator {Inner {Ptr [{Op &}] Name x} Dims [{Size ‹4›}]}}] Body yes}"},
		{"float f(float x { }", ""},
		{"float f(3) {}", `m.metal:1:9: unexpected "3": expected , or )`},
		{"METAL_FUNC f(float x) -> float {}", `m.metal:1:13: unexpected "(": expected a name`},
		{"f() {}", `m.metal:1:2: unexpected "(": expected a name`},
		{"[[1]] float f() {}", `m.metal:1:1: bad attribute [[1]]: unexpected "1": expected ]`},
		{"struct P { int x; };", `m.metal:1:1: this is no function`},
		{"operator f() {}", "{Result {} Name operator f Body yes}"},
	} {
		tree, _ := parseText(test.text)
		got := ""
		for _, d := range tree.Decls {
			if f, err := tree.ParseFunction(d); err != nil {
				got = err.Error()
			} else {
				got = dump(f)
			}
		}
		if got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.text, got, test.want)
		}
	}
}

// The bodies of all functions of the sources parse.
func TestBodiesOfSources(t *testing.T) {
	paths, err := filepath.Glob("../shaders/*.metal")
	if err != nil || len(paths) == 0 {
		t.Fatal("no sources", err)
	}
	for _, path := range paths {
		unit, errs := preprocess.Run(filepath.Base(path), path, nil)
		tree, more := Parse(unit)
		if errs = append(errs, more...); len(errs) > 0 {
			t.Fatal(errs)
		}
		statements := 0
		for _, d := range tree.Decls {
			if d.Function == nil && d.Helper == "" {
				continue
			}
			if _, err := tree.ParseFunction(d); err != nil {
				t.Error(err)
			}
			b, errs := tree.ParseBody(d, func(path Path) bool {
				name := strings.TrimRight(path[len(path)-1], "234")
				return slices.Contains([]string{"float", "half", "int", "uint", "short", "ushort", "char", "uchar", "long", "ulong",
					"size_t", "uint8_t", "uint16_t", "uint32_t"}, name)
			})
			if len(errs) > 0 {
				t.Error(errs)
			}
			if b != nil {
				statements += len(b.List)
			}
		}
		if statements == 0 {
			t.Errorf("%s has no statements", path)
		}
	}
}

func TestBodyDepth(t *testing.T) {
	for _, test := range []struct{ open, middle, end, want string }{
		{"if (a) ", ";", "", "statements nest deeper than 256"},
		{"for (;;) ", ";", "", "statements nest deeper than 256"},
		{"do ", ";", " while (a);", "statements nest deeper than 256"},
		{"{", ";", "}", "brackets nest deeper than 256"},
		{"switch (a) ", "{}", "", `unexpected "switch": expected {`},
		{"- ", "a;", "", "the expression nests deeper than 256"},
		{"a = ", "1;", "", "the expression nests deeper than 256"},
		{"f<4>(", "a;", ")", "brackets nest deeper than 256"},
		{"vec<", "int", ">", "template arguments nest deeper than 256"},
	} {
		for _, n := range []int{300, 20000} {
			_, errs := parseBodyText(strings.Repeat(test.open, n) + test.middle + strings.Repeat(test.end, n))
			if len(errs) == 0 || errs[0].Msg != test.want {
				t.Errorf("%s: %v", test.open, errs[:min(len(errs), 3)])
			}
		}
	}
	for _, n := range []int{300, 20000} {
		vec := strings.Repeat("vec<", n) + "int" + strings.Repeat(">", n)
		for _, text := range []string{
			"struct S { " + vec + " v; };", "using Q = " + vec + ";", "constant " + vec + " v = {};",
		} {
			_, errs := parseText(text)
			if len(errs) != 1 || errs[0].Msg != "template arguments nest deeper than 256" {
				t.Errorf("%.20s: %v", text, errs[:min(len(errs), 3)])
			}
		}
	}
	for _, text := range []string{strings.Repeat("if (a) ", 250), strings.Repeat("if (a) ; else ", 4096)} {
		if _, errs := parseBodyText(text + ";"); len(errs) > 0 {
			t.Errorf("%.20s: %v", text, errs)
		}
	}
	_, errs := parseBodyText(strings.Repeat("if (a) ; else ", 20000) + ";")
	if len(errs) != 1 || errs[0].Msg != "more than 4096 else if in a row" {
		t.Error(errs)
	}
}

// No body takes work that grows faster than the body: each of its tokens is looked
// at a bounded number of times.
func TestHugeBodies(t *testing.T) {
	const n, most = 1000, 2 * maxTemplateArgs
	for _, test := range []struct{ open, middle, end string }{
		{"a = b;", "", ""}, {"float y = a < b;", "", ""}, {"a b;", "", ""}, {"{ a b; }", "", ""},
		{"if (a b) { c; }", "", ""}, {"T<", "", ";"}, {"foo<", "", ";"}, {"(T<", "", ""}, {"T < {", "", "}"},
		{"foo<1>(", "", ")"}, {"vec<", "1", ">"}, {"a < b > (", "", ")"}, {"x < y, ", "z", ";"}, {"(T[", "", "]"},
		{"const ", "", ";"}, {"T * ", "", ";"}, {"a::", "b", ";"}, {"T<1>::", "x", ";"}, {"float y = {", "", "}"},
		{"1,", "1", ";"}, {"1+", "1", ";"}, {"x.", "y", ";"}, {"x.f<T,", "y", ";"}, {"struct Q { int x; };", "", ""},
		{"using Q = T;", "", ""}, {"typedef T Q;", "", ""}, {"struct Q : ", "", ";"}, {"f(", "", ""},
		{"case 1:", "", ""}, {"else ", "", ";"}, {"} ", "", ""}, {"\"a\" ", "", ";"}, {"[[a]] ", "", ";"},
		{"alignas(4) ", "", "int x;"}, {"a ? ", "b", " : c"}, {"(", "a", ")"}, {"{", "", "}"}, {"int T = 1; {", "", ""},
		{"(device T*)", "p", ";"}, {"sizeof(", "a", ")"}, {"const T<", "", ""}, {"foo<bar<1>>::", "x", ";"},
		{"float y[2] = {1}, ", "z", ";"}, {"unsigned ", "x", ";"},
	} {
		text := strings.Repeat(test.open, n) + test.middle
		for _, text := range []string{
			text + strings.Repeat(test.end, n), text + ";", "int lut[] = {" + text + "};", "for (f(" + text + ");;) {}",
		} {
			if steps, tokens := stepsOfBody(text); steps > most*tokens {
				t.Errorf("%d times %q: %d tokens took %d steps", n, test.open, tokens, steps)
			}
		}
	}
	text := func(n int) string { return strings.Repeat("T<1>::", n) + "x;" }
	expectLinear(t, "templates in a name", text(n), text(4*n), func(text string) { stepsOfBody(text) })
}

// stepsOfBody parses a body and returns how many steps that took, and how many
// tokens there are.
func stepsOfBody(text string) (steps, tokens int) {
	tree, _ := parseText("void f() {" + text + "}")
	for _, d := range tree.Decls {
		if d.Open < 0 {
			continue
		}
		if p, _ := tree.bodyParser(d, isBodyType); p != nil {
			p.block()
			steps += p.expr.steps
		}
	}
	return steps, len(tree.Tokens)
}

func FuzzParseBody(f *testing.F) {
	for _, test := range bodyTests {
		f.Add(test.text)
	}
	for _, test := range bodyErrorTests {
		f.Add(test.text)
	}
	f.Add("operator")
	f.Add("for(;:){}")
	f.Fuzz(func(t *testing.T, body string) {
		text := "inline float f(int a, float x) {" + body + "}"
		tree, errs := parseText(text)
		if errs.HasErrors() {
			return
		}
		check := func(pos Pos) {
			if pos.Filename != "m.metal" || pos.Offset < 0 || pos.Offset > len(text) || pos.Line < 1 || pos.Column < 1 {
				t.Fatalf("position %+v", pos)
			}
		}
		for _, d := range tree.Decls {
			if f, err := tree.ParseFunction(d); err == nil {
				checkPositions(reflect.ValueOf(f), check)
			}
			b, errs := tree.ParseBody(d, isBodyType)
			for _, e := range errs {
				check(e.Pos)
				if e.Msg == "" || strings.Contains(e.Msg, "<ident>") {
					t.Fatalf("message %q", e.Msg)
				}
			}
			if b != nil {
				showStmt(b)
				checkPositions(reflect.ValueOf(b), check)
			}
		}
	})
}
