package parser

import (
	"github.com/alecthomas/participle/v2/lexer"
)

// ParseType parses tokens, such as a template argument, as a type by itself.
func ParseType(tokens []Token) (*TypeName, error) {
	if len(tokens) == 0 {
		return nil, &Error{Msg: "expected a type"}
	}
	lex, err := lexer.Upgrade(newTokenLexer(tokens))
	if err != nil {
		return nil, err
	}
	t, err := typeNameParser().ParseFromLexer(lex)
	if err != nil {
		return nil, grammarError(err, tokens[0].Pos)
	}
	return t, nil
}
