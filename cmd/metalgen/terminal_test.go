package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/metalgen/metalgen/parser"
)

func TestColorsLeaveTheTextAsItIs(t *testing.T) {
	pos := parser.Pos{Filename: "a.metal", Line: 1, Column: 3}
	quoted := "\n\tx ^ y\n\t  ^"
	tests := []struct {
		name   string
		e      parser.Error
		quoted string
		want   string
	}{
		{
			"an error", parser.Error{Pos: pos, Msg: "oh"}, quoted,
			bold + "a.metal:1:3: " + plain + red + "oh" + plain + "\n\tx ^ y\n\t  " + green + "^" + plain,
		},
		{
			"a warning", parser.Error{Pos: pos, Msg: "oh", Warning: true}, quoted,
			bold + "a.metal:1:3: " + plain + magenta + "warning: " + plain + "oh" + "\n\tx ^ y\n\t  " + green + "^" + plain,
		},
		{
			"one about a file", parser.Error{Pos: parser.Pos{Filename: "a.metal"}, Msg: "oh: ^"}, "",
			bold + "a.metal: " + plain + red + "oh: ^" + plain,
		},
	}
	for _, test := range tests {
		text := test.e.Error() + test.quoted
		got := paint(test.e, text)
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		if bare := strings.NewReplacer(bold, "", red, "", green, "", magenta, "", plain, "").Replace(got); bare != text {
			t.Errorf("%s: without colors %q, want %q", test.name, bare, text)
		}
	}
}

// TestALongRunSaysHowFarItIs runs with a clock of its own.
func TestALongRunSaysHowFarItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text strings.Builder
		p := newProgress(&text)
		p.set(1, 3)
		time.Sleep(unhurried - 1)
		p.end()
		if text.Len() > 0 {
			t.Errorf("a short run: %q", &text)
		}
		p = newProgress(&text)
		p.set(2, 3)
		p.set(1, 3) // of another goroutine, which is late
		time.Sleep(unhurried + tick - 1)
		p.set(3, 3)
		time.Sleep(5 * tick)
		p.end()
		synctest.Wait()
		want := "\r\x1b[Kmetalgen: 2 of 3 sources, 2 s" + strings.Repeat("\r\x1b[Kmetalgen: 3 of 3 sources, 2 s", 4) +
			"\r\x1b[Kmetalgen: 3 of 3 sources, 3 s" + "\r\x1b[K"
		if text.String() != want {
			t.Errorf("%q, want %q", &text, want)
		}
	})
}
