package parser

import (
	"github.com/alecthomas/participle/v2/lexer"
)

// typeEnd returns the index after the type that starts at token i, or 0 where none
// starts. It does not check the type, as ParseType does: it only has to see the
// difference between `(float)(x)` and `(float(x))`.
func (p *exprParser) typeEnd(i int) int {
	i, known := p.typeSpec(i)
	if !known {
		return 0
	}
	for ; i < len(p.tokens); p.steps++ {
		switch t := p.at(i); {
		case tokenType(t) == typePointer, tokenType(t) == typeQualifier:
			i++
		case t.Is("["):
			last := p.closer(i)
			if last < 0 {
				return 0
			}
			i = last + 1
		case t.Is("("):
			last := p.abstractEnd(i)
			if last == 0 {
				return i
			}
			i = last
		default:
			return i
		}
	}
	return i
}

// abstractEnd returns the index after the `(*)` or `(&)` at token i and, where
// parameters follow, after those; 0 where none is there.
func (p *exprParser) abstractEnd(i int) int {
	start := i
	for i++; tokenType(p.at(i)) == typePointer || tokenType(p.at(i)) == typeQualifier; i++ {
	}
	if i == start+1 || i+1 >= len(p.tokens) || !p.at(i).Is(")") {
		return 0
	}
	if i++; p.at(i).Is("(") {
		if i = p.closer(i) + 1; i == 0 {
			return 0
		}
	}
	return i
}

// keywordTypes are the types that no program can give another meaning.
var keywordTypes = map[string]bool{"auto": true, "void": true, "bool": true}

// typeSpec returns the index after the type that starts at token i, up to where a
// declarator may begin, `device const vec<float, 4>`, or 0. It is known to be a type
// unless it is a name that isType does not know.
func (p *exprParser) typeSpec(i int) (end int, known bool) {
	start := i
	i = p.skipWords(i, typeQualifier)
	tags := p.skipWords(i, typeTag)
	known = tags > start
	dependent := false // what follows typename is a type, whatever it is
	for j := start; j < tags && !dependent; j++ {
		dependent = p.at(j).Is("typename")
	}
	if p.at(tags).Is("decltype") && p.at(tags+1).Is("(") && !p.formula {
		last := p.closer(tags + 1)
		if last < 0 {
			return 0, false
		}
		if i = last + 1; p.at(i).Is("::") && p.at(i+1).Kind == Ident {
			_, i = p.pathAt(i + 1)
		}
		return p.skipWords(i, typeQualifier), true
	}
	if words := p.skipWords(tags, typeIntWord); words > tags {
		return p.skipWords(words, typeQualifier), true
	}
	i = tags
	if p.at(i).Kind != Ident && !(p.at(i).Is("::") && p.at(i+1).Kind == Ident) {
		return 0, false
	}
	path, i := p.pathAt(i)
	known = known || !p.formula && len(path) == 1 && keywordTypes[path[0]] || p.isType(path)
	for p.at(i).Is("<") {
		last := -1
		if known || p.isTemplate(path[0]) {
			if last = p.closeAngle(i, len(p.tokens)); last < 0 {
				return 0, false
			}
		} else if p.isValue == nil || !p.isValue(path) {
			last = p.likelyArgs(i)
		}
		if last < 0 {
			break
		}
		if i = last + 1; !p.at(i).Is("::") || p.at(i+1).Kind != Ident || len(path) > maxDepth {
			break
		}
		// What is in a template is a type where that is known or said.
		var more Path
		more, i = p.pathAt(i + 1)
		path = append(path, more...)
		known = dependent || p.isType(path)
	}
	return p.skipWords(i, typeQualifier), known
}

// isTemplate reports whether the unit has a template of that name.
func (p *exprParser) isTemplate(name string) bool {
	return p.templates[name] && (p.isValue == nil || !p.isValue([]string{name}))
}

// pathAt reads the name at token i, `a::template b`, and returns the
// index after it too.
func (p *exprParser) pathAt(i int) (Path, int) {
	var path Path
	if p.at(i).Is("::") {
		path = append(path, "")
		i++
	}
	if p.at(i).Is("template") && p.at(i+1).Kind == Ident {
		i++
	}
	name, i := p.nameAt(i)
	path = append(path, name)
	for p.at(i).Is("::") && p.at(i+1).Kind == Ident {
		if p.at(i+1).Is("template") && p.at(i+2).Kind == Ident {
			i++
		}
		name, i = p.nameAt(i + 1)
		path = append(path, name)
	}
	p.steps += len(path)
	return path, i
}

// noOperator are the punctuators that are no part of an operator's name.
var noOperator = map[string]bool{";": true, "{": true, "}": true, ")": true, "]": true, ":": true, "?": true}

// nameAt reads the name at token i, which may be that of an operator, and returns
// the index after it too.
func (p *exprParser) nameAt(i int) (string, int) {
	if !p.at(i).Is("operator") || i+1 == len(p.tokens) {
		return p.at(i).Text, i + 1
	}
	end := i + 2
	switch next := p.at(i + 1); {
	case next.Is("(") || next.Is("["):
		if p.at(end).Is(closing[next.Text]) {
			end++
		} else {
			end = i + 1
		}
	case next.Kind == Ident:
		for end < len(p.tokens) && end < i+maxOperator && !p.at(end).Is("(") && !noOperator[p.at(end).Text] {
			end++
		}
	case noOperator[next.Text]:
		end = i + 1
	}
	return join(p.tokens[i:end]), end
}

// withOperand are the qualifiers that may have something in parentheses.
var withOperand = map[string]bool{"coherent": true, "__attribute__": true}

// skipWords returns the index after the identifiers of one class at token i.
func (p *exprParser) skipWords(i int, class lexer.TokenType) int {
	for tokenType(p.at(i)) == class {
		if i++; withOperand[p.at(i-1).Text] && p.at(i).Is("(") {
			i = max(p.closer(i)+1, i)
		}
		p.steps++
	}
	return i
}

// typeTo parses the type that ends before token end.
func (p *exprParser) typeTo(end int) (*TypeName, error) {
	typ, err := ParseType(p.tokens[p.next:end])
	if err == nil {
		p.next = end
	}
	return typ, err
}

// cast parses the type in the parentheses that are next, which end at token last,
// and what is converted.
func (p *exprParser) cast(open *Token, last int) (Expr, error) {
	p.next++
	typ, err := p.typeTo(last)
	if err != nil {
		return nil, err
	}
	p.next++
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	var x Expr
	if p.is("{") {
		x, err = p.braces() // a compound literal
	} else {
		x, err = p.unary()
	}
	if err != nil {
		return nil, err
	}
	return &Cast{Type: typ, X: x, Pos: open.Pos}, nil
}

func parseNamedCast(p *exprParser, word *Token) (Expr, error) {
	p.next++
	if !p.is("<") {
		return nil, p.expect("<")
	}
	last := p.closeAngle(p.next, len(p.tokens))
	if last < 0 {
		return nil, p.errorf("missing >: this < is never closed")
	}
	tokens := inAngles(p.tokens[p.next : last+1])
	if len(tokens) == 0 {
		p.next = last
		return nil, p.errorf("expected a type")
	}
	typ, err := ParseType(tokens)
	if err != nil {
		return nil, err
	}
	p.next = last + 1
	if err := p.expect("("); err != nil {
		return nil, err
	}
	x, err := p.binary(0)
	if err != nil {
		return nil, err
	}
	if err := p.expect(")"); err != nil {
		return nil, err
	}
	return &Cast{Word: word.Text, Type: typ, X: x, Pos: word.Pos}, nil
}

// wordsCast parses a conversion to a type of several words, unsigned int(x).
func (p *exprParser) wordsCast(last int) (Expr, error) {
	first := p.peek()
	typ, err := p.typeTo(last)
	if err != nil {
		return nil, err
	}
	closer := ")"
	if p.is("{") {
		closer = "}"
	} else if !p.is("(") {
		return nil, p.expect("(")
	}
	p.next++
	x, err := p.binary(2)
	if err != nil {
		return nil, err
	}
	if err := p.expect(closer); err != nil {
		return nil, err
	}
	return &Cast{Type: typ, X: x, Pos: first.Pos}, nil
}

func parseSizeof(p *exprParser, word *Token) (Expr, error) {
	p.next++
	e := &Sizeof{Align: word.Text == "alignof", Pos: word.Pos}
	if e.Pack = p.skip("..."); e.Pack {
		if err := p.expect("("); err != nil {
			return nil, err
		}
		if p.peek().Kind != Ident {
			return nil, p.errorf("expected the name of a pack")
		}
		e.X = &Name{Path: []string{p.peek().Text}, Pos: p.pos()}
		p.next++
		return e, p.expect(")")
	}
	if p.is("(") {
		if last := p.typeEnd(p.next + 1); last > 0 && p.at(last).Is(")") {
			p.next++
			var err error
			if e.Type, err = p.typeTo(last); err != nil {
				return nil, err
			}
			p.next++
			return e, nil
		}
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	x, err := p.unary()
	if err != nil {
		return nil, err
	}
	e.X = x
	return e, nil
}
