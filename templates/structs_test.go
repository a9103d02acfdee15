package templates

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/binding"
)

// TestLayoutMistakes has the compiler find structs that are not laid out as the
// model says.
func TestLayoutMistakes(t *testing.T) {
	field := func(name string, typ binding.GoType, offset, size int) *binding.Field {
		return &binding.Field{Name: name, Go: name, GoType: typ, Offset: offset, Size: size}
	}
	for _, test := range []struct {
		name   string
		size   int
		fields []*binding.Field
		want   string // what the message is about, "" for no mistake
	}{
		{"right", 8, []*binding.Field{field("A", u32, 0, 4), field("B", f32, 4, 4)}, ""},
		{"too large", 8, []*binding.Field{field("A", u32, 0, 4), field("B", array(2, u32), 4, 4)}, "Sizeof"},
		{"too small", 8, []*binding.Field{field("A", u64, 0, 8), field("B", u32, 8, 4)}, "Sizeof"},
		{"shifted", 16, []*binding.Field{field("A", u64, 0, 4), field("B", u32, 4, 4), field("C", u32, 8, 8)}, "Offsetof"},
	} {
		s := source("s")
		s.Structs = []*binding.Struct{{Name: "S", Go: "S", Pos: line(1), Size: test.size, Align: 4, Fields: test.fields}}
		var messages []string
		for _, f := range generate(t, pkg(s), Options{}) {
			if f.Name == "s_metal.go" {
				messages = typeErrors(t, f)
			}
		}
		if all := strings.Join(messages, "\n"); (all == "") != (test.want == "") || !strings.Contains(all, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, all, test.want)
		}
	}
}

// typeErrors type-checks a file that imports only the standard library.
func typeErrors(t *testing.T, f File) (messages []string) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, f.Name, f.Data, 0)
	if err != nil {
		t.Fatal(err)
	}
	conf := types.Config{
		Importer: importer.ForCompiler(fset, "source", nil),
		Sizes:    types.SizesFor("gc", "amd64"),
		Error:    func(err error) { messages = append(messages, err.Error()) },
	}
	conf.Check("gen", fset, []*ast.File{file}, nil) // reports to Error
	return messages
}
