package parser

import (
	"strings"
	"testing"

	"github.com/metalgen/metalgen/parser/preprocess"
)

// angleTests are tokens whose first < opens a list: after `=>` what it
// holds, argument by argument, or nothing where it is never closed.
var angleTests = []struct{ text, want string }{
	{"vec<float, 4> x", "float | 4"},
	{"f<>()", ""},
	{"a<b<c>> x", "b<c>"},
	{"a<b<c>, d<e, f>>::g", "b<c> | d<e,f>"},
	{"a<b<c<d>>> x", "b<c<d>>"},
	{"a<b<c>::d<e>> x", "b<c>::d<e>"},

	// < after what is no name, and all in brackets, compare
	{"a<sizeof(T) < 8, b>", "sizeof(T)<8 | b"},
	{"a<4 < 8, b>", "4<8 | b"},
	{"a<(b > c), (d >> 1)>", "(b>c) | (d>>1)"},
	{"a<b[c > d], T{e, f > g}>", "b[c>d] | T{e,f>g}"},
	{"a<f(b, c), d>", "f(b,c) | d"},

	// the names of operators are names, and their < and > close nothing
	{"a<&S::operator<, b>", "&S::operator< | b"},
	{"a<&S::operator>, b>", "&S::operator> | b"},
	{"a<&S::operator>>, b>", "&S::operator>> | b"},
	{"a<S::operator< <b>>", "S::operator< <b>"},

	// what other operators hold a < or > closes nothing
	{"a<b->c, d <= e, f << g>", "b->c | d<=e | f<<g"},

	{"a<b", "open"},
	{"a<b; c>", "open"},
	{"a<b) > c", "open"},
	{"a<b] > c", "open"},
	{"a<(b > c", "open"},
	{"a<b>> c", "open"},
	{"a<b {} int c>", "open"},
	{"a<b {}> c", "b{}"},
}

func TestAngles(t *testing.T) {
	for _, test := range angleTests {
		tokens, _ := preprocess.Scan("m.metal", test.text)
		for _, matched := range []bool{false, true} {
			c := cursor{tokens: tokens}
			if matched {
				c.matchAll()
			}
			last := c.closeAngle(1, len(tokens))
			if got := showAngles(tokens, last); got != test.want {
				t.Errorf("%s, brackets matched %t: got %s, want %s", test.text, matched, got, test.want)
			}
			if last > 0 {
				if open := openAngle(tokens, 0, last); open != 1 {
					t.Errorf("%s: looking back from token %d finds the < at %d", test.text, last, open)
				}
			}
		}
	}
}

func showAngles(tokens []Token, last int) string {
	if last < 0 {
		return "open"
	}
	var args []string
	for _, arg := range newTemplateArgs(tokens[1 : last+1]).Args {
		args = append(args, join(arg.List))
	}
	return strings.Join(args, " | ")
}

// TestOpenAngle looks back from the > after which a name ends.
func TestOpenAngle(t *testing.T) {
	for _, test := range []struct {
		text string
		want int
	}{
		{"a < b f<c>", 4},
		{"X<T>::f<U>", 6},
		{"X<T, (a > b)>::f<U<V>>", 12},
		{"(a < b) f<c>", 6},
		{"a > f<c>", -1},
		{"f(a<b>)>", -1},
		{"T operator>", -1},
	} {
		tokens, _ := preprocess.Scan("m.metal", test.text)
		if got := openAngle(tokens, 0, len(tokens)-1); got != test.want {
			t.Errorf("%s: %d, want %d", test.text, got, test.want)
		}
	}
}
