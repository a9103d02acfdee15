package resolve

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// Owns reports whether a variable is one that a lambda has of its own.
func (l *Lambda) Owns(v *tree.Var) bool {
	return slices.ContainsFunc(l.Syntax.Captures, func(k *parser.Capture) bool { return k.Pos == v.Pos })
}

// Mode says how a lambda captures a variable: "&", "=", or "" where it does not.
func (l *Lambda) Mode(name string) string {
	for _, k := range l.Syntax.Captures {
		if k.Name == name && k.Ref {
			return "&"
		} else if k.Name == name {
			return "="
		}
	}
	return l.Syntax.Default
}

// Lambda is a function within a body, with what it sees there. As functions are
// never called but where their variables live, it needs no copy of them: a lambda
// is its own type, without fields, and its body names the variables themselves
// (expr_capture.go).
type Lambda struct {
	Syntax    *parser.Lambda
	Locals    *Scope // without what is declared after it
	This      *tree.Var
	Method    *Class // that this is of
	Namespace []string
	From      int
	Instance  bool                 // it stands in one of a template
	Outer     *Lambda              // in whose body it stands, or nil
	Calls     map[string]*Function // by the types of the arguments
	Copies    []*tree.Var          // that it captures by value
	Created   int                  // by the clock of changes
	Around    *[]*Lambda           // the lambdas of the function in whose body it stands
	Open      bool                 // it stands in a template that is checked by itself
	Changes   bool                 // it may change values of its own, and a copy would have others
}
