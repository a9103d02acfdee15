package parser

import (
	"fmt"
	"slices"
	"strings"
)

// reserved are words that cannot name anything in an expression.
var reserved = map[string]bool{
	"if": true, "else": true, "for": true, "while": true, "do": true, "switch": true, "case": true, "default": true,
	"break": true, "continue": true, "return": true, "goto": true, "try": true, "catch": true, "asm": true,
	"typedef": true, "using": true, "namespace": true, "template": true, "static_assert": true, "alignas": true,
	"public": true, "private": true, "protected": true, "friend": true, "virtual": true,
}

// unsupported are words of C++ expressions that Metal lacks or that metalgen
// knows nothing of.
var unsupported = map[string]bool{
	"new": true, "delete": true, "throw": true, "dynamic_cast": true, "typeid": true, "noexcept": true,
}

// libraryTemplates are functions of Metal's library that make no sense without
// template arguments.
var libraryTemplates = map[string]bool{"as_type": true, "make_filled_simdgroup_matrix": true, "declval": true}

// word parses what begins with an identifier.
func (p *exprParser) word(t *Token) (Expr, error) {
	if !p.formula {
		class := wordTypes[t.Text]
		switch {
		case class == typeDecltype, t.Text == "typename":
			return p.construct()
		case unsupported[t.Text]:
			return nil, p.errorf("%s is not supported", t.Text)
		case reserved[t.Text], class == typeQualifier, class == typeTag:
			return nil, p.errorf("unexpected %q: expected an expression", t.Text)
		case class == typeIntWord:
			if last := p.skipWords(p.next, typeIntWord); last > p.next+1 {
				return p.wordsCast(last)
			}
		}
	}
	return p.name()
}

// name parses a name with its template arguments.
func (p *exprParser) name() (*Name, error) {
	first := &Name{Pos: p.peek().Pos}
	first.Path, p.next = p.pathAt(p.next)
	for n := first; p.is("<") && !p.formula; {
		if err := p.tooLong(); err != nil {
			return nil, err
		}
		args, err := p.argsOf(n, n == first)
		if args == nil || err != nil {
			return first, err
		}
		n.Args = args
		if !p.is("::") || p.at(p.next+1).Kind != Ident {
			break
		}
		p.next++
		if p.at(p.next+1).Kind == Ident {
			p.skip("template")
		}
		n.Member = &Name{Pos: p.peek().Pos}
		n = n.Member
		n.Path, p.next = p.pathAt(p.next)
	}
	return first, nil
}

// argsOf parses the template arguments of a name, or returns nil where the < is
// less-than. C++ goes by what the name is. The names of types and of some
// functions are known here; with others the text has to look like template
// arguments and to go on as nothing else does.
func (p *exprParser) argsOf(n *Name, first bool) (*TemplateArgs, error) {
	value := first && p.isValue != nil && p.isValue(n.Path)
	name := n.Path[len(n.Path)-1]
	said := p.at(p.next - 2).Is("template")
	if said || first && !value && (libraryTemplates[name] || p.templates[name] || p.isType(n.Path)) {
		return p.certainArgs()
	}
	if value {
		return nil, nil
	}
	last := p.likelyArgs(p.next)
	if last < 0 {
		return nil, nil
	}
	trait := strings.HasSuffix(name, "_v") && !p.formula // is_integral_v<T> & x
	next := p.at(last + 1)
	if !trait && last+1 < len(p.tokens) && (next.Kind != Punct || !followsArgs[next.Text]) {
		return nil, nil
	}
	return p.argsTo(last), nil
}

// certainArgs parses the template arguments that the next < is known to open.
func (p *exprParser) certainArgs() (*TemplateArgs, error) {
	last := p.closeAngle(p.next, len(p.tokens))
	if last < 0 {
		return nil, p.errorf("missing >: this < is never closed")
	}
	var a angles
	for i := p.next; i <= last; i++ {
		if a.take(&p.tokens[i]); a.open > maxDepth {
			return nil, &Error{Pos: p.tokens[i].Pos, Msg: fmt.Sprintf(anglesTooDeep, maxDepth)}
		}
	}
	return p.argsTo(last), nil
}

// argsTo takes the template arguments up to the token last.
func (p *exprParser) argsTo(last int) *TemplateArgs {
	args := newTemplateArgs(p.tokens[p.next : last+1])
	p.next = last + 1
	return args
}

// followsArgs are what has to follow template arguments of an unknown name: a
// call and the like, or what begins no operand of a comparison.
var followsArgs = map[string]bool{
	"(": true, "{": true, "::": true,
	")": true, "]": true, "}": true, ",": true, ";": true, ":": true, "?": true, "...": true, ".": true,
	"&&": true, "||": true, "==": true, "!=": true, "/": true, "%": true, "|": true, "^": true,
}

// likelyArgs returns what closeAngle does for a < at i that is followed by what
// template arguments may hold. It looks at few tokens only, since they are
// read again where they prove to be operands.
func (p *exprParser) likelyArgs(i int) int {
	last := p.closeAngleNear(i, len(p.tokens), maxTemplateArgs)
	for depth := 0; i < last; i++ {
		if p.match != nil && p.match[i] > 0 {
			i = int(p.match[i])
			continue
		}
		switch t := p.at(i); {
		case t.Kind == String:
			return -1
		case t.Kind != Punct:
		case t.Text == "(", t.Text == "[":
			depth++
		case t.Text == ")", t.Text == "]":
			depth--
		case depth == 0 && !inArgs[t.Text]:
			return -1
		}
	}
	return last
}

// inArgs are the punctuators of types and of the arithmetic that people write
// in template arguments. Comparisons and && are missing: `a < b && c > (d)`.
var inArgs = map[string]bool{
	",": true, "::": true, ".": true, "...": true, "<": true, ">": true, ">>": true, "*": true, "&": true,
	"+": true, "-": true, "/": true, "%": true, "!": true, "~": true,
}

// member parses what follows the . or -> t.
func (p *exprParser) member(x Expr, t *Token) (*MemberExpr, error) {
	p.next++
	template := p.skip("template")
	if p.peek().Kind != Ident {
		return nil, p.errorf("expected the name of a member")
	}
	m := &MemberExpr{X: x, Arrow: t.Text == "->", Pos: t.Pos}
	m.Name, p.next = p.nameAt(p.next)
	// Members are compared more often than they are templates.
	if p.is("<") && (template || memberTemplates[m.Name] || p.typeArg(p.next+1) || p.callsTemplate()) {
		var err error
		m.Args, err = p.certainArgs()
		return m, err
	}
	return m, nil
}

// memberTemplates are those of Metal's library that are called with numbers.
var memberTemplates = map[string]bool{"slice": true}

// callsTemplate reports whether the next < opens the arguments of a member that
// is called, as in `x.get<3>()` or `x.get<N>()`: nobody compares a comparison.
func (p *exprParser) callsTemplate() bool {
	last := p.likelyArgs(p.next)
	return last == p.next+2 && p.at(last+1).Is("(")
}

// construct parses a conversion to a type that only typename or decltype make
// one: `typename T::type(x)`.
func (p *exprParser) construct() (Expr, error) {
	c := &Construct{Pos: p.pos()}
	end, _ := p.typeSpec(p.next)
	if end == 0 {
		p.next++
		return nil, p.errorf("expected a type")
	}
	var err error
	if c.Type, err = p.typeTo(end); err != nil {
		return nil, err
	}
	typ := c.Type.Type
	if of := typ.Decltype; of != nil && len(of.Member) > 0 && !slices.Contains(typ.Pre, "typename") {
		return p.typeMember(c.Type, of)
	}
	closer := ")"
	if c.Brace = p.is("{"); c.Brace {
		closer = "}"
	} else if !p.is("(") {
		return nil, p.expect("(")
	}
	if c.Args, err = p.args(closer); err != nil {
		return nil, err
	}
	return c, nil
}

// typeMember makes the member of a type of the last name in decltype(x)::name.
func (p *exprParser) typeMember(typ *TypeName, operand *Operand) (Expr, error) {
	last := len(operand.Member) - 1
	m := &TypeMember{Type: typ, Name: operand.Member[last], Pos: operand.Pos}
	operand.Member = operand.Member[:last]
	if p.is("<") {
		var err error
		m.Args, err = p.argsOf(&Name{Path: []string{m.Name}}, false)
		if err != nil {
			return nil, err
		}
	}
	return m, nil
}

// typeArg reports whether the token at i begins a template argument that is a
// type.
func (p *exprParser) typeArg(i int) bool {
	end := p.typeEnd(i)
	return end > 0 && (p.at(end).Is(",") || p.at(end).Is(">") || p.at(end).Is(">>"))
}

// constructs reports whether braces after a name are those of T{...}.
func (p *exprParser) constructs(n *Name) bool {
	for ; n.Member != nil; n = n.Member {
	}
	if p.formula {
		return false
	}
	return n.Args != nil || keywordTypes[n.Path[0]] || wordTypes[n.Path[0]] == typeIntWord || p.isType(n.Path)
}

// text parses string literals, which C++ joins where they stand side by side.
func (p *exprParser) text() (Expr, error) {
	e := &Text{Text: p.peek().Text, Pos: p.peek().Pos}
	p.next++
	if p.peek().Kind != String {
		return e, nil
	}
	parts := []string{strings.TrimSuffix(e.Text, `"`)}
	for ; p.peek().Kind == String; p.next++ {
		next := p.peek().Text
		if e.Text[0] != '"' || next[0] != '"' {
			return nil, p.errorf("strings with a prefix cannot be joined")
		}
		parts = append(parts, strings.TrimSuffix(next[1:], `"`))
	}
	e.Text = strings.Join(parts, "") + `"`
	return e, nil
}
