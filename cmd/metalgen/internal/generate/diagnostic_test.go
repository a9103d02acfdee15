package generate

import (
	"strings"
	"testing"

	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
)

func TestDescribe(t *testing.T) {
	l := &Loaded{sources: map[string]*source{
		"a.metal": {File: &preprocess.File{Name: "a.metal", Path: "shaders/a.metal", Text: "one\r\ntwo\nthree"}},
		"b.metal": {File: &preprocess.File{Name: "b.metal", Text: ""}},
	}}
	at := func(file string, line, column int) parser.Pos {
		return parser.Pos{Filename: file, Line: line, Column: column}
	}
	tests := []struct {
		err  parser.Error
		want string
	}{
		{parser.Error{Pos: at("a.metal", 1, 2), Msg: "m"}, "shaders/a.metal:1:2: m\n\tone\n\t ^"},
		{parser.Error{Pos: at("a.metal", 3, 6), Msg: "m", Warning: true},
			"shaders/a.metal:3:6: warning: m\n\tthree\n\t     ^"},
		{parser.Error{Pos: at("a.metal", 4, 1), Msg: "m"}, "shaders/a.metal:4:1: m"},
		{parser.Error{Pos: at("a.metal", 0, 0), Msg: "m"}, "shaders/a.metal: m"},
		{parser.Error{Pos: at("b.metal", 1, 1), Msg: "m"}, "b.metal:1:1: m\n\t\n\t^"},
		{parser.Error{Pos: at("c.metal", 2, 1), Msg: "m"}, "c.metal:2:1: m"},
	}
	for _, test := range tests {
		if got := l.Describe(&test.err); got != test.want {
			t.Errorf("%v: %q, want %q", &test.err, got, test.want)
		}
		if test.err.Pos.Filename == "a.metal" && strings.HasPrefix(test.err.Error(), "shaders") {
			t.Errorf("the error itself was changed: %v", &test.err)
		}
	}
}
