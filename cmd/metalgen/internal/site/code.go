package site

import (
	"regexp"
	"strings"
)

// piece is a piece of code of one color: of a comment, a keyword, or neither. What has a declaration on the site leads
// there.
type piece struct {
	Text    string
	Comment bool
	Keyword bool
	Href    string
}

// language is what there is to know of a language for showing it.
type language map[string]bool // its keywords

var (
	msl = words(`kernel device constant threadgroup thread template typename class struct union enum const constexpr
		static inline using namespace typedef return if else for while do switch case default break continue sizeof
		void bool char uchar short ushort int uint long ulong half bfloat float auto operator public private volatile`)
	golang = words(`func type struct interface map chan const var return package import range`)
)

func words(list string) language {
	l := language{}
	for _, w := range strings.Fields(list) {
		l[w] = true
	}
	return l
}

var tokens = regexp.MustCompile(`//[^\n]*|(?s:/\*.*?\*/)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[\pL_][\pL\pN_]*`)

// lines returns text in pieces, line by line. lead returns where an identifier leads, or "".
func (l language) lines(text string, lead func(name string) string) [][]piece {
	lines := [][]piece{nil}
	add := func(p piece) {
		for i, part := range strings.Split(p.Text, "\n") {
			if i > 0 {
				lines = append(lines, nil)
			}
			last := &lines[len(lines)-1]
			p.Text = strings.TrimSuffix(part, "\r")
			if n := len(*last); n > 0 && (*last)[n-1].joins(p) {
				(*last)[n-1].Text += p.Text
			} else if p.Text != "" {
				*last = append(*last, p)
			}
		}
	}
	done := 0
	for _, at := range tokens.FindAllStringIndex(text, -1) {
		token := text[at[0]:at[1]]
		add(piece{Text: text[done:at[0]]})
		p := piece{Text: token, Keyword: l[token], Comment: strings.HasPrefix(token, "//") || strings.HasPrefix(token, "/*")}
		if !p.Keyword && !p.Comment {
			p.Href = lead(token)
		}
		add(p)
		done = at[1]
	}
	add(piece{Text: text[done:]})
	return lines
}

// joins reports whether a piece may be part of the one before it.
func (p piece) joins(next piece) bool {
	return p.Href == "" && next.Href == "" && p.Comment == next.Comment && p.Keyword == next.Keyword
}

func nowhere(string) string { return "" }
