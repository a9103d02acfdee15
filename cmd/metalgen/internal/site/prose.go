package site

import (
	"go/doc"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/metalgen/metalgen/internal/binding"
)

// paragraph is a paragraph of prose, a list, or text that is formatted already.
type paragraph struct {
	Text  []span
	Items [][]span
	Pre   string
}

// span is a piece of prose, or of code in it. A name in brackets leads to what it names.
type span struct {
	Text string
	Code bool
	Href string
}

var (
	item = regexp.MustCompile(`^[-*•] +`)
	name = regexp.MustCompile(`\[(\pL[\pL\pN_]*)\]`)
)

// paragraphs returns the lines of a comment as prose: a blank line ends a paragraph, and so does a list. Lines that
// begin with a tab are formatted. lead returns where a name in brackets leads, or "".
func paragraphs(lines []string, lead func(name string) string) []paragraph {
	var out []paragraph
	open := "" // what the last paragraph goes on with: "", "text", "item" or "pre"
	begin := func(kind string) *paragraph {
		if open != kind {
			out = append(out, paragraph{})
			open = kind
		}
		return &out[len(out)-1]
	}
	for _, line := range lines {
		formatted, ok := strings.CutPrefix(line, "\t")
		line = strings.TrimSpace(line)
		mark := item.FindString(line)
		switch {
		case line == "" && open == "pre":
			out[len(out)-1].Pre += "\n"
		case line == "":
			open = ""
		case ok:
			p := begin("pre")
			p.Pre += formatted + "\n"
		case mark != "":
			p := begin("item")
			p.Items = append(p.Items, joined(nil, line[len(mark):], lead))
		case open == "item":
			p := begin("item")
			last := len(p.Items) - 1
			p.Items[last] = joined(p.Items[last], line, lead)
		default:
			p := begin("text")
			p.Text = joined(p.Text, line, lead)
		}
	}
	for i := range out {
		out[i].Pre = strings.TrimRight(out[i].Pre, "\n")
	}
	return out
}

// joined adds a line to a paragraph. What stands between backquotes is code.
func joined(spans []span, line string, lead func(name string) string) []span {
	if len(spans) > 0 {
		spans = append(spans, span{Text: "\n"})
	}
	pieces := strings.Split(line, "`")
	for i, text := range pieces {
		switch {
		case i%2 == 0:
			spans = linked(spans, text, lead)
		case i+1 < len(pieces):
			spans = append(spans, span{Text: text, Code: true})
		default:
			spans = linked(spans, "`"+text, lead)
		}
	}
	return spans
}

// linked adds text in which names in brackets may lead somewhere.
func linked(spans []span, text string, lead func(name string) string) []span {
	done := 0
	for _, at := range name.FindAllStringSubmatchIndex(text, -1) {
		if href := lead(text[at[2]:at[3]]); href != "" {
			spans = append(spans, span{Text: text[done:at[0]]}, span{Text: text[at[2]:at[3]], Code: true, Href: href})
			done = at[1]
		}
	}
	if done < len(text) {
		spans = append(spans, span{Text: text[done:]})
	}
	return spans
}

// prose returns a line of a comment.
func prose(line string) []span { return joined(nil, line, nowhere) }

// docOf returns the comment above a kernel, without the beginning that it has in Go: "Adds the input."
func docOf(k *binding.Kernel) []string {
	doc := slices.Clone(k.Doc)
	if len(doc) == 0 {
		return nil
	}
	if rest, ok := strings.CutPrefix(doc[0], k.Go+": "); ok {
		doc[0] = rest
	} else if rest, ok := strings.CutPrefix(doc[0], k.Go+" "); ok && !strings.HasPrefix(rest, "is ") {
		first, size := utf8.DecodeRuneInString(rest)
		doc[0] = string(unicode.ToUpper(first)) + rest[size:]
	}
	return doc
}

// synopsis returns the first sentence of a comment. A period after a space does not end it: weights . x.
func synopsis(lines []string) string {
	const dot = " \u2024 " // which package doc does not take for a period
	text := strings.ReplaceAll(strings.Join(lines, " "), " . ", dot)
	return strings.ReplaceAll(new(doc.Package).Synopsis(text), dot, " . ")
}

var license = regexp.MustCompile(`(?i)copyright|license|SPDX`)

// docOfSource returns what describes a source: the line comments that it begins with, all of them, or the first
// paragraph of its doc comment.
func docOfSource(d *directory, s *binding.Source) []paragraph {
	if o := overview(d.Text(s.File)); o != nil {
		return o
	}
	return paragraphs(s.Doc, nowhere)
}

// overview returns the line comments that a source begins with, unless it is about rights, or about what is below it.
func overview(text string) []paragraph {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		comment, ok := strings.CutPrefix(line, "//")
		if !ok {
			if line != "" && line[0] != '#' {
				return nil
			}
			break
		}
		lines = append(lines, strings.TrimLeft(comment, "/!"))
	}
	if license.MatchString(strings.Join(lines, " ")) {
		return nil
	}
	return paragraphs(lines, nowhere)
}
