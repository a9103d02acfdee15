package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// bufferArg is device or constant memory: a pointer, or a reference to one element.
type bufferArg struct{ *binding.Arg }

func (arg bufferArg) kind() string { return "bind.BufferArg" }

func (arg bufferArg) field(f *sourceFile) (jen.Code, bool) {
	return withComment(jen.Id(arg.Go).Id(f.fieldType(arg.Arg)), arg.comment()), false
}

var accessWords = map[binding.Access]string{
	binding.Read:      "read",
	binding.Write:     "written",
	binding.ReadWrite: "read and written",
}

// comment returns, say, "read, [rows * dim]: residual stream".
func (arg bufferArg) comment() string {
	s := accessWords[arg.Access]
	if binding.HoldsPointers(arg.GoType) {
		s += ", made by runtime.UploadArguments"
	}
	if arg.Optional {
		s += ", " + whenNeeded(arg.Arg)
	}
	if arg.HasLength() {
		s += ", " + oneLine(arg.ShapeText())
	}
	return s + colon(arg.Doc)
}

func (arg bufferArg) fallback(scope) jen.Code { return nil }

func (arg bufferArg) set(s scope) jen.Code {
	need := jen.Lit(1)
	switch {
	case arg.HasLength():
		need = jen.Id(s.expr(arg.Shape).text)
	case arg.Pointer:
		need = jen.Lit(0) // nothing says how many elements
	}
	return ifPresent(arg.Arg, jen.Id("c.Buffer").Call(jen.Lit(arg.Index), jen.Id("a."+arg.Go+".View").Call(), need))
}

var accessNames = map[binding.Access]string{
	binding.Read:      "bind.Read",
	binding.Write:     "bind.Write",
	binding.ReadWrite: "bind.ReadWrite",
}
