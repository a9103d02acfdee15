package msl

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// A lambda's body names the variables of the function around it. That is what a
// capture by reference means. A capture by value means a copy, which comes to the
// same as long as the variable keeps its value; where it may not, there is an error.

// changed notes that a variable may get another value from here on.
func (c *checker) changed(x tree.Expr) {
	if v := rootOf(x); v != nil {
		c.bodies.clock++
		c.facts.of(v).changed = c.bodies.clock
	}
}

// capture notes that a lambda's body, and those of the lambdas around it, name a
// variable from outside.
func (c *checker) capture(s *symbol, e *parser.Name) bool {
	if c.function == nil || c.function.lambda == nil || s.v.Static || c.facts.vars[s.v].isFolded() || len(e.Path) != 1 {
		return true
	}
	for l := c.function.lambda; l != nil; l = l.outer {
		if l.locals.find(e.Path[0]) != s {
			return true // its own
		}
		switch l.mode(e.Path[0]) {
		case "":
			c.fail(e.Pos, "%s is not captured by the lambda at %s", e.Path[0], posText(l.syntax.Pos))
			return false
		case "=":
			if !slices.Contains(l.copies, s.v) {
				l.copies = append(l.copies, s.v)
			}
		}
	}
	return true
}

// mode says how a lambda captures a variable: "&", "=", or "" where it does not.
func (l *lambda) mode(name string) string {
	for _, k := range l.syntax.Captures {
		if k.Name == name && k.Ref {
			return "&"
		} else if k.Name == name {
			return "="
		}
	}
	return l.syntax.Default
}

// checkCaptures complains of lambdas of a function that capture by value what is
// not constant.
func (c *checker) checkCaptures(list []*lambda) {
	for _, l := range list {
		for _, v := range l.copies {
			if c.facts.vars[v].changedAfter(l.created) || v.Addressed || v.Ref && v.Space != "constant" {
				c.unsupported(l.syntax.Pos,
					"the lambda captures %s by value, but %s may change afterwards: that is not supported", v.Name, v.Name)
			}
		}
	}
}
