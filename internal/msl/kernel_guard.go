package msl

import (
	"maps"
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// Bound is one condition of a guard: a thread whose component Axis of Param is
// at least Limit does nothing.
type Bound struct {
	Param *tree.Param
	Axis  int
	Limit parser.Expr
	Pos   parser.Pos
	// Locals are the variables that stand before the guard, with their
	// initial values, in terms of which Limit may be written.
	Locals map[string]parser.Expr
}

// Guards reads the guards off the beginning of a body: declarations of
// integers and statements of the form `if (a >= n || b >= m) return;`. Reading
// stops at the first statement of another form, and at the first with a side
// effect, which all threads have and not only those inside of the bounds.
func (p *Program) Guards(k *tree.Kernel) []Bound {
	g := &guardReader{
		env: p.resolver.at(p.resolver.facts.kernels[k].namespace), k: k,
		tokens: p.Tree.Tokens[:k.Decl.Close], next: k.Decl.Open + 1, initial: map[string]parser.Expr{},
	}
	for g.next < len(g.tokens) && (g.guard() || g.declaration()) {
	}
	return g.bounds
}

type guardReader struct {
	env
	k       *tree.Kernel
	tokens  []parser.Token // up to the body's closing brace
	next    int
	initial map[string]parser.Expr // of the variables so far
	bounds  []Bound
}

// is reports whether a token of the body reads text.
func (g *guardReader) is(i int, text string) bool { return i < len(g.tokens) && g.tokens[i].Is(text) }

// declaration reads `const uint i = expression, j = expression;`.
func (g *guardReader) declaration() bool {
	i := g.next
	for g.is(i, "const") || g.is(i, "constexpr") {
		i++
	}
	from := i
	for i+1 < len(g.tokens) && g.tokens[i].Kind == parser.Ident && g.tokens[i+1].Kind == parser.Ident {
		i++
	}
	if i == from || !g.holdsPositions(g.tokens[from:i]) {
		return false
	}
	for {
		if i+1 >= len(g.tokens) || g.tokens[i].Kind != parser.Ident || !g.is(i+1, "=") {
			return false
		}
		end := g.declaratorEnd(i + 2)
		if end < 0 {
			return false
		}
		e, err := parser.ParseExpr(g.tokens[i+2:end], g.isType)
		if err != nil || !g.pure(e) {
			return false
		}
		g.initial[g.tokens[i].Text] = e
		if g.is(end, ";") {
			g.next = end + 1
			return true
		}
		i = end + 1
	}
}

// declaratorEnd is the index of the comma or semicolon that ends a declarator.
func (g *guardReader) declaratorEnd(i int) int {
	for ; i < len(g.tokens); i++ {
		switch {
		case g.is(i, "("), g.is(i, "["):
			if i = match(g.tokens, i, len(g.tokens)); i < 0 {
				return -1
			}
		case g.is(i, ";"), g.is(i, ","):
			return i
		case g.is(i, "{"), g.is(i, "}"):
			return -1
		}
	}
	return -1
}

// holdsPositions reports whether a local of a type holds any position and
// size unchanged: integers of at least 32 bits.
func (g *guardReader) holdsPositions(tokens []parser.Token) bool {
	if len(tokens) == 1 && tokens[0].Is("auto") {
		return true
	}
	t, err := parser.ParseType(tokens)
	if err != nil {
		return false
	}
	typ, err := g.typeOf(t.Type)
	return err == nil && typ.Kind == tree.Scalar && !typ.Atomic && typ.Scalar >= tree.Int && typ.Scalar <= tree.ULong
}

func (g *guardReader) isType(name string) bool { return g.isTypePath([]string{name}) }

// pureFunctions may be called before a guard; others might do anything.
var pureFunctions = []string{"min", "max", "clamp", "ceil_div", "next_pow2"}

// pure reports whether an expression certainly has no side effect.
func (g *guardReader) pure(e parser.Expr) bool {
	switch e := e.(type) {
	case *parser.Number, *parser.Name, *parser.Sizeof:
		return true
	case *parser.MemberExpr:
		return g.pure(e.X)
	case *parser.Index:
		return g.pure(e.X) && g.pure(e.I)
	case *parser.Cast:
		return g.pure(e.X)
	case *parser.Conditional:
		return g.pure(e.Cond) && g.pure(e.Then) && g.pure(e.Else)
	case *parser.Unary:
		return e.Op != "++" && e.Op != "--" && e.Op != "&" && g.pure(e.X)
	case *parser.Binary:
		last := e.Op[len(e.Op)-1]
		comparison := slices.Contains([]string{"==", "!=", "<=", ">="}, e.Op)
		return (last != '=' || comparison) && g.pure(e.X) && g.pure(e.Y)
	case *parser.CallExpr:
		name, ok := e.Func.(*parser.Name)
		if !ok {
			return false
		}
		word := name.Path[len(name.Path)-1]
		if _, helper := g.names[word]; helper || !slices.Contains(pureFunctions, word) && tree.Named(word) == nil {
			return false
		}
		return !slices.ContainsFunc(e.Args, func(a parser.Expr) bool { return !g.pure(a) })
	}
	return false
}

// guard reads `if (cond) return;` or `if (cond) { return; }`.
func (g *guardReader) guard() bool {
	if !g.is(g.next, "if") || !g.is(g.next+1, "(") {
		return false
	}
	open := g.next + 1
	last := match(g.tokens, open, len(g.tokens))
	if last < 0 {
		return false
	}
	i := last + 1
	braces := g.is(i, "{")
	if braces {
		i++
	}
	if !g.is(i, "return") || !g.is(i+1, ";") {
		return false
	}
	i += 2
	if braces {
		if !g.is(i, "}") {
			return false
		}
		i++
	}
	cond, err := parser.ParseExpr(g.tokens[open+1:last], g.isType)
	if err != nil || !g.pure(cond) {
		return false
	}
	g.conditions(cond)
	g.next = i
	return true
}

// conditions collects the bounds among the conditions any of which ends the
// thread.
func (g *guardReader) conditions(e parser.Expr) {
	b, ok := e.(*parser.Binary)
	if !ok {
		return
	}
	position, limit := b.X, b.Y
	switch b.Op {
	case "||":
		g.conditions(b.X)
		g.conditions(b.Y)
		return
	case ">=":
	case "<=":
		position, limit = limit, position
	default:
		return
	}
	if param, axis := g.position(position, 0); param != nil {
		g.bounds = append(g.bounds, Bound{Param: param, Axis: axis, Limit: limit, Pos: b.Pos, Locals: maps.Clone(g.initial)})
	}
}

// maxLocals is how many locals may stand between a guard and a position.
const maxLocals = 8

// position recognises a component of a built-in argument, directly or through
// local variables.
func (g *guardReader) position(e parser.Expr, locals int) (*tree.Param, int) {
	switch e := e.(type) {
	case *parser.Name:
		if local, ok := g.initial[e.Path[0]]; ok && len(e.Path) == 1 {
			if locals == maxLocals {
				return nil, 0
			}
			return g.position(local, locals+1)
		}
		if param := g.builtin(e); param != nil && param.Type.Kind == tree.Scalar {
			return param, 0
		}
	case *parser.MemberExpr:
		name, ok := e.X.(*parser.Name)
		if !ok {
			return nil, 0
		}
		param := g.builtin(name)
		if param == nil || param.Type.Kind != tree.Vector {
			return nil, 0
		}
		if axis := slices.Index([]string{"x", "y", "z"}, e.Name); axis >= 0 && axis < param.Type.Len {
			return param, axis
		}
	}
	return nil, 0
}

func (g *guardReader) builtin(e *parser.Name) *tree.Param {
	for _, param := range g.k.Params {
		if param.Kind == tree.BuiltinParam && len(e.Path) == 1 && e.Path[0] == param.Name {
			return param
		}
	}
	return nil
}
