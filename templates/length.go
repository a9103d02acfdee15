package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// lengths declares the functions that compute the lengths of buffers that callers make for k to write.
func (f *sourceFile) lengths(k *binding.Kernel) {
	for _, a := range k.Args {
		if a.Len == "" {
			continue
		}
		leaves := k.LeavesOf(a.Shape)
		names := localNames(leaves)
		s := scope{leaf: make(map[*binding.Leaf]string)}
		for _, l := range leaves {
			s.leaf[l] = asInt(l, names[l])
		}
		doc := a.Len + " is the least length of " + a.Go + ", " + oneLine(a.ShapeText()) + at(a.ShapeFrom) + "."
		f.declare(docComment(doc), jen.Func().Id(a.Len).Params(f.gridParams(leaves, names)...).
			Id("int { return "+s.expr(a.Shape).text+" }"))
	}
}
