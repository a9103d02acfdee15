package templates

import (
	"go/ast"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestDocOf(t *testing.T) {
	for _, test := range []struct{ doc, want string }{
		{"", "// Summary."},
		{" \n\t", "// Summary."},
		{"Text.", "// Text.\n//\n// Origin."},
		{"Text.\n\nMore.", "// Text.\n//\n// More.\n//\n// Origin."},
		{"Text:\n  code", "// Text:\n//\n//\tcode\n//\n// Origin."},
		{"# Title", "// Title:\n//\n// Origin."},
		{"+build x", "// `+build x`\n//\n// Origin."},
		{"go:embed x", "// go:embed x\n//\n// Origin."},
		{"a\rb\x00\xff", "// a b\n//\n// Origin."},
		{"a\u202eb\u200b", "// a\\u202eb\\u200b\n//\n// Origin."},
	} {
		if got := docOf(strings.Split(test.doc, "\n"), "Origin.", "Summary."); got != test.want {
			t.Errorf("%q: got\n%s\nwant\n%s", test.doc, got, test.want)
		}
	}
}

// TestDocHeadings has comments of random scraps of markup formatted: none of them becomes a heading.
func TestDocHeadings(t *testing.T) {
	scraps := []string{
		"", "", "Words", "words, and more.", "# Title", "## Title", "#", "- item", "* item", "1. item", "  indented",
		"\ttab", "   - deep", "go:noinline", "//go:noinline", "+build x", "[link]: https://example.com",
		"[Name] and [link].", "Deprecated: no", "*/", "/*", "```", "line 1", "TODO(me): x",
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		doc := make([]string, r.IntN(8))
		for i := range doc {
			doc[i] = scraps[r.IntN(len(scraps))]
		}
		src := "package p\n\n" + docOf(doc, "Origin.", "Summary.") + "\nfunc f() {}\n"
		formatted, err := format.Source([]byte(src))
		if err != nil {
			t.Fatalf("%v in\n%s", err, src)
		}
		file, err := parser.ParseFile(token.NewFileSet(), "p.go", formatted, parser.ParseComments)
		if err != nil {
			t.Fatalf("%v in\n%s", err, formatted)
		}
		var p comment.Parser
		for _, block := range p.Parse(file.Decls[0].(*ast.FuncDecl).Doc.Text()).Content {
			if h, ok := block.(*comment.Heading); ok {
				t.Fatalf("%v is a heading in\n%s", h.Text, formatted)
			}
		}
	}
}
