package parser

// statements parse what begins with a word of the language.
var statements map[string]func(p *bodyParser, t *Token) (Stmt, error)

// Set here since the parsers of statements refer to it themselves.
func init() {
	statements = map[string]func(p *bodyParser, t *Token) (Stmt, error){
		"if":             (*bodyParser).ifStmt,
		"for":            (*bodyParser).forStmt,
		"while":          (*bodyParser).whileStmt,
		"do":             (*bodyParser).doStmt,
		"switch":         (*bodyParser).switchStmt,
		"case":           (*bodyParser).caseStmt,
		"default":        (*bodyParser).caseStmt,
		"break":          (*bodyParser).jump,
		"continue":       (*bodyParser).jump,
		"return":         (*bodyParser).returnStmt,
		"static_assert":  (*bodyParser).staticAssert,
		"_Static_assert": (*bodyParser).staticAssert,
		"typedef":        (*bodyParser).typedefStmt,
		"using":          (*bodyParser).usingStmt,
	}
}

// noStatements are words of C++ statements that Metal lacks, or that nobody
// needs in one.
var noStatements = map[string]bool{
	"goto": true, "asm": true, "__asm": true, "__asm__": true, "try": true, "template": true,
}

// statement parses one statement.
func (p *bodyParser) statement() (Stmt, error) {
	if err := p.nest(); err != nil {
		return nil, err
	}
	defer func() { p.nested-- }()
	before, err := p.attributes()
	if err != nil {
		return nil, err
	}
	t := p.expr.peek()
	switch {
	case t.Is("{"):
		return p.block()
	case t.Is(";"):
		p.expr.next++
		return &Block{Pos: t.Pos, End: t.Pos}, nil
	case t.Kind == Punct && opening[t.Text] != "":
		return nil, p.expr.errorf("unexpected %q: expected a statement", t.Text)
	case t.Kind == Ident && statements[t.Text] != nil:
		return statements[t.Text](p, t)
	case t.Is("namespace"):
		return nil, p.expr.unsupported("a further name for a namespace is not supported in a body")
	case t.Kind == Ident && noStatements[t.Text]:
		return nil, p.expr.errorf("%s is not supported in a body", t.Text)
	case t.Is("else"):
		return nil, p.expr.errorf("unexpected %q: no if is open here", t.Text)
	case t.Kind == Ident && p.expr.at(p.expr.next+1).Is(":"):
		p.expr.next += 2 // a label, to which nothing goes: goto is a mistake
		return p.statement()
	case p.declares():
		return p.declaration(before)
	}
	return p.exprStmt()
}

func (p *bodyParser) exprStmt() (Stmt, error) {
	s := &ExprStmt{Pos: p.expr.pos()}
	var err error
	if s.X, err = p.expr.expression(0); err != nil {
		return nil, err
	}
	return s, p.expr.expect(";")
}

// simple parses what may stand first in the head of a for or an if.
func (p *bodyParser) simple() (Stmt, error) {
	before, err := p.attributes()
	if err != nil {
		return nil, err
	}
	if p.declares() {
		return p.declaration(before)
	}
	return p.exprStmt()
}

// inner parses the statement that another one holds.
func (p *bodyParser) inner() (Stmt, error) {
	if p.expr.is("case") || p.expr.is("default") {
		return nil, p.expr.errorf("unexpected %q: a label stands in the block of its switch", p.expr.peek().Text)
	}
	mark := p.names.open()
	defer p.names.close(mark)
	return p.statement()
}

// loop parses the statement that a loop repeats.
func (p *bodyParser) loop() (Stmt, error) {
	p.loops++
	defer func() { p.loops-- }()
	return p.inner()
}

// head parses what stands in parentheses after a word such as if. A mistake
// there leaves the statements after it whole.
func (p *bodyParser) head(parse func() error) error {
	if !p.expr.is("(") {
		return p.expr.expect("(")
	}
	last := p.expr.closer(p.expr.next)
	p.expr.next++
	err := parse()
	if err == nil {
		err = p.expr.expect(")")
	}
	if err != nil {
		p.report(err)
	}
	p.expr.next = last + 1
	return nil
}

// condition returns what parses a condition into x or, where it declares a
// variable, into v.
func (p *bodyParser) condition(x *Expr, v **DeclStmt) func() error {
	return func() (err error) {
		before, err := p.attributes()
		if err != nil {
			return err
		}
		if !p.declares() {
			*x, err = p.expr.expression(0)
			return err
		}
		at := p.expr.pos()
		if v == nil {
			return p.expr.errorf("a declaration cannot be the condition here")
		}
		d, err := p.declarators(before)
		if err == nil && (len(d.Vars) != 1 || d.Vars[0].Init == nil) {
			err = &Error{Pos: at, Msg: "a condition declares one variable and gives it a value"}
		}
		*v = d
		return err
	}
}

// headWithInit returns what parses `init; cond` or `cond`.
func (p *bodyParser) headWithInit(init *Stmt, x *Expr, v **DeclStmt) func() error {
	return func() (err error) {
		if p.statementBefore() {
			if *init, err = p.simple(); err != nil {
				return err
			}
		}
		return p.condition(x, v)()
	}
}

// maxElseIf bounds a chain of `else if`. It does not count as nesting, but who
// follows the tree goes one step down for each.
const maxElseIf = 1 << 12

// ifStmt parses an if with all the `else if` after it.
func (p *bodyParser) ifStmt(t *Token) (Stmt, error) {
	mark := p.names.open()
	defer p.names.close(mark)
	first, err := p.ifThen(t)
	if err != nil {
		return nil, err
	}
	last := first
	for n := 1; p.expr.skip("else"); n++ {
		if !p.expr.is("if") {
			last.Else, err = p.inner()
			return first, err
		}
		if n == maxElseIf {
			p.report(p.expr.errorf("more than %d else if in a row", maxElseIf))
		}
		// what the head of an if declares is known up to the end of the chain
		next, err := p.ifThen(p.expr.peek())
		if err != nil {
			return nil, err
		}
		if n < maxElseIf {
			last.Else, last = next, next
		}
	}
	return first, nil
}

// ifThen parses an if without its else.
func (p *bodyParser) ifThen(t *Token) (s *If, err error) {
	s = &If{Pos: t.Pos}
	p.expr.next++
	s.Constexpr = p.expr.skip("constexpr")
	if err := p.head(p.headWithInit(&s.Init, &s.Cond, &s.Var)); err != nil {
		return nil, err
	}
	s.Then, err = p.inner()
	return s, err
}

// statementBefore reports whether the parentheses around the next token hold a
// semicolon outside of other brackets.
func (p *bodyParser) statementBefore() bool {
	i := p.expr.next
	defer func() { p.expr.steps += i - p.expr.next }()
	for ; !p.expr.at(i).Is(")"); i++ {
		if p.expr.at(i).Is(";") {
			return true
		}
		i = max(i, p.expr.closer(i))
	}
	return false
}

func (p *bodyParser) forStmt(t *Token) (_ Stmt, err error) {
	p.expr.next++
	mark := p.names.open()
	defer p.names.close(mark)
	if p.overRange() {
		return p.rangeFor(t)
	}
	s := &For{Pos: t.Pos}
	if err := p.head(func() error { return p.forHead(s) }); err != nil {
		return nil, err
	}
	if s.Body, err = p.loop(); err != nil {
		return nil, err
	}
	return s, nil
}

func (p *bodyParser) forHead(s *For) (err error) {
	if !p.expr.skip(";") {
		if s.Init, err = p.simple(); err != nil {
			return err
		}
	}
	if !p.expr.is(";") {
		if err := p.condition(&s.Cond, nil)(); err != nil {
			return err
		}
	}
	if err := p.expr.expect(";"); err != nil {
		return err
	}
	if !p.expr.is(")") {
		s.Post, err = p.expr.expression(0)
	}
	return err
}

// overRange reports whether the parentheses that are next hold a colon that
// belongs to no ?.
func (p *bodyParser) overRange() bool {
	if !p.expr.is("(") {
		return false
	}
	choices := 0
	i, last := p.expr.next+1, p.expr.closer(p.expr.next)
	defer func() { p.expr.steps += i - p.expr.next }()
	for ; i < last; i++ {
		switch t := p.expr.at(i); {
		case t.Is("?"):
			choices++
		case t.Is(":"):
			if choices--; choices < 0 {
				return true
			}
		default:
			i = max(i, p.expr.closer(i))
		}
	}
	return false
}

func (p *bodyParser) rangeFor(t *Token) (Stmt, error) {
	s := &RangeFor{Pos: t.Pos}
	err := p.head(func() (err error) {
		if p.statementBefore() {
			if s.Init, err = p.simple(); err != nil {
				return err
			}
		}
		before, err := p.attributes()
		if err != nil {
			return err
		}
		s.Var = &DeclStmt{Before: before, Pos: p.expr.pos()}
		if err := p.variableType(s.Var); err != nil {
			return err
		}
		v, err := p.uninitialized()
		if err != nil {
			return err
		}
		s.Var.Vars = []*LocalVar{v}
		if err := p.expr.expect(":"); err != nil {
			return err
		}
		s.Range, err = p.expr.initializer()
		p.names.declare(localName{name: v.Declarator.name()})
		return err
	})
	if err != nil {
		return nil, err
	}
	if s.Body, err = p.loop(); err != nil {
		return nil, err
	}
	if s.Range == nil {
		return &Block{List: []Stmt{s.Body}, Pos: s.Pos, End: s.Pos}, nil // head has complained
	}
	return s, nil
}

func (p *bodyParser) whileStmt(t *Token) (_ Stmt, err error) {
	s := &While{Pos: t.Pos}
	p.expr.next++
	mark := p.names.open()
	defer p.names.close(mark)
	if err := p.head(p.condition(&s.Cond, &s.Var)); err != nil {
		return nil, err
	}
	if s.Body, err = p.loop(); err != nil {
		return nil, err
	}
	return s, nil
}

func (p *bodyParser) doStmt(t *Token) (_ Stmt, err error) {
	s := &Do{Pos: t.Pos}
	p.expr.next++
	if s.Body, err = p.loop(); err != nil {
		return nil, err
	}
	if err := p.expr.expect("while"); err != nil {
		return nil, err
	}
	if err := p.head(p.condition(&s.Cond, nil)); err != nil {
		return nil, err
	}
	return s, p.expr.expect(";")
}

func (p *bodyParser) switchStmt(t *Token) (_ Stmt, err error) {
	s := &Switch{Pos: t.Pos}
	p.expr.next++
	mark := p.names.open()
	defer p.names.close(mark)
	if err := p.head(p.headWithInit(&s.Init, &s.X, &s.Var)); err != nil {
		return nil, err
	}
	if err := p.nest(); err != nil {
		return nil, err
	}
	p.selects++
	defer func() { p.nested--; p.selects-- }()
	if s.Body, err = p.block(); err != nil {
		return nil, err
	}
	return s, nil
}

func (p *bodyParser) caseStmt(t *Token) (_ Stmt, err error) {
	if p.selects == 0 {
		return nil, p.expr.errorf("unexpected %q: no switch is open here", t.Text)
	}
	s := &Case{Pos: t.Pos}
	p.expr.next++
	if t.Is("case") {
		if s.X, err = p.expr.expression(2); err != nil {
			return nil, err
		}
	}
	return s, p.expr.expect(":")
}

func (p *bodyParser) jump(t *Token) (Stmt, error) {
	var s Stmt = &Break{Pos: t.Pos}
	within, where := p.loops+p.selects, "loop or switch"
	if t.Is("continue") {
		s = &Continue{Pos: t.Pos}
		within, where = p.loops, "loop"
	}
	if within == 0 {
		return nil, p.expr.errorf("unexpected %q: no %s is open here", t.Text, where)
	}
	p.expr.next++
	return s, p.expr.expect(";")
}

func (p *bodyParser) returnStmt(t *Token) (_ Stmt, err error) {
	s := &Return{Pos: t.Pos}
	p.expr.next++
	switch {
	case p.expr.is(";"):
	case p.expr.is("{"):
		p.expr.start = p.expr.next
		s.X, err = p.expr.braces()
	default:
		s.X, err = p.expr.expression(0)
	}
	if err != nil {
		return nil, err
	}
	return s, p.expr.expect(";")
}

func (p *bodyParser) staticAssert(t *Token) (_ Stmt, err error) {
	s := &StaticAssert{Pos: t.Pos}
	p.expr.next++
	if err := p.expr.expect("("); err != nil {
		return nil, err
	}
	if s.Cond, err = p.expr.expression(2); err != nil {
		return nil, err
	}
	if p.expr.skip(",") {
		if p.expr.peek().Kind != String {
			return nil, p.expr.unexpected("a string")
		}
		if _, err := p.expr.text(); err != nil {
			return nil, err
		}
	}
	if err := p.expr.expect(")"); err != nil {
		return nil, err
	}
	return s, p.expr.expect(";")
}
