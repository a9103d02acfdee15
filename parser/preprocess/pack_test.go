package preprocess

import (
	"fmt"
	"strings"
	"testing"
)

func TestPackAtFollowsPragmas(t *testing.T) {
	for _, test := range []struct{ source, want string }{
		{"a b", "a0 b0"},
		{"#pragma pack(push, 1)\na\n#pragma pack(pop)\nb", "a1 b0"},
		{"a\n#pragma pack(4)\nb c\n#pragma pack()\nd", "a0 b4 c4 d0"},
		{"#pragma pack( 2 )\n#pragma pack(push)\na\n#pragma pack (8)\nb\n#pragma pack(pop)\nc", "a2 b8 c2"},
		{"#pragma pack(push,1)\n#pragma pack(push,16)\na\n#pragma pack(pop, 4)\nb\n#pragma pack(pop)\nc", "a16 b4 c0"},
		{"#if 0\n#pragma pack(1)\n#endif\na", "a0"},
		{"#pragma pack(1) // all of them\na", "a1"},
	} {
		unit, errs := preprocessText(test.source)
		if errs.HasErrors() {
			t.Errorf("%q: %v", test.source, errs)
		}
		var got []string
		for i, tok := range unit.Tokens {
			got = append(got, fmt.Sprint(tok.Text, unit.PackAt(i)))
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%q: got %s, want %s", test.source, got, test.want)
		}
	}
}

func TestPackRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, words := range []string{
		"", "(3)", "(push, x)", "(push, 1, 2)", "(1, 2)", "(show)", "(1", "(32)", "(label, 1)",
	} {
		_, errs := preprocessText("#pragma pack" + words + "\na")
		if !errs.HasErrors() {
			t.Errorf("#pragma pack%s is accepted", words)
		}
	}
}
