package msl

import (
	"github.com/metalgen/metalgen/internal/msl/fold"
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

func (b *body) switchStmt(s *parser.Switch) []tree.Stmt {
	defer b.c.enter()()
	var init []tree.Stmt
	if s.Init != nil {
		init = b.statement(s.Init)
	}
	var x tree.Expr
	if s.Var != nil {
		init = append(init, b.statement(s.Var)...)
		x = b.c.value(b.declaredName(s.Var, s.Pos))
	} else {
		x = b.c.value(b.c.plain(b.c.expr(s.X)))
	}
	if x != nil {
		if t := x.Type(); !types.Integral(t) && t.Kind != tree.EnumType {
			x = b.c.fail(x.Position(), "a switch needs an integer, not %s", t.Spelled())
		} else {
			x = b.c.promoted(x)
		}
	}
	tail := b.tail
	b.tail = false
	b.switches++
	defer func() { b.switches, b.tail = b.switches-1, tail }()
	out := &tree.Switch{X: x, Pos: s.Pos}
	labels := switchLabels{c: b.c, x: x, seen: map[uint64]parser.Pos{}}
	open := false     // the last case has no statement yet
	initialised := "" // what has been declared that further labels skip
	for _, stmt := range s.Body.List {
		if label, ok := stmt.(*parser.Case); ok {
			if initialised != "" {
				b.c.fail(label.Pos, "case jumps over the declaration of %s: put it in braces", initialised)
				initialised = ""
			}
			if !open {
				out.Cases = append(out.Cases, tree.SwitchCase{Pos: label.Pos})
				open = true
			}
			labels.add(&out.Cases[len(out.Cases)-1], label)
			continue
		}
		list := b.statement(stmt)
		if len(out.Cases) == 0 {
			if len(list) > 0 {
				b.c.fail(stmt.Position(), "this statement stands before the first label of the switch")
			}
			continue
		}
		if name := initialisedBy(stmt, list); name != "" {
			initialised = name
		}
		open = false
		last := &out.Cases[len(out.Cases)-1]
		last.List = append(last.List, list...)
	}
	if x != nil && x.Type().Kind == tree.EnumType {
		out.X = b.c.convert(x, tree.ScalarType(x.Type().Scalar))
	}
	if len(init) > 0 {
		return []tree.Stmt{&tree.Block{List: append(init, out), Pos: s.Pos}}
	}
	return []tree.Stmt{out}
}

// initialisedBy is the name of a variable that a statement declares with an
// initial value, so that no jump may lead over it (C++14 6.7), or "".
func initialisedBy(s parser.Stmt, checked []tree.Stmt) string {
	decl, ok := s.(*parser.DeclStmt)
	if !ok {
		return ""
	}
	for _, stmt := range checked {
		if d, ok := stmt.(*tree.DeclStmt); ok && d.Init != nil {
			return d.Var.Name
		}
	}
	for _, v := range decl.Vars { // a constant leaves no statement
		once := hasWord(decl.Type, "static") || resolve.SpaceOf(decl.Type) == "constant" && len(v.Pointers) == 0
		if v.Init != nil && !once {
			return v.Declarator.Name
		}
	}
	return ""
}

// switchLabels checks the labels of a switch.
type switchLabels struct {
	c          *checker
	x          tree.Expr
	seen       map[uint64]parser.Pos
	hasDefault bool
}

func (l *switchLabels) add(to *tree.SwitchCase, label *parser.Case) {
	if label.X == nil {
		if l.hasDefault {
			l.c.fail(label.Pos, "the switch has two default labels")
		}
		l.hasDefault, to.Default = true, true
		return
	}
	x := knownSize(l.c, l.c.expr(label.X))
	if x == nil || l.x == nil {
		return
	}
	if t := x.Type(); types.Arithmetic(t) && t.Scalar.Floating() {
		l.c.fail(label.X.Position(), "a label must be an integer, not %s", t.Spelled())
		return
	}
	if x = l.c.implicit(x, l.x.Type()); x == nil {
		return
	}
	v, ok := fold.Value(l.c.facts, x)
	if !ok {
		l.c.fail(label.X.Position(), "a label must be a constant expression")
		return
	}
	if first, dup := l.seen[v.Bits]; dup {
		l.c.fail(label.X.Position(), "the switch has two labels %s; the first is at %s", v, resolve.PosText(first))
		return
	}
	l.seen[v.Bits] = label.X.Position()
	to.Values = append(to.Values, v)
}
