package frontend

import (
	"iter"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/internal/quote"
	"github.com/metalgen/metalgen/parser"
)

// Quotes returns a function that returns the line of the source that a position is in, with a caret, or "" for one
// elsewhere.
func (s *Source) Quotes() func(at parser.Pos) string {
	lines := map[lineName]string{}
	for name, line := range namedLines(s.Text, s.File) {
		lines[name] = line
	}
	return func(at parser.Pos) string {
		line, ok := lines[lineName{at.Filename, at.Line}]
		if !ok {
			return ""
		}
		return quote.Line(line, at.Column)
	}
}

// Line returns the line of the source that a position is in, or "" for one elsewhere.
func (s *Source) Line(at parser.Pos) string {
	text := ""
	for name, line := range namedLines(s.Text, s.File) {
		if name == (lineName{at.Filename, at.Line}) {
			text = line
		}
	}
	return text
}

// lineName is a line of a file.
type lineName struct {
	file string
	line int
}

// namedLines returns the lines of an embedded source with what its #line markers call them. Of those that have one
// name the last one counts: what is before the first marker has no name of its own.
func namedLines(text, file string) iter.Seq2[lineName, string] {
	return func(yield func(lineName, string) bool) {
		at := lineName{file, 0}
		for line := range strings.Lines(text) {
			at.line++
			line = strings.TrimRight(line, "\r\n")
			if rest, ok := strings.CutPrefix(line, "#line "); ok {
				number, name, _ := strings.Cut(rest, " ")
				if n, err := strconv.Atoi(number); err == nil {
					at.line = n - 1
					if name, err := strconv.Unquote(name); err == nil {
						at.file = name
					}
					continue
				}
			}
			if !yield(at, line) {
				return
			}
		}
	}
}
