package msl

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// A lambda's body names the variables of the function around it. That is what a
// capture by reference means. One by value that says of what, x or x = y, is a variable
// of the function, which gets its value where the lambda stands. What [=] captures is a
// copy too, which comes to the same as long as the variable keeps its value; where it may
// not, there is an error.

// changed notes that a variable may get another value from here on.
func (c *checker) changed(x tree.Expr) {
	if v := types.RootOf(x); v != nil {
		c.r.Bodies.Clock++
		c.facts.Of(v).Changed = c.r.Bodies.Clock
	}
}

// checkCapture notes that a lambda's body, and those of the lambdas around it, name a
// variable from outside.
func checkCapture(c *checker, s *resolve.Symbol, e *parser.Name) bool {
	if c.function == nil || c.function.Lambda == nil || s.Var.Static || c.facts.Vars[s.Var].IsFolded() ||
		len(e.Path) != 1 {
		return true
	}
	for l := c.function.Lambda; l != nil; l = l.Outer {
		o := l.Locals.Find(e.Path[0])
		if o == nil || o != s && !slices.Contains(o.Pack, s) || l.Locals.Names[e.Path[0]] == s && l.Owns(s.Var) {
			return true // its own
		}
		switch l.Mode(e.Path[0]) {
		case "":
			c.fail(e.Pos, "%s is not captured by the lambda at %s", e.Path[0], resolve.PosText(l.Syntax.Pos))
			return false
		case "=":
			if !slices.Contains(l.Copies, s.Var) {
				l.Copies = append(l.Copies, s.Var)
			}
		}
	}
	return true
}

// ownCapture is a variable that a lambda has of its own.
type ownCapture struct {
	v   *tree.Var
	set tree.Expr // what it is when the lambda is made, or nil for a reference
}

// after returns an expression that sets the variable when before has been evaluated.
func (k ownCapture) after(before tree.Expr) tree.Expr {
	if k.set == nil {
		return before
	}
	pos := k.set.Position()
	set := &tree.Assign{Node: tree.At(pos, k.v.Type), L: &tree.VarRef{Node: tree.At(pos, k.v.Type), Var: k.v}, R: k.set}
	if before == nil {
		return set
	}
	return &tree.Comma{Node: set.Node, X: before, Y: set}
}

// ownCaptures checks the captures of a lambda that are variables of its own, and declares
// those before the statement in which the lambda stands.
func ownCaptures(c *checker, e *parser.Lambda) (own []ownCapture, ok bool) {
	for _, k := range e.Captures {
		value, whole := k.Init, false
		if value == nil {
			if !copiedCapture(c, k) {
				continue
			}
			value, whole = &parser.Name{Path: []string{k.Name}, Pos: k.Pos}, true
		}
		if list, is := value.(*parser.InitList); is && len(list.Elems) == 1 {
			value = list.Elems[0]
		}
		if c.before == nil {
			c.unsupported(k.Pos, "a lambda outside of a body has no values of its own")
			return nil, false
		}
		x := c.expr(value)
		if x == nil {
			return nil, false
		}
		one := ownCapture{v: &tree.Var{Name: k.Name, Pos: k.Pos, Space: "thread", Const: !mutable(e)}}
		declare := &tree.DeclStmt{Var: one.v, Pos: k.Pos}
		if k.Ref {
			space, readonly, _ := types.PlaceOf(c.facts.Named(x))
			one.v.Type, one.v.Ref, one.v.Space, one.v.Const = x.Type(), true, space, readonly
			if declare.Init = c.bind(one.v, x); declare.Init == nil {
				return nil, false
			}
		} else {
			if one.v.Type = deduced(c, &resolve.Declared{Auto: true, Whole: whole}, x, k.Pos); one.v.Type == nil {
				return nil, false
			}
			if one.set = c.implicit(x, one.v.Type); one.set == nil {
				return nil, false
			}
		}
		*c.before = append(*c.before, declare)
		own = append(own, one)
	}
	return own, true
}

// mutable reports whether a lambda may change its copies.
func mutable(e *parser.Lambda) bool { return slices.Contains(e.Quals, "mutable") }

// copiedCapture reports whether a capture by value has to be a copy: whether it is of a variable
// that can change.
func copiedCapture(c *checker, k *parser.Capture) bool {
	if k.Ref || k.Copy || k.Pack {
		return false
	}
	s := c.in.Locals.Find(k.Name)
	return s != nil && s.Var != nil && !s.Var.Static && !s.Var.Const && !c.facts.Vars[s.Var].IsFolded()
}

// checkCaptures complains of lambdas of a function that capture by value what is
// not constant.
func checkCaptures(c *checker, list []*resolve.Lambda) {
	for _, l := range list {
		for _, v := range l.Copies {
			if c.facts.Vars[v].ChangedAfter(l.Created) || v.Addressed || v.Ref && v.Space != "constant" {
				c.unsupported(l.Syntax.Pos,
					"the lambda captures %s by value, but %s may change afterwards: that is not supported", v.Name, v.Name)
			}
		}
	}
}
