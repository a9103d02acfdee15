package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// threadgroupArg is memory that the threads of a threadgroup share: a pointer, whose length the caller sets, or
// a reference to one element.
type threadgroupArg struct{ *binding.Arg }

func (arg threadgroupArg) kind() string { return "bind.ThreadgroupArg" }

func (arg threadgroupArg) field(*sourceFile) (jen.Code, bool) {
	if !arg.Pointer {
		return nil, true
	}
	return withComment(jen.Id(arg.Go).Int(), arg.comment()), true
}

// comment returns "threadgroup memory in elements of float32; 0 means tg_size (norm.metal:21)".
func (arg threadgroupArg) comment() string {
	s := "threadgroup memory in elements of " + arg.GoType.String()
	if arg.GoType == binding.Byte {
		s = "threadgroup memory in bytes"
	}
	if arg.Differs {
		s = "threadgroup memory in elements, of the variant's type"
	}
	switch {
	case arg.HasLength():
		s += "; 0 means " + oneLine(arg.ShapeText())
		if arg.Stated == "tg_size" {
			s += ", the threads per threadgroup"
		}
		s += at(arg.ShapeFrom)
	case arg.Optional:
		s += "; " + whenNeeded(arg.Arg)
	default:
		s += "; must be set"
	}
	return s + colon(arg.Doc)
}

func (arg threadgroupArg) fallback(s scope) jen.Code {
	if !arg.HasLength() {
		return nil
	}
	length := jen.Id("a." + arg.Go)
	return jen.If(length.Clone().Op("==").Lit(0)).Block(length.Clone().Op("=").Id(s.expr(arg.Shape).text))
}

func (arg threadgroupArg) set(scope) jen.Code {
	length := jen.Lit(1)
	if arg.Pointer {
		length = jen.Id("a." + arg.Go)
	}
	return ifPresent(arg.Arg, jen.Id("c.Threadgroup").Call(jen.Lit(arg.Index), length))
}
