package preprocess

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFlatten(t *testing.T) {
	for _, test := range []struct {
		name  string
		files files
		opt   Options
		want  string
	}{
		{"nothing to do",
			files{"main.metal": "\uFEFF#include <metal_stdlib>\r\n#define A \\\n 1\n#if 0\n#include \"no.h\"\n#endif\nA // x"},
			Options{},
			"#include <metal_stdlib>\r\n#define A \\\n 1\n#if 0\n#include \"no.h\"\n#endif\nA // x"},
		{"a header", files{"main.metal": "a\n  #include \"a.h\" // why\nb\n", "a.h": "// h\nh\n"}, Options{},
			"a\n#line 1 \"a.h\"\n// h\nh\n#line 3 \"main.metal\"\nb\n"},
		{"no newlines at the end", files{"main.metal": "a\n#include \"a.h\"", "a.h": "h"}, Options{},
			"a\n#line 1 \"a.h\"\nh\n#line 3 \"main.metal\"\n"},
		{"an empty header", files{"main.metal": "#include \"a.h\"\nb", "a.h": ""}, Options{},
			"#line 1 \"a.h\"\n#line 2 \"main.metal\"\nb"},
		{"headers in headers",
			files{"main.metal": "#include \"lib/a.h\"\nm", "lib/a.h": "1\n#include \"b.h\"\n3\n", "lib/b.h": "b"}, Options{},
			"#line 1 \"lib/a.h\"\n1\n#line 1 \"lib/b.h\"\nb\n#line 3 \"lib/a.h\"\n3\n#line 2 \"main.metal\"\nm"},
		{"once", files{"main.metal": "#include \"a.h\"\n#include \"a.h\"\nb", "a.h": "#pragma once\nh\n"}, Options{},
			"#line 1 \"a.h\"\n#pragma once\nh\n#line 2 \"main.metal\"\n\nb"},
		{"guarded",
			files{"main.metal": "#include \"a.h\"\n#include \\\n \"a.h\"\nb", "a.h": "#ifndef A\n#define A\n#endif\n"},
			Options{},
			"#line 1 \"a.h\"\n#ifndef A\n#define A\n#endif\n#line 2 \"main.metal\"\n\n\nb"},
		{"every time", files{"main.metal": "#include \"a.h\"\n#include \"a.h\"\n", "a.h": "h\n"}, Options{},
			"#line 1 \"a.h\"\nh\n#line 2 \"main.metal\"\n#line 1 \"a.h\"\nh\n#line 3 \"main.metal\"\n"},
		{"carriage returns", files{"main.metal": "a\r\n#include \"a.h\"\r\nb\r\n", "a.h": "h\r\n"}, Options{},
			"a\r\n#line 1 \"a.h\"\nh\r\n#line 3 \"main.metal\"\nb\r\n"},
		{"a comment before", files{"main.metal": "/* a\n */ #include \"a.h\" /* b\n */\nc", "a.h": "h\n"}, Options{},
			"/* a\n */ \n#line 1 \"a.h\"\nh\n#line 4 \"main.metal\"\nc"},
		{"a header that ends in a backslash",
			files{"main.metal": "#include \"a.h\"\n#include \"b.h\"\nc", "a.h": "// h \\", "b.h": "#define B 1 \\\n"}, Options{},
			"#line 1 \"a.h\"\n// h \\\n\n#line 2 \"main.metal\"\n#line 1 \"b.h\"\n#define B 1 \\\n\n#line 3 \"main.metal\"\nc"},
		{"byte order marks", files{"main.metal": "\uFEFF#include \"a.h\"\n", "a.h": "\uFEFFh\n"}, Options{},
			"#line 1 \"a.h\"\nh\n#line 2 \"main.metal\"\n"},
		{"definitions", files{"main.metal": "#ifdef A\na\n#endif\n#include \"a.h\"\n", "a.h": "h\n"},
			Options{Define: []string{"A", "B=", "C=1 // x"}},
			"#ifdef A\na\n#endif\n#line 1 \"a.h\"\nh\n#line 5 \"main.metal\"\n"},
	} {
		unit, errs := test.files.preprocess(test.opt)
		expectClean(t, errs)
		if unit.Flat != test.want {
			t.Errorf("%s:\n%q\nwant\n%q", test.name, unit.Flat, test.want)
		}
		// What is flat has nothing left to flatten, and means the same.
		again, errs := preprocessText(unit.Defines + unit.Flat)
		expectClean(t, errs)
		if spell(again.Tokens) != spell(unit.Tokens) || again.Flat != unit.Defines+unit.Flat {
			t.Errorf("%s: preprocessed again, the flat text differs", test.name)
		}
	}
}

// TestFlattenFiles flattens a source of several files on disk.
func TestFlattenFiles(t *testing.T) {
	dir := filepath.Join("testdata", "flatten")
	unit, errs := Run("main.metal", filepath.Join(dir, "main.metal"), &Options{
		Include: []string{filepath.Join(dir, "include")},
		Define:  []string{"HEAD_DIM=64"},
	})
	expectClean(t, errs)
	want, err := os.ReadFile(filepath.Join(dir, "flat.golden"))
	if err != nil {
		t.Fatal(err)
	}
	if unit.Flat != string(want) {
		t.Errorf("got\n%s", unit.Flat)
	}
}
