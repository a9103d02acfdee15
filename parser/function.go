package parser

import (
	"slices"

	"github.com/alecthomas/participle/v2/lexer"
)

// ParseFunction gives the head of a function, template or not, of a method, or
// of an explicit instantiation with parameters: what Decl.Function holds for a
// kernel, and for others what is parsed now. The Decl stays as it is.
func (t *Tree) ParseFunction(d *Decl) (*Function, error) {
	if d.Function != nil {
		return d.Function, nil
	}
	tokens, match, s, err := t.delimit(d)
	if err != nil {
		return nil, err
	}
	if s.Paren < 0 || s.Open >= 0 && s.Open < s.Paren {
		return nil, &Error{Pos: d.Pos, Msg: "this is no function"}
	}
	h := functionHead{tokens: tokens, match: match, span: s, member: d.Member}
	folded, err := h.fold()
	if err != nil {
		return nil, err
	}
	if err := t.parseAttributes(folded); err != nil {
		return nil, grammarError(err, d.Pos)
	}
	lex, err := lexer.Upgrade(newTokenLexer(folded))
	if err != nil {
		return nil, err
	}
	f, err := functionParser().ParseFromLexer(lex)
	if err != nil {
		return nil, grammarError(err, d.Pos)
	}
	f.Scope = h.scope
	if h.noResult {
		f.Result.Path = nil
	}
	return f, nil
}

// functionHead puts the head of a function as the grammar wants it, which sees
// a result and a name of one token.
type functionHead struct {
	tokens   []Token
	match    []int32
	span     *declSpan
	member   bool
	scope    *Type
	scopeAt  int // index of its first token
	noResult bool
}

func (h *functionHead) fold() ([]Token, error) {
	s := h.span
	name, angle := h.name()
	if name < 0 {
		at := &h.tokens[s.Paren]
		return nil, &Error{Pos: at.Pos, Msg: "unexpected " + quoteToken(at) + ": expected a name"}
	}
	end := name
	if h.scope != nil {
		end = h.scopeAt
	}
	before := dropMacroWords(attributesFirst(foldTokens(h.tokens, h.match, s.Head, end)))
	if h.noResult = h.lacksResult(before, name); h.noResult {
		before = append(before, Token{Kind: Ident, Text: "void", Pos: h.tokens[name].Pos})
	}
	var spelled []Token
	last := &h.tokens[angle-1]
	switch {
	case h.tokens[name].Is("operator"), h.tokens[name].Is("~"):
		spelled = []Token{{Kind: Ident, Text: join(h.tokens[name:angle]), Pos: h.tokens[name].Pos}}
	case h.scope != nil:
		spelled = []Token{*last}
		if k := angle - 2; h.tokens[k].Is("~") {
			spelled[0].Text, spelled[0].Pos = "~"+last.Text, h.tokens[k].Pos
		}
	default:
		spelled = slices.DeleteFunc(slices.Clone(h.tokens[name:angle]), func(t Token) bool { return t.Is("template") })
	}
	rest := &declSpan{Kind: declFunction, Head: angle, To: s.To, Open: s.Open, Close: s.Close}
	return slices.Concat(before, spelled, foldDecl(h.tokens, h.match, rest).out), nil
}

// name finds the name of the function: where it begins, and where the template
// arguments behind it do. A scope with template arguments is taken off.
func (h *functionHead) name() (name, angle int) {
	s := h.span
	for i := s.Paren - 1; i >= s.Head && i >= s.Paren-maxOperator; i-- {
		if h.tokens[i].Is("operator") {
			return h.unscoped(i), s.Paren
		}
	}
	name, angle = nameBefore(h.tokens, s.Head, s.Paren)
	if name < 0 {
		return name, angle
	}
	if name > s.Head && h.tokens[name-1].Is("~") {
		name--
	}
	return h.unscoped(name), angle
}

// unscoped takes the `S<T>::` off that stands before the name at token i.
func (h *functionHead) unscoped(i int) int {
	if i-1 < h.span.Head || !h.tokens[i-1].Is("::") {
		return i
	}
	from, angle := nameBefore(h.tokens, h.span.Head, i-1)
	if from < 0 {
		return i
	}
	typ, err := ParseType(h.tokens[from : i-1])
	if err != nil || angle == i-1 && !h.tokens[i].Is("~") && !h.tokens[i].Is("operator") {
		return i
	}
	h.scope, h.scopeAt = typ.Type, from
	return i
}

// lacksResult reports whether nothing before the name is a type, where nothing
// needs to be.
func (h *functionHead) lacksResult(before []Token, name int) bool {
	if !h.member && h.scope == nil && !h.tokens[name].Is("operator") && !h.tokens[min(name+1, len(h.tokens)-1)].Is("::") {
		return false
	}
	return !slices.ContainsFunc(before, func(t Token) bool { return t.Kind != Attributes && tokenType(&t) != typeQualifier })
}

// attributesFirst puts the attributes before a function's name where the
// grammar wants them, whatever they stood between.
func attributesFirst(head []Token) []Token {
	isAttribute := func(t Token) bool { return t.Kind == Attributes }
	first := slices.DeleteFunc(slices.Clone(head), func(t Token) bool { return !isAttribute(t) })
	return append(first, slices.DeleteFunc(head, isAttribute)...)
}

// dropMacroWords leaves out the macros of Metal's own headers, which are not
// read: METAL_FUNC and its like stand before a type and look like one.
func dropMacroWords(before []Token) []Token {
	passed := func(i int) bool {
		return before[i].Kind == Attributes || before[i].Kind == Ident && wordTypes[before[i].Text] == typeQualifier
	}
	for i := 0; i < len(before); {
		if passed(i) {
			i++
			continue
		}
		if before[i].Is("METAL_FUNC") {
			before = slices.Delete(before, i, i+1)
			continue
		}
		next := i + 1
		for next < len(before) && passed(next) {
			next++
		}
		// `float const f` has one word before its name, `METAL_FUNC const float f` two.
		if next >= len(before) || tokenType(&before[i]) != typeIdent || before[next].Kind != Ident {
			break
		}
		before = slices.Delete(before, i, i+1)
	}
	return before
}
