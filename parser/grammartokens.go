package parser

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

func build[T any]() *participle.Parser[T] {
	return participle.MustBuild[T](participle.Lexer(definition{}), participle.UseLookahead(0))
}

// Tokens is text that the grammar delimits but does not parse: an expression,
// a template argument. It ends before a comma, semicolon or closing bracket
// that it does not itself open.
type Tokens struct {
	Pos  Pos
	List []Token
}

// Parse implements participle's Parseable.
func (e *Tokens) Parse(lex *lexer.PeekingLexer) error {
	e.Pos = lex.Peek().Pos
	depth := 0
	for {
		t := lex.Peek()
		if t.EOF() {
			break
		}
		if t.Type == typePunct {
			switch t.Value {
			case "(", "[", "{":
				depth++
			case ")", "]", "}":
				if depth == 0 {
					return e.done()
				}
				depth--
			case ",", ";":
				if depth == 0 {
					return e.done()
				}
			case "<":
				if depth == 0 {
					e.templateArgs(lex)
					continue
				}
			}
		}
		if (t.Type == typeAttributes || t.Type == typeBody) && depth == 0 {
			return e.done()
		}
		e.List = append(e.List, fromParticiple(t))
		lex.Next()
	}
	return e.done()
}

// templateArgs appends a <, and with it what follows up to its > where that is
// followed by what only template arguments are: `vec<float, 4>(0)`, not
// `a < b, c > d`.
func (e *Tokens) templateArgs(lex *lexer.PeekingLexer) {
	start, length := lex.MakeCheckpoint(), len(e.List)
	var a angles
	if length > 0 {
		a.take(&e.List[length-1])
	}
	for range maxTemplateArgs {
		t := lex.Peek()
		negative := t.Value == "-" && (e.List[len(e.List)-1].Is("<") || e.List[len(e.List)-1].Is(","))
		if t.Type == typePunct && !simpleArgs[t.Value] && !negative || t.EOF() || t.Type == typeAttributes {
			break
		}
		e.List = append(e.List, fromParticiple(lex.Next()))
		if a.take(&e.List[len(e.List)-1]); a.open <= 0 {
			break
		}
	}
	next := lex.Peek()
	if a.open == 0 && len(e.List) > length+1 &&
		(next.EOF() || (next.Type == typePunct || next.Value == "&&") && followsArgs[next.Value]) {
		return
	}
	lex.LoadCheckpoint(start)
	e.List = append(e.List[:length], fromParticiple(lex.Next()))
}

func (e *Tokens) done() error {
	if len(e.List) == 0 {
		return participle.NextMatch
	}
	return nil
}

// Parenthesised is text in parentheses, commas included.
type Parenthesised struct{ Tokens }

// Parse implements participle's Parseable.
func (e *Parenthesised) Parse(lex *lexer.PeekingLexer) error {
	if t := lex.Peek(); t.Type != typePunct || t.Value != "(" {
		return participle.NextMatch
	}
	open := lex.Next().Pos
	e.Pos = lex.Peek().Pos
	for depth := 1; ; {
		t := lex.Next()
		switch {
		case t.EOF():
			return participle.Errorf(open, "missing ): this ( is never closed")
		case t.Type != typePunct:
		case t.Value == "(":
			depth++
		case t.Value == ")":
			if depth--; depth == 0 && len(e.List) == 0 {
				return participle.Errorf(t.Pos, "unexpected \")\": expected a value")
			} else if depth == 0 {
				return nil
			}
		}
		e.List = append(e.List, fromParticiple(t))
	}
}

// TemplateArgs are the arguments in `vec<float, 4>`.
type TemplateArgs struct {
	Pos  Pos
	Args []*Tokens
}

// Parse implements participle's Parseable.
func (a *TemplateArgs) Parse(lex *lexer.PeekingLexer) error {
	if t := lex.Peek(); t.Type != typePunct || t.Value != "<" {
		return participle.NextMatch
	}
	var list []Token
	list = append(list, fromParticiple(lex.Next()))
	for follow := (angles{open: 1}); follow.open > 0; {
		t := lex.Peek()
		if t.EOF() || t.Type == typeBody || t.Type == typePunct && follow.depth == 0 && endsArgs[t.Value] {
			return participle.Errorf(list[0].Pos, "missing >: these template arguments are never closed")
		}
		list = append(list, fromParticiple(lex.Next()))
		switch follow.take(&list[len(list)-1]); {
		case follow.open < 0:
			return participle.Errorf(t.Pos, "unexpected >>: only one < is open here")
		case follow.open > maxDepth:
			return participle.Errorf(t.Pos, anglesTooDeep, maxDepth)
		}
	}
	*a = *newTemplateArgs(list)
	return nil
}

// fromParticiple turns a token of the grammar back into one of ours.
func fromParticiple(t *lexer.Token) Token {
	tok := Token{Text: t.Value, Pos: t.Pos}
	switch t.Type {
	case typeIdent, typeQualifier, typeIntWord, typeTag, typeDecltype:
		tok.Kind = Ident
	case typeNumber:
		tok.Kind = numberKind(t.Value)
	case typeString:
		tok.Kind = String
	case typeBody:
		tok.Kind = kindBody
	case typeAttributes:
		tok.Kind = kindAttributes
	case typeSkipped:
		tok.Kind = kindSkipped
	default:
		tok.Kind = Punct
	}
	return tok
}

func numberKind(text string) Kind {
	if text[0] == '\'' {
		return Char
	}
	if isFloat(text) {
		return Float
	}
	return Int
}

// simpleArgs are the punctuators that template arguments may hold where it is not
// known that they are some.
var simpleArgs = map[string]bool{",": true, "::": true, "...": true, "<": true, ">": true, ">>": true}

// maxTemplateArgs bounds how many tokens are looked at again for template
// arguments that prove to be none.
const maxTemplateArgs = 64

// endsArgs are the punctuators that cannot follow template arguments that are
// still open.
var endsArgs = map[string]bool{";": true, "{": true, ")": true, "]": true, "}": true}
