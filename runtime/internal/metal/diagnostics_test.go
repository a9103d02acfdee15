package metal

import (
	"errors"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

func TestWhatTheCompilerSaysIsTakenApart(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []driver.Diagnostic
	}{
		{"with #line markers", "norm.metal:12:3: error: unknown type name 'foo'\n  foo x;\n  ^\n",
			[]driver.Diagnostic{{Pos: "norm.metal:12:3", Msg: "unknown type name 'foo'"}}},
		{"without", "program_source:12:3: error: no",
			[]driver.Diagnostic{{Pos: "norm.metal:12:3", Msg: "no"}}},
		{"several, of several files",
			"Compilation failed: \n\nreduce.h:1:2: warning: unused variable 'i' [-Wunused-variable]\n\tint i;\n\t    ^\n" +
				"norm.metal:3:4: error: one\nx\n^~~\nnorm.metal:5:6: fatal error: two\n",
			[]driver.Diagnostic{{Pos: "reduce.h:1:2", Warning: true, Msg: "unused variable 'i' [-Wunused-variable]"},
				{Pos: "norm.metal:3:4", Msg: "one"}, {Pos: "norm.metal:5:6", Msg: "two"}}},
		{"notes belong to what is before them",
			"norm.metal:3:4: error: no matching function\nreduce.h:9:1: note: candidate\n",
			[]driver.Diagnostic{{Pos: "norm.metal:3:4", Msg: "no matching function\n\treduce.h:9:1: note: candidate"}}},
		{"a note by itself", "norm.metal:3:4: note: here\nnorm.metal:3:5: error: no",
			[]driver.Diagnostic{{Pos: "norm.metal:3:4", Msg: "here"}, {Pos: "norm.metal:3:5", Msg: "no"}}},
		{"no place", "norm.metal:3:4: error: one\nfatal error: too many errors emitted, stopping now [-ferror-limit=]\n",
			[]driver.Diagnostic{{Pos: "norm.metal:3:4", Msg: "one"},
				{Msg: "too many errors emitted, stopping now [-ferror-limit=]"}}},
		{"a line without a column", "norm.metal:3: error: one", []driver.Diagnostic{{Pos: "norm.metal:3", Msg: "one"}}},
		{"an unknown place", "<unknown>:0: error: one", []driver.Diagnostic{{Msg: "one"}}},
		{"a path", "/Users/me/my shaders/norm.metal:3:1: error: one",
			[]driver.Diagnostic{{Pos: "/Users/me/my shaders/norm.metal:3:1", Msg: "one"}}},
		{"lines of Windows", "norm.metal:3:1: error: one\r\nx\r\n^\r\n",
			[]driver.Diagnostic{{Pos: "norm.metal:3:1", Msg: "one"}}},
		{"another form", "The compiler has gone away.\n", []driver.Diagnostic{{Msg: "The compiler has gone away."}}},
		{"warnings, and yet no library", "norm.metal:3:1: warning: one\nsomething else",
			[]driver.Diagnostic{{Pos: "norm.metal:3:1", Warning: true, Msg: "one"},
				{Msg: "norm.metal:3:1: warning: one\nsomething else"}}},
		{"nothing", "", []driver.Diagnostic{{}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := diagnostics("norm.metal", c.text); !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestOnlyTheFaultsOfASourceAreCompileErrors(t *testing.T) {
	for _, c := range []struct {
		err     objc.Error
		compile bool
	}{
		{objc.Error{Domain: "MTLLibraryErrorDomain", Code: 3}, true},
		{objc.Error{Domain: "MTLLibraryErrorDomain", Code: 2}, false},
		{objc.Error{Domain: "NSCocoaErrorDomain", Code: 3}, false},
	} {
		var e *driver.CompileError
		if err := compileError("norm.metal", &c.err); errors.As(err, &e) != c.compile {
			t.Errorf("%v: %#v", c.err, err)
		}
	}
}
