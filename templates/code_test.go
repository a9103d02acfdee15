package templates

import (
	"go/format"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"
)

// TestAlignGofmt has gofmt agree with the columns of random declarations.
func TestAlignGofmt(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	name := func() string { return "N" + strings.Repeat("x", r.IntN(12)) }
	comment := func() string { return strings.Repeat("c", r.IntN(2)*r.IntN(9)) }
	for range 500 {
		f := &sourceFile{File: jen.NewFile("p")}
		var groups [2][]row
		var values []row
		for range 1 + r.IntN(8) {
			g := &groups[r.IntN(2)]
			*g = append(*g, withComment(row{name(), name()}, comment()))
			values = append(values, withComment(row{name(), "E", "= " + name()}, comment()))
		}
		f.declare("", structure("S", groups[0], groups[1]))
		f.declare("", group(jen.Const(), values))
		file, err := goFile("p.go", f.File)
		if err != nil {
			t.Fatal(err)
		}
		formatted, err := format.Source(file.Data)
		if err != nil {
			t.Fatalf("%v in\n%s", err, file.Data)
		}
		if string(formatted) != string(file.Data) {
			t.Fatalf("got\n%s\nwant\n%s", file.Data, formatted)
		}
	}
}
