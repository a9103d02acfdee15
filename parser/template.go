package parser

import (
	"github.com/alecthomas/participle/v2/lexer"
)

// Template is the head of a template and the name of what it is a template of.
// What is behind the head is parsed on demand, by [Tree.Templated], but for
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
	// Args are the arguments behind the name of a specialisation, be it
	// explicit or partial: `struct S<device T*>`, `f<half>`.
	Args *TemplateArgs
	// Scope is what the name is qualified with, where it is that of a member
	// defined outside of its class: the `S<T>` of `S<T>::f`.
	Scope *Tokens
}

// TemplateKind says what a template makes.
type TemplateKind uint8

// The kinds of templates. Of a struct that is only declared, `struct S;`, Templated
// gives no Struct. OtherTemplate is a friend that is only named, and the like.
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

// closeArgs gives the index of the token that closes the < at token i, or -1.
// A < behind a name opens arguments within, others compare, as in
// `sizeof(T) < 8`.
func closeArgs(tokens []Token, match []int32, i int) int {
	open := 1
	for i++; i < len(tokens); i++ {
		t := &tokens[i]
		if t.Kind != Punct {
			continue
		}
		switch t.Text {
		case "(", "[", "{":
			last := int(match[i])
			if last < 0 {
				return -1
			}
			i = last
		case ")", "]", "}", ";":
			return -1
		case "<":
			if tokens[i-1].Kind == Ident {
				open++
			}
		case ">", ">>":
			if open -= len(t.Text); open <= 0 {
				return i
			}
		}
	}
	return -1
}

// templateHead parses the heads at token i, which is `template`, and gives the
// index behind them.
func (t *Tree) templateHead(tokens []Token, match []int32, i, end, depth int) (*Template, int, error) {
	open := i + 1
	if depth > maxDepth {
		return nil, end, &Error{Pos: tokens[i].Pos, Msg: "too many template heads"}
	}
	last := closeArgs(tokens[:end], match, open)
	if last < 0 {
		return nil, end, &Error{Pos: tokens[open].Pos, Msg: "missing >: these template parameters are never closed"}
	}
	head := &Template{Pos: tokens[i].Pos}
	var err error
	if head.Params, err = t.templateParams(tokens, match, open+1, last, 0); err != nil {
		return nil, end, err
	}
	i = last + 1
	if i+1 < end && tokens[i].Is("template") && tokens[i+1].Is("<") {
		head.Inner, i, err = t.templateHead(tokens, match, i, end, depth+1)
	}
	return head, i, err
}

// describe says what is behind the head.
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
		h.Args = argsBetween(tokens[angle:end])
	}
	if s.Kind == declFunction {
		h.Scope = functionScope(tokens, s)
	} else if from, to := scopeBefore(tokens, s.Head, name, angle); from < to {
		h.Scope = &Tokens{Pos: tokens[from].Pos, List: tokens[from:to:to]}
	}
}

// functionScope is what the name of a function is qualified with, or nil.
func functionScope(tokens []Token, s *declSpan) *Tokens {
	name, angle := nameBefore(tokens, s.Head, s.Paren)
	for i := s.Paren - 1; i >= s.Head && i >= s.Paren-maxOperator; i-- {
		if tokens[i].Is("operator") {
			name, angle = i, i+1
			break
		}
	}
	if name < 0 {
		return nil
	}
	if tokens[name].Is("operator") || name > s.Head && tokens[name-1].Is("~") {
		if !tokens[name].Is("operator") {
			name--
		}
		if name-1 <= s.Head || !tokens[name-1].Is("::") {
			return nil
		}
		from, _ := nameBefore(tokens, s.Head, name-1)
		if from < 0 {
			return nil
		}
		return &Tokens{Pos: tokens[from].Pos, List: tokens[from : name-1 : name-1]}
	}
	if from, to := scopeBefore(tokens, s.Head, name, angle); from < to {
		return &Tokens{Pos: tokens[from].Pos, List: tokens[from:to:to]}
	}
	return nil
}

// nameEnd gives the index before end at which the name of a struct, variable or
// alias ends: that of its bases, value, dimensions or brace.
func nameEnd(tokens []Token, from, end int) int {
	depth, angles := 0, 0
	for i := from; i < end; i++ {
		switch t := &tokens[i]; {
		case t.Kind != Punct:
		case t.Text == "<" && i > from && tokens[i-1].Kind == Ident:
			angles++
		case t.Text == ">" || t.Text == ">>":
			angles -= len(t.Text)
		case t.Text == "[" && depth == 0 && angles <= 0 && i > from && !tokens[i+1].Is("[") && tokens[i-1].Kind == Ident:
			return i
		case t.Text == "(", t.Text == "[":
			depth++
		case t.Text == ")", t.Text == "]":
			depth--
		case t.Text == "=", t.Text == ";", t.Text == "{", t.Text == ":":
			return i
		}
	}
	return end
}

// scopeBefore gives the tokens [from, to) that qualify the name which nameBefore
// has found: `a::b` or `S<T>`.
func scopeBefore(tokens []Token, head, name, angle int) (from, to int) {
	if k := angle - 2; k > name && tokens[k].Is("::") {
		return name, k
	}
	if name-1 > head && tokens[name-1].Is("::") {
		if from, _ := nameBefore(tokens, head, name-1); from >= 0 {
			return from, name - 1
		}
	}
	return 0, 0
}

// functionName is the name in front of the parameters of a function without
// its scope, or "".
func functionName(tokens []Token, s *declSpan) string {
	for i := s.Paren - 1; i >= s.Head && i >= s.Paren-maxOperator; i-- {
		if tokens[i].Is("operator") {
			return join(tokens[i:s.Paren])
		}
	}
	name, angle := nameBefore(tokens, s.Head, s.Paren)
	switch {
	case name < 0:
		return ""
	case name > s.Head && tokens[name-1].Is("~"):
		return "~" + tokens[angle-1].Text
	}
	return tokens[angle-1].Text
}

// maxOperator bounds how many tokens the name of a conversion has.
const maxOperator = 64

// Templated gives the declaration behind the head of a template, as Parse does
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
	tokens, match, s, err := t.delimit(d)
	if err != nil {
		return nil, err
	}
	if s.Kind == declOther {
		return &whole, nil
	}
	if err := t.parseWhole(&whole, s, tokens, match); err != nil {
		return nil, grammarError(err, d.Pos)
	}
	return &whole, nil
}

// delimit gives the tokens of a declaration, their brackets, and what the
// splitter makes of them.
func (t *Tree) delimit(d *Decl) ([]Token, []int32, *declSpan, error) {
	tokens := t.Tokens[d.From:d.To]
	var errs ErrorList
	match, ok := matchBrackets(tokens, &errs)
	if !ok || len(errs) > 0 {
		return nil, nil, nil, errs
	}
	s := &splitter{tokens: tokens, match: match, errs: &errs}
	s.declaration(0, len(tokens), nil)
	if len(s.spans) == 0 {
		return nil, nil, nil, errs
	}
	return tokens, match, &s.spans[0], nil
}

// templateParams parses the parameters in tokens [from, to), which a > closes.
func (t *Tree) templateParams(tokens []Token, match []int32, from, to, depth int) ([]*TemplateParam, error) {
	if depth > maxDepth {
		return nil, &Error{Pos: tokens[from].Pos, Msg: "template parameters nest too deep"}
	}
	var params []*TemplateParam
	for from < to {
		end, value := templateParamEnd(tokens, match, from, to)
		p, err := t.templateParam(tokens, match, from, value, depth)
		if err != nil {
			return nil, err
		}
		if value < end {
			if value+1 == end {
				return nil, &Error{Pos: tokens[end].Pos, Msg: "unexpected " + quoteToken(&tokens[end]) + ": expected a value"}
			}
			p.Default = &Tokens{Pos: tokens[value+1].Pos, List: tokens[value+1 : end : end]}
			if end == to && to < len(tokens) && tokens[to].Is(">>") {
				// its first half closes what is open in the value
				p.Default.List = append(p.Default.List, Token{Kind: Punct, Text: ">", Pos: tokens[to].Pos})
			}
		}
		params = append(params, p)
		if from = end + 1; from == to {
			return nil, &Error{Pos: tokens[to].Pos, Msg: "unexpected " + quoteToken(&tokens[to]) + ": expected a template parameter"}
		}
	}
	return params, nil
}

// templateParamEnd gives the index of the comma or > behind the parameter at
// token i, and of the = before its default value, which may be the same.
func templateParamEnd(tokens []Token, match []int32, i, to int) (end, value int) {
	value = -1
	open := 0
	for end = i; end < to; end++ {
		t := &tokens[end]
		if t.Kind != Punct {
			continue
		}
		switch t.Text {
		case "(", "[", "{":
			end = max(end, int(match[end]))
		case "<":
			if tokens[end-1].Kind == Ident {
				open++
			}
		case ">", ">>":
			open -= len(t.Text)
		case "=":
			if open == 0 && value < 0 {
				value = end
			}
		}
		if t.Text == "," && open == 0 {
			break
		}
	}
	if value < 0 {
		value = end
	}
	return end, value
}

// templateParam parses one parameter without its default value.
func (t *Tree) templateParam(tokens []Token, match []int32, i, end, depth int) (*TemplateParam, error) {
	p := &TemplateParam{Pos: tokens[i].Pos}
	if i+1 < end && tokens[i].Is("template") && tokens[i+1].Is("<") {
		last := closeArgs(tokens[:end], match, i+1)
		if last < 0 {
			return nil, &Error{Pos: tokens[i+1].Pos, Msg: "missing >: these template parameters are never closed"}
		}
		var err error
		if p.Template, err = t.templateParams(tokens, match, i+2, last, depth+1); err != nil {
			return nil, err
		}
		if i = last + 1; i == end || !tokens[i].Is("class") && !tokens[i].Is("typename") {
			return nil, &Error{Pos: tokens[i].Pos, Msg: "unexpected " + quoteToken(&tokens[i]) + ": expected class"}
		}
		if p.typeParam(tokens[i:end]) {
			return p, nil
		}
	}
	if p.Template == nil && p.typeParam(tokens[i:end]) {
		return p, nil
	}
	if p.Value = plainParam(tokens[i:end]); p.Value == nil {
		folded := foldTokens(tokens, match, i, end)
		if len(folded) == 0 || p.Template != nil {
			return nil, &Error{Pos: tokens[i].Pos, Msg: "unexpected " + quoteToken(&tokens[i]) + ": expected a template parameter"}
		}
		lex, err := lexer.Upgrade(newTokenLexer(folded))
		if err != nil {
			return nil, err
		}
		if p.Value, err = paramParser().ParseFromLexer(lex); err != nil {
			return nil, grammarError(err, tokens[i].Pos)
		}
	}
	p.Pack = p.Value.Pack
	p.Name = p.Value.Declarator.name()
	return p, nil
}

// typeParam reads `typename T`, `class... Ts` and the like, and reports whether
// that is what tokens are: `typename S<T>::type N` is a value.
func (p *TemplateParam) typeParam(tokens []Token) bool {
	if len(tokens) == 0 || !tokens[0].Is("typename") && !tokens[0].Is("class") {
		return false
	}
	rest := tokens[1:]
	pack := len(rest) > 0 && rest[0].Is("...")
	if pack {
		rest = rest[1:]
	}
	switch {
	case len(rest) > 1 || len(rest) == 1 && rest[0].Kind != Ident:
		return false
	case len(rest) == 1:
		p.Name = rest[0].Text
	}
	p.Pack = pack
	return true
}

// plainParam reads `const int N` and `bool`, which most values are, without the
// grammar; nil for anything else.
func plainParam(tokens []Token) *Param {
	if len(tokens) == 0 || tokens[0].Kind != Ident {
		return nil
	}
	typ := &Type{Pos: tokens[0].Pos}
	i := 0
	take := func(class lexer.TokenType) (words []string) {
		for i < len(tokens) && tokenType(&tokens[i]) == class {
			words = append(words, tokens[i].Text)
			i++
		}
		return words
	}
	typ.Pre = take(typeQualifier)
	if i == len(tokens) {
		return nil
	}
	typ.At.Pos = tokens[i].Pos
	if typ.Words = take(typeIntWord); typ.Words == nil {
		if tokenType(&tokens[i]) != typeIdent {
			return nil
		}
		typ.Path = []string{tokens[i].Text}
		i++
	}
	p := &Param{Pos: typ.Pos, Type: typ, EndPos: tokens[len(tokens)-1].Pos}
	if i < len(tokens) && tokenType(&tokens[i]) == typeIdent {
		p.Declarator = &Declarator{Pos: tokens[i].Pos, Name: tokens[i].Text}
		i++
	}
	if i < len(tokens) {
		return nil
	}
	return p
}
