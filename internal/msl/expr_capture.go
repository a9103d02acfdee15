package msl

import (
	"slices"

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
		c.r.bodies.clock++
		c.facts.of(v).changed = c.r.bodies.clock
	}
}

// checkCapture notes that a lambda's body, and those of the lambdas around it, name a
// variable from outside.
func checkCapture(c *checker, s *symbol, e *parser.Name) bool {
	if c.function == nil || c.function.lambda == nil || s.v.Static || c.facts.vars[s.v].isFolded() || len(e.Path) != 1 {
		return true
	}
	for l := c.function.lambda; l != nil; l = l.outer {
		o := l.locals.find(e.Path[0])
		if o == nil || o != s && !slices.Contains(o.pack, s) || l.locals.names[e.Path[0]] == s && l.owns(s.v) {
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
			space, readonly, _ := types.PlaceOf(c.facts.named(x))
			one.v.Type, one.v.Ref, one.v.Space, one.v.Const = x.Type(), true, space, readonly
			if declare.Init = c.bind(one.v, x); declare.Init == nil {
				return nil, false
			}
		} else {
			if one.v.Type = deduced(c, &declared{auto: true, whole: whole}, x, k.Pos); one.v.Type == nil {
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
	s := c.in.locals.find(k.Name)
	return s != nil && s.v != nil && !s.v.Static && !s.v.Const && !c.facts.vars[s.v].isFolded()
}

// owns reports whether a variable is one that a lambda has of its own.
func (l *lambda) owns(v *tree.Var) bool {
	return slices.ContainsFunc(l.syntax.Captures, func(k *parser.Capture) bool { return k.Pos == v.Pos })
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
func checkCaptures(c *checker, list []*lambda) {
	for _, l := range list {
		for _, v := range l.copies {
			if c.facts.vars[v].changedAfter(l.created) || v.Addressed || v.Ref && v.Space != "constant" {
				c.unsupported(l.syntax.Pos,
					"the lambda captures %s by value, but %s may change afterwards: that is not supported", v.Name, v.Name)
			}
		}
	}
}
