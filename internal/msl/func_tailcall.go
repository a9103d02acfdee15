package msl

import (
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// A function that ends with a call of itself is a loop to Metal's compiler, also before
// MSL 2.4, which has recursion. Such a function is a Loop over its body here, and the call
// returns the parameters their new values and goes on with it: that takes no call stack.

// tailCall stands for the call until its statement is made.
type tailCall struct {
	tree.Node
	values []tree.Expr
}

// selfCall reports whether a call ends the function that it calls, with nothing left
// to do for either.
func selfCall(c *checker, f *resolve.Function, pos parser.Pos, args []tree.Expr) bool {
	if f.Fn != c.fn || c.tailAt != pos || f.Fn.Result == nil || f.Fn.Result.Kind != tree.Void {
		return false
	}
	for i, v := range f.Fn.Params {
		if !v.Ref {
			continue
		}
		if same, ok := args[i].(*tree.VarRef); !ok || same.Var != v {
			return false
		}
	}
	return true
}

// again is what the call comes to.
func (b *body) again(x *tailCall) []tree.Stmt {
	b.repeats = true
	var list, assign []tree.Stmt
	for i, v := range b.c.fn.Params {
		if v.Ref {
			continue
		}
		next := &tree.Var{Name: "<next " + v.Name + ">", Type: v.Type, Pos: x.Pos, Space: "thread"}
		list = append(list, &tree.DeclStmt{Var: next, Init: x.values[i], Pos: x.Pos})
		set := &tree.Assign{Node: tree.At(x.Pos, v.Type), L: &tree.VarRef{Node: tree.At(x.Pos, v.Type), Var: v},
			R: &tree.VarRef{Node: tree.At(x.Pos, v.Type), Var: next}}
		assign = append(assign, &tree.ExprStmt{X: set, Pos: x.Pos})
	}
	return append(append(list, assign...), &tree.Continue{Pos: x.Pos})
}

// repeated is the body of a function that calls itself at its end.
func repeated(list []tree.Stmt, pos parser.Pos) []tree.Stmt {
	return []tree.Stmt{&tree.Loop{Body: &tree.Block{List: append(list, &tree.Break{Pos: pos}), Pos: pos}, Pos: pos}}
}
