package preprocess

import (
	"strings"
	"testing"
)

func TestInteger(t *testing.T) {
	for _, test := range []struct {
		text  string
		value uint64
		kind  string
	}{
		{"0", 0, ""}, {"00", 0, ""}, {"42", 42, ""}, {"017", 15, ""}, {"0x1F", 31, ""}, {"0XfF", 255, ""},
		{"0b101", 5, ""}, {"0B1", 1, ""}, {"1'000'000", 1000000, ""}, {"0x'1", 0, "bad"}, {"0xFF'FF", 0xffff, ""},
		{"0'7", 7, ""}, {"1u", 1, "u"}, {"1U", 1, "u"}, {"1l", 1, "l"}, {"1LL", 1, "l"}, {"1ul", 1, "ul"}, {"1Lu", 1, "ul"},
		{"1ULL", 1, "ul"}, {"1llU", 1, "ul"}, {"1uLL", 1, "ul"}, {"18446744073709551615", 1<<64 - 1, ""},
		{"0xFFFFFFFFFFFFFFFFu", 1<<64 - 1, "u"},
		{"18446744073709551616", 0, "big"}, {"0x1'0000'0000'0000'0000", 0, "big"},
		{"1ulul", 0, "suffix"}, {"1uu", 0, "suffix"}, {"1lll", 0, "suffix"}, {"1lul", 0, "suffix"}, {"1lL", 0, "suffix"},
		{"1uLl", 0, "suffix"},
		{"0o17", 0, "bad"}, {"08", 0, "bad"}, {"0b2", 0, "bad"}, {"0x", 0, "bad"}, {"0b", 0, "bad"}, {"1_000", 0, "bad"},
		{"1''0", 0, "bad"},
		{"1'", 0, "bad"}, {"1z", 0, "bad"}, {"0x1g", 0, "bad"}, {"1.5", 0, "bad"}, {"", 0, "bad"}, {"u", 0, "bad"},
		{"'a'", 0, "bad"}, {"-1", 0, "bad"},
	} {
		value, unsigned, long, err := Integer(test.text)
		kind := ""
		switch {
		case err != nil && strings.HasSuffix(err.Error(), "of at most 64 bits"):
			kind = "big"
		case err != nil && strings.Contains(err.Error(), "no such suffix"):
			kind = "suffix"
		case err != nil:
			kind = "bad"
		default:
			if unsigned {
				kind = "u"
			}
			if long {
				kind += "l"
			}
		}
		if value != test.value || kind != test.kind {
			t.Errorf("%s: %d %q, want %d %q: %v", test.text, value, kind, test.value, test.kind, err)
		}
	}
}
