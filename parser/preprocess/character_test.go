package preprocess

import "testing"

func TestStringValue(t *testing.T) {
	for _, test := range []struct {
		text, want string
		ok         bool
	}{
		{`""`, "", true}, {`"abc"`, "abc", true}, {`"\n\t\\\"\'\?"`, "\n\t\\\"'?", true}, {`"\x41\101\0"`, "AA\x00", true},
		{`"\xff\u00e9\U0001F600é"`, "\xffé😀é", true}, {"\"\xff\"", "\xff", true},
		{`"\q"`, "", false}, {`"\x100"`, "", false}, {`L"abc"`, "", false}, {`R"(abc)"`, "", false}, {`"`, "", false},
	} {
		if got, ok := StringValue(test.text); got != test.want || ok != test.ok {
			t.Errorf("%s: got %q and %t, want %q and %t", test.text, got, ok, test.want, test.ok)
		}
	}
}
