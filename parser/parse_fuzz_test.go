package parser

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// FuzzParse: whatever the source is, parsing ends without a panic, and
// positions lie in the file.
func FuzzParse(f *testing.F) {
	for _, test := range splitTests {
		f.Add(test.text)
	}
	for _, test := range grammarTests {
		f.Add(test.text)
	}
	for _, test := range brokenTests {
		f.Add(test.text)
	}
	for _, text := range []string{"[]typedef;", "{enum int;}0;", "{[]}A();"} {
		f.Add(text)
	}
	for _, tests := range [][]struct{ text, want string }{
		templateTests, templatedTests, brokenTemplateTests, functionTests,
	} {
		for _, test := range tests {
			f.Add(test.text)
		}
	}
	paths, err := filepath.Glob("../shaders/*.metal")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		tree, errs := parseText(text)
		lines := 1 + strings.Count(text, "\n") + strings.Count(text, "\r")
		check := func(pos Pos) {
			if pos.Filename != "m.metal" || pos.Offset < 0 || pos.Offset > len(text) || pos.Line < 1 || pos.Line > lines ||
				pos.Column < 1 {
				t.Fatalf("position %+v", pos)
			}
		}
		for _, e := range errs {
			check(e.Pos)
			if e.Msg == "" || strings.ContainsAny(e.Msg, "<") && strings.Contains(e.Msg, "<ident>") {
				t.Fatalf("message %q", e.Msg)
			}
		}
		end := 0
		for _, d := range tree.Decls {
			check(d.Pos)
			check(d.End)
			if d.From < end || d.To <= d.From || d.To > len(tree.Tokens) {
				t.Fatalf("declaration [%d, %d) after %d", d.From, d.To, end)
			}
			if d.Open >= 0 && (d.Open < d.From || d.Close <= d.Open || d.Close >= d.To) {
				t.Fatalf("body [%d, %d] in [%d, %d)", d.Open, d.Close, d.From, d.To)
			}
			end = d.To
			checkPositions(reflect.ValueOf(d), check)
			demand(tree, d, check)
		}
	})
}

// demand parses what Parse leaves to be asked for.
func demand(tree *Tree, d *Decl, check func(Pos)) {
	if f, err := tree.ParseFunction(d); err == nil {
		checkPositions(reflect.ValueOf(f), check)
	}
	b, errs := tree.ParseBody(d, isBodyType)
	for _, e := range errs {
		check(e.Pos)
	}
	checkPositions(reflect.ValueOf(b), check)
	whole, err := tree.Templated(d)
	if err != nil || whole.Struct == nil {
		return
	}
	checkPositions(reflect.ValueOf(whole), check)
	for _, m := range whole.Struct.Members {
		if m.Decl != nil {
			demand(tree, m.Decl, check)
		}
	}
}

// checkPositions checks the positions of a syntax tree.
func checkPositions(v reflect.Value, check func(Pos)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			checkPositions(v.Elem(), check)
		}
	case reflect.Slice:
		for i := range v.Len() {
			checkPositions(v.Index(i), check)
		}
	case reflect.Struct:
		if pos, ok := v.Interface().(Pos); ok {
			check(pos)
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				checkPositions(v.Field(i), check)
			}
		}
	}
}

func FuzzExpr(f *testing.F) {
	for _, text := range []string{
		"a + b * (T)c ? d : e, f", "static_cast<vec<T, 2>>(x)[1].y->z(1, 2)++", "sizeof(T[4]) << alignof x",
		"::a::b = -!~*&c", "(T<(1)>::T*)x", "(((", "[",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := parseExprText(text)
		if err == nil {
			again, err := parseExprText(showExpr(e))
			if err == nil && !strings.Contains(showExpr(e), "cast<") && !strings.Contains(showExpr(e), "sizeof<") &&
				!strings.Contains(showExpr(e), "alignof<") && !strings.Contains(text, "T") && showExpr(again) != showExpr(e) {
				t.Fatalf("%s\nreads %s\nagain %s", text, showExpr(e), showExpr(again))
			}
			return
		}
		var perr *Error
		if errors.As(err, &perr) && (perr.Pos.Offset < 0 || perr.Pos.Offset > len(text)) {
			t.Fatalf("position %+v", perr.Pos)
		}
	})
}
