package cpu

import (
	"iter"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/internal/quote"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// compileError returns errors of the parser or the checker as those of a device, with the
// lines that they are about.
func compileError(from *driver.Library, list parser.ErrorList) error {
	c := &driver.CompileError{File: from.File}
	lines := map[lineName]string{}
	if from.Source != nil {
		for name, line := range namedLines(*from.Source, from.File) {
			lines[name] = line
		}
	}
	for _, e := range list {
		d := driver.Diagnostic{Pos: position(e.Pos), Warning: e.Warning, Msg: e.Msg}
		if line, ok := lines[lineName{e.Pos.Filename, e.Pos.Line}]; ok {
			d.Quote = quote.Line(line, e.Pos.Column)
		}
		c.Diagnostics = append(c.Diagnostics, d)
	}
	return c
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
