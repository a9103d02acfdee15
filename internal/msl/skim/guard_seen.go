package skim

import (
	"strings"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// SeenGuard is a condition that looks like a guard and states no grid.
type SeenGuard struct {
	Pos  parser.Pos
	Text string // "if (g.x < n)"
	Why  string // "is not the whole body"
}

// NoGuard returns the first condition of a body that compares a thread's position in the grid and is no guard for
// Guards, or nil.
func NoGuard(in resolve.Env, k *tree.Kernel) *SeenGuard {
	g := guards(in, k)
	for i := k.Decl.Open + 1; i < len(g.tokens); i++ {
		if !g.is(i, "if") || !g.is(i+1, "(") {
			continue
		}
		last := parser.Closing(g.tokens, i+1, len(g.tokens))
		if last < 0 {
			return nil
		}
		if g.compares(g.tokens[i+2 : last]) {
			return &SeenGuard{g.tokens[i].Pos, spelled(g.tokens[i : last+1]), g.why(i, last)}
		}
	}
	return nil
}

// compares reports whether tokens compare a position in the grid, by its name or that of a variable made of it.
func (g *guardReader) compares(tokens []parser.Token) bool {
	position, compares := false, false
	for i := range tokens {
		switch t := &tokens[i]; {
		case t.Is("<"), t.Is(">"), t.Is("<="), t.Is(">="):
			compares = true
		case t.Kind == parser.Ident && (i == 0 || !tokens[i-1].Is(".")):
			at := g.position(&parser.Name{Path: []string{t.Text}}, 0)
			position = position || at.param != nil && at.param.Attribute == "thread_position_in_grid"
		}
	}
	return position && compares
}

// why says why the `if` at token i, whose condition ends at token last, is no guard.
func (g *guardReader) why(i, last int) string {
	end := g.statementEnd(last+1, 0)
	switch {
	case i < g.next && len(g.bounds) > 0:
		return "does not bound all of the position"
	case i > g.next:
		return "is not at the beginning of the body"
	case g.returnEnd(last+1) < 0 && end >= 0 && g.is(end, "else"):
		return "has an else"
	case g.returnEnd(last+1) < 0 && end != len(g.tokens):
		return "is not the whole body"
	}
	return "compares with what is not an argument or the size of a texture"
}

// maxSpelled bounds the bytes of a condition that a message cites.
const maxSpelled = 60

// spelled writes tokens as people do, cut short where there are many.
func spelled(tokens []parser.Token) string {
	var b strings.Builder
	for i := range tokens {
		t := &tokens[i]
		if i > 0 && spaced(&tokens[i-1], t) {
			b.WriteByte(' ')
		}
		if b.WriteString(t.Text); b.Len() > maxSpelled {
			return b.String() + " ..."
		}
	}
	return b.String()
}

// spaced reports whether a space stands between two tokens: around operators of two operands, and after a comma.
func spaced(before, t *parser.Token) bool {
	operand := func(t *parser.Token) bool { return t.Kind != parser.Punct || t.Is(")") || t.Is("]") }
	tight := func(t *parser.Token) bool {
		return t.Is("(") || t.Is("[") || t.Is(")") || t.Is("]") || t.Is(".") || t.Is("::") || t.Is("->") || t.Is("!")
	}
	switch {
	case before.Is(","), before.Is("if"), operand(before) && operand(t) && !tight(t):
		return true
	case t.Is(","), tight(before), tight(t) && !t.Is("("):
		return false
	}
	return !(t.Is("(") && before.Kind == parser.Ident)
}

// UsesAxis reports whether a kernel may look at a component of a built-in argument.
func UsesAxis(source *parser.Tree, k *tree.Kernel, param *tree.Param, axis int) bool {
	if param.Global {
		return true // functions may
	}
	tokens := source.Tokens[k.Decl.Open:k.Decl.Close]
	for i := range tokens {
		if !tokens[i].Is(param.Name) || tokens[i].Kind != parser.Ident || tokens[i-1].Is(".") || tokens[i-1].Is("->") {
			continue
		}
		if i+2 >= len(tokens) || !tokens[i+1].Is(".") || strings.Trim(tokens[i+2].Text, "xyz") != "" ||
			strings.Contains(tokens[i+2].Text, axisNames[axis]) {
			return true
		}
	}
	return false
}
