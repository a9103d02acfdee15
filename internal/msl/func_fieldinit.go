package msl

import (
	"fmt"
	"slices"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// The initial value of a field may use the fields before it. It has a meaning in
// an object only: in a constructor, or where braces leave the field out in a
// function that makes the object of what they give.

// usesFields reports whether the initial value of a field mentions another field.
func usesFields(st *resolve.Class, f *tree.Field) bool {
	init := st.Inits[f]
	if init == nil {
		return false
	}
	list := init.Tokens.List
	for i, t := range list {
		if t.Kind != parser.Ident || i > 0 && (list[i-1].Is(".") || list[i-1].Is("->") || list[i-1].Is("::")) {
			continue
		}
		if t.Text == "this" || slices.ContainsFunc(st.Fields, func(o *tree.Field) bool { return o.Name == t.Text }) {
			return true
		}
	}
	return false
}

// ownValue is the initial value of a field in an object.
func ownValue(c *checker, st *resolve.Class, f *tree.Field, object *tree.Var) tree.Expr {
	if !c.waits(f.Name, f.Pos) {
		return nil
	}
	defer c.work.Resumes()
	init := st.Inits[f]
	inner := newChecker(c.r, c.unit, init.Namespace)
	inner.in.Locals, inner.in.This, inner.fn, inner.from = init.Locals, object, c.fn, init.From
	defer inner.enter()()
	seen := false
	for _, other := range st.Fields {
		if seen = seen || other == f; seen && other.Name != "" {
			err := fmt.Errorf("%s has no value yet where this one is computed", other.Name)
			inner.declareLocal(other.Name,
				&resolve.Symbol{Name: other.Name, Pos: other.Pos, Local: true, Variable: &parser.Init{},
					State: resolve.Broken, Err: err})
		}
	}
	return tokensInit(inner, init.Tokens, func(e parser.Expr) tree.Expr { return inner.initial(f.Type, e) })
}

// ownObject is an object whose first fields are given, while others have initial
// values that use them.
func ownObject(c *checker, whole *tree.Construct) tree.Expr {
	st, n := c.facts.Class(whole.Typ.Struct), len(whole.Args)
	f := st.Makers[n]
	if f == nil {
		f = &resolve.Function{Name: st.Name, Namespace: st.Namespace, Signature: resolve.Resolved,
			State: resolve.Resolving, Fn: &tree.Func{Name: st.Name, Pos: st.Pos, Result: whole.Typ}}
		if st.Makers == nil {
			st.Makers = map[int]*resolve.Function{}
		}
		st.Makers[n] = f
		checkMaker(c.r, f, st, n)
		f.State = resolve.Resolved
	}
	if f.State == resolve.Resolving {
		return c.fail(whole.Pos, "the initial values of %s depend on themselves", st.Name)
	}
	c.use(&f.Unit)
	if f.Errs.HasErrors() {
		return nil
	}
	return &tree.Call{Node: tree.At(whole.Pos, whole.Typ), Func: f.Fn, Args: whole.Args}
}

// checkMaker makes the function for objects with n fields given.
func checkMaker(r *resolve.Resolver, f *resolve.Function, st *resolve.Class, n int) {
	c := newChecker(r, &f.Unit, st.Namespace)
	c.fn = f.Fn
	this := &tree.Var{Name: "this", Type: st.Type, Pos: st.Pos, Space: "thread"}
	object := func() tree.Expr { return &tree.VarRef{Node: tree.At(st.Pos, st.Type), Var: this} }
	list := []tree.Stmt{&tree.DeclStmt{Var: this, Init: nil, Pos: st.Pos}}
	for i, field := range st.Fields {
		var x tree.Expr
		switch {
		case i < n:
			v := &tree.Var{Name: field.Name, Type: field.Type, Pos: field.Pos, Space: "thread", Param: true}
			f.Fn.Params = append(f.Fn.Params, v)
			x = &tree.VarRef{Node: tree.At(field.Pos, field.Type), Var: v}
		case usesFields(st, field):
			x = ownValue(c, st, field, this)
		case st.Inits[field] != nil:
			x = fieldValue(c, st, field)
		default:
			x = c.construction(field.Type, field.Pos).zero()
		}
		if x == nil {
			continue // reported
		}
		to := &tree.FieldOf{Node: tree.At(x.Position(), field.Type), X: object(), Field: field}
		list = append(list,
			&tree.ExprStmt{X: &tree.Assign{Node: tree.At(x.Position(), field.Type), L: to, R: x}, Pos: x.Position()})
	}
	f.Fn.Body = &tree.Block{Pos: st.Pos, List: append(list, &tree.Return{X: object(), Pos: st.Pos})}
}
