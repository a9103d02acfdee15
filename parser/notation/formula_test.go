package notation

import (
	"fmt"
	"github.com/metalgen/metalgen/parser"
	"strings"
	"testing"
)

// formulaTests are formulas and `items | rest`, tuples in parentheses, or an error, for
// formulas that stand at 3:5.
var formulaTests = []struct{ text, want string }{
	{"(rows, 1, 1)", "(rows; 1; 1) | "},
	{"(rows, 1, 1) threadgroups", "(rows; 1; 1) |  threadgroups"},
	{"[rows * dim]: scale", "((rows * dim)) | : scale"},
	{"[n]", "(n) | "},
	{"[n_tokens, in_dim] row-major", "(n_tokens; in_dim) |  row-major"},
	{"(min(256, next_pow2(dim)), 1, 1)", "(min(256, next_pow2(dim)); 1; 1) | "},
	{"(n + 255) / 256", "((n + 255) / 256) | "},
	{"(n)", "n | "},
	{"((n, 1), 1)", "((n , 1); 1) | "},
	{"ceil_div(n, 4) threads", "ceil_div(n, 4) |  threads"},
	{"rows × dim × 2", "((rows * dim) * 2) | "},
	{"[rows×dim]", "((rows * dim)) | "},
	{"n % 4 - 1 / 2", "((n % 4) - (1 / 2)) | "},
	{"-n", "(-n) | "},
	{"p.dim * params.ne[1]", "(p.dim * params.ne[1]) | "},
	{"256", "256 | "},
	{"256 threads", "256 |  threads"},
	{"n, m", "n | , m"},
	{"n: rest", "n | : rest"},
	{"n << 2", "n |  << 2"},
	{"a = b", "a |  = b"},
	{"rows — one a row", "rows |  — one a row"},
	{"one threadgroup per row", "one |  threadgroup per row"},
	{"\t n", "n | "},
	{"", "m.metal:3:5: expected an expression"},
	{"— none", "m.metal:3:5: expected an expression"},
	{"(rows, 1", "m.metal:3:5: missing ): this ( is never closed"},
	{"  [rows", "m.metal:3:7: missing ]: this [ is never closed"},
	{"[rows)", "m.metal:3:5: missing ]: this [ is never closed"},
	{"[]", "m.metal:3:5: expected an expression"},
	{"()", "m.metal:3:6: unexpected \")\": expected an expression"},
	{"(a, , b)", "m.metal:3:5: expected an expression"},
	{"(rows and columns, 1)", `m.metal:3:11: unexpected "and" after the expression`},
	{"[rows * ]", "m.metal:3:12: expected an expression"},
	{"n +", "m.metal:3:8: expected an expression"},
	{"* n", `m.metal:3:5: unexpected "*": expected an expression`},
	{strings.Repeat("(", 1000), "m.metal:3:5: missing ): this ( is never closed"},
}

func TestFormula(t *testing.T) {
	for _, test := range formulaTests {
		f, err := Parse(test.text, parser.Pos{Filename: "m.metal", Offset: 40, Line: 3, Column: 5})
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			var items []string
			for _, e := range f.Items {
				items = append(items, show(e))
			}
			got = strings.Join(items, "; ")
			if f.Tuple {
				got = "(" + got + ")"
			}
			got += " | " + f.Rest
		}
		if got != test.want {
			t.Errorf("%.40s\n got %s\nwant %s", test.text, got, test.want)
		}
	}
}

func TestFormulaText(t *testing.T) {
	f, err := Parse(" ( min(256,  n) ,rows × 2 )", parser.Pos{Filename: "m.metal", Offset: 40, Line: 3, Column: 5})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%q", f.Text), `["min(256,  n)" "rows × 2"]`; got != want {
		t.Errorf("text %s, want %s", got, want)
	}
	second := f.Items[1].(*parser.Binary)
	if second.X.Position().Column != 22 || second.Y.Position().Offset != 65 {
		t.Errorf("positions %+v %+v", second.X.Position(), second.Y.Position())
	}
}
