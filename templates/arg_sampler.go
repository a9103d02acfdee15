package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// samplerArg is a sampler, or an array of them.
type samplerArg struct{ *binding.Arg }

func (arg samplerArg) kind() string { return "bind.SamplerArg" }

func (arg samplerArg) field(f *sourceFile) (jen.Code, bool) {
	return f.valueField(arg.Arg), false
}

func (arg samplerArg) fallback(scope) jen.Code { return nil }

func (arg samplerArg) set(scope) jen.Code {
	return eachHandle(arg.Arg, "Sampler", func(field string) string { return field })
}
