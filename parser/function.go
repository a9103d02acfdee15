package parser

import (
	"slices"

	"github.com/alecthomas/participle/v2/lexer"
)

// ParseFunction gives the head of a function: what Decl.Function holds for a
// kernel, and for a helper what is parsed now. The Decl stays as it is.
func (t *Tree) ParseFunction(d *Decl) (*Function, error) {
	if d.Function != nil {
		return d.Function, nil
	}
	tokens := t.Tokens[d.From:d.To]
	var errs ErrorList
	match, ok := matchBrackets(tokens, &errs)
	if !ok || len(errs) > 0 {
		return nil, errs
	}
	span := &declSpan{Kind: declFunction, To: len(tokens), Open: -1}
	if d.Open >= 0 {
		span.Open, span.Close = d.Open-d.From, d.Close-d.From
	}
	folded, _ := foldDecl(tokens, match, span)
	folded = dropMacroWords(attributesFirst(folded))
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
	return f, nil
}

// attributesFirst puts the attributes before a function's name where the
// grammar wants them, whatever they stood between.
func attributesFirst(folded []Token) []Token {
	isAttribute := func(t Token) bool { return t.Kind == Attributes }
	head := headEnd(folded)
	first := slices.DeleteFunc(slices.Clone(folded[:head]), func(t Token) bool { return !isAttribute(t) })
	rest := slices.DeleteFunc(slices.Clone(folded[:head]), isAttribute)
	return slices.Concat(first, rest, folded[head:])
}

// headEnd is the index of the parenthesis behind a function's name.
func headEnd(folded []Token) int {
	if i := slices.IndexFunc(folded, func(t Token) bool { return t.Is("(") }); i >= 0 {
		return i
	}
	return len(folded)
}

// dropMacroWords leaves out the macros of Metal's own headers, which are not
// read: METAL_FUNC and its like stand before a type and look like one.
func dropMacroWords(folded []Token) []Token {
	named := headEnd(folded) - 1
	for named >= 2 && folded[named-1].Is("::") && folded[named-2].Kind == Ident {
		named -= 2
	}
	passed := func(i int) bool {
		return folded[i].Kind == Attributes || folded[i].Kind == Ident && wordTypes[folded[i].Text] == typeQualifier
	}
	for i := 0; i < named; {
		if passed(i) {
			i++
			continue
		}
		if folded[i].Is("METAL_FUNC") {
			folded = slices.Delete(folded, i, i+1)
			named--
			continue
		}
		next := i + 1
		for next < named && passed(next) {
			next++
		}
		// `float const f` has one word before its name, `METAL_FUNC const float f` two.
		if next >= named || tokenType(&folded[i]) != typeIdent || folded[next].Kind != Ident {
			break
		}
		folded = slices.Delete(folded, i, i+1)
		named--
	}
	return folded
}
