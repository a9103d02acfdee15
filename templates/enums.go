package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// enum declares a named type and its constants.
func (f *sourceFile) enum(e *binding.Enum) {
	origin := e.Name + ", " + posText(e.Pos) + "."
	f.declare(docOf(e.Doc, "Enum "+origin, e.Go+" mirrors the enum "+origin),
		jen.Type().Id(e.Go).Id(f.typ(e.GoType)))
	if len(e.Values) == 0 {
		return
	}
	values := make([]jen.Code, len(e.Values))
	for i, v := range e.Values {
		values[i] = withComment(jen.Id(v.Go).Id(e.Go).Op("=").Id(v.Value), v.Doc)
	}
	f.declare(docComment("The values of ["+e.Go+"]."), group(jen.Const(), values))
}
