package templates

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// constants declares the struct of the function constants of the source.
func (f *sourceFile) constants(c *binding.Constants) {
	fields := make([]jen.Code, len(c.Fields))
	for i, field := range c.Fields {
		comment := "function constant " + strconv.Itoa(field.Index)
		if field.Optional {
			comment += "; nil means the default of " + oneLine(f.source.File)
		}
		fields[i] = withComment(jen.Id(field.Go).Id(f.fieldType(field)), comment+colon(field.Doc))
	}
	f.declare(docComment(c.Go+" are the function constants of "+oneLine(f.source.File)+"."),
		jen.Type().Id(c.Go).Struct(fields...))
}
