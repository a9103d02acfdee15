package parser

import "slices"

// ParseFunction returns the head of a function, template or not, of a method, or
// of an explicit instantiation with parameters: what Decl.Function holds for a
// kernel, and for others what is parsed now. The Decl stays as it is.
func (t *Tree) ParseFunction(d *Decl) (*Function, error) {
	if d.Function != nil {
		return d.Function, nil
	}
	c, s, err := t.delimit(d)
	if err != nil {
		return nil, err
	}
	if s.Paren < 0 || s.Open >= 0 && s.Open < s.Paren {
		return nil, &Error{Pos: d.Pos, Msg: "this is no function"}
	}
	h := functionHead{cursor: *c, span: s, member: d.Member}
	tokens, err := h.rewrite()
	if err != nil {
		return nil, err
	}
	if err := t.parseAttributes(tokens); err != nil {
		return nil, grammarError(err, d.Pos)
	}
	f, err := parse(functionParser, tokens)
	if err != nil {
		return nil, grammarError(err, d.Pos)
	}
	f.Scope = h.scope
	if h.noResult {
		f.Result.Path = nil
	}
	return f, nil
}

// functionHead rewrites the head of a function for the grammar, which sees a
// result and a name of one token.
type functionHead struct {
	cursor
	span     *declSpan
	member   bool
	scope    *Type
	noResult bool
}

func (h *functionHead) rewrite() ([]Token, error) {
	s := h.span
	name, angle := functionNameAt(h.tokens, s)
	if name < 0 {
		h.next = s.Paren
		return nil, h.unexpected("a name")
	}
	first := h.unscoped(name)
	before := slices.DeleteFunc(collapse(&h.cursor, s.Head, first), func(t Token) bool { return t.Is("METAL_FUNC") })
	before = dropMacroWords(attributesFirst(before))
	if h.noResult = h.lacksResult(before, name); h.noResult {
		before = append(before, Token{Kind: Ident, Text: "void", Pos: h.tokens[name].Pos})
	}
	spelled := slices.Clone(h.tokens[name:angle])
	if spelled[0].Is("::") {
		spelled = spelled[1:] // the grammar's names are those of a namespace around it
	}
	switch {
	case spelled[0].Is("operator"), spelled[0].Is("~"):
		spelled = []Token{{Kind: Ident, Text: join(spelled), Pos: spelled[0].Pos}}
	case h.scope != nil:
		spelled = spelled[len(spelled)-1:]
	default:
		spelled = slices.DeleteFunc(spelled, func(t Token) bool { return t.Is("template") })
	}
	rest := &declSpan{Kind: declFunction, Head: angle, To: s.To, Open: s.Open, Close: s.Close}
	return slices.Concat(before, spelled, collapseDecl(&h.cursor, rest).out), nil
}

// unscoped takes the `S<T>::` off that stands before the name at token i, and
// returns the index at which it begins, or i.
func (h *functionHead) unscoped(i int) int {
	end := i - 1
	if end < h.span.Head || !h.tokens[end].Is("::") {
		return i
	}
	from, angle := nameBefore(h.tokens, h.span.Head, end)
	if from < 0 {
		return i
	}
	typ, err := ParseType(h.tokens[from:end])
	if err != nil || angle == end && !h.tokens[i].Is("~") && !h.tokens[i].Is("operator") {
		return i
	}
	h.scope = typ.Type
	return from
}

// lacksResult reports whether nothing before the name is a type, where nothing
// needs to be.
func (h *functionHead) lacksResult(before []Token, name int) bool {
	if !h.member && h.scope == nil && !h.tokens[name].Is("operator") && !h.at(name+1).Is("::") {
		return false
	}
	isType := func(t Token) bool { return t.Kind != kindAttributes && tokenType(&t) != typeQualifier }
	return !slices.ContainsFunc(before, isType)
}

// attributesFirst puts the attributes before a function's name where the
// grammar wants them, whatever they stood between.
func attributesFirst(head []Token) []Token {
	first := slices.DeleteFunc(slices.Clone(head), notAttribute)
	return append(first, slices.DeleteFunc(head, isAttribute)...)
}

// dropMacroWords leaves out the macros of Metal's own headers, which are not
// read: METAL_FUNC and its like stand before a type and look like one.
func dropMacroWords(before []Token) []Token {
	passed := func(i int) bool {
		return before[i].Kind == kindAttributes || before[i].Kind == Ident && wordTypes[before[i].Text] == typeQualifier
	}
	kept := before[:0]
	for i := range before {
		if passed(i) {
			kept = append(kept, before[i])
			continue
		}
		next := i + 1
		for next < len(before) && passed(next) {
			next++
		}
		// `float const f` has one word before its name, `METAL_FUNC const float f` two.
		if next >= len(before) || tokenType(&before[i]) != typeIdent || before[next].Kind != Ident {
			return append(kept, before[i:]...)
		}
	}
	return kept
}
