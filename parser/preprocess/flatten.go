package preprocess

import (
	"fmt"
	"strings"
)

// flattener writes Unit.Flat: the text of the source with that of its local
// headers instead of their #include lines.
type flattener struct {
	strings.Builder
	whole string // the main source, when it is all there is
}

func (f *flattener) text() string {
	if f.Len() == 0 {
		return f.whole
	}
	return f.String()
}

// copy writes the text of in up to the offset to.
func (f *flattener) copy(in *source, to int) {
	f.WriteString(in.Text[in.flatDone:to])
	in.flatDone = to
}

// marker writes a #line, on a line of its own.
func (f *flattener) marker(line int, name string) {
	f.newLine()
	fmt.Fprintf(f, "#line %d %s\n", line, quoteString(name))
}

// newLine ends the line written last. A backslash at its end takes one more:
// it would join the next line.
func (f *flattener) newLine() {
	text := f.String()
	line := strings.TrimRight(text, "\r\n")
	if text != "" && line == text {
		f.WriteByte('\n')
	}
	if strings.HasSuffix(strings.TrimRight(line, " \t\v\f"), `\`) {
		f.WriteByte('\n')
	}
}

// span is the #include line from its # to the end of its line, whose number is
// line.
type span struct {
	from, to, line int
}

// lineFrom is the span of the directive that in has read to its end.
func (in *source) lineFrom(at Pos) span {
	from := at.Offset
	if start := from - at.Column + 1; strings.Trim(in.Text[start:from], " \t\v\f") == "" {
		from = start
	}
	end := in.pos(in.off)
	return span{from, end.Offset + newlineLen(in.Text[end.Offset:]), end.Line}
}

// open writes the text before an #include and announces the header's.
func (f *flattener) open(in *source, line span, header string) {
	f.copy(in, line.from)
	f.marker(1, header)
}

// resume announces the text after an #include.
func (f *flattener) resume(in *source, line span) {
	f.marker(line.line+1, in.Name)
	in.flatDone = line.to
}

// blank leaves out an #include that would have no effect, but not its lines.
func (f *flattener) blank(in *source, at Pos, line span) {
	f.copy(in, line.from)
	for range line.line - at.Line + 1 {
		f.WriteByte('\n')
	}
	in.flatDone = line.to
}

// end writes the rest of a text.
func (f *flattener) end(in *source) {
	if in.by == nil && f.Len() == 0 {
		f.whole = in.Text[in.flatDone:] // no byte order mark: it would not stay in front
		return
	}
	f.copy(in, len(in.Text))
}

// quoteString makes a string literal of text.
func quoteString(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
