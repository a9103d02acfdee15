package notation

import (
	"fmt"
	"strings"

	"github.com/metalgen/metalgen/parser"
)

// show writes an expression with all its parentheses.
func show(e parser.Expr) string {
	list := func(args []parser.Expr) string {
		texts := make([]string, len(args))
		for i, a := range args {
			texts[i] = show(a)
		}
		return strings.Join(texts, ", ")
	}
	switch e := e.(type) {
	case *parser.Number:
		return e.Text
	case *parser.Name:
		return strings.Join(e.Path, "::")
	case *parser.Unary:
		return "(" + e.Op + show(e.X) + ")"
	case *parser.Binary:
		return "(" + show(e.X) + " " + e.Op + " " + show(e.Y) + ")"
	case *parser.CallExpr:
		return show(e.Func) + "(" + list(e.Args) + ")"
	case *parser.Index:
		return show(e.X) + "[" + show(e.I) + "]"
	case *parser.MemberExpr:
		return show(e.X) + "." + e.Name
	}
	return fmt.Sprintf("?%T", e)
}
