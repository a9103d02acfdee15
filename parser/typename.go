package parser

import (
	"slices"

	"github.com/alecthomas/participle/v2/lexer"
)

// ParseType parses tokens, such as a template argument, as a type by itself.
func ParseType(tokens []Token) (*TypeName, error) {
	if len(tokens) == 0 {
		return nil, &Error{Msg: "expected a type"}
	}
	tokens = joinCoherent(tokens)
	if t := simpleType(tokens); t != nil {
		return t, nil
	}
	t, err := parse(typeNameParser, tokens)
	if err != nil {
		return nil, grammarError(err, tokens[0].Pos)
	}
	return t, nil
}

// simpleType reads a type that is a word with qualifiers and pointers, or returns nil. Most are, and the grammar takes
// ten times as long for them.
func simpleType(tokens []Token) *TypeName {
	i := 0
	is := func(kind lexer.TokenType) bool { return i < len(tokens) && tokenType(&tokens[i]) == kind }
	qualifiers := func() (list []string) {
		for ; is(typeQualifier); i++ {
			list = append(list, tokens[i].Text)
		}
		return list
	}
	t := &TypeName{Type: &Type{Pos: tokens[0].Pos, Pre: qualifiers()}}
	if !is(typeIdent) {
		return nil
	}
	t.Type.At, t.Type.Path = Here{tokens[i].Pos}, Path{tokens[i].Text}
	i++
	t.Type.Post = qualifiers()
	for is(typePointer) {
		p := &Pointer{Pos: tokens[i].Pos, Op: tokens[i].Text}
		i++
		p.Quals = qualifiers()
		t.Pointers = append(t.Pointers, p)
	}
	if i < len(tokens) {
		return nil
	}
	return t
}

// joinCoherent makes one token of each `coherent(device)`, as a collapser does.
func joinCoherent(tokens []Token) []Token {
	if !slices.ContainsFunc(tokens, func(t Token) bool { return t.Is("coherent") }) {
		return tokens
	}
	var joined []Token
	for i := 0; i < len(tokens); i++ {
		word := tokens[i]
		if last := i + 3; last < len(tokens) && word.Is("coherent") && tokens[i+1].Is("(") && tokens[last].Is(")") {
			word.Text = join(tokens[i : last+1])
			i = last
		}
		joined = append(joined, word)
	}
	return joined
}
