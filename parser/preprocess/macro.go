package preprocess

import "slices"

// macro is a definition that is ready for expansion.
type macro struct {
	Macro
	ops        []bodyOp // one a token of the body; nil when the body stands as it is
	builtin    func(p *preprocessor) (Kind, string)
	predefined bool // by the compiler: may be redefined
	versioned  bool // one of versionMacros
	disabled   bool // while its own expansion is read
}

// bodyOp is what becomes of one token of a macro's body.
type bodyOp struct {
	do  uint8
	arg int // the parameter; for opVaOpt the index of the closing parenthesis
}

const (
	opToken  = iota
	opArg    // a parameter: its argument, expanded
	opRaw    // a parameter beside ##: its argument as it is written
	opString // the # before a parameter
	opPaste  // ##
	opVaOpt  // __VA_OPT__
	opSkip   // a token that belongs to the one before, or a parenthesis of __VA_OPT__
)

const (
	vaArgs = "__VA_ARGS__"
	vaOpt  = "__VA_OPT__"
)

// macroTable holds the macros that are defined. Most identifiers are none,
// which a bit for each first byte and length shows without a look into the map.
type macroTable struct {
	byName map[string]*macro
	seen   [256]uint64
}

func (t *macroTable) lookup(name string) *macro {
	if t.seen[name[0]]>>(len(name)&63)&1 == 0 {
		return nil
	}
	return t.byName[name]
}

func (t *macroTable) set(m *macro) {
	t.seen[m.Name[0]] |= 1 << (len(m.Name) & 63)
	t.byName[m.Name] = m
}

func (p *preprocessor) defineDirective(at Pos, _ string) {
	if m := p.readDefinition(at); m != nil {
		p.define(m)
	}
}

// define makes m hold from here on.
func (p *preprocessor) define(m *macro) {
	old := p.macros.byName[m.Name]
	if old != nil && !old.predefined {
		if old.same(m) {
			return
		}
		p.reporter.warn(m.Pos, "macro %s is redefined; it was defined at %s:%d", m.Name, old.Pos.Filename, old.Pos.Line)
		old.To = p.tokens.count
	}
	m.From, m.To = p.tokens.count, -1
	p.macros.set(m)
	if !m.predefined {
		p.unit.Macros = append(p.unit.Macros, &m.Macro)
	}
}

func (p *preprocessor) undef(at Pos, _ string) {
	name, ok := p.macroName(at)
	if !ok {
		return
	}
	if m := p.macros.byName[name.Text]; m != nil {
		m.To = p.tokens.count
		delete(p.macros.byName, name.Text)
	}
}

// same reports whether two definitions differ in nothing that counts.
func (m *macro) same(o *macro) bool {
	return m.Function == o.Function && m.Variadic == o.Variadic && slices.Equal(m.Params, o.Params) &&
		slices.EqualFunc(m.Body, o.Body, func(a, b Token) bool { return a.Text == b.Text && a.Space == b.Space })
}

// macroName reads the name that a directive defines, undefines or tests.
func (p *preprocessor) macroName(at Pos) (name Token, ok bool) {
	p.in.next(&name)
	switch {
	case name.Kind == EOF:
		p.reporter.error(at, "the name of the macro is missing")
	case name.Kind != Ident:
		p.reporter.error(name.Pos, "%s is not a name for a macro", name.Text)
	default:
		return name, true
	}
	p.ignore(at, "")
	return name, false
}

// readDefinition reads what follows #define; nil when it is malformed.
func (p *preprocessor) readDefinition(at Pos) *macro {
	name, ok := p.macroName(at)
	if !ok {
		return nil
	}
	if conditionOperators[name.Text] != nil || name.Text == vaArgs || name.Text == vaOpt {
		p.reporter.error(name.Pos, "%s cannot be defined", name.Text)
		p.ignore(at, "")
		return nil
	}
	m := &macro{Macro: Macro{Name: name.Text, Pos: name.Pos}}
	var params map[string]int
	var t Token
	p.in.next(&t)
	if t.Is("(") && !t.Space {
		m.Function = true
		if params, ok = p.readParams(m); !ok {
			p.ignore(at, "")
			return nil
		}
		p.in.next(&t)
	}
	body := p.expander.take()
	for ; t.Kind != EOF; p.in.next(&t) {
		body = append(body, t)
	}
	m.Body = slices.Clone(body)
	p.expander.release(body)
	if len(m.Body) > 0 {
		m.Body[0].Space = false
	}
	if !p.compile(m, params) {
		return nil
	}
	return m
}

// readParams reads the parameters of a macro after their parenthesis. That of
// the variable arguments is the last; it is named __VA_ARGS__ unless it has a
// name of its own, which is an extension of GNU.
func (p *preprocessor) readParams(m *macro) (index map[string]int, ok bool) {
	index = map[string]int{}
	var t Token
	if p.in.next(&t); t.Is(")") {
		return index, true
	}
	for {
		name := t.Text
		switch {
		case t.Is("..."):
			m.Variadic, name = true, vaArgs
		case t.Kind != Ident:
			p.reporter.error(t.Pos, "macro %s: a parameter is missing", m.Name)
			return nil, false
		}
		if _, twice := index[name]; twice {
			p.reporter.error(t.Pos, "macro %s has two parameters %s", m.Name, name)
			return nil, false
		}
		index[name] = len(m.Params)
		m.Params = append(m.Params, name)
		p.in.next(&t)
		if t.Is("...") && !m.Variadic {
			m.Variadic = true
			p.in.next(&t)
		}
		switch {
		case t.Is(")"):
			return index, true
		case !t.Is(",") || m.Variadic:
			p.reporter.error(t.Pos, "macro %s: the parameters are not closed by )", m.Name)
			return nil, false
		}
		p.in.next(&t)
	}
}

// compile works out what becomes of each token of a body, and checks its
// operators.
func (p *preprocessor) compile(m *macro, params map[string]int) bool {
	isPaste := func(i int) bool { return i >= 0 && i < len(m.Body) && m.Body[i].Is("##") }
	ops := make([]bodyOp, len(m.Body))
	plain := true
	for i := range m.Body {
		t := &m.Body[i]
		arg, isParam := 0, false
		if t.Kind == Ident {
			arg, isParam = params[t.Text]
		}
		switch {
		case ops[i].do == opSkip:
			continue
		case isParam:
			ops[i] = bodyOp{opArg, arg}
			if isPaste(i-1) || isPaste(i+1) {
				ops[i].do = opRaw
			}
		case t.Is("##"):
			if i == 0 || i == len(m.Body)-1 {
				p.reporter.error(t.Pos, "macro %s: ## needs a token on both sides", m.Name)
				return false
			}
			ops[i].do = opPaste
		case t.Is("#") && m.Function:
			ok := false
			if i+1 < len(m.Body) {
				arg, ok = params[m.Body[i+1].Text]
			}
			if !ok {
				p.reporter.error(t.Pos, "macro %s: # needs a parameter after it", m.Name)
				return false
			}
			ops[i] = bodyOp{opString, arg}
			ops[i+1].do = opSkip
		case t.Text == vaOpt && m.Variadic:
			end := closingParen(m.Body, i+1)
			if end < 0 {
				p.reporter.error(t.Pos, "macro %s: __VA_OPT__ needs parentheses", m.Name)
				return false
			}
			ops[i] = bodyOp{opVaOpt, end}
			ops[i+1].do, ops[end].do = opSkip, opSkip
		default:
			continue
		}
		plain = false
	}
	if !plain {
		m.ops = ops
	}
	return true
}

// closingParen is the index of the parenthesis that closes the one at open, or
// negative.
func closingParen(tokens []Token, open int) int {
	depth := 0
	for i := open; i < len(tokens); i++ {
		switch {
		case tokens[i].Is("("):
			depth++
		case tokens[i].Is(")"):
			depth--
		}
		if depth == 0 {
			if i == open {
				return -1
			}
			return i
		}
	}
	return -1
}
