package generate

import (
	"path/filepath"
	"strings"
	"unicode"

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
	return shown.Error() + "\n" + quote(line, e.Pos.Column)
}

// Locate returns an error with the path of its file, and the source line, where
// there is one.
func (l *Loaded) Locate(e *parser.Error) (shown parser.Error, line string, ok bool) {
	shown = *e
	f := l.sources[e.Pos.Filename]
	if f == nil {
		return shown, "", false
	}
	if f.Path != "" {
		shown.Pos.Filename = filepath.ToSlash(f.Path)
	}
	line, ok = f.line(e.Pos.Line)
	return shown, line, ok
}

// A message quotes maxQuoted bytes of a line, and of a longer one those around
// the column.
const maxQuoted = 160

// quote returns a line with a caret under a column, which counts bytes from 1.
func quote(line string, column int) string {
	col := min(max(column-1, 0), len(line))
	from, to := 0, len(line)
	if to > maxQuoted {
		from = max(0, min(col-maxQuoted/2, to-maxQuoted))
		to = from + maxQuoted
	}
	var pad strings.Builder
	for _, r := range printable(line[from:col]) {
		pad.WriteString(blank(r))
	}
	return "\t" + printable(line[from:to]) + "\n\t" + pad.String() + "^"
}

// wide are the letters that take two columns of a terminal.
var wide = []*unicode.RangeTable{
	unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana,
	{R16: []unicode.Range16{{Lo: 0x3000, Hi: 0x303e, Stride: 1}, {Lo: 0xff01, Hi: 0xff60, Stride: 1}}},
	{R32: []unicode.Range32{{Lo: 0x1f300, Hi: 0x1faff, Stride: 1}}},
}

// blank returns white space as wide as r.
func blank(r rune) string {
	switch {
	case r == '\t':
		return "\t"
	case r < unicode.MaxASCII:
		return " "
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return ""
	case unicode.In(r, wide...):
		return "  "
	}
	return " "
}

// printable returns s without what a terminal cannot show, or would obey.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' || unicode.In(r, unicode.Bidi_Control) || r == '\ufeff' {
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}
