package parser

import (
	"errors"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// grammarError words an error of participle for people who do not know the
// grammar.
func grammarError(err error, pos Pos) *Error {
	var unexpected *participle.UnexpectedTokenError
	if errors.As(err, &unexpected) {
		at := unexpected.Unexpected
		msg := "unexpected " + describe(&at)
		if e := expected(unexpected.Message()); e != "" {
			msg += ": expected " + e
		} else if at.Type == typeAttributes {
			msg += " before the name" // the one thing that the grammar looks out for
		}
		return &Error{Pos: at.Pos, Msg: msg}
	}
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	if list := (ErrorList)(nil); errors.As(err, &list) && len(list) > 0 {
		return list[0]
	}
	var perr participle.Error
	if errors.As(err, &perr) {
		if perr.Position().Line > 0 {
			pos = perr.Position()
		}
		return &Error{Pos: pos, Msg: perr.Message()}
	}
	return &Error{Pos: pos, Msg: err.Error()}
}

// describe names a token as it reads in the source, which collapsed ones do not.
func describe(t *lexer.Token) string {
	switch {
	case t.EOF():
		return "end"
	case t.Type == typeBody:
		return `"{"`
	case t.Type == typeAttributes:
		return "attribute " + t.Value
	case t.Type == typeSkipped:
		return "method"
	case t.Type == typeString:
		return t.Value
	}
	return strconv.Quote(t.Value)
}

// expectations word what participle's messages begin with; others begin with
// a word of the language, which stands for itself.
var expectations = []struct{ prefix, words string }{
	{`<ident> ("::" "template"?`, "a type"},
	{"<ident>", "a name"},
	{"Type", "a type"},
	{"<qualifier>", "a type"},
	{"Declarator", "a name"},
	{"Init", "a name"},
	{"Tokens", "a value"},
	{"<body>", "a body or ;"},
	{`")" (<attributes>`, ", or )"},
	{`"}" (Init`, ", or }"},
	{`"}" <attributes>`, "a member or }"},
}

// expected returns a word for the first thing that participle's message asks for:
// "a name" for `unexpected token "x" (expected <ident> ("::" <ident>)*)`.
func expected(msg string) string {
	_, want, ok := strings.Cut(msg, "(expected ")
	if !ok {
		return ""
	}
	want = strings.TrimLeft(want, "(")
	for _, w := range expectations {
		if strings.HasPrefix(want, w.prefix) {
			return w.words
		}
	}
	switch {
	case strings.HasPrefix(want, `"`):
		if word, _, ok := strings.Cut(want[1:], `"`); ok {
			return word
		}
	}
	return ""
}
