package preprocess

import "github.com/alecthomas/participle/v2/lexer"

// Pos is a position in a source: the file's name, a byte offset, and the line
// and column (in bytes), both counted from 1. It is participle's own type, so
// that syntax nodes get their positions from the grammar.
type Pos = lexer.Position

// Kind is the lexical class of a token.
type Kind uint8

// The kinds of tokens.
const (
	EOF Kind = iota
	Ident
	Int
	Float
	Char
	String
	Punct
)

// Token is one preprocessed token.
type Token struct {
	Kind Kind
	// Space is set when white space or a comment precedes the token.
	Space bool
	// Line is set when the token is the first of its line.
	Line bool
	// Macro is set when the token comes out of a macro. Its position is
	// then that of the outermost macro's name, where a reader looks.
	Macro bool
	// painted is set for the name of a macro that is not to be expanded any
	// more, because it stood in the macro's own expansion.
	painted bool
	Text    string
	Pos     Pos
}

// Is reports whether the token is the punctuator or identifier text.
func (t *Token) Is(text string) bool {
	return t.Text == text && (t.Kind == Punct || t.Kind == Ident)
}

// operatorNames are C++'s other spellings of operators.
var operatorNames = map[string]string{
	"and": "&&", "bitand": "&", "bitor": "|", "compl": "~", "not": "!", "not_eq": "!=", "or": "||", "xor": "^",
	"and_eq": "&=", "or_eq": "|=", "xor_eq": "^=",
}

// Operator returns the operator that word spells, && for and, or "".
func Operator(word string) string { return operatorNames[word] }

// Comment is one comment of a source. Comments are data here: they carry
// shapes, geometry and documentation.
type Comment struct {
	// Text is the comment with its // or /* */.
	Text string
	Pos  Pos
	// End is the line on which the comment ends.
	End int
	// Trailing is set when code precedes the comment on its line.
	Trailing bool
}
