package generate

import (
	"path/filepath"
	"strings"

	"github.com/metalgen/metalgen/parser"
)

// Describe writes an error with its source line and a caret under the column.
func (l *Loaded) Describe(e *parser.Error) string {
	shown := *e
	f := l.sources[e.Pos.Filename]
	if f != nil && f.Path != "" {
		shown.Pos.Filename = filepath.ToSlash(f.Path)
	}
	text := shown.Error()
	if f == nil || e.Pos.Line < 1 {
		return text
	}
	if quoted := quote(f.Text, e.Pos); quoted != "" {
		text += "\n" + quoted
	}
	return text
}

// maxQuoted bounds the length of a source line in a message.
const maxQuoted = 160

// quote gives a line of text with a caret under a column.
func quote(text string, pos parser.Pos) string {
	for range pos.Line - 1 {
		_, rest, ok := strings.Cut(text, "\n")
		if !ok {
			return ""
		}
		text = rest
	}
	line, _, _ := strings.Cut(text, "\n")
	line = strings.TrimRight(line, "\r")
	col := min(max(pos.Column-1, 0), len(line))
	from := 0
	if col > maxQuoted-40 {
		from = col - maxQuoted/2
	}
	shown := line[from:min(len(line), from+maxQuoted)]
	shown = printable(shown)
	pad := make([]byte, 0, col-from)
	for _, r := range printable(line[from:col]) {
		if r == '\t' {
			pad = append(pad, '\t')
		} else {
			pad = append(pad, ' ')
		}
	}
	return "\t" + shown + "\n\t" + string(pad) + "^"
}

// printable replaces what a terminal cannot show.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f || r == '\ufeff' {
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}
