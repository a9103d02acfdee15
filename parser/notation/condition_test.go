package notation

import (
	"github.com/metalgen/metalgen/parser"
	"strings"
	"testing"
)

// conditionTests are conditions and `(comparison)text`s, or an error, for conditions that stand at 3:5.
var conditionTests = []struct{ text, want string }{
	{"n > 0", "(n > 0)n > 0"},
	{"n>0&&m<=4", "(n > 0)n>0 (m <= 4)m<=4"},
	{"a == b && c != d && e >= f && g < h", "(a == b)a == b (c != d)c != d (e >= f)e >= f (g < h)g < h"},
	{"eps > 0.5 && eps < 1e-3f", "(eps > 0.5)eps > 0.5 (eps < 1e-3f)eps < 1e-3f"},
	{"eps > 1. && s.x < 2.5e+3h", "(eps > 1.)eps > 1. (s.x < 2.5e+3h)s.x < 2.5e+3h"},
	{"n > 0x1e + 1", "(n > (0x1e + 1))n > 0x1e + 1"},
	{"dim % 4 == 0", "((dim % 4) == 0)dim % 4 == 0"},
	{"p.ne[1] * (n + 1) <= len(x)", "((p.ne[1] * (n + 1)) <= len(x))p.ne[1] * (n + 1) <= len(x)"},
	{"(a + b) > (c)", "((a + b) > c)(a + b) > (c)"},
	{"min(a, b) > 0", "(min(a, b) > 0)min(a, b) > 0"},
	{"(n > 0)", "(n > 0)n > 0"},
	{"((n > 0) && (m > 0 && (k > 0))) && j > 0", "(n > 0)n > 0 (m > 0)m > 0 (k > 0)k > 0 (j > 0)j > 0"},
	{"n > 0 \t", "(n > 0)n > 0"},
	{"n × m > 0", "((n * m) > 0)n × m > 0"},
	{"", "m.metal:3:5: expected a comparison, such as n > 0"},
	{"n", "m.metal:3:5: expected a comparison, such as n > 0"},
	{"()", "m.metal:3:5: expected a comparison, such as n > 0"},
	{"n > 0 &&", "m.metal:3:13: expected a comparison, such as n > 0"},
	{"&& n > 0", "m.metal:3:5: expected a comparison, such as n > 0"},
	{"n > 0 && m", "m.metal:3:13: expected a comparison, such as n > 0"},
	{"0 < n < 4", "m.metal:3:11: more than one comparison: && joins them"},
	{"n > 0 || m > 0", `m.metal:3:11: unexpected "|" in the condition`},
	{"n & 3 == 0", `m.metal:3:7: unexpected "&" in the condition`},
	{"!(n == 0)", `m.metal:3:5: unexpected "!" in the condition`},
	{"n = 0", `m.metal:3:7: unexpected "=" in the condition`},
	{"n > 0 — always", `m.metal:3:11: unexpected "—" in the condition`},
	{"n > 0 always", `m.metal:3:11: unexpected "always" after the expression`},
	{"n >", "m.metal:3:8: expected an expression"},
	{"> 0", "m.metal:3:5: expected an expression"},
	{"n > *", `m.metal:3:9: unexpected "*": expected an expression`},
	{"(n > 0", "m.metal:3:5: missing ): this ( is never closed"},
	{"n > 0)", `m.metal:3:10: unexpected ")" after the expression`},
	{strings.Repeat("(", 1000) + "n > 0" + strings.Repeat(")", 1000),
		"m.metal:3:5: missing ): this ( is never closed"},
}

func TestCondition(t *testing.T) {
	for _, test := range conditionTests {
		list, err := ParseCondition(test.text, parser.Pos{Filename: "m.metal", Offset: 40, Line: 3, Column: 5})
		var got []string
		for _, c := range list {
			got = append(got, show(&parser.Binary{Op: c.Op, X: c.X, Y: c.Y})+c.Text)
		}
		if err != nil {
			got = []string{err.Error()}
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%.40s\n got %s\nwant %s", test.text, got, test.want)
		}
	}
}

func TestComparisonsStandWhereTheyBegin(t *testing.T) {
	list, err := ParseCondition("(n > 0)  && m > 0", parser.Pos{Filename: "m.metal", Offset: 40, Line: 3, Column: 5})
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	for i, want := range []parser.Pos{
		{Filename: "m.metal", Offset: 41, Line: 3, Column: 6}, {Filename: "m.metal", Offset: 52, Line: 3, Column: 17},
	} {
		if list[i].Pos != want {
			t.Errorf("comparison %d stands at %v, want %v", i, list[i].Pos, want)
		}
	}
}
