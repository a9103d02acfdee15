package templates

import (
	"strconv"

	"github.com/metalgen/metalgen/internal/binding"
)

// constants declares the struct of the function constants of the source.
func (f *sourceFile) constants(c *binding.Constants) {
	fields := make([]row, len(c.Fields))
	for i, field := range c.Fields {
		typ, comment := f.typ(field.GoType), "function constant "+strconv.Itoa(field.Index)
		if field.Optional {
			typ, comment = "*"+typ, comment+"; nil leaves it to the default of "+oneLine(f.source.File)
		}
		fields[i] = withComment(row{field.Go, typ}, comment+colon(field.Doc))
	}
	f.declare(docComment(c.Go+" are the function constants of "+oneLine(f.source.File)+"."), structure(c.Go, fields))
}
