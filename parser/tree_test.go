package parser

import (
	"io/fs"
	"reflect"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/parser/preprocess"
)

// preprocessOnly preprocesses a source named m.metal, without any headers.
func preprocessOnly(text string) (*preprocess.Unit, ErrorList) {
	return preprocess.Run("m.metal", "m.metal", &preprocess.Options{ReadFile: func(path string) ([]byte, error) {
		if path != "m.metal" {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}})
}

// parseText preprocesses and parses a source named m.metal.
func parseText(text string) (*Tree, ErrorList) {
	unit, errs := preprocessOnly(text)
	tree, more := Parse(unit)
	return tree, append(errs, more...)
}

// spell writes tokens as a source would have them, all on one line.
func spell(tokens []Token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 && (t.Space || t.Line) {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

// expectText compares what came out of text with what should, but for white space.
func expectText(t *testing.T, text, got, want string) {
	t.Helper()
	plain := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	if plain(got) != plain(want) {
		t.Errorf("%s\n got %s\nwant %s", text, got, want)
	}
}

func expectClean(t *testing.T, errs ErrorList) {
	t.Helper()
	if len(errs) > 0 {
		t.Errorf("unexpected: %v", errs)
	}
}

// dump writes a syntax tree compactly: fields that are set, in order, without
// positions; lists in brackets, unparsed tokens as they read.
func dump(x any) string {
	var b strings.Builder
	dumpValue(&b, reflect.ValueOf(x))
	return b.String()
}

func dumpValue(b *strings.Builder, v reflect.Value) {
	switch x := v.Interface().(type) {
	case *Tokens:
		b.WriteString("‹" + join(x.List) + "›")
		return
	case *Parenthesised:
		b.WriteString("‹" + join(x.List) + "›")
		return
	case string:
		b.WriteString(x)
		return
	case TemplateKind:
		b.WriteString([]string{"other", "function", "struct", "alias", "variable"}[x])
		return
	case *Decl:
		b.WriteString(dumpDecl(x))
		return
	case Expr:
		b.WriteString(showExpr(x))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		dumpValue(b, v.Elem())
	case reflect.Slice:
		b.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				b.WriteByte(' ')
			}
			dumpValue(b, v.Index(i))
		}
		b.WriteByte(']')
	case reflect.Bool:
		b.WriteString("yes")
	case reflect.Struct:
		b.WriteByte('{')
		space := ""
		for i := range v.NumField() {
			if f := v.Field(i); f.Type() != reflect.TypeFor[Pos]() && f.Type() != reflect.TypeFor[Here]() && !f.IsZero() {
				b.WriteString(space + v.Type().Field(i).Name + " ")
				dumpValue(b, f)
				space = " "
			}
		}
		b.WriteByte('}')
	default:
		b.WriteString("?" + v.Kind().String())
	}
}

// dumpDecl writes what Parse makes of one declaration.
func dumpDecl(d *Decl) string {
	if d.Template != nil {
		head := "Template" + dump(d.Template) + " "
		plain := *d
		plain.Template = nil
		return head + dumpDecl(&plain)
	}
	switch {
	case d.Instantiation != nil:
		return "Instantiation" + dump(d.Instantiation)
	case d.Function != nil:
		return "Function" + dump(d.Function)
	case d.Struct != nil:
		return "Struct" + dump(d.Struct)
	case d.Enum != nil:
		return "Enum" + dump(d.Enum)
	case d.Typedef != nil:
		return "Typedef" + dump(d.Typedef)
	case d.Using != nil:
		return "Using" + dump(d.Using)
	case d.Variable != nil:
		return "Variable" + dump(d.Variable)
	case d.Stage != "":
		return "Stage " + d.Stage
	case d.Helper != "":
		return "Helper " + d.Helper
	}
	return "Other"
}

// dumpSource writes all declarations of a source, one a line.
func dumpSource(t *testing.T, text string) string {
	t.Helper()
	tree, errs := parseText(text)
	if len(errs) > 0 {
		t.Errorf("%s\nunexpected: %v", text, errs)
	}
	var lines []string
	for _, d := range tree.Decls {
		lines = append(lines, dumpDecl(d))
	}
	return strings.Join(lines, "\n")
}
