package parser

import "errors"

// ParseBody parses the body of a function. isType reports
// whether a name, as written, is that of a type of the program; the types that the
// body itself declares are known without it. Of a function without a body, ParseBody
// returns nil. Where there are errors, the block lacks what they are in.
func (t *Tree) ParseBody(d *Decl, isType func(path Path) bool) (*Block, ErrorList) {
	if d.Open < 0 {
		return nil, nil
	}
	p, errs := t.bodyParser(d, isType)
	if p == nil {
		return nil, errs
	}
	b, err := p.block()
	if err != nil {
		p.report(err)
	}
	p.errs.Sort()
	return b, p.errs
}

// bodyParser returns a parser of d's body, or what is wrong with its brackets.
func (t *Tree) bodyParser(d *Decl, isType func(path Path) bool) (*bodyParser, ErrorList) {
	c := cursor{tokens: t.Tokens[d.Open : d.Close+1]}
	if errs := c.matchAll(); len(errs) > 0 {
		return nil, errs // Parse has reported them
	}
	p := &bodyParser{tree: t, program: isType, base: d.Open}
	p.expr.cursor = c
	p.names.latest = map[string]int{}
	p.expr.isType = p.namesType
	p.expr.isValue = p.namesValue
	p.expr.templates = t.templateNames()
	p.expr.lambda = p.lambdaExpr
	for head := d.Template; head != nil; head = head.Inner {
		for _, param := range head.Params {
			p.names.declare(localName{name: param.Name, isType: param.IsType()})
		}
	}
	if f, err := t.ParseFunction(d); err == nil {
		p.declareParams(f.Params)
	}
	return p, nil
}

// bodyParser parses the statements of one body by recursive descent. Its
// brackets match, so a mistake cannot reach beyond the block it is in.
type bodyParser struct {
	expr    exprParser
	tree    *Tree
	base    int // index of the first token in those of the unit
	program func(path Path) bool
	names   localNames
	errs    ErrorList
	nested  int // statements around the next
	loops   int // those of them that are loops
	selects int // those that are switches
}

func (p *bodyParser) namesType(path Path) bool {
	if n := p.names.find(path[0]); n != nil {
		return n.isType && (len(path) == 1 || nestedType(n.structure, path[1:]))
	}
	return p.program != nil && p.program(path)
}

func (p *bodyParser) namesValue(path Path) bool {
	if len(path) == 1 {
		if n := p.names.find(path[0]); n != nil {
			return !n.isType
		}
	}
	return p.tree.values()[path[len(path)-1]] && !p.expr.isType(path)
}

func (p *bodyParser) declareParams(params []*Param) {
	for _, param := range params {
		p.names.declare(localName{name: param.Declarator.name()})
	}
}

func (p *bodyParser) report(err error) {
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Pos: p.expr.pos(), Msg: err.Error()}
	}
	p.errs = append(p.errs, e)
}

// nest counts the statements around a statement as enter does the expressions.
func (p *bodyParser) nest() error {
	if p.nested++; p.nested > maxDepth {
		return p.expr.errorf("statements nest deeper than %d", maxDepth)
	}
	return nil
}

// block parses { ... }. What is wrong in one statement leaves the others whole.
func (p *bodyParser) block() (*Block, error) {
	if !p.expr.is("{") {
		return nil, p.expr.expect("{")
	}
	last := p.expr.closer(p.expr.next)
	b := &Block{Pos: p.expr.peek().Pos, End: p.expr.at(last).Pos}
	mark := p.names.open()
	defer p.names.close(mark)
	for p.expr.next++; p.expr.next < last; {
		start := p.expr.next
		s, err := p.statement()
		if err != nil {
			p.report(err)
			p.expr.next = p.resume(start, last)
			continue
		}
		b.List = append(b.List, s)
	}
	p.expr.next = last + 1
	return b, nil
}

// resume finds where the statement after a wrong one begins. The wrong one
// began at start, the mistake is at p.next, and the block ends at last.
func (p *bodyParser) resume(start, last int) int {
	i := start
	defer func() { p.expr.steps += i - start }()
	for ; i < last; i++ {
		if p.expr.at(i).Is(";") && i >= p.expr.next {
			return i + 1
		}
		closer := p.expr.closer(i)
		if closer < 0 {
			continue
		}
		brace := p.expr.at(i).Is("{")
		i = closer
		if brace && i >= p.expr.next && p.begins(i+1) {
			return i + 1
		}
	}
	return last
}

// begins reports whether a statement may begin at token i, after a brace.
func (p *bodyParser) begins(i int) bool {
	t := p.expr.at(i)
	return t.Kind == Ident && !t.Is("else") && !t.Is("catch") || t.Is("{") || t.Is("}")
}

// attributes takes [[...]] and __attribute__((...)), as text that
// Tree.Attributes knows.
func (p *bodyParser) attributes() ([]string, error) {
	var texts []string
	for {
		end := p.expr.attributeEnd()
		if end == 0 {
			return texts, nil
		}
		tokens := collapse(&p.expr.cursor, p.expr.next, end)
		if len(tokens) != 1 {
			return nil, p.expr.errorf("bad attribute")
		}
		if err := p.tree.parseAttributes(tokens); err != nil {
			return nil, grammarError(err, tokens[0].Pos)
		}
		texts = append(texts, tokens[0].Text)
		p.expr.next = end
	}
}
