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
	var kernels []jen.Code
	leftOut, instances := false, false
	for _, s := range g.pkg.Sources {
		heading := jen.Comment("// " + prose(oneLine(s.File))).Line()
		for _, k := range s.Kernels {
			if k.IsFamily() {
				instances = true
				continue
			}
			if k.Constants != nil {
				leftOut = true
				continue
			}
			kernels = append(kernels, heading.Op("&").Id(k.Var))
			heading = jen.Null()
		}
	}
	if leftOut {
		doc = append(doc, "", "Kernels with function constants are not among them: what is compiled of those",
			"depends on the values that a call gives.")
	}
	if instances {
		doc = append(doc, "", "Nor are the instances of kernel templates, of which a program calls few: those that it",
			"does are for dev.Preload, by the Kernel method of their variants.")
		if !leftOut {
			doc[len(doc)-2] = "The instances of kernel templates are not among them, for a program calls few: those that it"
		}
	}
	f.declare(docComment(doc...),
		jen.Func().Id(binding.PreloadName).Params(jen.Id("dev").Id("*runtime.Device")).Error().Block(
			jen.Return(jen.Id("dev.Preload").Add(preloadArgs(kernels)))))
}

// preloadArgs returns a line for each kernel, so that a change of one is a change of one line.
func preloadArgs(kernels []jen.Code) jen.Code {
	return jen.Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true}, kernels...)
}
