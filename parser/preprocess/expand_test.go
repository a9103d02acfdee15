package preprocess

import (
	"fmt"
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"object", "#define N 4\nN N+N NN", "4 4+4 NN"},
		{"empty", "#define E\nE a E b-E-c E", "a b--c"},
		{"function", "#define f(x, y) x*(y)\nf(1, 2) f (a, (b, c)) f f;", "1*(2) a*((b, c)) f f;"},
		{"no arguments", "#define f() 1\n#define g(x) [x]\nf() f( ) g() g( )", "1 1 [] []"},
		{"over lines", "#define f(x) [x]\nf\n(\n a\n b\n)", "[a b]"},
		{"defined later", "#define a b\n#define b c\na\n#undef b\na", "c b"},
		{"redefined between", "#define a 1\na\n#undef a\n#define a 2\na", "1 2"},

		// rescanning
		{"argument first", "#define f(x) x\n#define g f\n#define p (1)\nf(f)(1) g(2) f p f(p)", "f(1) 2 f (1) (1)"},
		{"self", "#define foo foo + 1\nfoo", "foo + 1"},
		{"mutual", "#define a b\n#define b a\na b", "a b"},
		{"self with arguments", "#define f(x) x + f(x)\nf(1) f(f(2))", "1 + f(1) 2 + f(2) + f(2 + f(2))"},
		{"into the text", "#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2*9*g"},
		{"out of the text", "#define f(x) x f\nf(1)(2)(3)", "1 f(2)(3)"},
		{"a name and its parenthesis",
			"#define EMPTY\n#define EVAL(x) x\n#define A() 123\n#define DEFER(x) x EMPTY\nA() DEFER(A)() EVAL(DEFER(A)())",
			"123 A() 123"},
		{"empty arguments", "#define EMPTY\n#define EVAL(x) [x]\n#define BOTH(x, y) <x|y>\nEVAL(EMPTY) BOTH(EMPTY,) BOTH(,)",
			"[] <|> <|>"},
		{"painted argument", "#define f(x) x\n#define a f(a)\na f(a)", "a a"},
		{"through another", "#define NIL(xxx) xxx\n#define G_0(arg) NIL(G_1)(arg)\n#define G_1(arg) NIL(arg)\nG_0(42)", "42"},
		{"clang PR", "#define A(x) x B\n#define B(x) x A\nA(1)(2)(3)", "1 2 3 B"},

		// # and ##
		{"string", `#define s(x) #x` + "\n" + `s( a  +b ) s("a\n" 'b"') s() s(a,b`, ""},
		{"strings", `#define s(x) #x` + "\n" + `s( a  +b ) s("a\n" '"') s() s((a,b)) s(@a)`,
			`"a +b" "\"a\\n\" '\"'" "" "(a,b)" "a"`},
		{"string of a macro", "#define s(x) #x\n#define xs(x) s(x)\n#define N 4\ns(N) xs(N) xs(s(N))", `"N" "4" "\"N\""`},
		{"paste", "#define c(a, b) a ## b\n#define xy 1\nc(x, y) c(x,) c(,y) c(,) c(1, .5e) c(+, =) c(x z, w y)",
			"1 x y 1.5e += x zw y"},
		{"paste is not expanded before", "#define c(a, b) a##b\n#define N 1\n#define xc(a, b) c(a, b)\nc(N, N) xc(N, N)",
			"NN 11"},
		{"paste of three", "#define c(a, b, d) <a##b##d>\nc(1,2,3) c(1,,3) c(,,3) c(1,,) c(,,)", "<123> <13> <3> <1> <>"},
		{"paste in an object",
			"#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n" +
				"#define join(c, d) in_between(c hash_hash d)\nchar p[] = join(x, y);", `char p[] = "x ## y";`},

		// variable arguments
		{"variadic", "#define f(x, ...) x(__VA_ARGS__)\nf(a, b, c) f(a) f(a,) f()", "a(b, c) a() a() ()"},
		{"named", "#define f(x, rest...) x[rest]\n#define g(all...) {all}\nf(a, b, c) g() g(1, 2)", "a[b, c] {} {1, 2}"},
		{"comma", "#define f(x, ...) x(1, ## __VA_ARGS__)\nf(a) f(a, b) f(a, b, c)", "a(1) a(1, b) a(1, b, c)"},
		{"__VA_OPT__", "#define f(x, ...) x(1 __VA_OPT__(,) __VA_ARGS__)\n#define E\nf(a) f(a, b) f(a, E)",
			"a(1 ) a(1 , b) a(1 )"},
		{"pasted __VA_OPT__", "#define f(x, ...) <x##__VA_OPT__(b)##c>\nf(a) f(a, 1)", "<ac> <abc>"},
		{"string of variables", "#define s(...) #__VA_ARGS__\ns(a, \"b\",c)", `"a, \"b\",c"`},

		// The examples of the C standard, 6.10.3.5.
		{"example 3", `#define x 3
#define f(a) f(x * (a))
#undef x
#define x 2
#define g f
#define z z[0]
#define h g(~
#define m(a) a(w)
#define w 0,1
#define t(a) a
#define p() int
#define q(x) x
#define r(x,y) x ## y
#define str(x) # x
f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);
g(x+(3,4)-w) | h 5) & m
(f)^m(m);
p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };
char c[2][6] = { str(hello), str() };`,
			`f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1);` +
				` f(2 * (2+(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))^m(0,1);` +
				` int i[] = { 1, 23, 4, 5, };` +
				` char c[2][6] = { "hello", "" };`},
		{"example 4", `#define str(s) # s
#define xstr(s) str(s)
#define debug(s, t) printf("x" # s "= %d, x" # t "= %s", \
 x ## s, x ## t)
#define INCFILE(n) vers ## n
#define glue(a, b) a ## b
#define xglue(a, b) glue(a, b)
#define HIGHLOW "hello"
#define LOW LOW ", world"
debug(1, 2);
fputs(str(strncmp("abc\0d", "abc", '\4') // this goes away
 == 0) str(: @\n), s);
xstr(INCFILE(2).h)
glue(HIGH, LOW);
xglue(HIGH, LOW)`, ""},
		{"example 4 without stray characters", `#define str(s) # s
#define xstr(s) str(s)
#define debug(s, t) printf("x" # s "= %d, x" # t "= %s", \
 x ## s, x ## t)
#define INCFILE(n) vers ## n
#define glue(a, b) a ## b
#define xglue(a, b) glue(a, b)
#define HIGHLOW "hello"
#define LOW LOW ", world"
debug(1, 2);
fputs(str(strncmp("abc\0d", "abc", '\4') // this goes away
 == 0) str(: n), s);
xstr(INCFILE(2).h)
glue(HIGH, LOW);
xglue(HIGH, LOW)`,
			`printf("x" "1" "= %d, x" "2" "= %s", x1, x2);` +
				` fputs("strncmp(\"abc\\0d\", \"abc\", '\\4') == 0" ": n", s);` +
				` "vers2.h" "hello"; "hello" ", world"`},
		{"example 5",
			"#define t(x,y,z) x ## y ## z\nint j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), t(,,) };",
			"int j[] = { 123, 45, 67, 89, 10, 11, 12, };"},
		{"example 7", `#define debug(...) fprintf(stderr, __VA_ARGS__)
#define showlist(...) puts(#__VA_ARGS__)
#define report(test, ...) ((test)?puts(#test):\
 printf(__VA_ARGS__))
debug("Flag");
debug("X = %d\n", x);
showlist(The first, second, and third items.);
report(x>y, "x is %d but y is %d", x, y);`,
			`fprintf(stderr, "Flag"); fprintf(stderr, "X = %d\n", x);` +
				` puts("The first, second, and third items."); ((x>y)?puts("x>y"): printf("x is %d but y is %d", x, y));`},

		// directives within arguments
		{"conditional argument", "#define f(x) [x]\nf(a\n#if 0\n b)\n#else\n c\n#endif\n)", "[a c]"},
		{"definition in an argument", "#define f(x) [x]\nf(\n#define y 1\ny\n#undef f\n)", "[1]"},
		{"condition in an argument", "#define f(x) [x]\n#define one(x) x\nf(\n#if one(1)\nyes\n#endif\n)", "[yes]"},
		{"directive after a name", "#define f(x) [x]\nf\n#define y\n(1)", "f (1)"},
		{"# by a macro", "#define H #\nH define x 1\nx", "# define x 1 x"},
	} {
		unit, errs := preprocessText(test.text)
		if test.want == "" {
			if !errs.HasErrors() {
				t.Errorf("%s: no errors", test.name)
			}
			continue
		}
		stray := strings.Contains(test.text, "@")
		if len(errs) > 0 && !stray {
			t.Errorf("%s: %v", test.name, errs)
		}
		if got := spell(unit.Tokens); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

// TestExpandedTokens: what macros make stands where the outermost is used.
func TestExpandedTokens(t *testing.T) {
	unit, errs := preprocessText(
		"#define N 4\n#define f(x) g(x)\n#define g(x) x + N\n#define c a c\n\n  N a f(b,\n)\nf(\nb) c N")
	if len(errs) != 1 {
		t.Errorf("errors: %v", errs)
	}
	var got []string
	for _, tok := range unit.Tokens {
		got = append(got, fmt.Sprintf("%s@%d:%d %v %v", tok.Text, tok.Pos.Line, tok.Pos.Column, tok.Macro, tok.Line))
	}
	want := []string{
		"4@6:3 true true", "a@6:5 false false",
		"b@8:1 true true", "+@8:1 true false", "4@8:1 true false",
		"a@9:4 true false", "c@9:4 true false", "4@9:6 true false",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// TestBombs: sources that would fill memory or never end stop with an error.
func TestBombs(t *testing.T) {
	doubling := func(first, format string) string {
		var b strings.Builder
		b.WriteString(first)
		for i := 1; i <= 40; i++ {
			fmt.Fprintf(&b, format, i, i-1, i-1)
		}
		return b.String()
	}
	nested := func(n int, open string) string {
		return strings.Repeat(open, n) + "x" + strings.Repeat(")", n)
	}
	const (
		most    = 1 << 18
		tooMany = "produces more than 262144 tokens"
	)
	for _, test := range []struct{ name, text, want string }{
		{"objects", doubling("#define A0 x\n", "#define A%d A%d A%d\n") + "int y = A40;",
			"main.metal:42:9: macro expansion of A40 " + tooMany},
		{"nothing", doubling("#define A0\n", "#define A%d A%d A%d\n") + "A40",
			"main.metal:42:1: macro expansion of A40 " + tooMany},
		{"functions", doubling("#define A0(x) x\n", "#define A%d(x) A%d(x) A%d(x)\n") + "A40(1)",
			"main.metal:42:1: macro expansion of A40 " + tooMany},
		{"in a condition", doubling("#define A0 1\n", "#define A%d A%d + A%d\n") + "#if A40\n#endif",
			"main.metal:42:5: macro expansion of A40 " + tooMany},
		{"in an #include", doubling("#define A0 1\n", "#define A%d A%d A%d\n") + "#include A40\n",
			"main.metal:42:10: macro expansion of A40 " + tooMany},
		{"arguments", "#define d(x) x x\n" + nested(40, "d("), "main.metal:2:1: macro expansion of d " + tooMany},
		{"pastes", "#define d(x) p(x, x)\n#define p(x, y) x##y\n" + nested(60, "d("),
			"main.metal:3:1: macro expansion of d " + tooMany},
		{"strings", "#define s(x) #x\n#define d(x) s(x)\n" + nested(60, "d("),
			"main.metal:3:1: macro expansion of d " + tooMany},
		{"nesting", "#define f(x) x\n" + nested(300, "f("),
			"main.metal:2:1: calls in arguments of macro f are nested more than 256 deep"},
		{"more nesting", "#define f(x) x\n" + nested(100_000, "f("), "main.metal:2:1: macro expansion of f " + tooMany},
		{"long chain", longChain(20_000), ""},
		{"open calls", "#define f(x) x\n" + strings.Repeat("f(", 20_000),
			"main.metal:2:1: the call of macro f is not closed by )"},
		{"deep #if", strings.Repeat("#if 1\n", 50_000) + strings.Repeat("#endif\n", 50_000), ""},
		{"many parameters", manyParams(10_000), ""},
	} {
		p := newPreprocessor(&Options{ReadFile: files{"main.metal": test.text}.ReadFile})
		p.expander.most = most
		p.run("main.metal", "main.metal")
		if got := p.reporter.list.Error(); got != test.want {
			t.Errorf("%s: %.300s\nwant %s", test.name, got, test.want)
		}
		if p.expander.produced > most+most/4 { // what a single call produces is known after it
			t.Errorf("%s: macros produced %d tokens", test.name, p.expander.produced)
		}
	}
}

// longChain is a chain of n macros each of which expands to the next.
func longChain(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "#define C%d C%d\n", i, i+1)
	}
	b.WriteString("C0\n")
	return b.String()
}

// manyParams is a macro with n parameters, all of which it uses.
func manyParams(n int) string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("p%d", i))
	}
	list := strings.Join(names, ",")
	return "#define f(" + list + ") " + list + "\nf(" + list + ")\n"
}
