package msl

import (
	"github.com/metalgen/metalgen/internal/msl/fold"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

func (b *body) loopBody(s parser.Stmt) tree.Stmt {
	tail := b.tail
	b.tail = false
	b.loops++
	defer func() { b.loops, b.tail = b.loops-1, tail }()
	return b.branch(s)
}

// rangeFor is a loop over the elements of an array (C++14 6.5.4).
func (b *body) rangeFor(s *parser.RangeFor) []tree.Stmt {
	defer b.c.enter()()
	var out []tree.Stmt
	if s.Init != nil {
		out = b.statement(s.Init)
	}
	list := b.rangeOf(s.Range)
	if list == nil {
		return nil
	}
	t := list.Type()
	if b.c.facts.Listed(t) != nil {
		v := &tree.Var{Name: "<list>", Type: t, Pos: s.Pos, Space: "thread"}
		out = append(out, &tree.DeclStmt{Var: v, Init: list, Pos: s.Pos})
		list = &tree.VarRef{Node: tree.At(s.Range.Position(), t), Var: v}
		return append(out, b.loopOver(s, listFirst(list, s.Pos), listSize(list, s.Pos)))
	}
	if types.Arithmetic(t) || types.IsVector(t) || t.Kind == tree.Pointer {
		b.c.fail(s.Range.Position(), "%s has no elements to go through", t.Spelled())
		return nil
	}
	if t.Kind != tree.Array {
		b.c.unsupported(s.Range.Position(), "a loop over %s is not supported: only arrays have elements to go through",
			t.Spelled())
		return nil
	}
	return append(out, b.loopOver(s, list, types.IntConst(t.Len, s.Pos)))
}

// rangeOf checks what a range-based for goes through. Braces are an initializer_list of what
// their first value is.
func (b *body) rangeOf(e parser.Expr) tree.Expr {
	braces, is := e.(*parser.InitList)
	if !is {
		return b.c.expr(e)
	}
	args, ok := b.c.trial().exprs(braces.Elems)
	if !ok {
		b.c.exprs(braces.Elems) // for the errors
		return nil
	}
	if len(args) == 0 || args[0].Type() == bracesType {
		return b.c.expr(e)
	}
	return b.c.braced(b.c.r.ListType(types.Decayed(args[0])), braces)
}

// loopOver is a range-based for over the first n elements of an array, or from a pointer on.
func (b *body) loopOver(s *parser.RangeFor, list, n tree.Expr) tree.Stmt {
	tail := b.tail
	b.tail = false
	b.loops++
	defer func() { b.loops, b.tail = b.loops-1, tail }()
	defer b.c.enter()()
	return countingLoop(n, s.Pos, func(i tree.Expr) []tree.Stmt {
		body := b.elementVar(s.Var, &tree.Index{Node: tree.At(s.Range.Position(), list.Type().Elem), X: list, I: i})
		return append(body, b.branch(s.Body))
	})
}

// countingLoop is a loop over 0 to n-1.
func countingLoop(n tree.Expr, pos parser.Pos, body func(i tree.Expr) []tree.Stmt) tree.Stmt {
	t := n.Type()
	index := &tree.Var{Name: "<index>", Type: t, Pos: pos, Space: "thread"}
	at := func() tree.Expr { return &tree.VarRef{Node: tree.At(pos, t), Var: index} }
	zero := &tree.Const{Node: tree.At(pos, t), Value: tree.IntValue(t.Scalar, 0)}
	return &tree.Loop{
		Init: []tree.Stmt{&tree.DeclStmt{Var: index, Init: zero, Pos: pos}},
		Cond: &tree.Binary{Node: tree.At(pos, tree.ScalarType(tree.Bool)), Op: tree.Less, X: at(), Y: n},
		Post: &tree.IncDec{Node: tree.At(pos, index.Type), X: at()},
		Body: &tree.Block{List: body(at()), Pos: pos}, Pos: pos,
	}
}

// elementVar declares the variable of a range-based for.
func (b *body) elementVar(s *parser.DeclStmt, x tree.Expr) []tree.Stmt {
	if len(s.Vars) != 1 || s.Type == nil {
		b.c.fail(s.Pos, "a loop over an array declares one variable")
		return nil
	}
	l := s.Vars[0]
	d := b.c.declared(s.Type, l.Pointers, l.Declarator.Dims)
	if d == nil {
		return nil
	}
	v := &tree.Var{Name: l.Declarator.Name, Type: d.Type, Pos: l.Declarator.Pos, Space: "thread", Ref: d.Ref,
		Const: d.Constant}
	if d.Auto {
		v.Type = x.Type()
	}
	if d.Ref {
		space, readonly, _ := types.PlaceOf(x)
		v.Space, v.Const = space, v.Const || readonly
		x = b.c.bind(v, x)
	} else {
		x = b.c.implicit(x, v.Type)
	}
	if x == nil {
		return nil
	}
	b.c.declareVar(v)
	return []tree.Stmt{&tree.DeclStmt{Var: v, Init: x, Pos: v.Pos}}
}

// whileDeclares checks a while whose condition is the variable that it declares
// anew each time.
func (b *body) whileDeclares(s *parser.While) []tree.Stmt {
	defer b.c.enter()()
	list := b.statement(s.Var)
	cond := b.c.condition(b.declaredName(s.Var, s.Pos), "the condition of while")
	if cond == nil {
		return nil
	}
	stop := &tree.If{
		Cond: fold.Expr(b.c.facts, &tree.Unary{Node: tree.At(s.Pos, tree.ScalarType(tree.Bool)), Op: tree.LogicalNot,
			X: cond}),
		Then: &tree.Break{Pos: s.Pos}, Pos: s.Pos}
	return []tree.Stmt{&tree.Loop{Body: &tree.Block{List: append(list, stop, b.loopBody(s.Body)), Pos: s.Pos}, Pos: s.Pos}}
}

func (b *body) forStmt(s *parser.For) []tree.Stmt {
	defer b.c.enter()()
	out := &tree.Loop{Pos: s.Pos}
	if s.Init != nil {
		out.Init = b.statement(s.Init)
	}
	if s.Cond != nil {
		out.Cond = b.c.condition(b.c.expr(s.Cond), "the condition of for")
	}
	if s.Post != nil {
		out.Post = b.c.expr(s.Post)
	}
	out.Body = b.loopBody(s.Body)
	return []tree.Stmt{out}
}
