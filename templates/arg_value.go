package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// valueArg is a constant reference, whose bytes the caller passes by value.
type valueArg struct{ *binding.Arg }

func (arg valueArg) kind() string { return "bind.ValueArg" }

func (arg valueArg) field(f *sourceFile) (jen.Code, bool) {
	return f.valueField(arg.Arg), false
}

func (arg valueArg) fallback(scope) jen.Code { return nil }

func (arg valueArg) set(scope) jen.Code {
	return ifPresent(arg.Arg, jen.Id("bind.Value").Call(jen.Id("c"), jen.Lit(arg.Index), jen.Id("a."+arg.Go)))
}
