package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// fields declares the list of the fields of st, without Go's padding, that the arguments refer to.
func (f *sourceFile) fields(st *binding.Struct) {
	list := make([]jen.Code, len(st.Fields))
	for i, field := range st.Fields {
		about := []jen.Code{
			keyed("Name", jen.Lit(field.Name)),
			keyed("Type", jen.Lit(field.Plain)),
			keyed("Offset", jen.Lit(field.Offset)),
		}
		list[i] = jen.Values(append(about, fieldsOf(binding.StructIn(field.GoType))...)...)
	}
	f.declare(docComment(st.Var+" are the fields of "+st.Name+", which Metal's own layout is held against."),
		jen.Var().Id(st.Var).Op("=").Id("[]bind.Field").Add(lines(list...)))
}

// fieldsOf refers to that list, if st is a struct and has one.
func fieldsOf(st *binding.Struct) []jen.Code {
	if st == nil || st.Var == "" {
		return nil
	}
	return []jen.Code{keyed("Fields", jen.Id(st.Var))}
}
