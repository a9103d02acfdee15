package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// preload declares the function that compiles the kernels of the package.
func (g *generator) preload(f *goFile) {
	doc := []string{
		"Preload compiles the kernels of the package for dev, several at once, so that first calls need not wait.",
		"It joins the errors of the kernels that do not compile.",
	}
	var kernels, families []jen.Code
	constants := false
	for _, s := range g.pkg.Sources {
		heading := jen.Comment("// " + prose(oneLine(s.File))).Line()
		for _, k := range s.Kernels {
			constants = constants || k.Constants != nil
			if k.IsFamily() {
				families = append(families, jen.Op("&").Id(k.Var))
				continue
			}
			kernels = append(kernels, heading.Op("&").Id(k.Var))
			heading = jen.Null()
		}
	}
	if constants || len(families) > 0 {
		doc = append(doc, "",
			"A kernel template, or a kernel with function constants, is compiled for each Variant and Constants that",
			"a call records. The calls need no other arguments and are not run. Preload returns the names of the kernels",
			"that it left out.")
	}
	f.declare(docComment(doc...),
		jen.Func().Id(binding.PreloadName).
			Params(jen.Id("dev").Id("*runtime.Device"), jen.Id("calls").Id("...func(b *runtime.Batch)")).
			Params(jen.Id("left").Index().String(), jen.Err().Error()).
			Block(jen.Return(jen.Id("dev.PreloadPackage").Call(
				pointers("[]*bind.Kernel", kernels), pointers("[]*bind.Family", families), jen.Id("calls")))))
}

// pointers returns a list with a line for each element, so that a change of one is a change of one line.
func pointers(typ string, list []jen.Code) jen.Code {
	if len(list) == 0 {
		return jen.Nil()
	}
	return jen.Id(typ).Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, list...)
}
