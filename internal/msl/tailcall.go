package msl

import "github.com/metalgen/metalgen/parser"

// Metal has no recursion, but its compiler takes a function that ends with a call
// of itself: that is a loop. Such a function is a Loop over its body here, and the
// call gives the parameters their new values and goes on with it.

// tailCall stands for the call until its statement is made.
type tailCall struct {
	node
	values []Expr
}

// selfCall tells whether a call ends the function that it calls, with nothing left
// to do for either.
func (c *checker) selfCall(f *function, pos parser.Pos, args []Expr) bool {
	if f.fn != c.fn || c.tailAt != pos || f.fn.Result == nil || f.fn.Result.Kind != Void {
		return false
	}
	for i, v := range f.fn.Params {
		if !v.Ref {
			continue
		}
		if same, ok := args[i].(*VarRef); !ok || same.Var != v {
			return false
		}
	}
	return true
}

// again is what the call comes to.
func (c *checker) again(x *tailCall) []Stmt {
	c.repeats = true
	var list, assign []Stmt
	for i, v := range c.fn.Params {
		if v.Ref {
			continue
		}
		next := &Var{Name: "<next " + v.Name + ">", Type: v.Type, Pos: x.pos, Space: "thread"}
		list = append(list, &DeclStmt{next, x.values[i], x.pos})
		set := &Assign{node: node{x.pos, v.Type}, L: &VarRef{node{x.pos, v.Type}, v}, R: &VarRef{node{x.pos, v.Type}, next}}
		assign = append(assign, &ExprStmt{set, x.pos})
	}
	return append(append(list, assign...), &Continue{x.pos})
}

// repeated is the body of a function that calls itself at its end.
func repeated(list []Stmt, pos parser.Pos) []Stmt {
	return []Stmt{&Loop{Body: &Block{List: append(list, &Break{pos}), Pos: pos}, Pos: pos}}
}
