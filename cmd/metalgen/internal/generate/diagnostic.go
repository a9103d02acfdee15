package generate

import (
	"path/filepath"
	"strings"

	"github.com/metalgen/metalgen/internal/quote"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
)

// source is a file that messages quote.
type source struct {
	*preprocess.File
	lines []string // of Text, once one was wanted
}

// line returns a line of the text, counted from 1, and reports whether there is one.
func (s *source) line(n int) (string, bool) {
	if s.lines == nil {
		s.lines = strings.Split(s.Text, "\n")
	}
	if n < 1 || n > len(s.lines) {
		return "", false
	}
	return strings.TrimRight(s.lines[n-1], "\r"), true
}

// Describe returns an error with its source line and a caret under the column.
func (l *Loaded) Describe(e *parser.Error) string {
	shown, line, ok := l.Locate(e)
	if !ok {
		return shown.Error()
	}
	return shown.Error() + "\n" + quote.Line(line, e.Pos.Column)
}

// Locate returns an error with the path of its file, and the source line, where
// there is one.
func (l *Loaded) Locate(e *parser.Error) (shown parser.Error, line string, ok bool) {
	shown = *e
	f := l.sources[e.Pos.Filename]
	if f == nil {
		return shown, "", false
	}
	shown.Pos.Filename = l.Path(e.Pos.Filename)
	line, ok = f.line(e.Pos.Line)
	return shown, line, ok
}

// Path returns where the file is that positions call by a name, or the name.
func (l *Loaded) Path(name string) string {
	if f := l.sources[name]; f != nil && f.Path != "" {
		return filepath.ToSlash(f.Path)
	}
	return name
}

// Text returns the text of the file that positions call by a name, "" where there is none.
func (l *Loaded) Text(name string) string {
	if f := l.sources[name]; f != nil {
		return f.Text
	}
	return ""
}
