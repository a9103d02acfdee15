// Package quote shows lines of sources in messages, as a terminal can show them.
package quote

import (
	"strings"
	"unicode"
)

// A message quotes maxQuoted bytes of a line, and of a longer one those around
// the column.
const maxQuoted = 160

// Line returns a line of a source, indented, with a caret under a column, which counts bytes from 1.
func Line(line string, column int) string {
	col := min(max(column-1, 0), len(line))
	from, to := 0, len(line)
	if to > maxQuoted {
		from = max(0, min(col-maxQuoted/2, to-maxQuoted))
		to = from + maxQuoted
	}
	var pad strings.Builder
	for _, r := range printable(line[from:col]) {
		pad.WriteString(blankFor(r))
	}
	return "\t" + printable(line[from:to]) + "\n\t" + pad.String() + "^"
}

// wide are the letters that take two columns of a terminal.
var wide = []*unicode.RangeTable{
	unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana,
	{R16: []unicode.Range16{{Lo: 0x3000, Hi: 0x303e, Stride: 1}, {Lo: 0xff01, Hi: 0xff60, Stride: 1}}},
	{R32: []unicode.Range32{{Lo: 0x1f300, Hi: 0x1faff, Stride: 1}}},
}

// blankFor returns white space as wide as r.
func blankFor(r rune) string {
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
