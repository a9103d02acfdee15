package templates

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// fields declares the list of the fields of st, without Go's padding, that the arguments refer to.
func (f *sourceFile) fields(st *binding.Struct) {
	rows := make([]string, len(st.Fields))
	for i, field := range st.Fields {
		rows[i] = fmt.Sprintf("Name: %q, Type: %q, Offset: %d", field.Name, field.Plain, field.Offset) + whatIs(field)
	}
	f.declare(docComment(st.Var+" are the fields of "+st.Name+", which the runtime compares with Metal's own layout."),
		jen.Var().Id(st.Var).Op("=").Add(f.table("[]bind.Field", rows)))
}

// whatIs returns what a row says of a field besides its name, type and place.
func whatIs(field *binding.Field) string {
	row := fieldsOf(binding.StructIn(field.GoType))
	if field.Points != 0 {
		row += ", Access: " + accessNames[field.Points]
	}
	if field.Beyond == binding.Read {
		row += ", Beyond: bind.Read"
	}
	if field.Texels != "" {
		row += ", Texture: bind.Texture" + field.Texture.GoName() + ", Texels: bind." + field.Texels
	}
	if field.Stride != 0 {
		row += fmt.Sprintf(", Stride: %d", field.Stride)
	}
	return row
}

// fieldsOf refers to that list, if st is a struct and has one.
func fieldsOf(st *binding.Struct) string {
	if st == nil || st.Var == "" {
		return ""
	}
	return ", Fields: " + st.Var
}
