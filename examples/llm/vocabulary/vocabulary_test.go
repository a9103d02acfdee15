package vocabulary

import (
	"slices"
	"strings"
	"testing"
)

const text = "the kernel and the grid and the kernel and the shape"

func TestPairsThatOccurMostOftenBecomeTokens(t *testing.T) {
	v, err := Learn(text, 256+8)
	if err != nil {
		t.Fatal(err)
	}
	var tokens []string
	for i := 256; i < v.Len(); i++ {
		tokens = append(tokens, v.Token(i))
	}
	// " t" is not among them: "the" begins the text without a space
	want := []string{"he", "the", " the", "nd", "and", " and", "er", "ker"}
	for _, token := range []string{" the", " and"} {
		if !slices.Contains(tokens, token) {
			t.Errorf("no token %q in %q, such as %q", token, tokens, want)
		}
	}
	for _, token := range tokens {
		if strings.LastIndexAny(token, " \n") > 0 {
			t.Errorf("%q is part of two words", token)
		}
	}
	if again, err := Learn(text, 256+8); err != nil || again.String() != v.String() {
		t.Errorf("another run makes others: %v", err)
	}
}

func TestNothingMoreIsLearnedThanThereIs(t *testing.T) {
	if v, err := Learn("abab", 1000); err != nil || v.Len() != 257 {
		t.Errorf("%d tokens, %v", v.Len(), err)
	}
}

func TestTokensJoinToTheText(t *testing.T) {
	v, err := Learn(text, 256+20)
	if err != nil {
		t.Fatal(err)
	}
	if v, err = Parse(v.String()); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{text, "", "ü\x00\xff", "the kernels of the grid"} {
		joined := ""
		tokens := v.Encode(s)
		for _, n := range tokens {
			joined += v.Token(n)
		}
		if joined != s || len(s) > 20 && len(tokens) > len(s)*2/3 {
			t.Errorf("%q: %d tokens join to %q", s, len(tokens), joined)
		}
	}
	if v.Token(-1) != "" || v.Token(v.Len()) != "" {
		t.Error("numbers without a token have one")
	}
}

func TestBrokenVocabulariesAreErrors(t *testing.T) {
	for _, s := range []string{"x\n", "1\n", "256 1\n", "-1 3\n", strings.Repeat("97 97\n", 1) + "256 300\n"} {
		if _, err := Parse(s); err == nil {
			t.Errorf("no error for %q", s)
		}
	}
	double := "97 97\n256 256\n257 257\n258 258\n259 259\n260 260\n"
	if _, err := Parse(double); err != nil {
		t.Error(err)
	}
	if _, err := Parse(double + "261 261\n"); err == nil {
		t.Error("a token may be of any length")
	}
}

func FuzzParse(f *testing.F) {
	f.Add("97 98\n256 99\n", "abcabc")
	f.Fuzz(func(t *testing.T, merges, text string) {
		v, err := Parse(merges)
		if err != nil {
			return
		}
		joined := ""
		for _, n := range v.Encode(text) {
			joined += v.Token(n)
		}
		if joined != text {
			t.Errorf("%q becomes %q", text, joined)
		}
	})
}
