package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// constantArg is a function constant. Those of a kernel have one field of its arguments together, the struct that
// constants.go declares for the source.
type constantArg struct{ *binding.Arg }

func constantsField(c *binding.Constants) jen.Code {
	return withComment(jen.Id("Constants").Id(c.Go), "function constants")
}

func (arg constantArg) kind() string { return "bind.ConstantArg" }

func (arg constantArg) field(*sourceFile) (jen.Code, bool) { return nil, true }

func (arg constantArg) fallback(scope) jen.Code { return nil }

func (arg constantArg) set(scope) jen.Code {
	value := "a.Constants." + arg.Go
	set := func(value string) jen.Code {
		return jen.Id("bind.Constant").Call(jen.Id("c"), jen.Lit(arg.Index), jen.Id(value))
	}
	if arg.Optional {
		return jen.If(jen.Id(value).Op("!=").Nil()).Block(set("*" + value))
	}
	return set(value)
}
