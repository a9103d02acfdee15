package msl

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/fold"
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
		v, ok := fold.Value(b.c.facts, out.Cond)
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

// declaredName is the variable that a condition declares.
func (b *body) declaredName(s *parser.DeclStmt, pos parser.Pos) tree.Expr {
	if len(s.Vars) != 1 {
		return b.c.fail(pos, "a condition declares one variable")
	}
	return b.c.expr(&parser.Name{Path: []string{resolve.DeclaredName(s.Vars[0].Declarator)}, Pos: pos})
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
	v, ok := fold.Value(b.c.facts, x)
	switch {
	case !ok:
		b.c.fail(s.Cond.Position(), "the condition of static_assert is no constant expression")
	case !v.IsTrue():
		b.c.fail(s.Pos, "static_assert fails")
	}
}
