package templates

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// named declares the constants that the source has names for.
func (f *sourceFile) named(list []*binding.Named) {
	if len(list) == 0 {
		return
	}
	values := make([]jen.Code, len(list))
	for i, n := range list {
		value := jen.Id(n.Go).Op("=").Id(strconv.FormatInt(n.Value, 10))
		says := oneLine(n.Name) + colon(strings.TrimSuffix(oneLine(n.Doc), ".")) + at(n.Pos)
		if len(list) == 1 {
			f.declare(docComment(n.Go+" is "+says+"."), jen.Const().Add(value))
			return
		}
		values[i] = withComment(value, says)
	}
	f.declare(docComment("Constants that shapes, grids and comments of the kernels of "+oneLine(f.source.File)+" name."),
		jen.Const().Defs(values...))
}
