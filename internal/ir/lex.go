package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// lexer reads the words of a text.
type lexer struct {
	name string
	text string
	at   int
}

// syntaxError is what reading ends with where the text is wrong.
type syntaxError struct{ error }

// fail ends the reading with a mistake at the place that has been come to.
func (l *lexer) fail(format string, args ...any) {
	line := 1 + strings.Count(l.text[:l.at], "\n")
	column := l.at - strings.LastIndexByte(l.text[:l.at], '\n')
	panic(syntaxError{fmt.Errorf("%s:%d:%d: %s", l.name, line, column, fmt.Sprintf(format, args...))})
}

// space goes past spaces, and comments from ; to the end of the line.
func (l *lexer) space() {
	for l.at < len(l.text) {
		switch c := l.text[l.at]; c {
		case ' ', '\t', '\n', '\r':
			l.at++
		case ';':
			if n := strings.IndexByte(l.text[l.at:], '\n'); n >= 0 {
				l.at += n
			} else {
				l.at = len(l.text)
			}
		default:
			return
		}
	}
}

// has goes past a mark, if it is next.
func (l *lexer) has(mark string) bool {
	l.space()
	if !strings.HasPrefix(l.text[l.at:], mark) {
		return false
	}
	l.at += len(mark)
	return true
}

// next reports whether a mark is next.
func (l *lexer) next(mark string) bool {
	l.space()
	return strings.HasPrefix(l.text[l.at:], mark)
}

func (l *lexer) want(mark string) {
	if !l.has(mark) {
		l.fail("%q is wanted here", mark)
	}
}

// rest returns the longest prefix of what is left whose bytes a function accepts.
func (l *lexer) rest(accept func(c byte) bool) string {
	end := l.at
	for end < len(l.text) && accept(l.text[end]) {
		end++
	}
	return l.text[l.at:end]
}

func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// word returns the next word, or "".
func (l *lexer) word() string {
	l.space()
	w := l.rest(isLetter)
	l.at += len(w)
	return w
}

// hasWord goes past a word, if it is next.
func (l *lexer) hasWord(word string) bool {
	l.space()
	if l.rest(isLetter) != word {
		return false
	}
	l.at += len(word)
	return true
}

// number returns the next integer.
func (l *lexer) number() int64 {
	l.space()
	s := l.rest(func(c byte) bool { return isLetter(c) || c == '-' || c == '+' })
	n, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		l.fail("an integer is wanted here")
	}
	l.at += len(s)
	return n
}

// count returns the next integer, from 0 to most.
func (l *lexer) count(most int) int {
	at := l.at
	n := l.number()
	if n < 0 || n > int64(most) {
		l.at = at
		l.fail("a number from 0 to %d is wanted here", most)
	}
	return int(n)
}

// quoted returns the next string in quotes.
func (l *lexer) quoted() string {
	l.space()
	q, err := strconv.QuotedPrefix(l.text[l.at:])
	if err != nil {
		l.fail("a string in quotes is wanted here")
	}
	s, err := strconv.Unquote(q)
	if err != nil {
		l.fail("a string in quotes is wanted here")
	}
	l.at += len(q)
	return s
}
