package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

func argsName(k *binding.Kernel) string { return k.Go + "Args" }

// args declares the Args struct of k: what callers must set in the order of the source, and below it what they
// may leave unset.
func (f *sourceFile) args(k *binding.Kernel) {
	var given, unset []jen.Code
	if k.IsFamily() {
		variant := jen.Id("Variant").Id(variantName(k) + typeArgs(k))
		given = append(given, withComment(variant, "which instance of the template; must be set"))
	}
	for _, arg := range arguments(k) {
		switch field, below := arg.field(f); {
		case field == nil:
		case below:
			unset = append(unset, field)
		default:
			given = append(given, field)
		}
	}
	if k.Constants != nil {
		unset = append(unset, constantsField(k.Constants))
	}
	unset = append(unset, withComment(jen.Id("Grid").Id("runtime.Grid"), gridComment(k)))
	if len(given) > 0 {
		given = append(given, jen.Line())
	}

	name := argsName(k)
	f.declare(docComment(name+" are the arguments of ["+k.Go+"]."),
		jen.Type().Id(name+typeParams(k)).Struct(append(given, unset...)...))
}

func gridComment(k *binding.Kernel) string {
	if k.Geometry == nil {
		return "must be set: nothing in " + k.Pos.Filename + " states it"
	}
	return "zero means " + gridName(k)
}
