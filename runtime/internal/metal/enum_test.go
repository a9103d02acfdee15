package metal

import (
	"errors"
	"testing"

	model "github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// fieldsOfP returns those that metalgen makes of struct P of a source.
func fieldsOfP(t *testing.T, source string) (list []driver.Field) {
	t.Helper()
	fatal := func(errs parser.ErrorList) {
		t.Helper()
		if errs.HasErrors() {
			t.Fatal(errs)
		}
	}
	unit,
		errs := preprocess.Run("e.metal", "e.metal",
		&preprocess.Options{ReadFile: func(string) ([]byte, error) { return []byte(source), nil }})
	fatal(errs)
	tree, errs := parser.Parse(unit)
	fatal(errs)
	program, errs := msl.Analyze(tree)
	fatal(errs)
	pkg, errs := model.Build("gen", []model.Input{{File: "e.metal", Program: program}}, model.Options{})
	fatal(errs)
	for _, f := range pkg.Sources[0].Layouts[0].Fields {
		list = append(list, driver.Field{Name: f.Name, Type: f.Plain, Offset: f.Offset})
	}
	return list
}

// Metal may say anything of the type of an enum, but not of the place of a field.
func TestEnumsAreNotComparedAndTheirPlacesAre(t *testing.T) {
	fields := fieldsOfP(t, `enum Mode : ushort { one, two };
struct P { Mode mode; Mode modes[2]; uint32_t n; };
kernel void k(constant P& p [[buffer(0)]]) {}
`)
	k := &driver.Kernel{Name: "k", Values: []*driver.Arg{{Name: "p", Type: "P", Size: 12, Fields: fields}}}
	const integer, ushort, unsigned dataType = 29, 41, 33
	for _, c := range []struct {
		name   string
		mode   member
		modes  member
		number dataType
		drift  bool
	}{
		{"as what they are made of", member{dataType: ushort}, member{dataType: typeArray, length: 2, element: ushort},
			unsigned, false},
		{"as integers", member{dataType: integer}, member{dataType: typeArray, length: 2, element: integer}, unsigned, false},
		{"as a type of their own", member{dataType: 140}, member{dataType: typeArray, length: 2, element: 140}, unsigned,
			false},
		{"as nothing", member{}, member{}, unsigned, false},
		{"moved", member{offset: 2, dataType: ushort}, member{dataType: typeArray, length: 2, element: ushort}, unsigned,
			true},
		{"of another length", member{dataType: ushort}, member{dataType: typeArray, length: 3, element: ushort}, unsigned,
			true},
		{"beside another type", member{dataType: ushort}, member{dataType: typeArray, length: 2, element: ushort}, integer,
			true},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.mode.name, c.modes.name, c.modes.offset = "mode", "modes", 2
			err := drift(k, []binding{{name: "p", used: true, dataType: typeStruct, size: 12, members: []member{
				c.mode, c.modes, {name: "n", offset: 8, dataType: c.number},
			}}}, false)
			var e *driver.DriftError
			if errors.As(err, &e) != c.drift {
				t.Errorf("got %v", err)
			}
		})
	}
}
