package preprocess

import (
	"slices"
	"strings"
)

// Line is one line of a comment without its markers.
type Line struct {
	Text string // trimmed of white space
	Pos  Pos    // of the first character of Text
	// Doc is set in the comments that document by their form: ///, //!, /** */ and /*! */.
	Doc bool
}

// Lines returns the lines of a comment without //, ///, /*, leading * and */.
func (c *Comment) Lines() []Line {
	if strings.HasPrefix(c.Text, "//") {
		body := strings.TrimLeft(c.Text, "/")
		doc := strings.HasPrefix(c.Text, "//!") || strings.HasPrefix(c.Text, "///") && !strings.HasPrefix(c.Text, "////")
		body = strings.TrimPrefix(body, "!")
		return []Line{c.line(c.Pos, len(c.Text)-len(body), len(c.Text), doc)}
	}
	doc := strings.HasPrefix(c.Text, "/**") || strings.HasPrefix(c.Text, "/*!")
	end := len(c.Text)
	if strings.HasSuffix(c.Text, "*/") && end >= len("/**/") {
		end -= len("*/")
	}
	doc = doc && end > len("/**") // not in /**/ and /***/
	var lines []Line
	pos := c.Pos
	for start, from := 0, min(len("/*"), end); ; {
		stop := from
		for stop < end && class[c.Text[stop]] != newline {
			stop++
		}
		for from < stop && class[c.Text[from]] == blank {
			from++
		}
		for from < stop && (c.Text[from] == '*' || c.Text[from] == '!') {
			from++
		}
		lines = append(lines, c.line(pos, from-start, stop-start, doc))
		if stop == end {
			return lines
		}
		next := stop + newlineLen(c.Text[stop:])
		pos.Line++
		pos.Column = 1
		pos.Offset += next - start
		start, from = next, next
	}
}

// line is the text between two offsets from pos, which is in the comment.
func (c *Comment) line(pos Pos, from, to int, doc bool) Line {
	text := c.Text[pos.Offset-c.Pos.Offset:][:to]
	for from < to && strings.IndexByte(" \t\r", text[from]) >= 0 {
		from++
	}
	for to > from && strings.IndexByte(" \t\r", text[to-1]) >= 0 {
		to--
	}
	pos.Offset += from
	pos.Column += from
	return Line{Text: text[from:to], Pos: pos, Doc: doc}
}

// File returns the file of the unit that positions call name, or nil.
func (u *Unit) File(name string) *File {
	for _, f := range u.Files {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// CommentsBetween returns the comments of a file that start at or after byte
// offset from and before to.
func (f *File) CommentsBetween(from, to int) []Comment {
	byOffset := func(c Comment, offset int) int { return c.Pos.Offset - offset }
	i, _ := slices.BinarySearchFunc(f.Comments, from, byOffset)
	j, _ := slices.BinarySearchFunc(f.Comments, to, byOffset)
	return f.Comments[i:max(i, j)]
}

// TrailingComment returns the comment after the code of a line, or nil.
func (f *File) TrailingComment(line int) *Comment {
	i, found := slices.BinarySearchFunc(f.Comments, line, func(c Comment, line int) int { return c.Pos.Line - line })
	for ; found && i < len(f.Comments) && f.Comments[i].Pos.Line == line; i++ {
		if f.Comments[i].Trailing {
			return &f.Comments[i]
		}
	}
	return nil
}
