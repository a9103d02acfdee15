package templates

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// structTypes declares the structs, each with the list of its fields beside it. What
// is listed without a Go struct comes last.
func (f *sourceFile) structTypes() {
	for _, st := range f.source.Structs {
		f.structType(st)
		if slices.Contains(f.source.Layouts, st) {
			f.fields(st)
		}
	}
	for _, st := range f.source.Layouts {
		if !slices.Contains(f.source.Structs, st) {
			f.fields(st)
		}
	}
}

// structType declares the Go struct that mirrors st byte for byte, and has the
// compiler check that it does.
func (f *sourceFile) structType(st *binding.Struct) {
	f.imports["structs"], f.imports["unsafe"] = true, true
	origin := st.Name + ", " + place(st.Place) + "."
	what := "struct "
	if st.Union {
		what = "union "
	}
	f.declare(docOf(st.Doc, strings.ToUpper(what[:1])+what[1:]+origin, st.Go+" mirrors the "+what+origin), structure(st.Go, f.structFields(st)))

	checks := []row{{"_", fmt.Sprintf("[%d]byte", st.Size), "= [unsafe.Sizeof(" + st.Go + "{})]byte{}"}}
	for _, field := range st.Fields {
		if field.Storage {
			continue // its place follows from those of the others, and from the size
		}
		checks = append(checks, row{"_", fmt.Sprintf("[%d]byte", field.Offset), "= [unsafe.Offsetof(" + st.Go + "{}." + field.Go + ")]byte{}"})
	}
	f.declare("// The size of "+st.Go+" and the offsets of its fields are those that Metal gives them.",
		group(jen.Var(), checks))
	f.members(st)
}

// structFields are the fields at the offsets that Metal gives them, with explicit
// padding where Go's own layout might have another, or none.
func (f *sourceFile) structFields(st *binding.Struct) []row {
	rows := []row{{"_", "structs.HostLayout"}}
	end := 0
	padTo := func(offset int) {
		if offset > end {
			rows = append(rows, row{"_", "[" + strconv.Itoa(offset-end) + "]byte"})
		}
	}
	for _, field := range st.Fields {
		padTo(field.Offset)
		if field.Base && f.layouts.fits(st, field) && field.Go == field.GoType.Name {
			rows = append(rows, row{field.Go})
		} else if field.Storage {
			rows = append(rows, row{field.Go, f.typ(field.GoType), "// of members that share bytes, which methods read and write"})
		} else if f.layouts.fits(st, field) {
			rows = append(rows, withComment(row{field.Go, f.typ(field.GoType)}, field.Doc))
		} else {
			why := "the bytes of a " + field.GoType.String() + ", which Go would align differently"
			rows = append(rows, withComment(row{field.Go, "[" + strconv.Itoa(field.Size) + "]byte"}, why+colon(field.Doc)))
		}
		end = field.Offset + field.Size
	}
	padTo(st.Size)
	return rows
}
