package binding

import (
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/binding/claim"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
)

// block is a run of comment lines without a gap.
type block struct {
	lines      []preprocess.Line
	start, end int // first and last line of the file
}

// commentsAbove returns the blocks of comments that stand between the function before a kernel and the kernel itself.
// Params structs and constants may stand between them, and their own comments are not among them.
func commentsAbove(tree *parser.Tree, index int) []block {
	d := tree.Decls[index]
	file := tree.File(d.Pos.Filename)
	if file == nil {
		return nil
	}
	from := 0
	type region struct{ from, to int }
	var inside []region
	for i := index - 1; i >= 0; i-- {
		prev := tree.Decls[i]
		if prev.Pos.Filename != d.Pos.Filename {
			continue
		}
		if prev.Pos.Offset > d.Pos.Offset {
			continue
		}
		declares := prev.Struct != nil || prev.Enum != nil || prev.Typedef != nil || prev.Using != nil || prev.Variable != nil
		if !declares && (prev.Open >= 0 || prev.Helper != "") {
			from = prev.End.Offset
			break
		}
		inside = append(inside, region{prev.Pos.Offset, prev.End.Offset})
	}
	var blocks []block
	last := -1
	for _, c := range file.CommentsBetween(from, d.Pos.Offset) {
		skip := c.Trailing
		for _, r := range inside {
			skip = skip || c.Pos.Offset > r.from && c.Pos.Offset < r.to
		}
		if skip {
			continue
		}
		if last < 0 || c.Pos.Line != blocks[last].end+1 {
			blocks = append(blocks, block{start: c.Pos.Line})
			last++
		}
		blocks[last].lines = append(blocks[last].lines, c.Lines()...)
		blocks[last].end = c.End
	}
	return blocks
}

// docLines returns the lines of a doc comment without rules made of punctuation and without
// leading and trailing blank lines; runs of blank lines become one. What is indented by four
// columns after a blank line is preformatted, as in Markdown: such lines begin with a tab, as
// Go has them. A license is no doc comment, and neither are orders to a formatter.
func docLines(lines []preprocess.Line) []string {
	var out []string
	margin, preformatted := 0, false
	for _, l := range lines {
		text := strings.TrimSpace(trimRule(l.Text))
		last := ""
		if len(out) > 0 {
			last = out[len(out)-1]
		}
		switch {
		case strings.HasPrefix(text, "clang-format "):
			continue
		case text == "" && last == "":
			continue
		case text == "":
		case len(out) == 0:
			if strings.HasPrefix(text, "Copyright ") || strings.HasPrefix(text, "SPDX-") {
				return nil
			}
			margin = l.Pos.Column
		default:
			indent := l.Pos.Column - margin - len("    ")
			preformatted = indent >= 0 && (last == "" || preformatted)
			if preformatted {
				text = "\t" + strings.Repeat(" ", indent) + l.Text
			}
		}
		out = append(out, text)
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// trimRule returns a line without the drawn lines around a heading, "── Title ──────".
func trimRule(text string) string {
	const drawn = "=─━-—═*_~#"
	trimmed := strings.TrimRight(strings.TrimSpace(text), " ")
	for _, side := range []func(string, string) string{strings.TrimLeft, strings.TrimRight} {
		if cut := side(trimmed, drawn); len(trimmed)-len(cut) >= 2 || cut == "" {
			trimmed = strings.TrimSpace(cut)
		}
	}
	return trimmed
}

// commentOfType returns the comment directly above a struct or enum, unless it
// speaks of a kernel: a block with a claim about buffers or geometry.
func commentOfType(tree *parser.Tree, d *parser.Decl) []string {
	if d == nil {
		return nil
	}
	return commentAbove(tree, d.Pos)
}

// commentAbove is commentOfType of what stands at a position.
func commentAbove(tree *parser.Tree, pos Pos) []string {
	file := tree.File(pos.Filename)
	if file == nil {
		return nil
	}
	var lines []preprocess.Line
	next := pos.Line
	comments := file.CommentsBetween(0, pos.Offset)
	for i := len(comments) - 1; i >= 0 && comments[i].End == next-1 && !comments[i].Trailing; i-- {
		lines = append(comments[i].Lines(), lines...)
		next = comments[i].Pos.Line
	}
	for _, l := range lines {
		if len(claim.In(l)) > 0 || strings.HasPrefix(l.Text, annotationPrefix) {
			return nil
		}
	}
	return docLines(lines)
}

// sourceDoc returns the first paragraph of the doc comment that a source begins with, unless it
// is that of a declaration below it, or speaks of a kernel.
func sourceDoc(tree *parser.Tree) []string {
	file := tree.Files[0]
	var lines []preprocess.Line
	next := 1
	for _, c := range file.Comments {
		if c.Pos.Line != next || c.Trailing {
			break
		}
		for _, l := range c.Lines() {
			if !l.Doc || len(claim.In(l)) > 0 || strings.HasPrefix(l.Text, annotationPrefix) {
				return nil
			}
			lines = append(lines, l)
		}
		next = c.End + 1
	}
	for _, d := range tree.Decls {
		if d.Pos.Filename == file.Name && d.Pos.Line == next {
			return nil
		}
	}
	text := docLines(lines)
	if end := slices.Index(text, ""); end >= 0 {
		text = text[:end]
	}
	return text
}

// trailing returns the text of the comment after the code at pos, which must be the last of its line.
func trailing(tree *parser.Tree, pos parser.Pos) (preprocess.Line, bool) {
	file := tree.File(pos.Filename)
	if file == nil {
		return preprocess.Line{}, false
	}
	c := file.TrailingComment(pos.Line)
	if c == nil || c.Pos.Offset < pos.Offset {
		return preprocess.Line{}, false
	}
	lines := c.Lines()
	if len(lines) == 0 || lines[0].Text == "" {
		return preprocess.Line{}, false
	}
	return lines[0], true
}

// lastOfLine reports whether a parameter is the last one of its line, so that the comment after it is its own.
func lastOfLine(k *tree.Kernel, i int) bool {
	return i+1 == len(k.Params) || k.Params[i+1].First.Line != k.Params[i].Pos.Line
}
