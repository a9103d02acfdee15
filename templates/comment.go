package templates

import (
	"go/doc/comment"
	"strconv"
	"strings"
	"unicode"

	"github.com/metalgen/metalgen/internal/binding"
)

// What sources say in comments is shown, never obeyed: it must not end a comment,
// become a directive of a Go tool, or a heading of the documentation.

// docComment returns a doc comment that says text, which may use the markup of Go doc comments.
func docComment(text ...string) string { return slashed(strings.Join(text, "\n")) }

// docOf returns a doc comment of what a source says, ended by a paragraph of origin. A
// declaration that the source says nothing about is documented by summary.
func docOf(doc []string, origin, summary string) string {
	text := make([]string, 0, len(doc)+2)
	said := false
	for _, line := range doc {
		line = prose(line)
		said = said || line != ""
		text = append(text, line)
	}
	if !said {
		return docComment(summary)
	}
	return slashed(formatted(append(text, "", origin)))
}

// paragraph returns what a source says of itself, for the doc comment of the package.
func paragraph(doc []string) string {
	text := make([]string, len(doc))
	for i, line := range doc {
		text[i] = prose(line)
	}
	if rest, ok := strings.CutPrefix(text[0], "Deprecated:"); ok {
		text[0] = "deprecated:" + rest // tools would take the whole package for deprecated
	}
	return formatted(text)
}

// formatted returns lines of a doc comment as gofmt formats them, without headings.
func formatted(text []string) string {
	// What is a heading may change when formatting has moved other things away.
	return withoutHeadings(withoutHeadings(strings.Join(text, "\n")))
}

// withoutHeadings returns the text of a doc comment as gofmt formats it, with paragraphs that end in a colon for its
// headings.
func withoutHeadings(text string) string {
	var parser comment.Parser
	doc := parser.Parse(text)
	for i, block := range doc.Content {
		if h, ok := block.(*comment.Heading); ok {
			doc.Content[i] = &comment.Paragraph{Text: append(h.Text, comment.Plain(":"))}
		}
	}
	var printer comment.Printer
	return string(printer.Comment(doc))
}

// slashed returns text with the slashes of a comment before each line.
func slashed(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("//")
		if line != "" && line[0] != '\t' { // a tab begins preformatted text
			b.WriteByte(' ')
		}
		b.WriteString(Printable(line))
	}
	return b.String()
}

// prose returns a line of a source's comment, made harmless: go vet takes a line that
// starts with +build for a misplaced build constraint, wherever it stands.
func prose(line string) string {
	line = strings.TrimRightFunc(Printable(line), unicode.IsSpace)
	text := strings.TrimLeftFunc(line, unicode.IsSpace)
	if strings.HasPrefix(text, "+build") {
		return line[:len(line)-len(text)] + "`" + text + "`"
	}
	return line
}

// oneLine returns s as part of a one-line comment.
func oneLine(s string) string {
	return strings.Join(strings.Fields(Printable(s)), " ")
}

// Printable returns s without what may not stand in a Go comment or would not show:
// control characters, byte-order marks and invalid UTF-8. What turns the direction of
// a text or takes no room, so that a reader sees another text than the compiler, is
// shown as Go's strings write it.
func Printable(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return (r < ' ' || r > '~') && r != '\t' }) {
		return s // plain ASCII, as nearly all are
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\t':
			b.WriteRune(r)
		case unicode.IsControl(r), r == '\uFEFF', r == unicode.ReplacementChar:
			b.WriteByte(' ')
		case unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// colon returns ": doc", or "" for no doc.
func colon(doc string) string {
	if doc == "" {
		return ""
	}
	return ": " + doc
}

// posText returns "norm.metal:24", or "" for no position.
func posText(p binding.Pos) string { return oneLine(binding.FileLine(p)) }

// at returns " (norm.metal:24)", or "" for no position.
func at(p binding.Pos) string {
	if s := posText(p); s != "" {
		return " (" + s + ")"
	}
	return ""
}
