package preprocess

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// files are texts by path; main.metal is the source.
type files map[string]string

func (f files) ReadFile(path string) ([]byte, error) {
	text, ok := f[filepath.ToSlash(path)]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return []byte(text), nil
}

func (f files) preprocess(opt Options) (*Unit, ErrorList) {
	opt.ReadFile = f.ReadFile
	return Run("main.metal", "main.metal", &opt)
}

func preprocessText(text string) (*Unit, ErrorList) {
	return files{"main.metal": text}.preprocess(Options{})
}

// spell writes tokens as a source would have them, all on one line.
func spell(tokens []Token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 && (t.Space || t.Line) {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

func expectClean(t *testing.T, errs ErrorList) {
	t.Helper()
	if len(errs) > 0 {
		t.Errorf("unexpected: %v", errs)
	}
}

func TestUnit(t *testing.T) {
	unit, errs := files{
		"main.metal": "#pragma once\n#define N 4\n#include \"lib/a.h\"\nint x = N; // x\n#undef N\n" +
			"#include <metal_stdlib>\nN\n",
		"lib/a.h":         "// a\n#include \"b.h\"\n#include \"b.h\"\nint a;\n",
		"lib/b.h":         "/* b\n */ int b; // trailing\n",
		"lib/metal_stdio": "no",
	}.preprocess(Options{})
	expectClean(t, errs)
	if got, want := spell(unit.Tokens), "int b; int b; int a; int x = 4; N"; got != want {
		t.Errorf("tokens: %s\nwant:   %s", got, want)
	}
	var names, comments []string
	for _, f := range unit.Files {
		names = append(names, f.Name+" "+filepath.ToSlash(f.Path))
		for _, c := range f.Comments {
			comments = append(comments,
				fmt.Sprintf("%s:%d:%d-%d %q %v", c.Pos.Filename, c.Pos.Line, c.Pos.Column, c.End, c.Text, c.Trailing))
		}
	}
	if want := []string{"main.metal main.metal", "lib/a.h lib/a.h", "lib/b.h lib/b.h"}; !slices.Equal(names, want) {
		t.Errorf("files: %q", names)
	}
	if want := []string{
		`main.metal:4:12-4 "// x" true`,
		`lib/a.h:1:1-1 "// a" false`,
		`lib/b.h:1:1-2 "/* b\n */" false`,
		`lib/b.h:2:12-2 "// trailing" true`,
	}; !slices.Equal(comments, want) {
		t.Errorf("comments: %s", strings.Join(comments, "\n"))
	}
	if len(unit.Macros) != 1 {
		t.Fatalf("%d macros", len(unit.Macros))
	}
	m := unit.Macros[0]
	if m.Name != "N" || m.From != 0 || m.To != len(unit.Tokens)-1 || spell(m.Body) != "4" || m.Pos.Line != 2 ||
		m.Pos.Column != 9 {
		t.Errorf("macro: %+v", m)
	}
}

func TestMacroModel(t *testing.T) {
	unit, errs := files{
		"main.metal": "a\n#define F(x, rest...) x\n#define F(x, rest...) x\n#define G(...) \nb\n#undef G\n#define _Z\n",
	}.preprocess(Options{Define: []string{"A=1 + 2", "B", "C(x)=x", "__METAL_VERSION__=310"}})
	expectClean(t, errs)
	var got []string
	for _, m := range unit.Macros {
		got = append(got,
			fmt.Sprintf("%s %v %q %v %q %d-%d %s:%d:%d", m.Name, m.Function, m.Params, m.Variadic, spell(m.Body), m.From, m.To,
				m.Pos.Filename, m.Pos.Line, m.Pos.Column))
	}
	want := []string{
		`A false [] false "1 + 2" 0--1 <command line>:1:1`,
		`B false [] false "1" 0--1 <command line>:2:1`,
		`C true ["x"] false "x" 0--1 <command line>:3:1`,
		`__METAL_VERSION__ false [] false "310" 0--1 <command line>:4:1`,
		`F true ["x" "rest"] true "x" 1--1 main.metal:2:9`,
		`G true ["__VA_ARGS__"] true "" 1-2 main.metal:4:9`,
		`_Z false [] false "" 2--1 main.metal:7:9`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("macros:\n%s", strings.Join(got, "\n"))
	}
	if want := "#define A 1 + 2\n#define B 1\n#define C(x) x\n#define __METAL_VERSION__ 310\n"; unit.Defines != want {
		t.Errorf("defines:\n%s", unit.Defines)
	}
	if !strings.HasPrefix(unit.Flat, "a\n") {
		t.Errorf("flat:\n%s", unit.Flat)
	}
}

func TestPredefined(t *testing.T) {
	unit, errs := preprocessText(
		"__METAL_VERSION__ __METAL__ __METAL_MACOS__ __HAVE_BFLOAT__ __cplusplus\n" +
			"__LINE__ __FILE__ __COUNTER__ __COUNTER__\n" +
			"#define AT __LINE__\n\n AT _Pragma(\"unroll\") x\n")
	expectClean(t, errs)
	if got, want := spell(unit.Tokens), `400 1 1 1 201703L 2 "main.metal" 0 1 5 x`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestVersion: what depends on the version of the language, with ~ around it. A source forks
// where tokens outside of such conditions depend on it too.
func TestVersion(t *testing.T) {
	tests := []struct {
		source  string
		version int
		want    string
		forks   bool
	}{
		{"__METAL_VERSION__ __cplusplus", 300, "300 201402L", true},
		{"#ifdef __HAVE_BFLOAT__\nyes\n#else\nno\n#endif\nx", 300, "no x", false},
		{"#ifdef __HAVE_BFLOAT__\nyes\n#else\nno\n#endif\nx", 310, "~ yes ~ x", false},
		{"a\n#if __METAL_VERSION__ >= 320\nyes\n#else\nno\n#endif\nb", 310, "a ~ no ~ b", false},
		{"#if 0\n#elif __METAL_VERSION__ >= 300\n#if 1\nyes\n#endif\nand\n#endif", 310, "~ yes and ~", false},
		{"#if 1\n#if __METAL_VERSION__ > 1\na\n#endif\nb\n#endif", 310, "~ a ~ b", false},
		{"#define NEW (__METAL_VERSION__ > 310)\n#if defined(A) || NEW\nyes\n#endif", 320, "~ yes ~", false},
		{"#define NEW (__METAL_VERSION__ > 310)\nx", 320, "x", false},
		{"#if defined(__METAL_VERSION__) && defined(__cplusplus) && __METAL__\nyes\n#endif", 0, "yes", false},
		{"#if __METAL_VERSION__ >= 310\n#define HAS 1\n#endif\n#if HAS\nyes\n#endif", 0, "yes", true},
		{"#define HAS 1\n#if __METAL_VERSION__ < 310\n#undef HAS\n#endif\n#if HAS\nyes\n#endif", 0, "yes", true},
		{"#if __METAL_VERSION__ >= 310\n#include <metal_logging>\nyes\n#endif", 0, "~ yes ~", false},
		{"#if __METAL_VERSION__ < 310\n#include \"old.h\"\n#endif", 0, "", true},
	}
	for _, tt := range tests {
		unit, errs := Run("main.metal", "main.metal", &Options{
			Version: tt.version, ReadFile: func(string) ([]byte, error) { return []byte(tt.source), nil },
		})
		expectClean(t, errs)
		tokens := slices.Clone(unit.Tokens)
		for _, r := range slices.Backward(unit.Versioned) {
			tokens = slices.Insert(tokens, r[1], Token{Text: "~", Space: true})
			tokens = slices.Insert(tokens, r[0], Token{Text: "~", Space: true})
		}
		if got := spell(tokens); got != tt.want || unit.Forks != tt.forks {
			t.Errorf("%q for %d: %s, forks: %t", tt.source, tt.version, got, unit.Forks)
		}
	}
}

// TestInactive: what #if leaves out is not looked at, its comments neither.
func TestInactive(t *testing.T) {
	unit, errs := preprocessText(`a // kept
#if 0 // opens
don't "look @ $ // dropped
#if garbage ( /* dropped */
#elif 1/0
#else junk
#unknown
#include "missing.h"
#endif extra
#elif 1 // second
b // kept too
#elif 1/0
#error no
#else
c
#endif // closed
#ifdef NOT
#else
d
#endif
#ifndef NOT
e
#elifdef N
f
#endif
#ifdef NOT
#elifndef NOT
g
#endif
`)
	expectClean(t, errs)
	if got, want := spell(unit.Tokens), "a b d e g"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	var comments []string
	for _, c := range unit.Files[0].Comments {
		comments = append(comments, c.Text)
	}
	if want := []string{"// kept", "// opens", "// second", "// kept too", "// closed"}; !slices.Equal(comments, want) {
		t.Errorf("comments: %q", comments)
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		// text
		{"a @ b $", "main.metal:1:3: stray character '@'\nmain.metal:1:7: stray character '$'"},
		{"a \\ b", `main.metal:1:3: stray character '\\'`},
		{"x €", "main.metal:1:3: stray character '€'"},
		{"x\n \"abc\ny", "main.metal:2:2: the literal is not terminated: its closing \" is missing"},
		{"'a\ny'",
			"main.metal:1:1: the literal is not terminated: its closing ' is missing\n" +
				"main.metal:2:2: the literal is not terminated: its closing ' is missing"},
		{"L\"abc", "main.metal:1:2: the literal is not terminated: its closing \" is missing"},
		{"a /* b\nc", "main.metal:1:3: the comment is not terminated: its closing */ is missing"},
		{"#if 0\n/*\n#endif",
			"main.metal:1:1: #if without #endif\nmain.metal:2:1: the comment is not terminated: its closing */ is missing"},
		{`R"x(abc)"`, "main.metal:1:1: the raw string is not terminated"},
		{`R"abc"`,
			"main.metal:1:1: the raw string has no ( after its delimiter\n" +
				"main.metal:1:6: the literal is not terminated: its closing \" is missing"},
		{"a\n// \xff\xfe\n\x00 b", "main.metal:2:4: byte 0xff is not valid UTF-8\nmain.metal:3:1: NUL byte in the text"},
		{"\uFEFFa \uFEFFb", "main.metal:1:3: byte order mark inside the text"},
		{"\uFEFF@", "main.metal:1:1: stray character '@'"},
		{"a\r\n@\r@", "main.metal:2:1: stray character '@'\nmain.metal:3:1: stray character '@'"},
		{"int \\\n  @", "main.metal:2:3: stray character '@'"},

		// directives
		{"  #  bogus a b", "main.metal:1:3: unknown directive #bogus"},
		{"#+", "main.metal:1:1: unknown directive #+"},
		{"#\n# 12 \"x\"\n#pragma don't @\n#line 7 \"x\"\n#ident", "main.metal:5:1: unknown directive #ident"},
		{"#error don't  do that // at all", "main.metal:1:1: #error: don't  do that // at all"},
		{"#error do that // at all", "main.metal:1:1: #error: do that"},
		{"#error", "main.metal:1:1: #error"},
		{"#warning @ your own risk", "main.metal:1:1: warning: #warning: @ your own risk"},
		{"#if 1\n#ifdef X\n#endif", "main.metal:1:1: #if without #endif"},
		{"#if 0\n#else\n", "main.metal:1:1: #if without #endif"},
		{"#endif\n#else\n#elif 1",
			"main.metal:1:1: #endif without #if\nmain.metal:2:1: #else without #if\nmain.metal:3:1: #elif without #if"},
		{"#if 1\n#else\n#else\n#elif 1\n#endif", "main.metal:3:1: #else after #else\nmain.metal:4:1: #elif after #else"},
		{"#if 0\n#endif x", "main.metal:2:8: warning: extra text after #endif"},
		{"#ifdef", "main.metal:1:1: #ifdef without #endif\nmain.metal:1:1: the name of the macro is missing"},
		{"#ifndef 1\n#endif", "main.metal:1:9: 1 is not a name for a macro"},
		{"#undef X Y", "main.metal:1:10: warning: extra text after #undef"},

		// conditions
		{"#if\n#endif", "main.metal:1:1: #if needs a condition"},
		{"#if 1 +\n#endif", "main.metal:1:8: the condition ends where a value is expected"},
		{"#if 1 2\n#endif", "main.metal:1:7: 2 is out of place in the condition"},
		{"#if (1\n#endif", "main.metal:1:7: the condition lacks a )"},
		{"#if 1 ? 2\n#endif", "main.metal:1:10: the condition lacks a : for its ?"},
		{"#if 4 / (2 - 2)\n#endif", "main.metal:1:7: division by zero in the condition"},
		{"#if 4 % 0\n#elif 1\n#endif", "main.metal:1:7: division by zero in the condition"},
		{"#if 1.5\n#endif", "main.metal:1:5: 1.5 is not an integer"},
		{"#if \"x\"\n#endif", "main.metal:1:5: \"x\" stands where a value is expected"},
		{"#if F(1)\n#endif", "main.metal:1:5: F is not defined as a macro with arguments"},
		{"#if 99999999999999999999\n#endif", "main.metal:1:5: 99999999999999999999 is not an integer of at most 64 bits"},
		{"#if '' || '\\q'\n#endif", "main.metal:1:5: '' is empty"},
		{"#if '\\q'\n#endif", "main.metal:1:5: '\\q' has an escape that does not exist"},
		{"#if defined\n#endif", "main.metal:1:5: defined needs the name of a macro"},
		{"#if defined(X\n#endif", "main.metal:1:5: defined(X is not closed by )"},
		{"#if __has_include(x)\n#endif", "main.metal:1:5: __has_include needs a \"header\" or <header>"},
		{"#if __has_builtin\n#endif", "main.metal:1:5: __has_builtin needs an operand in parentheses"},
		{"#if __has_builtin(x\n#endif", "main.metal:1:5: the operand of __has_builtin is not closed by )"},
		{"#define Z 0\n#if 1 / Z\n#endif", "main.metal:2:7: division by zero in the condition"},
		{"#if " + strings.Repeat("(", 1000) + "\n#endif", "main.metal:1:262: the condition is nested more than 256 deep"},
		{"#if " + strings.Repeat("!", 1000) + "1\n#endif", "main.metal:1:262: the condition is nested more than 256 deep"},

		// macros
		{"#define", "main.metal:1:1: the name of the macro is missing"},
		{"#define 1", "main.metal:1:9: 1 is not a name for a macro"},
		{"#define defined", "main.metal:1:9: defined cannot be defined"},
		{"#define f(x", "main.metal:1:12: macro f: the parameters are not closed by )"},
		{"#define f(x,) x", "main.metal:1:13: macro f: a parameter is missing"},
		{"#define f(x, x) x", "main.metal:1:14: macro f has two parameters x"},
		{"#define f(..., x) x", "main.metal:1:14: macro f: the parameters are not closed by )"},
		{"#define f(x) #y", "main.metal:1:14: macro f: # needs a parameter after it"},
		{"#define f ## x", "main.metal:1:11: macro f: ## needs a token on both sides"},
		{"#define f x ##", "main.metal:1:13: macro f: ## needs a token on both sides"},
		{"#define f(...) __VA_OPT__(", "main.metal:1:16: macro f: __VA_OPT__ needs parentheses"},
		{"#define f(x)\nf(1, 2)\nf(\n",
			"main.metal:2:1: macro f: wrong number of arguments: 2, not 1\n" +
				"main.metal:3:1: the call of macro f is not closed by )"},
		{"#define f(x, ...)\n#define g(x, y, ...)\nf() g(1)",
			"main.metal:3:5: macro g: wrong number of arguments: 1, not at least 2"},
		{"#define f(x, y) x##y\n f(+, 1)", "main.metal:2:2: macro f: + and 1 do not paste to one token"},
		{"#define f(x, y) x##y\n f(/, *)", "main.metal:2:2: macro f: / and * do not paste to one token"},
		{"#define N 1\n#define N 2", "main.metal:2:9: warning: macro N is redefined; it was defined at main.metal:1"},
		{"#define f(x)\nf(\n#include \"x.h\"\n)", "main.metal:3:1: #include within the arguments of a macro"},

		// headers
		{"x\n#  include \"missing.h\" // why\n", "main.metal:2:12: cannot find \"missing.h\""},
		{"#include <missing.h>", "main.metal:1:10: cannot find <missing.h>"},
		{"#include \"missing.h", "main.metal:1:10: the name of the header is not closed by \""},
		{"#include <missing.h\n", "main.metal:1:10: the name of the header is not closed by >"},
		{"#include \"\"", "main.metal:1:10: the name of the header is empty"},
		{"#include", "main.metal:1:9: #include needs a \"header\" or <header>"},
		{"#include 12", "main.metal:1:10: #include needs a \"header\" or <header>"},
		{"#include <metal_stdlib> x", "main.metal:1:25: warning: extra text after #include"},
	} {
		_, errs := preprocessText(test.text)
		if got := errs.Error(); got != test.want {
			t.Errorf("%.60q:\n%s\nwant\n%s", test.text, got, test.want)
		}
	}
}

func TestErrorsOfCommandLine(t *testing.T) {
	_, errs := files{"main.metal": ""}.preprocess(Options{Define: []string{"A=1", "1X", "B=a\nb", "C=\\", "D=@", ""}})
	want := `<command line>:2:1: 1X is not a name for a macro
<command line>:3:1: -D "B=a\nb" is more than one line
<command line>:4:1: -D "C=\\" is more than one line
<command line>:5:3: stray character '@'
<command line>:6:2: 1 is not a name for a macro`
	if got := errs.Error(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	unit, errs := files{}.preprocess(Options{})
	if got, want := errs.Error(), "main.metal: cannot read the source: file does not exist"; got != want || unit == nil {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestTooManyErrors: the list is cut, and what follows is not read.
func TestTooManyErrors(t *testing.T) {
	_, errs := preprocessText(strings.Repeat("@\n", 1000))
	if len(errs) != maxReports+1 || errs[maxReports].Error() != "main.metal:101:1: too many errors" {
		t.Errorf("%d errors, the last %v", len(errs), errs[len(errs)-1])
	}
	unit, errs := preprocessText(strings.Repeat("#define X 1\n#define X 2\n", 1000) + "X")
	if errs.HasErrors() || len(errs) != maxReports || len(unit.Tokens) != 1 {
		t.Errorf("%d warnings, %d tokens", len(errs), len(unit.Tokens))
	}
}
