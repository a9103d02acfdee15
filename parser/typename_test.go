package parser

import (
	"reflect"
	"testing"

	"github.com/metalgen/metalgen/parser/preprocess"
)

// TestSimpleTypes: ParseType reads simple types by itself as the grammar would.
func TestSimpleTypes(t *testing.T) {
	for _, text := range []string{"float", "bfloat16_t", "T", "int", "unsigned", "struct", "const", "device", "typename",
		"decltype", "auto", "void", "operator", "4", "*", "coherent", "template", "const device float", "float const*",
		"device T* const thread&", "T&&", "T**", "T* const volatile* restrict", "constant", "device *", "T[2]", "a::b",
		"vec<T, 2>*", "T(*)(int)", "T 4", "unsigned int*", "T volatile const", "const struct P*", "::T"} {
		tokens, _ := preprocess.Scan("m.metal", text)
		got, gotErr := ParseType(tokens)
		want, wantErr := parse(typeNameParser, tokens)
		if (gotErr == nil) != (wantErr == nil) {
			t.Errorf("%s: %v, want %v", text, gotErr, wantErr)
		} else if wantErr == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %#v, want %#v", text, got, want)
		}
	}
}
