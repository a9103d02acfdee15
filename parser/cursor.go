package parser

import (
	"fmt"
	"slices"

	"github.com/alecthomas/participle/v2/lexer"
)

// cursor reads tokens in order and looks ahead in them. All that is parsed by hand,
// the heads of templates as well as expressions, is read through one.
type cursor struct {
	tokens []Token
	match  []int32 // see closer
	next   int     // index of the token that is next
	steps  int     // how many tokens were looked at ahead of it; tests bound the work by that
}

// noToken is what stands after the last token.
var noToken Token

// at returns the token at index i, or an empty one where there is none.
func (c *cursor) at(i int) *Token {
	if uint(i) < uint(len(c.tokens)) {
		return &c.tokens[i]
	}
	return &noToken
}

func (c *cursor) peek() *Token { return c.at(c.next) }

func (c *cursor) is(text string) bool { return c.at(c.next).Is(text) }

// skip passes the next token where it is text, and reports whether it is.
func (c *cursor) skip(text string) bool {
	if !c.is(text) {
		return false
	}
	c.next++
	return true
}

// expect passes the next token, which must be text.
func (c *cursor) expect(text string) error {
	if !c.skip(text) {
		return c.unexpected(text)
	}
	return nil
}

// matchAll matches the brackets of all tokens, and returns what is wrong with them.
func (c *cursor) matchAll() (errs ErrorList) {
	c.match = matchBrackets(c.tokens, &errs)
	return errs
}

// closer returns the index of the bracket that closes the one at index i, or a
// negative number where none does.
func (c *cursor) closer(i int) int {
	if c.match == nil {
		c.matchAll() // the errors were reported when the tokens were made
		if c.match == nil {
			c.match = slices.Repeat([]int32{-1}, len(c.tokens)) // do not match them again
		}
	}
	return int(c.match[i])
}

// pos returns the position of the next token, or that after the last one.
func (c *cursor) pos() Pos {
	if c.next < len(c.tokens) {
		return c.tokens[c.next].Pos
	}
	return tokenEnd(&c.tokens[len(c.tokens)-1])
}

func (c *cursor) errorf(format string, args ...any) error {
	return &Error{Pos: c.pos(), Msg: fmt.Sprintf(format, args...)}
}

// unsupported is errorf for what the language may have and the parser does not know.
func (c *cursor) unsupported(format string, args ...any) error {
	return &Error{Pos: c.pos(), Msg: fmt.Sprintf(format, args...), Unsupported: true}
}

// unexpected returns an error about the next token, where want should stand.
func (c *cursor) unexpected(want string) error {
	if c.next >= len(c.tokens) {
		return c.errorf("expected %s", want)
	}
	return c.errorf("unexpected %q: expected %s", c.peek().Text, want)
}

// attributeEnd returns the index after the [[...]] or __attribute__((...)) that is
// next, or 0 where none is.
func (c *cursor) attributeEnd() int {
	switch next := c.next + 1; {
	case c.is("[") && c.at(next).Is("["):
		return c.closer(c.next) + 1
	case c.is("__attribute__") && c.at(next).Is("("):
		return c.closer(next) + 1
	}
	return 0
}

// words passes the identifiers of one class, and returns them.
func (c *cursor) words(class lexer.TokenType) (list []string) {
	for tokenType(c.peek()) == class {
		list = append(list, c.peek().Text)
		c.next++
	}
	return list
}
