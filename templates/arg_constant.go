package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// constantArgs are the function constants that a kernel uses. They have one field, the struct that constants.go
// declares for the source.
type constantArgs struct{ kernel *binding.Kernel }

func (args constantArgs) turn() turn { return constantTurn }

func (args constantArgs) field(*sourceFile) (jen.Code, bool) {
	return withComment(jen.Id("Constants").Id(args.kernel.Constants.Go), "function constants"), true
}

func (args constantArgs) fallback(scope) jen.Code { return nil }

func (args constantArgs) set(scope) []jen.Code {
	var code []jen.Code
	for _, c := range args.kernel.Uses {
		value := "a.Constants." + c.Go
		set := func(value string) jen.Code {
			return jen.Id("bind.Constant").Call(jen.Id("c"), jen.Lit(c.Index), jen.Id(value))
		}
		if c.Optional {
			code = append(code, jen.If(jen.Id(value).Op("!=").Nil()).Block(set("*"+value)))
		} else {
			code = append(code, set(value))
		}
	}
	return code
}

func (args constantArgs) describe(f *sourceFile) []jen.Code {
	var list []jen.Code
	for _, c := range args.kernel.Uses {
		about := []jen.Code{
			keyed("Kind", jen.Id("bind.ConstantArg")),
			keyed("Index", jen.Lit(c.Index)),
			keyed("Name", jen.Lit(c.Name)),
			keyed("Type", jen.Lit(c.Type)),
			keyed("Size", jen.Lit(f.layouts.of(c.GoType).size)),
		}
		if c.Optional {
			about = append(about, keyed("Optional", jen.True()))
		}
		list = append(list, jen.Values(about...))
	}
	return list
}
