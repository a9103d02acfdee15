package preprocess

import (
	"fmt"
	"strings"
	"testing"
)

func TestCommentLines(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"// a b ", "3:8 a b"},
		{"//", "3:7"},
		{"//a", "3:7 a"},
		{"/// a", "3:9 a doc"},
		{"//! a", "3:9 a doc"},
		{"//// a", "3:10 a"},
		{"//////////", "3:15"},
		{"// a\t\r", "3:8 a"},
		{"/* a */", "3:8 a"},
		{"/** a */", "3:9 a doc"},
		{"/*! a */", "3:9 a doc"},
		{"/**/", "3:7"},
		{"/***/", "3:8"},
		{"/* a\n * b\n\n   c */", "3:8 a\n4:4 b\n5:1\n6:4 c"},
		{"/**\n * a\r\n * b\r\n */", "3:8 doc\n4:4 a doc\n5:4 b doc\n6:2 doc"},
		{"/*\n * - item\n ** bold\n */", "3:7\n4:4 - item\n5:5 bold\n6:2"},
		{"/* a", "3:8 a"},
		{"/* a\rb */", "3:8 a\n4:1 b"},
	} {
		c := Comment{Text: test.text, Pos: Pos{Filename: "m.metal", Offset: 50, Line: 3, Column: 5}}
		var got []string
		for _, l := range c.Lines() {
			text := fmt.Sprintf("%d:%d", l.Pos.Line, l.Pos.Column)
			if l.Text != "" {
				text += " " + l.Text
			}
			if l.Doc {
				text += " doc"
			}
			got = append(got, text)
			if at := l.Pos.Offset - 50; !strings.HasPrefix(test.text[at:], l.Text) {
				t.Errorf("%q: %q is not at %d", test.text, l.Text, at)
			}
		}
		if strings.Join(got, "\n") != test.want {
			t.Errorf("%q:\n%s\nwant\n%s", test.text, strings.Join(got, "\n"), test.want)
		}
	}
}

func TestComments(t *testing.T) {
	unit, errs := preprocessText("// one\nint x; // two\n/* three */ int y; /* four */ // five\n\n// six")
	expectClean(t, errs)
	file := unit.File("main.metal")
	if file == nil || unit.File("none") != nil {
		t.Fatal("files by name")
	}
	for line, want := range map[int]string{1: "", 2: "// two", 3: "/* four */", 4: "", 5: "", 6: ""} {
		got := ""
		if c := file.TrailingComment(line); c != nil {
			got = c.Text
		}
		if got != want {
			t.Errorf("line %d: %q, want %q", line, got, want)
		}
	}
	for _, test := range []struct{ from, to, want int }{
		{0, 1000, 6}, {0, 0, 0}, {0, 1, 1}, {1, 1000, 5}, {1000, 0, 0}, {14, 15, 1},
	} {
		if got := len(file.CommentsBetween(test.from, test.to)); got != test.want {
			t.Errorf("[%d, %d): %d comments, want %d", test.from, test.to, got, test.want)
		}
	}
}
