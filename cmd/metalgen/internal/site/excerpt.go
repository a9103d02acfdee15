package site

import (
	"fmt"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/binding"
)

// excerpt is a kernel in its source, with the comments above it.
type excerpt struct {
	File  string
	From  int // number of the first line
	Lines []line
}

type line struct {
	Number int
	Code   []piece
}

// A page has so many lines of a kernel, and so many bytes of a line.
const (
	maxExcerpt = 2000
	maxLine    = 1000
)

// isText reports whether the text of a kernel stands where an extent says: what a macro makes has one position only.
func isText(e binding.Extent, text string) bool {
	return e.From.Filename == e.To.Filename && e.From.Filename == e.Body.Filename &&
		e.From.Offset <= e.Body.Offset && e.Body.Offset <= e.To.Offset && e.To.Offset < len(text)
}

// signature returns the declaration of a kernel as the source writes it, without its body. If a macro makes it, it is
// the line that uses the macro.
func signature(k *binding.Kernel, text string) string {
	e := k.Text
	if !isText(e, text) {
		return ""
	}
	if e.From.Offset < e.Body.Offset {
		return dedent(text, e.From.Offset, e.Body.Offset)
	}
	line, _, _ := strings.Cut(text[e.From.Offset:], "\n")
	return strings.TrimSpace(line)
}

// dedent returns a piece of a text, its lines without the white space that is before the first.
func dedent(text string, from, to int) string {
	indent := indentation(text, from)
	piece := strings.TrimRight(text[from:to], " \t\r\n")
	if strings.TrimSpace(indent) != "" {
		return piece
	}
	return strings.ReplaceAll(piece, "\n"+indent, "\n")
}

// indentation returns what is before a place in its line.
func indentation(text string, at int) string {
	return text[strings.LastIndexByte(text[:at], '\n')+1 : at]
}

// excerpt returns the excerpt of a kernel; nil where its text is not known.
func (d *directory) excerpt(k *binding.Kernel) *excerpt {
	file := k.Pos.Filename
	text := d.Text(file)
	if !isText(k.Text, text) {
		return nil
	}
	if d.split[file] == nil {
		d.split[file] = strings.Split(text, "\n")
	}
	lines := d.split[file]
	from, to := k.Text.From.Line, min(k.Text.To.Line, len(lines))
	if strings.TrimSpace(indentation(text, k.Text.From.Offset)) == "" { // else they are above something else, too
		for from > 1 && isComment(lines[from-2]) {
			from--
		}
	}
	shown := slices.Clone(lines[from-1 : min(to, from+maxExcerpt-1)])
	for i, l := range shown {
		if len(l) > maxLine {
			shown[i] = strings.ToValidUTF8(l[:maxLine], "") + " …"
		}
	}
	out := &excerpt{File: file, From: from}
	for i, code := range msl.lines(strings.Join(shown, "\n"), nowhere) {
		out.Lines = append(out.Lines, line{from + i, code})
	}
	return out
}

func isComment(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "//") || strings.HasPrefix(line, "/*") || strings.HasPrefix(line, "*") ||
		strings.HasSuffix(line, "*/")
}

// at returns a position, which leads to its line where the excerpt has it.
func (e *excerpt) at(p binding.Pos) link {
	l := link{Text: binding.FileLine(p)}
	if e != nil && p.Filename == e.File && p.Line >= e.From && p.Line < e.From+len(e.Lines) {
		l.Href = fmt.Sprint("#L", p.Line)
	}
	return l
}
