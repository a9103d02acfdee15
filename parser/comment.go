package parser

import (
	"slices"
	"strings"
)

// Line is one line of a comment without its markers.
type Line struct {
	Text string // trimmed of white space
	Pos  Pos    // of the first character of Text
	// Doc is set in the comments that document by their form: /// and /** */.
	Doc bool
}

// Lines gives the lines of a comment without //, ///, /*, leading * and */.
func (c *Comment) Lines() []Line {
	if strings.HasPrefix(c.Text, "//") {
		body := strings.TrimLeft(c.Text, "/")
		body = strings.TrimPrefix(body, "!")
		doc := strings.HasPrefix(c.Text, "///") && !strings.HasPrefix(c.Text, "////")
		return []Line{line(c, len(c.Text)-len(body), len(c.Text), doc)}
	}
	doc := strings.HasPrefix(c.Text, "/**") || strings.HasPrefix(c.Text, "/*!")
	end := len(c.Text)
	if strings.HasSuffix(c.Text, "*/") {
		end -= 2
	}
	var lines []Line
	for start := min(2, end); start <= end; {
		stop := end
		if i := strings.IndexByte(c.Text[start:end], '\n'); i >= 0 {
			stop = start + i
		}
		from := start
		for from < stop && strings.IndexByte(" \t\r", c.Text[from]) >= 0 {
			from++
		}
		for from < stop && (c.Text[from] == '*' || c.Text[from] == '!') {
			from++
		}
		lines = append(lines, line(c, from, stop, doc))
		start = stop + 1
	}
	return lines
}

// line is the text between two offsets of a comment.
func line(c *Comment, from, to int, doc bool) Line {
	for from < to && strings.IndexByte(" \t\r", c.Text[from]) >= 0 {
		from++
	}
	for to > from && strings.IndexByte(" \t\r", c.Text[to-1]) >= 0 {
		to--
	}
	pos := c.Pos
	pos.Offset += from
	if nl := strings.LastIndexByte(c.Text[:from], '\n'); nl >= 0 {
		pos.Line += strings.Count(c.Text[:from], "\n")
		pos.Column = from - nl
	} else {
		pos.Column += from
	}
	return Line{Text: c.Text[from:to], Pos: pos, Doc: doc}
}

// File gives the file of the unit that positions call name, or nil.
func (u *Unit) File(name string) *File {
	for _, f := range u.Files {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// CommentsBetween gives the comments of a file that start at or after byte
// offset from and before to.
func (f *File) CommentsBetween(from, to int) []Comment {
	byOffset := func(c Comment, offset int) int { return c.Pos.Offset - offset }
	i, _ := slices.BinarySearchFunc(f.Comments, from, byOffset)
	j, _ := slices.BinarySearchFunc(f.Comments, to, byOffset)
	return f.Comments[i:max(i, j)]
}

// TrailingComment gives the comment behind the code of a line, or nil.
func (f *File) TrailingComment(line int) *Comment {
	i, found := slices.BinarySearchFunc(f.Comments, line, func(c Comment, line int) int { return c.Pos.Line - line })
	for ; found && i < len(f.Comments) && f.Comments[i].Pos.Line == line; i++ {
		if f.Comments[i].Trailing {
			return &f.Comments[i]
		}
	}
	return nil
}
