package parser

// Template is the head of a template and the name of what it is a template of.
// What is after the head is parsed on demand, by [Tree.Templated], but for
// kernels.
type Template struct {
	Pos Pos
	// Params are the parameters. There are none in `template <>`, which makes
	// a specialisation for the arguments Args.
	Params []*TemplateParam
	// Inner is a second head, that of a member that is defined outside of its
	// class template: `template <typename T> template <int N> void S<T>::f()`.
	Inner *Template

	Kind TemplateKind
	Name string // "" where nothing has one, as in a friend declaration
	// Args are the arguments after the name of a specialisation, be it
	// explicit or partial: `struct S<device T*>`, `f<half>`.
	Args *TemplateArgs
	// Scope is what the name is qualified with, where it is that of a member
	// defined outside of its class: the `S<T>` of `S<T>::f`.
	Scope *Tokens
}

// TemplateKind is what a template is a template of.
type TemplateKind uint8

// The kinds of templates. Of a struct that is only declared, `struct S;`, Templated
// returns no Struct. OtherTemplate is a friend that is only named, and the like.
const (
	OtherTemplate TemplateKind = iota
	FunctionTemplate
	StructTemplate
	AliasTemplate
	VariableTemplate
)

// TemplateParam is one parameter of a template.
type TemplateParam struct {
	Pos  Pos
	Name string // "" where it has none
	Pack bool
	// Value is set for the parameter `int N`, and Template for that of
	// `template <typename> class C`. Otherwise the parameter is a type.
	Value    *Param
	Template []*TemplateParam
	Default  *Tokens
}

// IsType reports whether the parameter stands for a type or a class template.
func (p *TemplateParam) IsType() bool { return p.Value == nil }

// headReader reads the heads of templates, and explicit instantiations.
type headReader struct {
	cursor
	tree *Tree
}

// templateHead parses the heads of the template s, and notes what is after them.
func (t *Tree) templateHead(c *cursor, s *declSpan) (*Template, error) {
	r := &headReader{cursor: *c, tree: t}
	r.next = s.From
	head, err := r.heads(s.To, 0)
	if err != nil {
		return nil, err
	}
	head.describe(c.tokens, s)
	return head, nil
}

// heads parses the heads that begin with the `template` that is next.
func (r *headReader) heads(end, depth int) (*Template, error) {
	head := &Template{Pos: r.pos()}
	if depth > maxDepth {
		return nil, r.errorf("too many template heads")
	}
	r.next++
	var err error
	if head.Params, err = r.paramList(end, 0); err != nil {
		return nil, err
	}
	if r.next < end && r.is("template") && r.at(r.next+1).Is("<") {
		head.Inner, err = r.heads(end, depth+1)
	}
	return head, err
}

// describe notes what is after the head.
func (h *Template) describe(tokens []Token, s *declSpan) {
	end := s.To
	switch s.Kind {
	case declFunction:
		h.Kind, h.Name = FunctionTemplate, functionName(tokens, s)
		end = s.Paren
	case declStruct:
		h.Kind, end = StructTemplate, s.Open
	case declUsing:
		h.Kind = AliasTemplate
	case declVariable:
		h.Kind = VariableTemplate
	case declOther:
		if end > s.Head && tokens[end-1].Is(";") {
			end--
		}
		if heads[tokens[s.Head].Text] == declStruct && tokens[s.Head].Kind == Ident {
			h.Kind = StructTemplate // struct S;
		}
	}
	if s.Kind != declFunction {
		end = nameEnd(tokens, s.Head, end)
	}
	for end > s.Head && tokens[end-1].Is("final") {
		end--
	}
	name, angle := nameBefore(tokens, s.Head, end)
	if name < 0 {
		return
	}
	if h.Name == "" {
		h.Name = tokens[angle-1].Text
	}
	if angle < end {
		h.Args = newTemplateArgs(tokens[angle:end])
	}
	if s.Kind == declFunction {
		h.Scope = functionScope(tokens, s)
		return
	}
	scope, _ := scopeBefore(tokens, s.Head, name, angle)
	h.Scope = tokensOrNil(scope)
}

// Templated returns the declaration after the head of a template, as Parse does
// for what is no template: its Function, Struct, Using or Variable. It parses
// anew with each call; d stays as it is.
func (t *Tree) Templated(d *Decl) (*Decl, error) {
	whole := *d
	if d.Template == nil || d.Function != nil {
		return &whole, nil
	}
	if d.Template.Kind == FunctionTemplate {
		f, err := t.ParseFunction(d)
		whole.Function = f
		return &whole, err
	}
	c, s, err := t.delimit(d)
	if err != nil {
		return nil, err
	}
	if s.Kind == declOther {
		return &whole, nil
	}
	if err := t.parseWhole(&whole, c, s); err != nil {
		return nil, grammarError(err, d.Pos)
	}
	return &whole, nil
}

// paramList parses the parameters from the < that is next to its >.
func (r *headReader) paramList(end, depth int) ([]*TemplateParam, error) {
	last := r.closeAngle(r.next, end)
	if last < 0 {
		return nil, r.errorf("missing >: these template parameters are never closed")
	}
	r.next++
	if depth > maxDepth {
		return nil, r.errorf("template parameters nest too deep")
	}
	var params []*TemplateParam
	for r.next < last {
		p, err := r.param(last, depth)
		if err != nil {
			return nil, err
		}
		params = append(params, p)
		if r.next == last {
			break
		}
		if r.next++; r.next == last {
			return nil, r.unexpected("a template parameter") // after a comma
		}
	}
	r.next = last + 1
	return params, nil
}

// param parses one parameter with its default value, in tokens that a > or >> at
// index last closes.
func (r *headReader) param(last, depth int) (*TemplateParam, error) {
	end, value := r.paramEnd(last)
	p, err := r.paramBefore(value, depth)
	if err != nil {
		return nil, err
	}
	r.next = end
	if value == end {
		return p, nil
	}
	list := r.tokens[value+1 : end : end]
	if len(list) == 0 {
		return nil, r.unexpected("a value")
	}
	if end == last && r.is(">>") {
		// its first half closes what is open in the value
		list = append(list, Token{Kind: Punct, Text: ">", Pos: r.pos()})
	}
	p.Default = tokensOrNil(list)
	return p, nil
}

// paramEnd returns the index of the comma or > after the parameter that is next,
// and of the = before its default value, which may be the same.
func (r *headReader) paramEnd(last int) (end, value int) {
	var a angles
	value = -1
	for end = r.next; end < last; end++ {
		t := &r.tokens[end]
		if a.take(t); !a.outside() {
			continue
		}
		if t.Is(",") {
			break
		}
		if t.Is("=") && value < 0 {
			value = end
		}
	}
	if value < 0 {
		value = end
	}
	return end, value
}

// paramBefore parses the parameter before token end, without its default value.
func (r *headReader) paramBefore(end, depth int) (*TemplateParam, error) {
	p := &TemplateParam{Pos: r.pos()}
	if r.is("template") && r.at(r.next+1).Is("<") {
		r.next++
		var err error
		if p.Template, err = r.paramList(end, depth+1); err != nil {
			return nil, err
		}
		if r.next == end || !r.is("class") && !r.is("typename") {
			return nil, r.unexpected("class")
		}
	}
	tokens := r.tokens[r.next:end]
	if p.typeParam(tokens) {
		return p, nil
	}
	if p.Value = plainParam(tokens); p.Value == nil {
		collapsed := collapseParam(&r.cursor, r.next, end)
		if len(collapsed) == 0 || p.Template != nil {
			return nil, r.unexpected("a template parameter")
		}
		var err error
		if p.Value, err = parse(paramParser, collapsed); err != nil {
			return nil, grammarError(err, r.pos())
		}
	}
	p.Pack = p.Value.Pack
	p.Name = p.Value.Declarator.name()
	return p, nil
}

// typeParam reads `typename T`, `class... Ts` and the like, and reports whether
// that is what tokens are: `typename S<T>::type N` is a value.
func (p *TemplateParam) typeParam(tokens []Token) bool {
	c := cursor{tokens: tokens}
	if !c.skip("typename") && !c.skip("class") {
		return false
	}
	pack := c.skip("...")
	name := ""
	if t := c.peek(); t.Kind == Ident {
		name = t.Text
		c.next++
	}
	if c.next < len(tokens) {
		return false
	}
	p.Name, p.Pack = name, pack
	return true
}

// plainParam reads `const int N` and `bool`, which most values are, without the
// grammar; it returns nil for anything else.
func plainParam(tokens []Token) *Param {
	if len(tokens) == 0 || tokens[0].Kind != Ident {
		return nil
	}
	c := cursor{tokens: tokens}
	typ := &Type{Pos: c.pos()}
	typ.Pre = c.words(typeQualifier)
	if c.next == len(tokens) {
		return nil
	}
	typ.At.Pos = c.pos()
	if typ.Words = c.words(typeIntWord); typ.Words == nil {
		if tokenType(c.peek()) != typeIdent {
			return nil
		}
		typ.Path = Path{c.peek().Text}
		c.next++
	}
	p := &Param{Pos: typ.Pos, Type: typ, EndPos: tokens[len(tokens)-1].Pos}
	if tokenType(c.peek()) == typeIdent {
		p.Declarator = &Declarator{Pos: c.pos(), Name: c.peek().Text}
		c.next++
	}
	if c.next < len(tokens) {
		return nil
	}
	return p
}
