package parser

import "github.com/metalgen/metalgen/parser/preprocess"

// The types of the preprocessor that every user of a syntax tree meets.
type (
	Pos       = preprocess.Pos
	Kind      = preprocess.Kind
	Token     = preprocess.Token
	Error     = preprocess.Error
	ErrorList = preprocess.ErrorList
)

// The kinds of tokens.
const (
	Ident  = preprocess.Ident
	Int    = preprocess.Int
	Float  = preprocess.Float
	Char   = preprocess.Char
	String = preprocess.String
	Punct  = preprocess.Punct
)

// The kinds that the scanner does not know: a balanced region that the grammar
// sees as one token.
const (
	kindBody       = Punct + 1 + iota // { ... }, or the { of a struct's members
	kindAttributes                    // [[ ... ]]
	kindSkipped                       // a member that metalgen passes over: a method, a nested template
)

// Integer returns the value of an integer literal and whether its
// suffix makes it unsigned or long.
func Integer(text string) (value uint64, unsigned, long bool, err error) {
	return preprocess.Integer(text)
}

// Character returns the value of a character literal, and whether it has several
// characters, which make it an int.
func Character(text string) (value int32, several bool, err error) {
	return preprocess.Character(text)
}

// StringValue returns the characters of a string literal, and whether it is one without a prefix.
func StringValue(text string) (value string, ok bool) { return preprocess.StringValue(text) }
