package parser

import (
	"slices"

	"github.com/metalgen/metalgen/parser/preprocess"
)

// declares reports whether a declaration of variables, or of a struct or enum,
// begins at the next token. What may be either that or an expression is a
// declaration in C++ too.
func (p *bodyParser) declares() bool {
	t := p.expr.peek()
	if t.Kind != Ident && !t.Is("::") {
		return false
	}
	class := tokenType(t)
	if class == typeQualifier || class == typeTag || t.Is("alignas") {
		return true
	}
	if noName(t) {
		return false
	}
	if n := p.names.find(t.Text); n != nil && !n.isType {
		return false
	}
	end, known := p.expr.typeSpec(p.expr.next)
	if end == 0 {
		return false
	}
	next, before := p.expr.at(end), p.expr.at(end-1)
	switch {
	case p.isName(end), tokenType(before) == typeQualifier:
		return true
	case known && next.Kind == Ident:
		return true // a word that cannot be its name
	case next.Is("("):
		return known && p.innerDeclarator(end) > 0
	}
	return known && (tokenType(next) == typePointer || next.Is("=") || next.Is("[") || next.Is(";"))
}

// noName reports whether a word is one that names nothing.
func noName(t *Token) bool {
	return unsupported[t.Text] || reserved[t.Text] || preprocess.Operator(t.Text) != ""
}

// isName reports whether the token at i can name a variable.
func (p *bodyParser) isName(i int) bool {
	t := p.expr.at(i)
	return tokenType(t) == typeIdent && !noName(t)
}

// innerDeclarator returns the index of the name in the `(&name)` at token i, or 0.
func (p *bodyParser) innerDeclarator(i int) int {
	last := p.expr.closer(i)
	for i++; p.expr.at(i).Is("*") || p.expr.at(i).Is("&") || tokenType(p.expr.at(i)) == typeQualifier; i++ {
	}
	if i+1 != last || !p.isName(i) || tokenType(p.expr.at(i-1)) == typePunct {
		return 0
	}
	if behind := p.expr.at(last + 1); behind.Is("[") || behind.Is("=") || p.parameters(last+1) {
		return i
	}
	return 0
}

// parameters reports whether the parentheses at token i are those of a function
// rather than a value: they hold nothing or begin with a type.
func (p *bodyParser) parameters(i int) bool {
	return p.expr.at(i).Is("(") && (p.expr.at(i+1).Is(")") || p.expr.typeEnd(i+1) > 0)
}

// declaration parses a declaration and its semicolon.
func (p *bodyParser) declaration(before []string) (Stmt, error) {
	s, err := p.declarators(before)
	if err != nil {
		return nil, err
	}
	return s, p.expr.expect(";")
}

// declarators parses a declaration up to its semicolon.
func (p *bodyParser) declarators(before []string) (*DeclStmt, error) {
	s := &DeclStmt{Before: before, Pos: p.expr.pos()}
	if err := p.alignment(s); err != nil {
		return nil, err
	}
	optional := false // there may be no variable
	if open := p.typeBody(p.expr.next); open > 0 {
		if err := p.defineType(s, open); err != nil {
			return nil, err
		}
		optional = true
	} else if err := p.variableType(s); err != nil {
		return nil, err
	} else if s.Type.Tag != "" && p.expr.is(";") {
		optional = true
		if n := len(s.Type.Path); n > 0 { // not enum int
			p.names.declare(localName{name: s.Type.Path[n-1], isType: true})
		}
	}
	for more := !optional || !p.expr.is(";"); more; {
		v, err := p.variable()
		if err != nil {
			return nil, err
		}
		s.Vars = append(s.Vars, v)
		more = p.expr.skip(",")
	}
	return s, nil
}

// alignment takes alignas(...) and the attributes between.
func (p *bodyParser) alignment(s *DeclStmt) error {
	for p.expr.is("alignas") {
		pos := p.expr.pos()
		p.expr.next++
		if !p.expr.is("(") {
			return p.expr.expect("(")
		}
		last := p.expr.closer(p.expr.next)
		p.expr.next++
		if p.expr.next == last {
			return p.expr.unexpected("a value")
		}
		s.Align = append(s.Align, &AlignAs{Pos: pos, Expr: p.tokensTo(last)})
		p.expr.next++
		more, err := p.attributes()
		if err != nil {
			return err
		}
		s.Before = append(s.Before, more...)
	}
	return nil
}

// tokensTo takes the tokens up to last, unparsed.
func (p *bodyParser) tokensTo(last int) *Tokens {
	t := &Tokens{Pos: p.expr.pos(), List: p.expr.tokens[p.expr.next:last:last]}
	p.expr.next = last
	return t
}

func (p *bodyParser) variableType(s *DeclStmt) error {
	end, _ := p.expr.typeSpec(p.expr.next)
	if end == 0 {
		p.expr.next = p.expr.skipWords(p.expr.skipWords(p.expr.next, typeQualifier), typeTag)
		if p.expr.peek().Kind == Ident {
			return p.expr.errorf("missing >: these template arguments are never closed")
		}
		return p.expr.unexpected("a type")
	}
	tokens := p.expr.tokens[p.expr.next:end]
	if slices.ContainsFunc(tokens, func(t Token) bool { return t.Is("__attribute__") }) {
		tokens = collapse(&p.expr.cursor, p.expr.next, end)
		if err := p.tree.parseAttributes(tokens); err != nil {
			return grammarError(err, p.expr.pos())
		}
		for _, t := range slices.DeleteFunc(slices.Clone(tokens), notAttribute) {
			s.Before = append(s.Before, t.Text)
		}
		tokens = slices.DeleteFunc(tokens, isAttribute)
	}
	name, err := ParseType(tokens)
	if err != nil {
		return err
	}
	s.Type = name.Type
	p.expr.next = end
	after, err := p.attributes()
	s.Before = append(s.Before, after...)
	return err
}

// variable parses a variable with its pointers, dimensions and initial value.
func (p *bodyParser) variable() (*LocalVar, error) {
	v, err := p.uninitialized()
	if err != nil {
		return nil, err
	}
	// It hides what it is named like in its own initial value already.
	p.names.declare(localName{name: v.Declarator.name()})
	switch {
	case p.expr.skip("="), p.expr.is("{"):
		v.Init, err = p.expr.initializer()
	case p.expr.is("("):
		v.Init, err = p.expr.list(")", p.argument)
	}
	return v, err
}

// uninitialized parses a variable without its initial value.
func (p *bodyParser) uninitialized() (v *LocalVar, err error) {
	v = &LocalVar{Pos: p.expr.pos(), Pointers: p.pointers()}
	if p.expr.is("[") && !p.expr.at(p.expr.next+1).Is("[") {
		v.Declarator = &Declarator{Pos: p.expr.pos()}
		return v, p.bindings(v)
	}
	v.Declarator, err = p.declarator()
	return v, err
}

// bindings parses the names in `auto [a, b] = pair`.
func (p *bodyParser) bindings(v *LocalVar) error {
	last := p.expr.closer(p.expr.next)
	for more := true; more; more = p.expr.next < last {
		p.expr.next++ // the bracket or a comma
		if !p.isName(p.expr.next) {
			return p.expr.unexpected("a name")
		}
		v.Bindings = append(v.Bindings, p.expr.peek().Text)
		p.names.declare(localName{name: p.expr.peek().Text})
		if p.expr.next++; p.expr.next < last && !p.expr.is(",") {
			return p.expr.expect(",")
		}
	}
	p.expr.next = last + 1
	return nil
}

// argument parses one value in the parentheses after a variable.
func (p *bodyParser) argument() (Expr, error) {
	p.expr.start = p.expr.next
	return p.expr.clause()
}

func (p *bodyParser) pointers() []*Pointer {
	var list []*Pointer
	for t := p.expr.peek(); tokenType(t) == typePointer; t = p.expr.peek() {
		end := p.expr.skipWords(p.expr.next+1, typeQualifier)
		ptr := &Pointer{Pos: t.Pos, Op: t.Text}
		if end > p.expr.next+1 {
			for _, q := range slices.DeleteFunc(collapse(&p.expr.cursor, p.expr.next+1, end), isAttribute) {
				ptr.Quals = append(ptr.Quals, q.Text)
			}
		}
		list = append(list, ptr)
		p.expr.next = end
	}
	return list
}

func (p *bodyParser) declarator() (*Declarator, error) {
	d := &Declarator{Pos: p.expr.pos()}
	switch {
	case p.isName(p.expr.next):
		d.Name = p.expr.peek().Text
		p.expr.next++
	case p.expr.is("(") && p.innerDeclarator(p.expr.next) > 0:
		d.Inner = &InnerDeclarator{Pos: p.expr.pos()}
		p.expr.next++
		d.Inner.Ptr = p.pointers()
		d.Inner.Name = p.expr.peek().Text
		if p.expr.next += 2; p.expr.is("(") {
			d.Params = &ParamList{Pos: p.expr.pos()}
			var err error
			if d.Params.Params, err = p.params(); err != nil {
				return nil, err
			}
		}
	default:
		return nil, p.expr.unexpected("a name")
	}
	for p.expr.is("[") && !p.expr.at(p.expr.next+1).Is("[") {
		dim := &Dim{Pos: p.expr.pos()}
		last := p.expr.closer(p.expr.next)
		if p.expr.next++; p.expr.next < last {
			dim.Size = p.tokensTo(last)
		}
		p.expr.next = last + 1
		d.Dims = append(d.Dims, dim)
	}
	var err error
	d.After, err = p.attributes()
	return d, err
}

// typeBody returns the index of the brace of the struct or enum that is defined
// at token i, or 0 where none is.
func (p *bodyParser) typeBody(i int) int {
	i = p.expr.skipWords(i, typeQualifier)
	if tokenType(p.expr.at(i)) != typeTag {
		return 0
	}
	names, bases := 0, false
	start := i
	defer func() { p.expr.steps += i - start }()
	for i++; ; i++ {
		t := p.expr.at(i)
		switch {
		case t.Is("{"):
			return i
		case t.Is("(") || t.Is("["):
			i = p.expr.closer(i)
		case t.Is(":"):
			bases = true
		case t.Is(";"), t.Is("}"), t.Is(")"), t.Is("]"), t.Kind == Punct && !bases:
			return 0
		case t.Kind == Ident && tokenType(t) == typeIdent && !t.Is("final") && !t.Is("alignas") && !bases:
			// struct P p{1} defines nothing
			if names++; names > 1 {
				return 0
			}
		}
	}
}

// defineType parses the struct or enum whose brace is at token open.
func (p *bodyParser) defineType(s *DeclStmt, open int) error {
	span := &declSpan{Kind: declStruct, From: p.expr.next, To: p.expr.closer(open) + 1, Open: open,
		Close: p.expr.closer(open)}
	if p.expr.tokens[p.expr.skipWords(p.expr.next, typeQualifier)].Is("enum") {
		span.Kind = declEnum
	}
	c, err := p.collapse(span)
	if err != nil {
		return err
	}
	if span.Kind == declEnum {
		var st *enumStatement
		if st, err = parse(enumParser, c.out); err == nil {
			s.Enum = st.Enum
			p.declareEnum(st.Enum)
		}
	} else {
		var st *structStatement
		if st, err = parse(structParser, c.out); err == nil {
			s.Struct = st.Struct
			p.declareStruct(st.Struct)
			err = p.tree.members(st.Struct, c, p.base)
		}
	}
	if err != nil {
		// What uses the type later on is right all the same.
		p.names.declare(localName{name: typeNameIn(p.expr.tokens[span.From:span.To]), isType: true})
		return grammarError(err, p.expr.at(span.From).Pos)
	}
	p.expr.next = span.To
	after, err := p.attributes()
	s.Before = append(s.Before, after...)
	return err
}

func (p *bodyParser) declareStruct(s *Struct) {
	p.names.declare(localName{name: s.Name, isType: true, structure: s})
}

func (p *bodyParser) declareEnum(e *Enum) {
	p.names.declare(localName{name: e.Name, isType: true})
	if e.Class == "" {
		for _, v := range e.Values {
			p.names.declare(localName{name: v.Name})
		}
	}
}

// collapse returns the tokens of a declaration as the grammar reads them.
func (p *bodyParser) collapse(span *declSpan) (*collapser, error) {
	span.Head = span.From
	c := collapseDecl(&p.expr.cursor, span)
	if err := p.tree.parseAttributes(c.out); err != nil {
		return nil, grammarError(err, p.expr.at(span.From).Pos)
	}
	return c, nil
}

// wholeStatement delimits the typedef or using that is next.
func (p *bodyParser) wholeStatement(kind declKind) (*declSpan, error) {
	span := &declSpan{Kind: kind, From: p.expr.next, Open: -1, Close: -1}
	i := p.expr.next
	defer func() { p.expr.steps += i - span.From }()
	for ; !p.expr.at(i).Is(";"); i++ {
		if p.expr.at(i).Is("}") {
			p.expr.next = i
			return nil, p.expr.expect(";")
		}
		if closer := p.expr.closer(i); closer > 0 {
			if p.expr.at(i).Is("{") && span.Open < 0 {
				span.Open, span.Close = i, closer
			}
			i = closer
		}
	}
	span.To = i + 1
	return span, nil
}

func (p *bodyParser) typedefStmt(t *Token) (Stmt, error) {
	span, err := p.wholeStatement(declTypedef)
	if err != nil {
		return nil, err
	}
	c, err := p.collapse(span)
	if err != nil {
		return nil, err
	}
	st, err := parse(typedefParser, c.out)
	if err != nil {
		return nil, grammarError(err, t.Pos)
	}
	d := st.Typedef
	vars := d.Vars
	var structure *Struct
	switch {
	case d.Struct != nil:
		structure, vars = d.Struct, d.Struct.Vars
		p.declareStruct(d.Struct)
		if err := p.tree.members(d.Struct, c, p.base); err != nil {
			return nil, err
		}
	case d.Enum != nil:
		vars = d.Enum.Vars
		p.declareEnum(d.Enum)
	}
	for _, v := range vars {
		p.names.declare(localName{name: v.Declarator.name(), isType: true, structure: structure})
	}
	p.expr.next = span.To
	return &DeclStmt{Typedef: d, Pos: t.Pos}, nil
}

// usingStmt parses an alias, a using-declaration or using namespace.
func (p *bodyParser) usingStmt(t *Token) (Stmt, error) {
	span, err := p.wholeStatement(declUsing)
	if err != nil {
		return nil, err
	}
	if p.expr.at(p.expr.next + 1).Is("namespace") {
		u := &Using{Pos: t.Pos}
		for _, name := range p.expr.tokens[p.expr.next+2 : span.To] {
			if name.Kind == Ident {
				u.Namespace = append(u.Namespace, name.Text)
			}
		}
		p.expr.next = span.To
		return &DeclStmt{Using: u, Pos: t.Pos}, nil
	}
	c, err := p.collapse(span)
	if err != nil {
		return nil, err
	}
	st, err := parse(usingParser, c.out)
	if err != nil {
		return nil, grammarError(err, t.Pos)
	}
	u := st.Using
	if u.Struct != nil {
		if err := p.tree.members(u.Struct, c, p.base); err != nil {
			return nil, err
		}
		p.names.declare(localName{name: u.Name, isType: true, structure: u.Struct})
	} else if u.Type != nil {
		p.names.declare(localName{name: u.Name, isType: true})
	} else if path := slices.Concat([]string{u.Name}, u.Rest); p.expr.isType(path) {
		p.names.declare(localName{name: path[len(path)-1], isType: true})
	}
	p.expr.next = span.To
	return &DeclStmt{Using: u, Pos: t.Pos}, nil
}
