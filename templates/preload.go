package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// preload declares the function that compiles the kernels of the package.
func (g *generator) preload(f *goFile) {
	doc := []string{
		"Preload compiles the kernels of the package for dev, several at once, so that no",
		"first call has to wait for that. It returns the errors of all that do not compile.",
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
		doc = append(doc, "", "It leaves out kernels with function constants and instances of kernel templates, and returns",
			"their names, but those that one of the calls records: with a Variant, with Constants, and with none of the",
			"other arguments, which do not matter. The calls do not run.")
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
