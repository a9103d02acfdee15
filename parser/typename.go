package parser

import "slices"

// ParseType parses tokens, such as a template argument, as a type by itself.
func ParseType(tokens []Token) (*TypeName, error) {
	if len(tokens) == 0 {
		return nil, &Error{Msg: "expected a type"}
	}
	if len(tokens) == 1 && tokenType(&tokens[0]) == typeIdent { // a plain name, as most types are, needs no grammar
		name := &tokens[0]
		return &TypeName{Type: &Type{Pos: name.Pos, At: Here{name.Pos}, Path: Path{name.Text}}}, nil
	}
	tokens = joinCoherent(tokens)
	t, err := parse(typeNameParser, tokens)
	if err != nil {
		return nil, grammarError(err, tokens[0].Pos)
	}
	return t, nil
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
