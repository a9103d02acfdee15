package parser

// clause parses what may be braces or an expression without a comma: an
// argument, an element of a list, what is assigned.
func (p *exprParser) clause() (Expr, error) {
	if p.is("{") && !p.formula {
		return p.braces()
	}
	start := p.next
	x, err := p.binary(2)
	return p.expansion(x, start, err)
}

// expansion takes the ... after an argument, from token start on, that has a pack in it.
func (p *exprParser) expansion(x Expr, start int, err error) (Expr, error) {
	if err == nil && p.is("...") {
		x = expandedSince(p, x, start)
		p.next++
	}
	return x, err
}

// Designated is one element of braces that names what it is of: .Field = X,
// [First] = X or, for several, [First ... Last] = X.
type Designated struct {
	Field       string
	First, Last Expr
	X           Expr
	Pos         Pos
}

// designates reports whether an element of braces begins with what it is of.
// A [ may also be that of a lambda.
func (p *exprParser) designates() bool {
	if p.is(".") {
		return true
	}
	if !p.is("[") {
		return false
	}
	last := p.closer(p.next)
	return last > p.next+1 && p.at(last+1).Is("=")
}

func (p *exprParser) designated(value func() (Expr, error)) (Expr, error) {
	d := &Designated{Pos: p.pos()}
	var err error
	if p.is(".") {
		if p.next++; p.peek().Kind != Ident {
			return nil, p.errorf("expected the name of a member")
		}
		d.Field = p.peek().Text
		p.next++
	} else {
		p.next++
		if d.First, err = p.binary(2); err == nil && p.is("...") {
			p.next++
			d.Last, err = p.binary(2)
		}
		if err == nil {
			err = p.expect("]")
		}
	}
	if err == nil {
		err = p.expect("=")
	}
	if err == nil {
		d.X, err = value()
	}
	return d, err
}

// braces parses { a, b }, where the last comma may have nothing after it.
func (p *exprParser) braces() (*InitList, error) {
	return p.list("}", p.clause)
}

// initializer parses the value of a variable. Tables are long, so the limit to
// an expression's length holds for each of their elements.
func (p *exprParser) initializer() (Expr, error) {
	if p.is("{") {
		return p.list("}", p.initializer)
	}
	start := p.next
	x, err := p.expression(2)
	return p.expansion(x, start, err)
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
		var e Expr
		var err error
		if closer == "}" && p.designates() {
			e, err = p.designated(elem)
		} else {
			e, err = elem()
		}
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
