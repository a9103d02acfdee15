package preprocess

import (
	"strings"
	"testing"
)

// FuzzPreprocess: whatever the texts are, preprocessing ends, and positions lie
// in the files they name.
func FuzzPreprocess(f *testing.F) {
	f.Add("#include \"a.h\"\nint x = f(1, N); // c\n", "#pragma once\n#define N 4\n#define f(x, ...) x + #__VA_ARGS__\n")
	f.Add("#if defined(A) && __has_include(\"a.h\") ? 1 : 0x1Fu\n'a' \"b\\\"\" R\"(x)\"\n#elif 1\n\\\n#else\n#endif\n",
		"#ifndef A\n#define A\n#endif")
	f.Add("#define c(a, b) a ## b ## a\nc(1, c(,))c(\n#if 0\n#endif\n#error don't\n", "#include \"main.metal\"\n")
	f.Add("#define f(x, r...) x(1, ## r __VA_OPT__(a)) #x\nf(f(f)(2), f\n(\r\n3))/* \\\r\n */\xff\x00", "\uFEFF/*")
	f.Fuzz(func(t *testing.T, main, header string) {
		texts := files{"main.metal": main, "a.h": header}
		lines, spliced := map[string]int{}, map[string]bool{}
		for name, text := range texts {
			lines[name] = 1 + strings.Count(text, "\n") + strings.Count(text, "\r")
			spliced[name] = strings.Contains(text, "\\")
		}
		unit, errs := texts.preprocess(Options{})
		check := func(pos Pos) {
			text, ok := texts[pos.Filename]
			if !ok || pos.Offset < 0 || pos.Offset > len(text) || pos.Line < 1 || pos.Column < 1 {
				t.Fatalf("position %+v", pos)
			}
			if pos.Line > lines[pos.Filename] {
				t.Fatalf("position %+v in a text of %d lines", pos, lines[pos.Filename])
			}
		}
		for _, e := range errs {
			check(e.Pos)
		}
		for _, tok := range unit.Tokens {
			check(tok.Pos)
			text := texts[tok.Pos.Filename]
			if !tok.Macro && !spliced[tok.Pos.Filename] && !strings.HasPrefix(text[tok.Pos.Offset:], tok.Text) {
				t.Fatalf("token %q is not at %+v", tok.Text, tok.Pos)
			}
			if tok.Kind == EOF || tok.Kind > Punct || tok.Text == "" {
				t.Fatalf("token %+v", tok)
			}
		}
		for _, file := range unit.Files {
			for _, c := range file.Comments {
				check(c.Pos)
			}
		}
		if errs.HasErrors() || strings.Contains(main+header, "__COUNTER__") {
			return
		}
		read := hostTensors(strings.TrimPrefix(main, "\ufeff"))
		if !strings.Contains(main, "#line") && len(unit.Files) == 1 && unit.Flat != read {
			t.Fatalf("flat %q", unit.Flat)
		}
	})
}
