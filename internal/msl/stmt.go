package msl

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// body checks the statements of a function.
type body struct {
	c        *checker
	loops    int // around the statement
	switches int
	tail     bool        // the statement is the last that the function runs
	repeats  bool        // the function calls itself at its end
	ahead    []tree.Stmt // see checker.before
}

// statements checks the statements of a block.
func (b *body) statements(list []parser.Stmt) []tree.Stmt {
	var out []tree.Stmt
	tail := b.tail
	for i, s := range list {
		b.tail = tail && i == len(list)-1
		out = append(out, b.statement(s)...)
	}
	b.tail = tail
	return out
}

// statement checks one statement, which may come to any number of checked ones:
// a declaration to one for each of its variables.
func (b *body) statement(s parser.Stmt) []tree.Stmt {
	if s == nil {
		return nil
	}
	if !b.c.work.Descend(s.Position()) {
		b.c.unit.BrokenType = true
		return nil
	}
	n := len(b.ahead)
	b.c.before = &b.ahead
	list := b.checked(s)
	b.c.work.Ascend()
	if len(b.ahead) > n {
		list = slices.Concat(b.ahead[n:], list)
		b.ahead = b.ahead[:n]
	}
	return list
}

func (b *body) checked(s parser.Stmt) []tree.Stmt {
	switch s := s.(type) {
	case *parser.Block:
		return []tree.Stmt{b.block(s)}
	case *parser.DeclStmt:
		return b.declaration(s)
	case *parser.ExprStmt:
		if call, ok := s.X.(*parser.CallExpr); ok && b.tail {
			b.c.tailAt = call.Func.Position()
		}
		x := b.c.expr(s.X)
		b.c.tailAt = parser.Pos{}
		if x == nil {
			return nil
		}
		if call, ok := x.(*tailCall); ok {
			return b.again(call)
		}
		if v, ok := x.(*tree.Convert); ok && v.Typ.Kind == tree.Void {
			x = v.X // (void)x
		}
		return []tree.Stmt{&tree.ExprStmt{X: x, Pos: s.Pos}}
	case *parser.If:
		return b.ifStmt(s)
	case *parser.For:
		return b.forStmt(s)
	case *parser.RangeFor:
		return b.rangeFor(s)
	case *parser.While:
		if s.Var != nil {
			return b.whileDeclares(s)
		}
		return []tree.Stmt{&tree.Loop{Cond: b.c.condition(b.c.expr(s.Cond), "the condition of while"),
			Body: b.loopBody(s.Body), Pos: s.Pos}}
	case *parser.Do:
		body := b.loopBody(s.Body)
		return []tree.Stmt{&tree.Loop{Cond: b.c.condition(b.c.expr(s.Cond), "the condition of while"), Body: body,
			PostTested: true, Pos: s.Pos}}
	case *parser.Switch:
		return b.switchStmt(s)
	case *parser.Case:
		b.c.unsupported(s.Pos, "labels must stand directly in the block of a switch: others are not supported")
	case *parser.Break:
		if b.loops+b.switches == 0 {
			b.c.fail(s.Pos, "break outside of a loop or switch")
		}
		return []tree.Stmt{&tree.Break{Pos: s.Pos}}
	case *parser.Continue:
		if b.loops == 0 {
			b.c.fail(s.Pos, "continue outside of a loop")
		}
		return []tree.Stmt{&tree.Continue{Pos: s.Pos}}
	case *parser.Return:
		return b.returnStmt(s)
	case *parser.StaticAssert:
		b.staticAssert(s)
	default:
		b.c.unsupported(s.Position(), "this statement is not supported")
	}
	return nil
}

func (b *body) block(s *parser.Block) *tree.Block {
	defer b.c.enter()()
	return &tree.Block{List: b.statements(s.List), Pos: s.Pos}
}

// branch checks a statement with a scope of its own, braces or not.
func (b *body) branch(s parser.Stmt) tree.Stmt {
	if inner, ok := s.(*parser.Block); ok {
		return b.block(inner)
	}
	defer b.c.enter()()
	list := b.statement(s)
	if _, declares := s.(*parser.DeclStmt); !declares && len(list) == 1 {
		return list[0]
	}
	return &tree.Block{List: list, Pos: s.Position()}
}

func (b *body) loopBody(s parser.Stmt) tree.Stmt {
	tail := b.tail
	b.tail = false
	b.loops++
	defer func() { b.loops, b.tail = b.loops-1, tail }()
	return b.branch(s)
}

func (b *body) ifStmt(s *parser.If) []tree.Stmt {
	defer b.c.enter()()
	var init []tree.Stmt
	if s.Init != nil {
		init = b.statement(s.Init)
	}
	out := &tree.If{Pos: s.Pos}
	if s.Var != nil {
		init = append(init, b.statement(s.Var)...)
		if len(s.Var.Vars) == 1 {
			s.Cond = &parser.Name{Path: []string{s.Var.Vars[0].Declarator.Name}, Pos: s.Pos}
		}
	}
	x := b.c.expr(s.Cond)
	if s.Constexpr {
		x = knownSize(b.c, x)
	}
	out.Cond = b.c.condition(x, "the condition of if")
	if s.Constexpr && out.Cond != nil {
		v, ok := foldValue(b.c.facts, out.Cond)
		if !ok {
			b.c.fail(s.Cond.Position(), "the condition of if constexpr is no constant expression")
		} else {
			return b.chosen(s, v.IsTrue(), init)
		}
	}
	out.Then = b.branch(s.Then)
	if s.Else != nil {
		out.Else = b.branch(s.Else)
	}
	if len(init) == 0 {
		return []tree.Stmt{out}
	}
	return []tree.Stmt{&tree.Block{List: append(init, out), Pos: s.Pos}}
}

// chosen is what an `if constexpr` leaves. Outside of templates the language has
// the other branch checked too.
func (b *body) chosen(s *parser.If, then bool, init []tree.Stmt) []tree.Stmt {
	kept, other := s.Then, s.Else
	if !then {
		kept, other = other, kept
	}
	if other != nil && !b.inTemplate() {
		b.branch(other)
	}
	if kept != nil {
		init = append(init, b.branch(kept))
	}
	return []tree.Stmt{&tree.Block{List: init, Pos: s.Pos}}
}

// inTemplate reports whether the function that is checked is an instance, or in one.
func (b *body) inTemplate() bool {
	for _, name := range b.c.in.Namespace {
		if strings.Contains(name, "<") {
			return true
		}
	}
	return b.c.function != nil && b.c.function.Lambda != nil
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

// loopOver is a range-based for over the first n elements of an array, or behind a pointer.
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
		Cond: foldedExpr(b.c.facts, &tree.Unary{Node: tree.At(s.Pos, tree.ScalarType(tree.Bool)), Op: tree.LogicalNot,
			X: cond}),
		Then: &tree.Break{Pos: s.Pos}, Pos: s.Pos}
	return []tree.Stmt{&tree.Loop{Body: &tree.Block{List: append(list, stop, b.loopBody(s.Body)), Pos: s.Pos}, Pos: s.Pos}}
}

// declaredName is the variable that a condition declares.
func (b *body) declaredName(s *parser.DeclStmt, pos parser.Pos) tree.Expr {
	if len(s.Vars) != 1 {
		return b.c.fail(pos, "a condition declares one variable")
	}
	return b.c.expr(&parser.Name{Path: []string{resolve.DeclaredName(s.Vars[0].Declarator)}, Pos: pos})
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
	v, ok := foldValue(l.c.facts, x)
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

func (b *body) returnStmt(s *parser.Return) []tree.Stmt {
	result := b.c.fn.Result
	switch {
	case b.c.function != nil && b.c.function.NoResult:
		checkOperand(b.c, s.X)
		return nil
	case b.c.function != nil && b.c.function.Constructor():
		if s.X != nil {
			b.c.fail(s.Pos, "a constructor returns nothing")
			return nil
		}
		return []tree.Stmt{&tree.Return{X: &tree.VarRef{Node: tree.At(s.Pos, b.c.in.This.Type), Var: b.c.in.This},
			Pos: s.Pos}}
	case result == nil:
		return b.autoReturn(s)
	case b.c.function != nil && b.c.function.Auto && s.X != nil && !b.c.function.RefResult:
		x := b.c.expr(s.X)
		if x == nil {
			return nil
		}
		if t := types.ValueType(x); !types.Same(t, result) {
			b.c.fail(s.Pos, "%s returns %s here and %s before", b.c.fn.Name, t.Spelled(), result.Spelled())
			return nil
		}
		return []tree.Stmt{&tree.Return{X: b.c.implicit(x, result), Pos: s.Pos}}
	case b.c.function != nil && b.c.function.RefResult:
		if s.X == nil {
			b.c.fail(s.Pos, "%s must return a reference", b.c.fn.Name)
			return nil
		}
		return []tree.Stmt{&tree.Return{X: b.c.reference(result, b.c.expr(s.X)), Pos: s.Pos}}
	}
	if s.X == nil {
		if result.Kind != tree.Void {
			b.c.fail(s.Pos, "%s must return %s", b.c.fn.Name, result.Spelled())
		}
		return []tree.Stmt{&tree.Return{Pos: s.Pos}}
	}
	if result.Kind == tree.Void {
		x := b.c.expr(s.X)
		if x == nil {
			return nil
		}
		if x.Type().Kind != tree.Void {
			b.c.fail(x.Position(), "%s returns nothing, this is %s", b.c.fn.Name, x.Type().Spelled())
			return nil
		}
		return []tree.Stmt{&tree.ExprStmt{X: x, Pos: s.Pos}, &tree.Return{Pos: s.Pos}}
	}
	return []tree.Stmt{&tree.Return{X: b.c.initial(result, s.X), Pos: s.Pos}}
}

// autoReturn settles the result of a function by the first value it returns.
func (b *body) autoReturn(s *parser.Return) []tree.Stmt {
	if s.X == nil {
		b.c.fn.Result = tree.Named("void")
		return []tree.Stmt{&tree.Return{Pos: s.Pos}}
	}
	x := b.c.expr(s.X)
	if x == nil {
		b.c.fn.Result = tree.Named("void")
		if b.c.function != nil {
			b.c.function.NoResult = true
		}
		return nil
	}
	if b.c.function != nil && b.c.function.RefResult {
		x = b.c.facts.Named(x)
		space, readonly, _ := types.PlaceOf(x)
		b.c.fn.Result = tree.PointerTo(x.Type(), space, readonly || b.c.function.ConstResult)
		return []tree.Stmt{&tree.Return{X: b.c.reference(b.c.fn.Result, x), Pos: s.Pos}}
	}
	if x.Type().Kind == tree.Void {
		b.c.fn.Result = x.Type()
		return []tree.Stmt{&tree.ExprStmt{X: x, Pos: s.Pos}, &tree.Return{Pos: s.Pos}}
	}
	b.c.fn.Result = types.ValueType(x)
	return []tree.Stmt{&tree.Return{X: b.c.implicit(x, b.c.fn.Result), Pos: s.Pos}}
}

func (b *body) staticAssert(s *parser.StaticAssert) {
	x := b.c.condition(knownSize(b.c, b.c.expr(s.Cond)), "the condition of static_assert")
	if x == nil {
		return
	}
	v, ok := foldValue(b.c.facts, x)
	switch {
	case !ok:
		b.c.fail(s.Cond.Position(), "the condition of static_assert is no constant expression")
	case !v.IsTrue():
		b.c.fail(s.Pos, "static_assert fails")
	}
}
