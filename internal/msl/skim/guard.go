package skim

import (
	"maps"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/resolve"
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
	// initial values, which Limit may use.
	Locals map[string]parser.Expr
	// Strides is set where it is no guard but a loop, in which the threads of any
	// grid reach all below Limit.
	Strides bool
}

// Guards reads the guards off the beginning of a body. They are the statements
// `if (a >= n || b >= m) return;` and, around all the rest of it,
// `if (a < n && b < m) { ... }` or `for (uint i = a; i < n; i += size of the grid) ...`.
// Between them may stand declarations. Reading stops at the first
// statement of another form, and at the first with a side effect, which all threads
// have and not only those inside of the bounds. The kernel is declared in the namespace of in.
func Guards(in resolve.Env, k *tree.Kernel) []Bound { return guards(in, k).bounds }

// guards reads the guards, up to the first other statement.
func guards(in resolve.Env, k *tree.Kernel) *guardReader {
	g := &guardReader{
		in: in, k: k, tokens: in.R.Source.Tokens[:k.Decl.Close], next: k.Decl.Open + 1,
		initial: map[string]parser.Expr{},
	}
	for g.next < len(g.tokens) && (g.guard() || g.stride() || g.declaration() || g.otherDeclaration()) {
	}
	return g
}

type guardReader struct {
	in      resolve.Env
	k       *tree.Kernel
	tokens  []parser.Token // up to the brace that closes the body, or a block that is all the rest of it
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

// otherDeclaration passes a declaration of variables that no position is made of: `constexpr sampler s(...);`,
// `float v = 1;`, `threadgroup float tile[64];`.
func (g *guardReader) otherDeclaration() bool {
	i := g.next
	known := false // a declaration begins here, whatever follows
	for ; g.is(i, "const") || g.is(i, "constexpr") || g.is(i, "threadgroup") || g.is(i, "thread") || g.is(i, "device") ||
		g.is(i, "constant"); i++ {
		known = true
	}
	var path parser.Path
	for ; i < len(g.tokens) && g.tokens[i].Kind == parser.Ident; i += 2 {
		if path = append(path, g.tokens[i].Text); !g.is(i+1, "::") {
			i++
			break
		}
	}
	if len(path) == 0 || !known && path[0] != "auto" && !g.in.IsTypePath(path) {
		return false
	}
	for ; g.is(i, "*") || g.is(i, "const"); i++ {
	}
	end := i
	for ; end < len(g.tokens) && !g.is(end, ";"); end++ {
		if g.is(end, "(") || g.is(end, "[") || g.is(end, "{") {
			if end = parser.Closing(g.tokens, end, len(g.tokens)); end < 0 {
				return false
			}
		}
	}
	if i >= end || end >= len(g.tokens) || g.tokens[i].Kind != parser.Ident || !g.pureDeclarators(i, end) {
		return false
	}
	g.next = end + 1
	return true
}

// pureDeclarators reports whether the declarators in tokens [i, end) certainly have no side effect, and notes their
// names: what they hide is no argument any more.
func (g *guardReader) pureDeclarators(i, end int) bool {
	depth, declares := 0, true
	for ; i < end; i++ {
		t := &g.tokens[i]
		switch {
		case t.Is("("), t.Is("["), t.Is("{"):
			depth++
			if before := &g.tokens[i-1]; t.Is("(") && before.Kind == parser.Ident && !declares && !g.pureCall(i-1) {
				return false
			}
		case t.Is(")"), t.Is("]"), t.Is("}"):
			depth--
		case t.Is(","):
			declares = declares || depth == 0
			continue
		case t.Is("++"), t.Is("--"), t.Is(";"), t.Is("&"), t.Is("=") && depth > 0:
			return false
		case t.Kind == parser.Punct && len(t.Text) > 1 && strings.HasSuffix(t.Text, "=") && opposite[t.Text] == "" &&
			!t.Is("==") && !t.Is("!="):
			return false
		case declares && depth == 0 && t.Kind == parser.Ident:
			g.initial[t.Text] = &parser.Name{Path: []string{"<" + t.Text + ">"}, Pos: t.Pos}
			if g.is(i+1, "(") || g.is(i+1, "{") {
				depth++
				i++
			}
		}
		declares = false
	}
	return true
}

// pureCall reports whether the name at token i, which is called, certainly has no side effect.
func (g *guardReader) pureCall(i int) bool {
	word := g.tokens[i].Text
	if g.is(i-1, ".") {
		reads := strings.HasPrefix(word, "get_") || word == "read" || word == "sample"
		return reads && g.tokens[i-2].Kind == parser.Ident && g.isTexture(&parser.Name{Path: []string{g.tokens[i-2].Text}})
	}
	_, helper := g.in.R.Names[word]
	return !helper && (slices.Contains(pureFunctions, word) || g.in.IsTypePath(parser.Path{word}))
}

// declaratorEnd is the index of the comma or semicolon that ends a declarator.
func (g *guardReader) declaratorEnd(i int) int {
	for ; i < len(g.tokens); i++ {
		switch {
		case g.is(i, "("), g.is(i, "["):
			if i = parser.Closing(g.tokens, i, len(g.tokens)); i < 0 {
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
// size unchanged: integers of at least 32 bits, and vectors of them.
func (g *guardReader) holdsPositions(tokens []parser.Token) bool {
	if len(tokens) == 1 && tokens[0].Is("auto") {
		return true
	}
	t, err := parser.ParseType(tokens)
	return err == nil && g.isWide(t)
}

// isWide reports whether a type is an integer of at least 32 bits or a vector of them.
func (g *guardReader) isWide(t *parser.TypeName) bool {
	if len(t.Pointers) > 0 || len(t.Dims) > 0 {
		return false
	}
	typ, err := g.in.TypeOf(t.Type)
	return err == nil && (typ.Kind == tree.Scalar || typ.Kind == tree.Vector) && !typ.Atomic &&
		typ.Scalar >= tree.Int && typ.Scalar <= tree.ULong
}

func (g *guardReader) isType(name string) bool { return g.in.IsTypePath([]string{name}) }

// pureFunctions may be called before a guard; others might do anything.
var pureFunctions = []string{"min", "max", "clamp", "ceil_div", "next_pow2", "any", "all"}

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
		if slices.ContainsFunc(e.Args, func(a parser.Expr) bool { return !g.pure(a) }) {
			return false
		}
		if m, ok := e.Func.(*parser.MemberExpr); ok {
			return g.isTexture(m.X) && strings.HasPrefix(m.Name, "get_")
		}
		name, ok := e.Func.(*parser.Name)
		if !ok {
			return false
		}
		word := name.Path[len(name.Path)-1]
		_, helper := g.in.R.Names[word]
		return !helper && (slices.Contains(pureFunctions, word) || tree.Named(word) != nil)
	}
	return false
}

// isTexture reports whether an expression is an argument of the kernel that is a texture.
func (g *guardReader) isTexture(e parser.Expr) bool {
	name, ok := e.(*parser.Name)
	return ok && len(name.Path) == 1 && g.initial[name.Path[0]] == nil &&
		slices.ContainsFunc(g.k.Params, func(p *tree.Param) bool {
			return p.Kind == tree.TextureParam && p.Name == name.Path[0]
		})
}

// guard reads `if (cond) return;`, or `if (cond)` before all the rest of the body.
func (g *guardReader) guard() bool {
	if !g.is(g.next, "if") || !g.is(g.next+1, "(") {
		return false
	}
	open := g.next + 1
	last := parser.Closing(g.tokens, open, len(g.tokens))
	if last < 0 {
		return false
	}
	cond, err := parser.ParseExpr(g.tokens[open+1:last], g.isType)
	if err != nil || !g.pure(cond) {
		return false
	}
	if end := g.returnEnd(last + 1); end >= 0 {
		g.conditions(cond, false)
		g.next = end
		return true
	}
	if g.statementEnd(last+1, 0) != len(g.tokens) {
		return false
	}
	g.conditions(cond, true)
	g.enter(last + 1)
	return true
}

// returnEnd returns the index after `return;` or `{ return; }`, or -1.
func (g *guardReader) returnEnd(i int) int {
	braces := g.is(i, "{")
	if braces {
		i++
	}
	if !g.is(i, "return") || !g.is(i+1, ";") {
		return -1
	}
	i += 2
	if !braces {
		return i
	}
	if !g.is(i, "}") {
		return -1
	}
	return i + 1
}

// enter goes on with the statement at i, which is all the rest of the body.
func (g *guardReader) enter(i int) {
	g.next = i
	if g.is(i, "{") {
		g.next, g.tokens = i+1, g.tokens[:len(g.tokens)-1]
	}
}

// maxNesting is how deep statements without braces may nest before a guard is no
// longer looked for.
const maxNesting = 100

// statementEnd returns the index after the statement at i, or -1.
func (g *guardReader) statementEnd(i, depth int) int {
	if depth > maxNesting || i >= len(g.tokens) {
		return -1
	}
	switch {
	case g.is(i, "{"):
		if i = parser.Closing(g.tokens, i, len(g.tokens)); i < 0 {
			return -1
		}
		return i + 1
	case g.is(i, "if"), g.is(i, "for"), g.is(i, "while"), g.is(i, "switch"):
		last := parser.Closing(g.tokens, i+1, len(g.tokens))
		if !g.is(i+1, "(") || last < 0 {
			return -1
		}
		end := g.statementEnd(last+1, depth+1)
		if end >= 0 && g.is(i, "if") && g.is(end, "else") {
			return g.statementEnd(end+1, depth+1)
		}
		return end
	case g.is(i, "do"):
		if i = g.statementEnd(i+1, depth+1); i < 0 {
			return -1
		}
	}
	for ; i < len(g.tokens); i++ {
		switch {
		case g.is(i, ";"):
			return i + 1
		case g.is(i, "("), g.is(i, "["), g.is(i, "{"):
			if i = parser.Closing(g.tokens, i, len(g.tokens)); i < 0 {
				return -1
			}
		}
	}
	return -1
}

// opposite has what a comparison is where it does not hold.
var opposite = map[string]string{">=": "<", "<=": ">", "<": ">=", ">": "<="}

// conditions collects the bounds of the threads for which a condition is holds.
func (g *guardReader) conditions(e parser.Expr, holds bool) {
	switch e := e.(type) {
	case *parser.Unary:
		if e.Op == "!" {
			g.conditions(e.X, !holds)
		}
	case *parser.Binary:
		if both := map[bool]string{true: "&&", false: "||"}[holds]; e.Op == both {
			g.conditions(e.X, holds)
			g.conditions(e.Y, holds)
			return
		}
		g.bound(e, holds, false)
	case *parser.CallExpr: // all(g < size), any(g >= size)
		name, ok := e.Func.(*parser.Name)
		every := map[bool]string{true: "all", false: "any"}[holds]
		if !ok || name.Path[len(name.Path)-1] != every || len(e.Args) != 1 {
			return
		}
		if compared, ok := e.Args[0].(*parser.Binary); ok {
			g.bound(compared, holds, true)
		}
	}
}

// bound takes the bounds of the threads for which a comparison, of vectors or not, is
// holds.
func (g *guardReader) bound(e *parser.Binary, holds, vectors bool) {
	op := e.Op
	if !holds {
		op = opposite[op]
	}
	position, limit := e.X, e.Y
	switch op {
	case "<":
	case ">":
		position, limit = limit, position
	default:
		return
	}
	at := g.position(position, 0)
	if at.param == nil || at.vector && !vectors {
		return
	}
	limits := []parser.Expr{limit}
	if at.vector {
		limits = g.componentsOf(limit, len(at.axes), 0)
	}
	for i, limit := range limits {
		g.bounds = append(g.bounds, Bound{
			Param: at.param, Axis: at.axes[i], Limit: limit, Pos: e.Pos, Locals: maps.Clone(g.initial),
		})
	}
}
