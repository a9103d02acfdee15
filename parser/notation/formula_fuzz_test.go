package notation

import (
	"errors"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/parser"
)

func FuzzFormula(f *testing.F) {
	for _, test := range formulaTests {
		f.Add(test.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		pos := parser.Pos{Filename: "m.metal", Offset: 100, Line: 7, Column: 10}
		formula, err := Parse(text, pos)
		if err != nil {
			var perr *parser.Error
			if !errors.As(err, &perr) || perr.Pos.Line != 7 || perr.Pos.Offset < 100 || perr.Pos.Offset > 100+len(text) {
				t.Fatalf("%#v", err)
			}
			return
		}
		if len(formula.Items) == 0 || len(formula.Items) != len(formula.Text) || !strings.HasSuffix(text, formula.Rest) {
			t.Fatalf("%q: %+v", text, formula)
		}
		for i, e := range formula.Items {
			if p := e.Position(); p.Offset < 100 || p.Offset > 100+len(text) || !strings.Contains(text, formula.Text[i]) {
				t.Fatalf("%q: %+v %q", text, p, formula.Text[i])
			}
		}
	})
}
