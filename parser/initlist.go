package parser

// clause parses what may be braces or an expression without a comma: an
// argument, an element of a list, what is assigned.
func (p *exprParser) clause() (Expr, error) {
	if p.is("{") && !p.formula {
		return p.braces()
	}
	return p.binary(2)
}

// braces parses { a, b }, where the last comma may have nothing behind it.
func (p *exprParser) braces() (*InitList, error) {
	return p.list("}", p.clause)
}

// initializer parses the value of a variable. Tables are long, so the limit to
// an expression's length holds for each of their elements.
func (p *exprParser) initializer() (Expr, error) {
	if p.is("{") {
		return p.list("}", p.initializer)
	}
	return p.expression(2)
}

// expression parses an expression of a body.
func (p *exprParser) expression(least int) (Expr, error) {
	p.start = p.next
	return p.binary(least)
}

// list parses a list up to its closing bracket.
func (p *exprParser) list(closer string, elem func() (Expr, error)) (*InitList, error) {
	l := &InitList{Paren: closer == ")", Pos: p.pos()}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	p.next++
	for !p.is(closer) || l.Paren && len(l.Elems) == 0 {
		e, err := elem()
		if err != nil {
			return nil, err
		}
		l.Elems = append(l.Elems, e)
		if !p.is(",") {
			break
		}
		p.next++
		if l.Paren && p.is(closer) {
			return nil, p.errorf("unexpected %q: expected an expression", closer)
		}
	}
	return l, p.expect(closer)
}
