package parser

import (
	"errors"
	"io"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/metalgen/metalgen/parser/preprocess"
)

// The grammar of declarations reads tokens through participle, which has
// classes of its own: qualifiers, words like struct and the words of integer types
// are kept apart from other identifiers, so that the grammar needs one token of
// lookahead and few alternatives, each of which costs an allocation.
const (
	typeIdent lexer.TokenType = -(iota + 2)
	typeQualifier
	typeIntWord
	typeNumber
	typeString
	typePunct
	typeBody
	typeAttributes
	typeSkipped
	typeTag
	typePointer
	typeDecltype
)

var symbols = map[string]lexer.TokenType{
	"EOF":        lexer.EOF,
	"Ident":      typeIdent,
	"Qualifier":  typeQualifier,
	"IntWord":    typeIntWord,
	"Number":     typeNumber,
	"String":     typeString,
	"Punct":      typePunct,
	"Body":       typeBody,
	"Attributes": typeAttributes,
	"Skipped":    typeSkipped,
	"Tag":        typeTag,
	"PointerOp":  typePointer,
	"Decltype":   typeDecltype,
}

// wordTypes are the identifiers that the grammar treats apart.
var wordTypes = map[string]lexer.TokenType{
	"kernel": typeQualifier, "vertex": typeQualifier, "fragment": typeQualifier,
	"device": typeQualifier, "constant": typeQualifier, "threadgroup": typeQualifier,
	"thread": typeQualifier, "threadgroup_imageblock": typeQualifier, "ray_data": typeQualifier,
	"object_data": typeQualifier, "coherent(system)": typeQualifier, "coherent(device)": typeQualifier,
	"coherent(threadgroup)": typeQualifier, "coherent(simdgroup)": typeQualifier,
	"const": typeQualifier, "volatile": typeQualifier, "restrict": typeQualifier,
	"__restrict": typeQualifier, "__restrict__": typeQualifier, "coherent": typeQualifier,
	"static": typeQualifier, "inline": typeQualifier, "extern": typeQualifier,
	"constexpr": typeQualifier, "mutable": typeQualifier, "typename": typeQualifier,
	"__attribute__": typeQualifier, "__extension__": typeQualifier,
	"friend": typeQualifier, "explicit": typeQualifier, "virtual": typeQualifier,
	"noexcept": typeQualifier, "override": typeQualifier,

	"unsigned": typeIntWord, "signed": typeIntWord, "char": typeIntWord,
	"short": typeIntWord, "int": typeIntWord, "long": typeIntWord,

	"decltype": typeDecltype,

	"struct": typeTag, "class": typeTag, "union": typeTag, "enum": typeTag,
}

// definition holds the classes of tokens for participle. Its parsers read the tokens
// of a unit, never text.
type definition struct{}

func (definition) Symbols() map[string]lexer.TokenType { return symbols }

func (definition) Lex(string, io.Reader) (lexer.Lexer, error) {
	return nil, errors.New("tokens come from the preprocessor")
}

// parse parses tokens by a grammar.
func parse[T any](grammar func() *participle.Parser[T], tokens []Token) (*T, error) {
	lex, err := lexer.Upgrade(newTokenLexer(tokens))
	if err != nil {
		return nil, err
	}
	return grammar().ParseFromLexer(lex)
}

// tokenLexer hands tokens to participle.
type tokenLexer struct {
	tokens []Token
	next   int
	end    Pos
}

func newTokenLexer(tokens []Token) *tokenLexer {
	l := &tokenLexer{tokens: tokens}
	if n := len(tokens); n > 0 {
		l.end = tokenEnd(&tokens[n-1])
	}
	return l
}

func (l *tokenLexer) Next() (lexer.Token, error) {
	if l.next == len(l.tokens) {
		return lexer.EOFToken(l.end), nil
	}
	t := &l.tokens[l.next]
	l.next++
	return lexer.Token{Type: tokenType(t), Value: t.Text, Pos: t.Pos}, nil
}

var kindTypes = [...]lexer.TokenType{
	preprocess.EOF: lexer.EOF, Ident: typeIdent, Int: typeNumber, Float: typeNumber, Char: typeNumber,
	String: typeString, Punct: typePunct, kindBody: typeBody, kindAttributes: typeAttributes, kindSkipped: typeSkipped,
}

func tokenType(t *Token) lexer.TokenType {
	switch t.Kind {
	case Ident:
		if word, ok := wordTypes[t.Text]; ok {
			return word
		}
	case Punct:
		if t.Text == "*" || t.Text == "&" || t.Text == "&&" {
			return typePointer
		}
	}
	return kindTypes[t.Kind]
}
