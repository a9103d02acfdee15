package msl

import (
	"fmt"
	"slices"

	"github.com/metalgen/metalgen/parser"
)

// The initial value of a field may use the fields before it. It has a meaning in
// an object only: in a constructor, or where braces leave the field out in a
// function that makes the object of what they give.

// usesFields tells whether the initial value of a field mentions another field.
func usesFields(st *class, f *Field) bool {
	init := st.inits[f]
	if init == nil {
		return false
	}
	list := init.tokens.List
	for i, t := range list {
		if t.Kind != parser.Ident || i > 0 && (list[i-1].Is(".") || list[i-1].Is("->") || list[i-1].Is("::")) {
			continue
		}
		if t.Text == "this" || slices.ContainsFunc(st.Fields, func(o *Field) bool { return o.Name == t.Text }) {
			return true
		}
	}
	return false
}

// ownValue is the initial value of a field in an object.
func (c *checker) ownValue(st *class, f *Field, object *Var) Expr {
	base := c.p.base
	if base.chain >= maxChain {
		return c.fail(f.Pos, tooLongChain, f.Name, maxChain)
	}
	base.chain++
	defer func() { base.chain-- }()
	init := st.inits[f]
	inner := base.newChecker(c.unit, init.namespace)
	inner.p.locals, inner.p.this, inner.fn, inner.from = init.locals, object, c.fn, init.from
	defer inner.enter()()
	seen := false
	for _, other := range st.Fields {
		if seen = seen || other == f; seen && other.Name != "" {
			err := fmt.Errorf("%s has no value yet where this one is computed", other.Name)
			inner.declareLocal(other.Name, &symbol{name: other.Name, pos: other.Pos, local: true, variable: &parser.Init{}, state: broken, err: err})
		}
	}
	return inner.tokensInit(init.tokens, func(e parser.Expr) Expr { return inner.initial(f.Type, e) })
}

// made is an object of which the first fields are given, and others have initial
// values that use them.
func (c *checker) made(whole *Construct) Expr {
	st, n := c.facts.class(whole.typ.Struct), len(whole.Args)
	f := st.makers[n]
	if f == nil {
		f = &function{name: st.Name, namespace: st.namespace, signature: resolved, state: resolving, fn: &Func{Name: st.Name, Pos: st.Pos, Result: whole.typ}}
		if st.makers == nil {
			st.makers = map[int]*function{}
		}
		st.makers[n] = f
		c.p.base.checkMaker(f, st, n)
		f.state = resolved
	}
	if f.state == resolving {
		return c.fail(whole.pos, "the initial values of %s depend on themselves", st.Name)
	}
	c.use(&f.unit)
	if f.errs.HasErrors() {
		return nil
	}
	return &Call{node{whole.pos, whole.typ}, f.fn, whole.Args}
}

// checkMaker makes the function for objects of which n fields are given.
func (p *Program) checkMaker(f *function, st *class, n int) {
	c := p.newChecker(&f.unit, st.namespace)
	c.fn = f.fn
	this := &Var{Name: "this", Type: st.typ, Pos: st.Pos, Space: "thread"}
	object := func() Expr { return &VarRef{node{st.Pos, st.typ}, this} }
	list := []Stmt{&DeclStmt{this, nil, st.Pos}}
	for i, field := range st.Fields {
		var x Expr
		switch {
		case i < n:
			v := &Var{Name: field.Name, Type: field.Type, Pos: field.Pos, Space: "thread", Param: true}
			f.fn.Params = append(f.fn.Params, v)
			x = &VarRef{node{field.Pos, field.Type}, v}
		case usesFields(st, field):
			x = c.ownValue(st, field, this)
		case st.inits[field] != nil:
			x = c.fieldValue(st, field)
		default:
			x = c.zero(field.Type, field.Pos)
		}
		if x == nil {
			continue // reported
		}
		to := &FieldOf{node{x.Position(), field.Type}, object(), field}
		list = append(list, &ExprStmt{&Assign{node: node{x.Position(), field.Type}, L: to, R: x}, x.Position()})
	}
	f.fn.Body = &Block{Pos: st.Pos, List: append(list, &Return{object(), st.Pos})}
}
