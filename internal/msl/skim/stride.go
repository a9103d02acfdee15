package skim

import (
	"maps"

	"github.com/metalgen/metalgen/parser"
)

// stride reads `for (uint i = position; i < n; i += size of the grid)` before all the
// rest of the body: whatever the grid, its threads reach all i below n.
func (g *guardReader) stride() bool {
	if !g.is(g.next, "for") || !g.is(g.next+1, "(") {
		return false
	}
	open := g.next + 1
	last := parser.Closing(g.tokens, open, len(g.tokens))
	if last < 0 || g.statementEnd(last+1, 0) != len(g.tokens) {
		return false
	}
	head := &guardReader{in: g.in, k: g.k, tokens: g.tokens[:last], next: open + 1, initial: maps.Clone(g.initial)}
	if !head.declaration() {
		return false
	}
	semicolon := head.declaratorEnd(head.next)
	if !head.is(semicolon, ";") {
		return false
	}
	cond, err := parser.ParseExpr(head.tokens[head.next:semicolon], g.isType)
	if err != nil || !g.pure(cond) {
		return false
	}
	step, err := parser.ParseExpr(head.tokens[semicolon+1:], g.isType)
	if err != nil {
		return false
	}
	moved, by := advance(step)
	if moved == nil {
		return false
	}
	at := head.position(moved, 0)
	if at.param == nil || at.vector || !head.isGridSize(by, at.axes[0], 0) {
		return false
	}
	head.conditions(cond, true)
	for _, b := range head.bounds {
		b.Strides = b.Param == at.param && b.Axis == at.axes[0]
		g.bounds = append(g.bounds, b)
	}
	for name, value := range head.initial {
		if g.initial[name] != value {
			g.initial[name] = changing
		}
	}
	g.enter(last + 1)
	return true
}

// changing stands for the value of a variable that is not what it was to begin with.
var changing parser.Expr = &parser.Text{}

// advance returns i and n of `i += n`, or nil.
func advance(e parser.Expr) (*parser.Name, parser.Expr) {
	b, ok := e.(*parser.Binary)
	if !ok || b.Op != "+=" {
		return nil, nil
	}
	name, _ := b.X.(*parser.Name)
	return name, b.Y
}

// isGridSize reports whether an expression is the number of threads of the grid along an
// axis: threads_per_grid, or threads_per_threadgroup times threadgroups_per_grid.
func (g *guardReader) isGridSize(e parser.Expr, axis, locals int) bool {
	if g.isBuiltin(e, axis, "threads_per_grid") || g.isBuiltin(e, axis, "grid_size") {
		return true
	}
	switch e := e.(type) {
	case *parser.Name:
		local, ok := g.initial[e.Path[0]]
		return ok && len(e.Path) == 1 && locals < maxLocals && g.isGridSize(local, axis, locals+1)
	case *parser.Binary:
		const threads, groups = "threads_per_threadgroup", "threadgroups_per_grid"
		return e.Op == "*" && (g.isBuiltin(e.X, axis, threads) && g.isBuiltin(e.Y, axis, groups) ||
			g.isBuiltin(e.X, axis, groups) && g.isBuiltin(e.Y, axis, threads))
	}
	return false
}

// isBuiltin reports whether an expression is the component of a built-in argument.
func (g *guardReader) isBuiltin(e parser.Expr, axis int, attribute string) bool {
	at := g.position(e, 0)
	return at.param != nil && at.param.Attribute == attribute && !at.vector && at.axes[0] == axis
}
