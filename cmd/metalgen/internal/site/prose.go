package site

import (
	"go/doc"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/templates"
)

// paragraph is a paragraph of prose, or a list.
type paragraph struct {
	Text  []span
	Items [][]span
}

// span is a piece of prose, or of code in it.
type span struct {
	Text string
	Code bool
}

var item = regexp.MustCompile(`^[-*•] +`)

// paragraphs returns the lines of a comment as prose: a blank line ends a paragraph, and so does a list.
func paragraphs(lines []string) []paragraph {
	var out []paragraph
	open := "" // what the last paragraph goes on with: "", "text" or "item"
	for _, line := range lines {
		line = strings.TrimSpace(templates.Printable(line))
		mark := item.FindString(line)
		line = line[len(mark):]
		switch {
		case line == "":
			open = ""
			continue
		case mark != "" && open != "item":
			out = append(out, paragraph{Items: [][]span{nil}})
			open = "item"
		case mark != "":
			last := &out[len(out)-1]
			last.Items = append(last.Items, nil)
		case open == "":
			out = append(out, paragraph{})
			open = "text"
		}
		last := &out[len(out)-1]
		if open == "item" {
			end := len(last.Items) - 1
			last.Items[end] = joined(last.Items[end], line)
		} else {
			last.Text = joined(last.Text, line)
		}
	}
	return out
}

// joined adds a line to a paragraph. What stands between backquotes is code.
func joined(spans []span, line string) []span {
	if len(spans) > 0 {
		spans = append(spans, span{Text: "\n"})
	}
	pieces := strings.Split(line, "`")
	for i, text := range pieces {
		code := i%2 == 1 && i+1 < len(pieces)
		if i%2 == 1 && !code {
			text = "`" + text
		}
		if text != "" {
			spans = append(spans, span{text, code})
		}
	}
	return spans
}

// prose returns a line of a comment.
func prose(line string) []span { return joined(nil, templates.Printable(line)) }

// docOf returns the comment above a kernel, without the beginning that it has in Go: "Adds the input."
func docOf(k *binding.Kernel) []string {
	doc := slices.Clone(k.Doc)
	if len(doc) > 0 {
		if rest, ok := strings.CutPrefix(doc[0], k.Go+" "); ok {
			first, size := utf8.DecodeRuneInString(rest)
			doc[0] = string(unicode.ToUpper(first)) + rest[size:]
		}
	}
	return doc
}

// synopsis returns the first sentence of a comment.
func synopsis(lines []string) string {
	return new(doc.Package).Synopsis(templates.Printable(strings.Join(lines, " ")))
}

var license = regexp.MustCompile(`(?i)copyright|license|SPDX`)

// overview returns the comment that a source begins with, unless it is about rights.
func overview(text string) []paragraph {
	var lines []string
	for line := range strings.Lines(text) {
		line, ok := strings.CutPrefix(strings.TrimSpace(line), "//")
		if !ok {
			break
		}
		lines = append(lines, strings.TrimLeft(line, "/!"))
	}
	if license.MatchString(strings.Join(lines, " ")) {
		return nil
	}
	return paragraphs(lines)
}

// fileLine is a position as pages show it.
func fileLine(p binding.Pos) string { return templates.Printable(binding.FileLine(p)) }
