package parser

// Lambda is [Default, Captures](Params) -> Result { Body }.
type Lambda struct {
	Default  string // "&", "=" or ""
	Captures []*Capture
	Params   []*Param
	Quals    []string // mutable, constexpr and address spaces, after the parameters
	After    []string // attributes there
	Result   *TypeName
	Body     *Block
	Pos      Pos
}

// Capture is one thing that a lambda takes with it: x, &x, x = Init, xs..., this
// or *this.
type Capture struct {
	Ref  bool
	Copy bool // of *this
	Name string
	Init Expr
	Pack bool
	Pos  Pos
}

func (p *bodyParser) lambdaExpr() (Expr, error) {
	l := &Lambda{Pos: p.expr.pos()}
	if err := p.expr.enter(); err != nil {
		return nil, err
	}
	if err := p.nest(); err != nil {
		return nil, err
	}
	loops, selects, mark, start := p.loops, p.selects, p.names.open(), p.expr.start
	p.loops, p.selects = 0, 0
	defer func() {
		p.expr.depth--
		p.nested--
		p.loops, p.selects, p.expr.start = loops, selects, start
		p.names.close(mark)
	}()
	if err := p.captures(l); err != nil {
		return nil, err
	}
	if p.expr.is("(") {
		params, err := p.params()
		if err != nil {
			return nil, err
		}
		l.Params = params
		p.declareParams(params)
	}
	var err error
	for {
		texts, err := p.attributes()
		if err != nil {
			return nil, err
		}
		l.After = append(l.After, texts...)
		quals := p.expr.words(typeQualifier)
		if l.Quals = append(l.Quals, quals...); quals == nil {
			break
		}
	}
	if p.expr.skip("->") {
		end := p.expr.typeEnd(p.expr.next)
		if end == 0 {
			if end, _ = p.expr.typeSpec(p.expr.next); end == 0 {
				return nil, p.expr.unexpected("a type")
			}
			for tokenType(p.expr.at(end)) == typePointer {
				end++
			}
		}
		if l.Result, err = p.expr.typeTo(end); err != nil {
			return nil, err
		}
	}
	l.Body, err = p.block()
	return l, err
}

// captures parses what is in the brackets of a lambda.
func (p *bodyParser) captures(l *Lambda) error {
	last := p.expr.closer(p.expr.next)
	for p.expr.next++; p.expr.next < last; {
		if (p.expr.is("&") || p.expr.is("=")) && (p.expr.at(p.expr.next+1).Is(",") || p.expr.next+1 == last) {
			l.Default = p.expr.peek().Text
			p.expr.next++
		} else {
			c, err := p.capture()
			if err != nil {
				return err
			}
			l.Captures = append(l.Captures, c)
		}
		if p.expr.next < last {
			if err := p.expr.expect(","); err != nil {
				return err
			}
		}
	}
	p.expr.next = last + 1
	return nil
}

func (p *bodyParser) capture() (c *Capture, err error) {
	c = &Capture{Pos: p.expr.pos(), Ref: p.expr.skip("&")}
	c.Copy = !c.Ref && p.expr.skip("*")
	if p.expr.peek().Kind != Ident {
		return nil, p.expr.unexpected("a name")
	}
	c.Name = p.expr.peek().Text
	p.expr.next++
	if c.Pack = p.expr.skip("..."); !c.Pack && (p.expr.skip("=") || p.expr.is("{")) {
		c.Init, err = p.expr.initializer()
		p.names.declare(localName{name: c.Name})
	}
	return c, err
}

// params parses parameters in parentheses.
func (p *bodyParser) params() ([]*Param, error) {
	last := p.expr.closer(p.expr.next)
	tokens := collapse(&p.expr.cursor, p.expr.next, last+1)
	if err := p.tree.parseAttributes(tokens); err != nil {
		return nil, grammarError(err, p.expr.pos())
	}
	list, err := parse(paramListParser, tokens)
	if err != nil {
		return nil, grammarError(err, p.expr.pos())
	}
	p.expr.next = last + 1
	return list.Params, nil
}
