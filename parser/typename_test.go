package parser

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/metalgen/metalgen/parser/preprocess"
)

// TestAPlainNameIsTheTypeThatTheGrammarMakesOfIt compares what ParseType makes of one token with the grammar.
func TestAPlainNameIsTheTypeThatTheGrammarMakesOfIt(t *testing.T) {
	for _, text := range []string{"float", "half4x4", "T", "block_q4_0", "int", "unsigned", "const", "struct", "3", "*"} {
		tokens, _ := preprocess.Scan("m.metal", text)
		tokens = tokens[:1]
		want, wantErr := parse(typeNameParser, tokens)
		got, err := ParseType(tokens)
		if (err == nil) != (wantErr == nil) {
			t.Errorf("%s: error %v, want %v", text, err, wantErr)
		}
		if err == nil {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s:\n%s", text, diff)
			}
		}
	}
}
