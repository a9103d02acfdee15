package templates

import (
	"slices"
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
	origin := st.Name + ", " + posText(st.Pos) + "."
	if binding.HoldsPointers(st) {
		origin += "\nMake buffers of it with [runtime.UploadArguments], which keeps track of its pointers."
	}
	what := "struct "
	if st.Union {
		what = "union "
	}
	f.declare(docOf(st.Doc, strings.ToUpper(what[:1])+what[1:]+origin, st.Go+" mirrors the "+what+origin),
		jen.Type().Id(st.Go).Struct(f.structFields(st)...))

	checks := []jen.Code{mustBe(st.Size, "unsafe.Sizeof("+st.Go+"{})")}
	for _, field := range st.Fields {
		if !field.Storage { // its offset follows from those of the others, and from the size
			checks = append(checks, mustBe(field.Offset, "unsafe.Offsetof("+st.Go+"{}."+field.Go+")"))
		}
	}
	f.declare("// "+st.Go+" has the size and the field offsets that it has in Metal.",
		group(jen.Var(), checks))
	f.members(st)
}

// mustBe declares nothing, and compiles only if the constant expression got is want.
func mustBe(want int, got string) jen.Code {
	return jen.Id("_").Add(bytesType(want)).Op("=").Id("[" + got + "]byte{}")
}

func bytesType(n int) jen.Code { return jen.Index(jen.Lit(n)).Byte() }

// structFields returns the fields at the offsets that they have in Metal, with explicit padding where Go's own layout
// might have another, or none.
func (f *sourceFile) structFields(st *binding.Struct) []jen.Code {
	fields := []jen.Code{jen.Id("_").Id("structs.HostLayout")}
	end := 0
	padTo := func(offset int) {
		if offset > end {
			fields = append(fields, jen.Id("_").Add(bytesType(offset-end)))
		}
	}
	for _, field := range st.Fields {
		padTo(field.Offset)
		fields = append(fields, f.structField(field))
		end = field.Offset + field.Size
	}
	padTo(st.Size)
	return fields
}

func (f *sourceFile) structField(field *binding.Field) jen.Code {
	name := jen.Id(field.Go)
	switch {
	case field.Base && !field.Bytes && field.Go == field.GoType.String():
		return name // embedded
	case field.Storage:
		return withComment(name.Id(f.typ(field.GoType)), "bytes that several members share; methods read and write them")
	case !field.Bytes:
		return withComment(name.Id(f.typ(field.GoType)), field.Doc)
	default:
		why := "the bytes of a " + field.GoType.String() + ", which Go would align differently"
		return withComment(name.Add(bytesType(field.Size)), why+colon(field.Doc))
	}
}
