package preprocess

import (
	"fmt"
	"strings"
	"testing"
)

// show writes tokens with kind and position, and _ for those that touch what
// is before them.
func show(tokens []Token) string {
	names := map[Kind]string{Ident: "id", Int: "int", Float: "float", Char: "char", String: "str", Punct: "op"}
	var parts []string
	for _, t := range tokens {
		glue := ""
		if !t.Space {
			glue = "_"
		}
		parts = append(parts, fmt.Sprintf("%s%s:%s@%d:%d", glue, names[t.Kind], t.Text, t.Pos.Line, t.Pos.Column))
	}
	return strings.Join(parts, " ")
}

func TestScan(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{"a b\n\tc", "_id:a@1:1 id:b@1:3 id:c@2:2"},
		{"größe _x9 λ\u0301", "_id:größe@1:1 id:_x9@1:9 id:λ\u0301@1:13"},
		{"1 0x1Fu 0b101 1'000 017ull", "_int:1@1:1 int:0x1Fu@1:3 int:0b101@1:9 int:1'000@1:15 int:017ull@1:21"},
		{"1.0f .5 2h 1.5bf 1e-3 1.e+5 0x1p-3 3f",
			"_float:1.0f@1:1 float:.5@1:6 float:2h@1:9 float:1.5bf@1:12 float:1e-3@1:18 float:1.e+5@1:23 float:0x1p-3@1:29 " +
				"float:3f@1:36"},
		{"0xe+1", "_int:0xe+1@1:1"}, // as the standard has it
		{"x.y 1..2 a...b", "_id:x@1:1 _op:.@1:2 _id:y@1:3 float:1..2@1:5 id:a@1:10 _op:...@1:11 _id:b@1:14"},
		{`"a\"b" '\'' "" u8"x" L'y'`, `_str:"a\"b"@1:1 char:'\''@1:8 str:""@1:13 str:u8"x"@1:16 char:L'y'@1:22`},
		{"R\"--(a\n\"b\")--\" c", "_str:R\"--(a\n\"b\")--\"@1:1 id:c@2:9"},
		{"a<<=b>>=c->*d->e",
			"_id:a@1:1 _op:<<=@1:2 _id:b@1:5 _op:>>=@1:6 _id:c@1:9 _op:->*@1:10 _id:d@1:13 _op:->@1:14 _id:e@1:16"},
		{"[[x]]::+++--&&&",
			"_op:[@1:1 _op:[@1:2 _id:x@1:3 _op:]@1:4 _op:]@1:5 _op:::@1:6 _op:++@1:8 _op:+@1:10 _op:--@1:11 _op:&&@1:13 " +
				"_op:&@1:15"},
		{"a/**/b/c//d\n/e", "_id:a@1:1 id:b@1:6 _op:/@1:7 _id:c@1:8 op:/@2:1 _id:e@2:2"},
		{"a /* x\r\n y */ b\r\nc\rd", "_id:a@1:1 id:b@2:7 id:c@3:1 id:d@4:1"},

		// spliced lines
		{"ab\\\ncd e", "_id:abcd@1:1 id:e@2:4"},
		{"a\\\r\n  b\\ \t\n\\\nc", "_id:a@1:1 id:bc@2:3"},
		{"a +\\\n= b\nc", "_id:a@1:1 op:+=@1:3 id:b@2:3 id:c@3:1"},
		{"a // b \\\n c\nd", "_id:a@1:1 id:d@3:1"},
		{"\"a\\\nb\" c", "_str:\"ab\"@1:1 id:c@2:4"},
		{"\\\n\\\n  a \\", "id:a@3:3"},
		{"\uFEFFa b", "_id:a@1:1 id:b@1:3"},
	} {
		tokens, _ := Scan("t", test.text)
		if got := show(tokens); got != test.want {
			t.Errorf("%q:\n%s\nwant\n%s", test.text, got, test.want)
		}
	}
}

// TestOffsets: offsets are into the file's text, over splices and comments.
func TestOffsets(t *testing.T) {
	text := "\uFEFFone \\\r\n two /* \\\n */ three\\\n\n// x\n four"
	tokens, _ := Scan("t", text)
	for _, tok := range tokens {
		if got := text[tok.Pos.Offset : tok.Pos.Offset+len(tok.Text)]; got != tok.Text {
			t.Errorf("at the offset of %q stands %q", tok.Text, got)
		}
	}
}

func TestLineFlag(t *testing.T) {
	tokens, _ := Scan("t", "a b\n/* c */ d /*\n*/ e\\\nf\n g")
	var got []string
	for _, tok := range tokens {
		if tok.Line {
			got = append(got, tok.Text)
		}
	}
	if want := "a d g"; strings.Join(got, " ") != want {
		t.Errorf("first of their lines: %q, want %q", got, want)
	}
}

// TestLongLine: a megabyte on one line takes a moment. Were its square the measure,
// the test would not end.
func TestLongLine(t *testing.T) {
	for name, piece := range map[string]string{
		"expression": "aaaa + ", "blanks": "        ", "identifier": "aaaaaaaa", "comment": "/**/////",
		"splices": "a\\\n\\ \\", "string": `"" "\" `,
		"lone carriage returns": "//x\r",
	} {
		t.Run(name, func(t *testing.T) {
			preprocessText(strings.Repeat(piece, 1<<20/len(piece)))
		})
	}
}
