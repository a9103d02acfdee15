package parser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/parser/preprocess"
)

// showExpr writes an expression with all its parentheses.
func showExpr(e Expr) string {
	switch e := e.(type) {
	case *Number:
		return e.Text
	case *Text:
		return e.Text
	case *Name:
		text := strings.Join(e.Path, "::")
		if e.Args != nil {
			text += showArgs(e.Args)
		}
		if e.Member != nil {
			text += "::" + showExpr(e.Member)
		}
		return text
	case *Unary:
		if e.Postfix {
			return "(" + showExpr(e.X) + e.Op + ")"
		}
		return "(" + e.Op + showExpr(e.X) + ")"
	case *Binary:
		return "(" + showExpr(e.X) + " " + e.Op + " " + showExpr(e.Y) + ")"
	case *Conditional:
		return "(" + showExpr(e.Cond) + " ? " + showExpr(e.Then) + " : " + showExpr(e.Else) + ")"
	case *CallExpr:
		if e.Brace {
			return showExpr(e.Func) + "{" + showExprs(e.Args) + "}"
		}
		return showExpr(e.Func) + "(" + showExprs(e.Args) + ")"
	case *InitList:
		if e.Paren {
			return "(" + showExprs(e.Elems) + ")"
		}
		return "{" + showExprs(e.Elems) + "}"
	case *Designated:
		switch {
		case e.Last != nil:
			return "[" + showExpr(e.First) + " ... " + showExpr(e.Last) + "] = " + showExpr(e.X)
		case e.First != nil:
			return "[" + showExpr(e.First) + "] = " + showExpr(e.X)
		}
		return "." + e.Field + " = " + showExpr(e.X)
	case *Lambda:
		var captures []string
		if e.Default != "" {
			captures = append(captures, e.Default)
		}
		for _, c := range e.Captures {
			captures = append(captures, dump(c))
		}
		text := "[" + strings.Join(captures, ", ") + "]" + dump(e.Params) + strings.Join(e.Quals, " ")
		if e.Result != nil {
			text += " -> " + showTypeName(e.Result)
		}
		return text + " " + showStmt(e.Body)
	case *Fold:
		text := "..."
		if e.X != nil {
			text = showExpr(e.X.X) + " " + e.Op + " " + text
		}
		if e.Y != nil {
			text += " " + e.Op + " " + showExpr(e.Y.X)
		}
		return "fold<" + text + ">"
	case *Expansion:
		return showExpr(e.X) + "..."
	case *Construct:
		if e.Brace {
			return showTypeName(e.Type) + "{" + showExprs(e.Args) + "}"
		}
		return showTypeName(e.Type) + "(" + showExprs(e.Args) + ")"
	case *TypeMember:
		text := showTypeName(e.Type) + "::" + e.Name
		if e.Args != nil {
			text += showArgs(e.Args)
		}
		return text
	case *Index:
		return showExpr(e.X) + "[" + showExpr(e.I) + "]"
	case *MemberExpr:
		text := showExpr(e.X) + "." + e.Name
		if e.Arrow {
			text = showExpr(e.X) + "->" + e.Name
		}
		if e.Args != nil {
			text += showArgs(e.Args)
		}
		return text
	case *Cast:
		return "cast<" + dump(e.Type) + ">(" + showExpr(e.X) + ")"
	case *Sizeof:
		word := "sizeof"
		if e.Pack {
			word = "sizeof..."
		}
		if e.Align {
			word = "alignof"
		}
		if e.Type != nil {
			return word + "<" + dump(e.Type) + ">"
		}
		return word + "(" + showExpr(e.X) + ")"
	}
	return fmt.Sprintf("?%T", e)
}

func showTypeName(t *TypeName) string {
	text := showType(t.Type)
	for _, p := range t.Pointers {
		text += " " + p.Op
	}
	return "‹" + text + "›"
}

func showExprs(list []Expr) string {
	var texts []string
	for _, e := range list {
		texts = append(texts, showExpr(e))
	}
	return strings.Join(texts, ", ")
}

func showArgs(a *TemplateArgs) string {
	var texts []string
	for _, arg := range a.Args {
		texts = append(texts, join(arg.List))
	}
	return "<" + strings.Join(texts, ", ") + ">"
}

// parseExprText parses text, in which T, float, uint and vec name types.
func parseExprText(text string) (Expr, error) {
	tokens, errs := preprocess.Scan("m.metal", text)
	if len(errs) > 0 {
		return nil, errs
	}
	return ParseExpr(tokens, func(name string) bool {
		return name == "T" || name == "float" || name == "uint" || name == "vec"
	})
}

func TestExpr(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"1", "1"},
		{"0x1Fu + 'a' - 1.5e-3h", "((0x1Fu + 'a') - 1.5e-3h)"},
		{`f("s")`, `f("s")`},
		{"a - b - c", "((a - b) - c)"},
		{"a / b * c % d", "(((a / b) * c) % d)"},
		{"a + b * c", "(a + (b * c))"},
		{"(a + b) * c", "((a + b) * c)"},
		{"a << b + c >> d", "((a << (b + c)) >> d)"},
		{"a < b == c >= d", "((a < b) == (c >= d))"},
		{"a & b == c", "(a & (b == c))"},
		{"a | b ^ c & d", "(a | (b ^ (c & d)))"},
		{"a || b && c | d", "(a || (b && (c | d)))"},
		{"a != b < c", "(a != (b < c))"},
		{"a = b = c", "(a = (b = c))"},
		{"a += b -= c *= d /= e %= f &= g |= h ^= i <<= j >>= k",
			"(a += (b -= (c *= (d /= (e %= (f &= (g |= (h ^= (i <<= (j >>= k))))))))))"},
		{"a ? b : c ? d : e", "(a ? b : (c ? d : e))"},
		{"a ? b ? c : d : e", "(a ? (b ? c : d) : e)"},
		{"a || b ? c = d : e = f", "((a || b) ? (c = d) : (e = f))"},
		{"a ? b, c : d", "(a ? (b , c) : d)"},
		{"a = b ? c : d", "(a = (b ? c : d))"},
		{"a, b = c, d", "((a , (b = c)) , d)"},
		{"-a * !b + ~c", "(((-a) * (!b)) + (~c))"},
		{"- -a", "(-(-a))"},
		{"-a.b[c]", "(-a.b[c])"},
		{"*p++ = &q--", "((*(p++)) = (&(q--)))"},
		{"++*p", "(++(*p))"},
		{"a.b->c[d](e).f", "a.b->c[d](e).f"},
		{"a[i][j, k]", "a[i][(j , k)]"},
		{"f()(1)(2, 3)", "f()(1)(2, 3)"},
		{"f(a = 1, b ? c : d, (e, g))", "f((a = 1), (b ? c : d), (e , g))"},
		{"metal::fast::exp(x)", "metal::fast::exp(x)"},
		{"::metal::max(a, b)", "::metal::max(a, b)"},
		{"float(x) / float4(1, 2, 3, 4).xyz", "(float(x) / float4(1, 2, 3, 4).xyz)"},

		// What is in the parentheses decides.
		{"(x) - y", "(x - y)"},
		{"(T) - y", "cast<{Type {Path [T]}}>((-y))"},
		{"(x)(y)", "x(y)"},
		{"(float)(y).z", "cast<{Type {Path [float]}}>(y.z)"},
		{"(float)x * y", "(cast<{Type {Path [float]}}>(x) * y)"},
		{"(float(x) + 1) * y", "((float(x) + 1) * y)"},
		{"(float(x))", "float(x)"},
		{"(uint) (float) -x", "cast<{Type {Path [uint]}}>(cast<{Type {Path [float]}}>((-x)))"},
		{"(unsigned int)x", "cast<{Type {Words [unsigned int]}}>(x)"},
		{"(device const float*)p", "cast<{Type {Pre [device const] Path [float]} Pointers [{Op *}]}>(p)"},
		{"(const device struct P&)p", "cast<{Type {Pre [const device] Tag struct Path [P]} Pointers [{Op &}]}>(p)"},
		{"(device S*)p", "cast<{Type {Pre [device] Path [S]} Pointers [{Op *}]}>(p)"},
		{"(vec<float, 4>)x", "cast<{Type {Path [vec] Args {Args [‹float› ‹4›]}}}>(x)"},
		{"(metal::vec<vec<T, 2>, 4>::T)x",
			"cast<{Type {Path [metal vec] Args {Args [‹vec<T,2>› ‹4›]} Member [T]}}>(x)"},
		{"(::metal::float)x", "cast<{Type {Path [ metal float]}}>(x)"},
		{"(T[4])x", "cast<{Type {Path [T]} Dims [{Size ‹4›}]}>(x)"},
		{"(T * x)", "(T * x)"},
		{"(thread T* const)x", "cast<{Type {Pre [thread] Path [T]} Pointers [{Op * Quals [const]}]}>(x)"},
		{"sizeof(float) * 2", "(sizeof<{Type {Path [float]}}> * 2)"},
		{"sizeof(x) + sizeof x[1]", "(sizeof(x) + sizeof(x[1]))"},
		{"sizeof(float(1))", "sizeof(float(1))"},
		{"alignof(device float*)", "alignof<{Type {Pre [device] Path [float]} Pointers [{Op *}]}>"},
		{"static_cast<float>(x + 1).y", "cast<{Type {Path [float]}}>((x + 1)).y"},
		{"reinterpret_cast<device vec<float, 4>*>(p)[1]",
			"cast<{Type {Pre [device] Path [vec] Args {Args [‹float› ‹4›]}} Pointers [{Op *}]}>(p)[1]"},
		{"static_cast<vec<vec<T, 2>>>(x)", "cast<{Type {Path [vec] Args {Args [‹vec<T,2>›]}}}>(x)"},
		{"static_cast<S<(1 > 2)>>(x)", "cast<{Type {Path [S] Args {Args [‹(1>2)›]}}}>(x)"},
		{"const_cast<T&>(x)", "cast<{Type {Path [T]} Pointers [{Op &}]}>(x)"},

		// Template arguments and braces.
		{"as_type<uint>(x) + vec<float, 4>(1).x", "(as_type<uint>(x) + vec<float, 4>(1).x)"},
		{"ns::f<4>(x) < numeric_limits<T>::max()", "(ns::f<4>(x) < numeric_limits<T>::max())"},
		{"a < b && c > (d)", "((a < b) && (c > d))"},
		{"T{1, {2}}.x + f({a})", "(T{1, {2}}.x + f({a}))"},
		{"unsigned int(x) * long(y)", "(cast<{Type {Words [unsigned int]}}>(x) * long(y))"},
		{`"a" "b"`, `"ab"`},
	} {
		e, err := parseExprText(test.text)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
		} else if got := showExpr(e); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.text, got, test.want)
		}
	}
}

func TestExprPositions(t *testing.T) {
	e, err := parseExprText("a +\n  -f(b)[c].d * (T)e")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var walk func(e Expr)
	walk = func(e Expr) {
		got = append(got, fmt.Sprintf("%d:%d", e.Position().Line, e.Position().Column))
		switch e := e.(type) {
		case *Unary:
			walk(e.X)
		case *Binary:
			walk(e.X)
			walk(e.Y)
		case *CallExpr:
			walk(e.Func)
			walk(e.Args[0])
		case *Index:
			walk(e.X)
			walk(e.I)
		case *MemberExpr:
			walk(e.X)
		case *Cast:
			walk(e.X)
		}
	}
	walk(e)
	// + a * - . [ ( f b c cast e
	if want := "1:3 1:1 2:14 2:3 2:11 2:8 2:5 2:4 2:6 2:9 2:16 2:19"; strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

func TestExprErrors(t *testing.T) {
	deep := func(n int, open, middle, end string) string {
		return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
	}
	for _, test := range []struct{ text, want string }{
		{"", ": expected an expression"},
		{"1 +", "m.metal:1:4: expected an expression"},
		{"a b", `m.metal:1:3: unexpected "b" after the expression`},
		{"a\n+ * ]", `m.metal:2:5: unexpected "]": expected an expression`},
		{"(a", "m.metal:1:3: expected )"},
		{"(a]", `m.metal:1:3: unexpected "]": expected )`},
		{"a[1", "m.metal:1:4: expected ]"},
		{"a[]", `m.metal:1:3: unexpected "]": expected an expression`},
		{"f(a,)", `m.metal:1:5: unexpected ")": expected an expression`},
		{"f(,a)", `m.metal:1:3: unexpected ",": expected an expression`},
		{"f(a b)", `m.metal:1:5: unexpected "b": expected )`},
		{"f(a", "m.metal:1:4: expected )"},
		{"a ? b", "m.metal:1:6: expected :"},
		{"a ? : c", `m.metal:1:5: unexpected ":": expected an expression`},
		{"a.", "m.metal:1:3: expected the name of a member"},
		{"a.1", `m.metal:1:2: unexpected ".1" after the expression`},
		{"a->(b)", "m.metal:1:4: expected the name of a member"},
		{"{1, 2}", `m.metal:1:1: unexpected "{": expected an expression`},
		{"T<1", "m.metal:1:2: missing >: this < is never closed"},
		{"as_type<T(x)", "m.metal:1:8: missing >: this < is never closed"},
		{"a{1}", `m.metal:1:2: unexpected "{" after the expression`},
		{"[] {}", "m.metal:1:1: lambdas are not supported"},
		{"new T", "m.metal:1:1: new is not supported"},
		{"a; b", `m.metal:1:2: unexpected ";" after the expression`},
		{"a)", `m.metal:1:2: unexpected ")" after the expression`},
		{"::", "m.metal:1:3: expected a name after ::"},
		{"::(a)", "m.metal:1:3: expected a name after ::"},
		{"a::", `m.metal:1:2: unexpected "::" after the expression`},
		{"sizeof", "m.metal:1:7: expected an expression"},
		{"sizeof(T", "m.metal:1:9: expected )"},
		{"static_cast(x)", `m.metal:1:12: unexpected "(": expected <`},
		{"static_cast<float(x)", "m.metal:1:12: missing >: this < is never closed"},
		{"static_cast<>(x)", "m.metal:1:13: expected a type"},
		{"static_cast<1>(x)", `m.metal:1:13: unexpected "1": expected a type`},
		{"static_cast<T>x", `m.metal:1:15: unexpected "x": expected (`},
		{"static_cast<T>(x", "m.metal:1:17: expected )"},
		{"(T)", "m.metal:1:4: expected an expression"},
		{"-", "m.metal:1:2: expected an expression"},
		{deep(300, "(", "a", ")"), "m.metal:1:257: the expression nests deeper than 256"},
		{deep(300, "- ", "a", ""), "m.metal:1:511: the expression nests deeper than 256"},
		{deep(300, "a?", "b", ":c"), "m.metal:1:513: the expression nests deeper than 256"},
		{deep(300, "a?b:", "c", ""), "m.metal:1:1023: the expression nests deeper than 256"},
		{deep(300, "a=", "b", ""), "m.metal:1:513: the expression nests deeper than 256"},
		{deep(300, "f(", "b", ")"), "m.metal:1:513: the expression nests deeper than 256"},
		{deep(300, "a[", "b", "]"), "m.metal:1:513: the expression nests deeper than 256"},
		{deep(300, "(T)", "b", ""), "m.metal:1:769: the expression nests deeper than 256"},
		{deep(300, "sizeof ", "b", ""), "m.metal:1:1793: the expression nests deeper than 256"},
		{deep(300, "static_cast<T>(", "b", ")"), "m.metal:1:3841: the expression nests deeper than 256"},
		{deep(100000, "(", "a", ")"), "m.metal:1:1: the expression has more than 65536 tokens"},
		{deep(60000, "::", "a", ""), "m.metal:1:3: expected a name after ::"},
		{"1" + strings.Repeat("+1", 1<<15), "m.metal:1:1: the expression has more than 65536 tokens"},
	} {
		e, err := parseExprText(test.text)
		name := test.text[:min(len(test.text), 40)]
		if err == nil {
			t.Errorf("%s: no error but %s", name, showExpr(e))
		} else if err.Error() != test.want {
			t.Errorf("%s\n got %s\nwant %s", name, err, test.want)
		}
	}
}

// The brackets of a formula that nest too deep are matched once, not for each (.
func TestHugeFormulas(t *testing.T) {
	text := func(n int) string { return "1+" + strings.Repeat("(int[3])(x)+", n) + strings.Repeat("(", 2*maxDepth) }
	expectLinear(t, "brackets", text(250), text(1000), func(text string) {
		tokens, _ := preprocess.Scan("m.metal", text)
		ParseFormula(tokens)
	})
}
