package msl

import (
	"strings"

	"github.com/metalgen/metalgen/parser"
)

// statements checks the statements of a block.
func (c *checker) statements(list []parser.Stmt) []Stmt {
	var out []Stmt
	tail := c.tail
	for i, s := range list {
		c.tail = tail && i == len(list)-1
		out = append(out, c.statement(s)...)
	}
	c.tail = tail
	return out
}

// statement checks one statement, which may come to any number of checked ones:
// a declaration to one for each of its variables.
func (c *checker) statement(s parser.Stmt) []Stmt {
	switch s := s.(type) {
	case *parser.Block:
		return []Stmt{c.block(s)}
	case *parser.DeclStmt:
		return c.declaration(s)
	case *parser.ExprStmt:
		if call, ok := s.X.(*parser.CallExpr); ok && c.tail {
			c.tailAt = call.Func.Position()
		}
		x := c.expr(s.X)
		c.tailAt = parser.Pos{}
		if x == nil {
			return nil
		}
		if call, ok := x.(*tailCall); ok {
			return c.again(call)
		}
		if v, ok := x.(*Convert); ok && v.typ.Kind == Void {
			x = v.X // (void)x
		}
		return []Stmt{&ExprStmt{x, s.Pos}}
	case *parser.If:
		return c.ifStmt(s)
	case *parser.For:
		return c.forStmt(s)
	case *parser.RangeFor:
		return c.rangeFor(s)
	case *parser.While:
		if s.Var != nil {
			return c.whileDeclares(s)
		}
		return []Stmt{&Loop{Cond: c.condition(c.expr(s.Cond), "the condition of while"), Body: c.loopBody(s.Body), Pos: s.Pos}}
	case *parser.Do:
		body := c.loopBody(s.Body)
		return []Stmt{&Loop{Cond: c.condition(c.expr(s.Cond), "the condition of while"), Body: body, PostTested: true, Pos: s.Pos}}
	case *parser.Switch:
		return c.switchStmt(s)
	case *parser.Case:
		c.fail(s.Pos, "labels must stand directly in the block of a switch: others are not supported")
	case *parser.Break:
		if c.loops+c.switches == 0 {
			c.fail(s.Pos, "break outside of a loop or switch")
		}
		return []Stmt{&Break{s.Pos}}
	case *parser.Continue:
		if c.loops == 0 {
			c.fail(s.Pos, "continue outside of a loop")
		}
		return []Stmt{&Continue{s.Pos}}
	case *parser.Return:
		return c.returnStmt(s)
	case *parser.StaticAssert:
		c.staticAssert(s)
	case nil:
	default:
		c.fail(s.Position(), "this statement is not supported")
	}
	return nil
}

func (c *checker) block(s *parser.Block) *Block {
	defer c.enter()()
	return &Block{List: c.statements(s.List), Pos: s.Pos}
}

// branch checks a statement with a scope of its own, braces or not.
func (c *checker) branch(s parser.Stmt) Stmt {
	if b, ok := s.(*parser.Block); ok {
		return c.block(b)
	}
	defer c.enter()()
	list := c.statement(s)
	if _, declares := s.(*parser.DeclStmt); !declares && len(list) == 1 {
		return list[0]
	}
	return &Block{List: list, Pos: s.Position()}
}

func (c *checker) loopBody(s parser.Stmt) Stmt {
	tail := c.tail
	c.tail = false
	c.loops++
	defer func() { c.loops, c.tail = c.loops-1, tail }()
	return c.branch(s)
}

func (c *checker) ifStmt(s *parser.If) []Stmt {
	defer c.enter()()
	var init []Stmt
	if s.Init != nil {
		init = c.statement(s.Init)
	}
	out := &If{Pos: s.Pos}
	if s.Var != nil {
		init = append(init, c.statement(s.Var)...)
		if len(s.Var.Vars) == 1 {
			s.Cond = &parser.Name{Path: []string{s.Var.Vars[0].Declarator.Name}, Pos: s.Pos}
		}
	}
	x := c.expr(s.Cond)
	out.Cond = c.condition(x, "the condition of if")
	if s.Constexpr && out.Cond != nil {
		v, ok := c.facts.fold(out.Cond)
		if !ok {
			c.fail(s.Cond.Position(), "the condition of if constexpr is no constant expression")
		} else {
			return c.chosen(s, v.isTrue(), init)
		}
	}
	out.Then = c.branch(s.Then)
	if s.Else != nil {
		out.Else = c.branch(s.Else)
	}
	if len(init) == 0 {
		return []Stmt{out}
	}
	return []Stmt{&Block{List: append(init, out), Pos: s.Pos}}
}

// chosen is what an `if constexpr` leaves. Outside of templates the language has
// the other branch checked too.
func (c *checker) chosen(s *parser.If, then bool, init []Stmt) []Stmt {
	kept, other := s.Then, s.Else
	if !then {
		kept, other = other, kept
	}
	if other != nil && !c.inTemplate() {
		c.branch(other)
	}
	if kept != nil {
		init = append(init, c.branch(kept))
	}
	return []Stmt{&Block{List: init, Pos: s.Pos}}
}

// inTemplate tells whether the function at hand is an instance, or in one.
func (c *checker) inTemplate() bool {
	for _, name := range c.namespace {
		if strings.Contains(name, "<") {
			return true
		}
	}
	return c.function != nil && c.function.lambda != nil
}

// rangeFor is a loop over the elements of an array (C++14 6.5.4).
func (c *checker) rangeFor(s *parser.RangeFor) []Stmt {
	defer c.enter()()
	var out []Stmt
	if s.Init != nil {
		out = c.statement(s.Init)
	}
	list := c.expr(s.Range)
	if list == nil {
		return nil
	}
	t := list.Type()
	if t.Kind != Array {
		c.fail(s.Range.Position(), "a loop over %s is not supported: only arrays have elements to go through", spelled(t))
		return nil
	}
	tail := c.tail
	c.tail = false
	c.loops++
	defer func() { c.loops, c.tail = c.loops-1, tail }()
	defer c.enter()()
	return append(out, countingLoop(t.Len, s.Pos, func(i Expr) []Stmt {
		body := c.elementVar(s.Var, &Index{node{s.Range.Position(), t.Elem}, list, i})
		return append(body, c.branch(s.Body))
	}))
}

// countingLoop is a loop over 0 to n-1.
func countingLoop(n int, pos parser.Pos, body func(i Expr) []Stmt) Stmt {
	index := &Var{Name: "<index>", Type: scalarType(Int), Pos: pos, Space: "thread"}
	at := func() Expr { return &VarRef{node{pos, index.Type}, index} }
	constant := func(n int) Expr {
		return &Const{node: node{pos, index.Type}, Value: intValue(Int, uint64(n))}
	}
	return &Loop{
		Init: []Stmt{&DeclStmt{index, constant(0), pos}},
		Cond: &Binary{node{pos, scalarType(Bool)}, Less, at(), constant(n)},
		Post: &IncDec{node: node{pos, index.Type}, X: at()},
		Body: &Block{List: body(at()), Pos: pos}, Pos: pos,
	}
}

// elementVar declares the variable of a range-based for.
func (c *checker) elementVar(s *parser.DeclStmt, x Expr) []Stmt {
	if len(s.Vars) != 1 || s.Type == nil {
		c.fail(s.Pos, "a loop over an array declares one variable")
		return nil
	}
	l := s.Vars[0]
	d := c.declared(s.Type, l.Pointers, l.Declarator.Dims)
	if d == nil {
		return nil
	}
	v := &Var{Name: l.Declarator.Name, Type: d.typ, Pos: l.Declarator.Pos, Space: "thread", Ref: d.ref, Const: d.constant}
	if d.auto {
		v.Type = x.Type()
	}
	if d.ref {
		space, readonly, _ := placeOf(x)
		v.Space, v.Const = space, v.Const || readonly
		x = c.bind(v, x)
	} else {
		x = c.implicit(x, v.Type)
	}
	if x == nil {
		return nil
	}
	c.declareVar(v)
	return []Stmt{&DeclStmt{v, x, v.Pos}}
}

// whileDeclares checks a while whose condition is the variable that it declares
// anew each time.
func (c *checker) whileDeclares(s *parser.While) []Stmt {
	defer c.enter()()
	list := c.statement(s.Var)
	cond := c.condition(c.declaredName(s.Var, s.Pos), "the condition of while")
	if cond == nil {
		return nil
	}
	stop := &If{Cond: c.facts.folded(&Unary{node{s.Pos, scalarType(Bool)}, LogicalNot, cond}), Then: &Break{s.Pos}, Pos: s.Pos}
	return []Stmt{&Loop{Body: &Block{List: append(list, stop, c.loopBody(s.Body)), Pos: s.Pos}, Pos: s.Pos}}
}

// declaredName is the variable that a condition declares.
func (c *checker) declaredName(s *parser.DeclStmt, pos parser.Pos) Expr {
	if len(s.Vars) != 1 {
		return c.fail(pos, "a condition declares one variable")
	}
	return c.expr(&parser.Name{Path: []string{declaredName(s.Vars[0].Declarator)}, Pos: pos})
}

func (c *checker) forStmt(s *parser.For) []Stmt {
	defer c.enter()()
	out := &Loop{Pos: s.Pos}
	if s.Init != nil {
		out.Init = c.statement(s.Init)
	}
	if s.Cond != nil {
		out.Cond = c.condition(c.expr(s.Cond), "the condition of for")
	}
	if s.Post != nil {
		out.Post = c.expr(s.Post)
	}
	out.Body = c.loopBody(s.Body)
	return []Stmt{out}
}

func (c *checker) switchStmt(s *parser.Switch) []Stmt {
	defer c.enter()()
	var init []Stmt
	if s.Init != nil {
		init = c.statement(s.Init)
	}
	var x Expr
	if s.Var != nil {
		init = append(init, c.statement(s.Var)...)
		x = c.value(c.declaredName(s.Var, s.Pos))
	} else {
		x = c.value(c.plain(c.expr(s.X)))
	}
	if x != nil {
		if t := x.Type(); !integral(t) && t.Kind != EnumType {
			x = c.fail(x.Position(), "a switch needs an integer, not %s", spelled(t))
		} else {
			x = c.promoted(x)
		}
	}
	tail := c.tail
	c.tail = false
	c.switches++
	defer func() { c.switches, c.tail = c.switches-1, tail }()
	out := &Switch{X: x, Pos: s.Pos}
	labels := switchLabels{c: c, x: x, seen: map[uint64]parser.Pos{}}
	open := false     // the last case has no statement yet
	initialised := "" // what has been declared that further labels skip
	for _, stmt := range s.Body.List {
		if label, ok := stmt.(*parser.Case); ok {
			if initialised != "" {
				c.fail(label.Pos, "case jumps over the declaration of %s: put it in braces", initialised)
				initialised = ""
			}
			if !open {
				out.Cases = append(out.Cases, SwitchCase{Pos: label.Pos})
				open = true
			}
			labels.add(&out.Cases[len(out.Cases)-1], label)
			continue
		}
		list := c.statement(stmt)
		if len(out.Cases) == 0 {
			if len(list) > 0 {
				c.fail(stmt.Position(), "this statement stands before the first label of the switch")
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
	if x != nil && x.Type().Kind == EnumType {
		out.X = c.convert(x, scalarType(x.Type().Scalar))
	}
	if len(init) > 0 {
		return []Stmt{&Block{List: append(init, out), Pos: s.Pos}}
	}
	return []Stmt{out}
}

// initialisedBy is the name of a variable that a statement declares with an
// initial value, so that no jump may lead over it (C++14 6.7), or "".
func initialisedBy(s parser.Stmt, checked []Stmt) string {
	decl, ok := s.(*parser.DeclStmt)
	if !ok {
		return ""
	}
	for _, stmt := range checked {
		if d, ok := stmt.(*DeclStmt); ok && d.Init != nil {
			return d.Var.Name
		}
	}
	for _, v := range decl.Vars { // a constant leaves no statement
		once := hasWord(decl.Type, "static") || spaceOf(decl.Type) == "constant" && len(v.Pointers) == 0
		if v.Init != nil && !once {
			return v.Declarator.Name
		}
	}
	return ""
}

// switchLabels checks the labels of a switch.
type switchLabels struct {
	c          *checker
	x          Expr
	seen       map[uint64]parser.Pos
	hasDefault bool
}

func (l *switchLabels) add(to *SwitchCase, label *parser.Case) {
	if label.X == nil {
		if l.hasDefault {
			l.c.fail(label.Pos, "the switch has two default labels")
		}
		l.hasDefault, to.Default = true, true
		return
	}
	x := l.c.expr(label.X)
	if x == nil || l.x == nil {
		return
	}
	if x = l.c.implicit(x, l.x.Type()); x == nil {
		return
	}
	v, ok := l.c.facts.fold(x)
	if !ok {
		l.c.fail(label.X.Position(), "a label must be a constant expression")
		return
	}
	if first, dup := l.seen[v.Bits]; dup {
		l.c.fail(label.X.Position(), "the switch has two labels %s; the first is at %s", v, placeText(first))
		return
	}
	l.seen[v.Bits] = label.X.Position()
	to.Values = append(to.Values, v)
}

func (c *checker) returnStmt(s *parser.Return) []Stmt {
	result := c.fn.Result
	switch {
	case c.function != nil && c.function.constructor():
		if s.X != nil {
			c.fail(s.Pos, "a constructor returns nothing")
			return nil
		}
		return []Stmt{&Return{&VarRef{node{s.Pos, c.p.this.Type}, c.p.this}, s.Pos}}
	case result == nil:
		return c.autoReturn(s)
	case c.function != nil && c.function.refResult:
		if s.X == nil {
			c.fail(s.Pos, "%s must return a reference", c.fn.Name)
			return nil
		}
		return []Stmt{&Return{c.reference(result, c.expr(s.X)), s.Pos}}
	}
	if s.X == nil {
		if result.Kind != Void {
			c.fail(s.Pos, "%s must return %s", c.fn.Name, spelled(result))
		}
		return []Stmt{&Return{Pos: s.Pos}}
	}
	if result.Kind == Void {
		x := c.expr(s.X)
		if x == nil {
			return nil
		}
		if x.Type().Kind != Void {
			c.fail(x.Position(), "%s returns nothing, this is %s", c.fn.Name, spelled(x.Type()))
			return nil
		}
		return []Stmt{&ExprStmt{x, s.Pos}, &Return{Pos: s.Pos}}
	}
	return []Stmt{&Return{c.initial(result, s.X), s.Pos}}
}

// autoReturn settles the result of a function by the first value it returns.
func (c *checker) autoReturn(s *parser.Return) []Stmt {
	if s.X == nil {
		c.fn.Result = builtinTypes["void"]
		return []Stmt{&Return{Pos: s.Pos}}
	}
	x := c.expr(s.X)
	if x == nil {
		c.fn.Result = builtinTypes["void"]
		return nil
	}
	if x.Type().Kind == Void {
		c.fn.Result = x.Type()
		return []Stmt{&ExprStmt{x, s.Pos}, &Return{Pos: s.Pos}}
	}
	c.fn.Result = valueType(x)
	return []Stmt{&Return{c.implicit(x, c.fn.Result), s.Pos}}
}

func (c *checker) staticAssert(s *parser.StaticAssert) {
	x := c.condition(c.expr(s.Cond), "the condition of static_assert")
	if x == nil {
		return
	}
	v, ok := c.facts.fold(x)
	switch {
	case !ok:
		c.fail(s.Cond.Position(), "the condition of static_assert is no constant expression")
	case !v.isTrue():
		c.fail(s.Pos, "static_assert fails")
	}
}
