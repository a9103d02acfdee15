package parser

// Lambda is [Default, Captures](Params) -> Result { Body }.
type Lambda struct {
	Default  string // "&", "=" or ""
	Captures []*Capture
	Params   []*Param
	Quals    []string // mutable, constexpr and address spaces, behind the parameters
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
	l := &Lambda{Pos: p.pos()}
	if err := p.enter(); err != nil {
		return nil, err
	}
	if err := p.nest(); err != nil {
		return nil, err
	}
	loops, selects, mark, start := p.loops, p.selects, p.names.open(), p.start
	p.loops, p.selects = 0, 0
	defer func() {
		p.depth--
		p.nested--
		p.loops, p.selects, p.start = loops, selects, start
		p.names.close(mark)
	}()
	if err := p.captures(l); err != nil {
		return nil, err
	}
	if p.is("(") {
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
		quals := p.words(typeQualifier)
		if l.Quals = append(l.Quals, quals...); quals == nil {
			break
		}
	}
	if p.skip("->") {
		end := p.typeEnd(p.next)
		if end == 0 {
			if end, _ = p.typeSpec(p.next); end == 0 {
				return nil, p.unexpected("a type")
			}
			for tokenType(p.at(end)) == typePointer {
				end++
			}
		}
		if l.Result, err = p.typeTo(end); err != nil {
			return nil, err
		}
	}
	l.Body, err = p.block()
	return l, err
}

// captures parses what is in the brackets of a lambda.
func (p *bodyParser) captures(l *Lambda) error {
	last := p.closer(p.next)
	for p.next++; p.next < last; {
		if (p.is("&") || p.is("=")) && (p.at(p.next+1).Is(",") || p.next+1 == last) {
			l.Default = p.peek().Text
			p.next++
		} else {
			c, err := p.capture()
			if err != nil {
				return err
			}
			l.Captures = append(l.Captures, c)
		}
		if p.next < last {
			if err := p.expect(","); err != nil {
				return err
			}
		}
	}
	p.next = last + 1
	return nil
}

func (p *bodyParser) capture() (c *Capture, err error) {
	c = &Capture{Pos: p.pos(), Ref: p.skip("&")}
	c.Copy = !c.Ref && p.skip("*")
	if p.peek().Kind != Ident {
		return nil, p.unexpected("a name")
	}
	c.Name = p.peek().Text
	p.next++
	if c.Pack = p.skip("..."); !c.Pack && (p.skip("=") || p.is("{")) {
		c.Init, err = p.initializer()
		p.names.declare(localName{name: c.Name})
	}
	return c, err
}

// params parses parameters in parentheses.
func (p *bodyParser) params() ([]*Param, error) {
	last := p.closer(p.next)
	tokens := collapse(&p.cursor, p.next, last+1)
	if err := p.tree.parseAttributes(tokens); err != nil {
		return nil, grammarError(err, p.pos())
	}
	list, err := parse(paramListParser, tokens)
	if err != nil {
		return nil, grammarError(err, p.pos())
	}
	p.next = last + 1
	return list.Params, nil
}
