package quote

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLine(t *testing.T) {
	long := strings.Repeat("0123456789", 40)
	tests := []struct {
		name   string
		line   string
		column int
		want   []string
	}{
		{"first", "int x;", 1, []string{"int x;", "^"}},
		{"middle", "int x;", 5, []string{"int x;", "    ^"}},
		{"behind the end", "int x;", 7, []string{"int x;", "      ^"}},
		{"far behind the end", "int x;", 70, []string{"int x;", "      ^"}},
		{"no column", "int x;", 0, []string{"int x;", "^"}},
		{"empty", "", 1, []string{"", "^"}},
		{"tabs", "\tint\tx;", 6, []string{"\tint\tx;", "\t   \t^"}},
		{"accent", "é x", 4, []string{"é x", "  ^"}},
		{"combining accent", "e\u0301 x", 5, []string{"e\u0301 x", "  ^"}},
		{"wide", "幅の x", 8, []string{"幅の x", "     ^"}},
		{"wide punctuation", "（） x", 8, []string{"（） x", "     ^"}},
		{"emoji", "🙂 x", 6, []string{"🙂 x", "   ^"}},
		{"byte order mark", "\ufeffint x;", 8, []string{"\ufffdint x;", "     ^"}},
		{"invalid UTF-8", "\xff\xfe x", 4, []string{"\ufffd x", "  ^"}},
		{"within a letter", "éx", 2, []string{"éx", " ^"}},
		{"control characters", "a\x1b[31m\x00\u0085b", 10, []string{"a\ufffd[31m\ufffd\ufffdb", "        ^"}},
		{"text that runs backwards", "a\u202eb", 5, []string{"a\ufffdb", "  ^"}},
		{"long, at its start", long, 3, []string{long[:160], "  ^"}},
		{"long, in its middle", long, 203, []string{long[122:282], strings.Repeat(" ", 80) + "^"}},
		{"long, at its end", long, 400, []string{long[240:], strings.Repeat(" ", 159) + "^"}},
		{"long, behind its end", long, 401, []string{long[240:], strings.Repeat(" ", 160) + "^"}},
		{"just short enough", long[:160], 160, []string{long[:160], strings.Repeat(" ", 159) + "^"}},
	}
	for _, test := range tests {
		want := "\t" + strings.Join(test.want, "\n\t")
		if diff := cmp.Diff(want, Line(test.line, test.column)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", test.name, diff)
		}
	}
}

// FuzzLine: whatever the text is, what is quoted is short, printable and two
// lines.
func FuzzLine(f *testing.F) {
	f.Add("int x;", 5)
	f.Add("\t幅\xff", 3)
	f.Add(strings.Repeat("é", 300), 299)
	f.Fuzz(func(t *testing.T, line string, column int) {
		line = strings.ReplaceAll(line, "\n", "")
		got := Line(line, column)
		if len(got) > 3*2*maxQuoted+10 || strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, "^") {
			t.Errorf("%q", got)
		}
		if strings.ContainsFunc(got, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' }) {
			t.Errorf("%q", got)
		}
	})
}
