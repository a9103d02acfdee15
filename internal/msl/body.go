package msl

import "github.com/metalgen/metalgen/parser"

// What bindings want to know of a body can be read off its tokens: which
// buffers are only written, and which condition ends the threads that are too
// many. Whatever is not recognised counts as unknown.

// Written says what a kernel does with a device buffer that is not const.
type Written struct{ Read, Write bool }

// AccessOf reads the access to a parameter off the body: a buffer is only
// written when every use of it, and of every pointer made from it, is the
// left side of a plain assignment to an element.
func (p *Program) AccessOf(k *Kernel, param *Param) Written {
	if param.Const {
		return Written{Read: true}
	}
	if p.onlyStored(k, param.Name, k.Decl.Open+1, 0) {
		return Written{Write: true}
	}
	return Written{Read: true, Write: true}
}

// onlyStored reports whether the uses of name from token i on only store.
func (p *Program) onlyStored(k *Kernel, name string, i, depth int) bool {
	tokens := p.Tree.Tokens
	for ; i < k.Decl.Close; i++ {
		if !tokens[i].Is(name) {
			continue
		}
		if prev := &tokens[i-1]; prev.Is(".") || prev.Is("->") {
			continue
		}
		if tokens[i+1].Is("[") {
			last := p.match(i+1, k.Decl.Close)
			if last < 0 || !tokens[last+1].Is("=") {
				return false
			}
			continue
		}
		alias := pointerInit(tokens, i)
		if alias < 0 || depth > 4 {
			return false
		}
		if !p.onlyStored(k, tokens[alias].Text, i+1, depth+1) {
			return false
		}
	}
	return true
}

// pointerInit gives the index of p in `device T* p = name + ...;` with name at
// i, or -1.
func pointerInit(tokens []parser.Token, i int) int {
	if next := &tokens[i+1]; !next.Is("+") && !next.Is(";") {
		return -1
	}
	if i < 4 || !tokens[i-1].Is("=") || tokens[i-2].Kind != parser.Ident || !tokens[i-3].Is("*") {
		return -1
	}
	return i - 2
}

// match gives the index of the token that closes the bracket at i, or -1.
func (p *Program) match(i, end int) int {
	depth := 0
	for ; i < end; i++ {
		switch t := &p.Tree.Tokens[i]; {
		case t.Is("("), t.Is("["), t.Is("{"):
			depth++
		case t.Is(")"), t.Is("]"), t.Is("}"):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// Bound is one condition of a guard: a thread whose component Axis of Builtin
// is at least Limit does nothing.
type Bound struct {
	Param *Param
	Axis  int
	Limit parser.Expr
	Text  string
	Pos   parser.Pos
	// Locals are the variables that Limit may use, with their initial values.
	Locals map[string]parser.Expr
}

// Guards reads the guards off the beginning of a body: declarations of
// integers and statements of the form `if (a >= n || b >= m) return;`. Reading
// stops at the first statement of another form.
func (p *Program) Guards(k *Kernel) []Bound {
	g := &guardReader{p: p, k: k, next: k.Decl.Open + 1, locals: map[string]parser.Expr{}}
	for g.statement() {
	}
	return g.bounds
}

type guardReader struct {
	p      *Program
	k      *Kernel
	next   int
	locals map[string]parser.Expr
	bounds []Bound
}

func (g *guardReader) statement() bool {
	tokens, end := g.p.Tree.Tokens, g.k.Decl.Close
	if g.next >= end {
		return false
	}
	if tokens[g.next].Is("if") {
		return g.guard()
	}
	// [const] type name = expression [, name = expression] ;
	i := g.next
	for i < end && (tokens[i].Is("const") || tokens[i].Is("constexpr")) {
		i++
	}
	if i+3 >= end || tokens[i].Kind != parser.Ident || tokens[i+1].Kind != parser.Ident || !tokens[i+2].Is("=") {
		return false
	}
	semicolon := i + 3
	for semicolon < end && !tokens[semicolon].Is(";") {
		if tokens[semicolon].Is("{") || tokens[semicolon].Is(",") && tokens[i].Kind == parser.Ident && g.outside(i+3, semicolon) {
			return false
		}
		semicolon++
	}
	if semicolon == end {
		return false
	}
	name := tokens[i+1].Text
	delete(g.locals, name)
	if e, err := parser.ParseExpr(tokens[i+3:semicolon], g.isType); err == nil {
		g.locals[name] = e
	}
	g.next = semicolon + 1
	return true
}

// outside reports whether token i stands outside of any bracket opened since
// from.
func (g *guardReader) outside(from, i int) bool {
	depth := 0
	for ; from < i; from++ {
		switch t := &g.p.Tree.Tokens[from]; {
		case t.Is("("), t.Is("["):
			depth++
		case t.Is(")"), t.Is("]"):
			depth--
		}
	}
	return depth == 0
}

func (g *guardReader) isType(name string) bool { return g.p.isType(name, g.k.Decl.Namespace) }

// guard reads `if (cond) return;` or `if (cond) { return; }`.
func (g *guardReader) guard() bool {
	tokens, end := g.p.Tree.Tokens, g.k.Decl.Close
	open := g.next + 1
	last := g.p.match(open, end)
	if last < 0 {
		return false
	}
	i := last + 1
	braces := i < end && tokens[i].Is("{")
	if braces {
		i++
	}
	if i+1 >= end || !tokens[i].Is("return") || !tokens[i+1].Is(";") {
		return false
	}
	i += 2
	if braces {
		if i >= end || !tokens[i].Is("}") {
			return false
		}
		i++
	}
	g.next = i
	cond, err := parser.ParseExpr(tokens[open+1:last], g.isType)
	if err != nil {
		return true
	}
	g.conditions(cond)
	return true
}

func (g *guardReader) conditions(e parser.Expr) {
	b, ok := e.(*parser.Binary)
	if !ok {
		return
	}
	if b.Op == "||" {
		g.conditions(b.X)
		g.conditions(b.Y)
		return
	}
	if b.Op != ">=" {
		return
	}
	param, axis := g.position(b.X, 0)
	if param == nil {
		return
	}
	locals := make(map[string]parser.Expr, len(g.locals))
	for name, value := range g.locals {
		locals[name] = value
	}
	g.bounds = append(g.bounds, Bound{Param: param, Axis: axis, Limit: b.Y, Pos: b.Pos, Locals: locals})
}

// position recognises a component of a built-in argument, directly or through
// a local variable.
func (g *guardReader) position(e parser.Expr, depth int) (*Param, int) {
	if depth > 8 {
		return nil, 0
	}
	switch e := e.(type) {
	case *parser.Name:
		if local, ok := g.locals[e.Path[0]]; ok && len(e.Path) == 1 {
			return g.position(local, depth+1)
		}
		if param := g.builtin(e); param != nil && param.Type.Kind == Scalar {
			return param, 0
		}
	case *parser.MemberExpr:
		name, ok := e.X.(*parser.Name)
		if !ok {
			return nil, 0
		}
		param := g.builtin(name)
		if param == nil || param.Type.Kind != Vector {
			return nil, 0
		}
		for axis, letter := range []string{"x", "y", "z"} {
			if e.Name == letter && axis < param.Type.Len {
				return param, axis
			}
		}
	}
	return nil, 0
}

func (g *guardReader) builtin(e *parser.Name) *Param {
	for _, param := range g.k.Params {
		if param.Kind == BuiltinParam && len(e.Path) == 1 && e.Path[0] == param.Name {
			return param
		}
	}
	return nil
}
