package templates

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// An argument is what a caller passes to a kernel. All that is generated for a kind of argument is in a file
// named after it, arg_*.go.
type argument interface {
	// kind returns what package bind calls the kind.
	kind() string
	// field returns the argument's field of the Args struct, nil for none, and reports whether callers may
	// leave it unset.
	field(f *sourceFile) (field jen.Code, unset bool)
	// fallback returns the statement that fills in a field that was left unset, nil for none.
	fallback(s scope) jen.Code
	// set returns the statement that passes the argument to the call c.
	set(s scope) jen.Code
}

// argKinds has a row for each kind of argument that calls set.
var argKinds = map[binding.ArgKind]func(*binding.Arg) argument{
	binding.Buffer:           func(arg *binding.Arg) argument { return bufferArg{arg} },
	binding.Value:            func(arg *binding.Arg) argument { return valueArg{arg} },
	binding.Texture:          func(arg *binding.Arg) argument { return textureArg{arg} },
	binding.Sampler:          func(arg *binding.Arg) argument { return samplerArg{arg} },
	binding.Threadgroup:      func(arg *binding.Arg) argument { return threadgroupArg{arg} },
	binding.FunctionConstant: func(arg *binding.Arg) argument { return constantArg{arg} },
}

// arguments returns what calls of k set, in the order in which they do.
func arguments(k *binding.Kernel) []argument {
	var all []argument
	for _, arg := range k.Passed(k.Args) {
		all = append(all, argKinds[arg.Kind](arg))
	}
	return all
}

// fieldType returns the type of arg's field, in a file that imports the type of its elements.
func (f *sourceFile) fieldType(arg *binding.Arg) string {
	f.imports.addType(arg.GoType)
	return arg.Kind.Field(arg)
}

// valueField returns the field of an argument that kernels only read and that is a Go value.
func (f *sourceFile) valueField(arg *binding.Arg) jen.Code {
	comment := arg.Doc
	if arg.Optional {
		comment = whenNeeded(arg) + colon(arg.Doc)
	}
	return withComment(jen.Id(arg.Go).Id(f.fieldType(arg)), comment)
}

// eachHandle returns the statement that passes a texture or sampler to a method of the call c, or all those of
// an array. value makes of a field what the method takes.
func eachHandle(arg *binding.Arg, method string, value func(field string) string) jen.Code {
	field := "a." + arg.Go
	if arg.Count == 0 {
		return ifPresent(arg, jen.Id("c."+method).Call(jen.Lit(arg.Index), jen.Id(value(field))))
	}
	index := jen.Id("i")
	if arg.Index > 0 {
		index = jen.Lit(arg.Index).Op("+").Id("i")
	}
	return ifPresent(arg, jen.For(jen.Id("i").Op(":=").Range().Id(field)).Block(
		jen.Id("c."+method).Call(index, jen.Id(value(field+"[i]")))))
}

// ifPresent returns the statement that passes arg, under the condition that the kernel has it.
func ifPresent(arg *binding.Arg, set jen.Code) jen.Code {
	if arg.If != nil {
		return jen.If(jen.Id(condition(arg.If, "a.Constants."))).Block(set)
	}
	return set
}

// describeArg returns the row that describes arg.
func describeArg(arg *binding.Arg) string {
	d := arg.Describe()
	row := fmt.Sprintf("Kind: %s, Index: %d, Name: %q, Type: %q", argKinds[d.Kind](arg).kind(), d.Index, d.Name, d.Type)
	if d.Size != 0 {
		row += fmt.Sprintf(", Size: %d", d.Size)
	}
	row += fieldsOf(d.Fields)
	if d.Element != nil {
		row += fmt.Sprintf(", Fields: []bind.Field{{Type: %q%s}}", d.Element.Plain, whatIs(d.Element))
	}
	if d.Align != 0 {
		row += fmt.Sprintf(", Align: %d", d.Align)
	}
	if d.Access != 0 {
		row += ", Access: " + accessNames[d.Access]
	}
	if d.Texels != "" {
		row += ", Texture: bind.Texture" + d.Texture.GoName() + ", Texels: bind." + d.Texels
	}
	if d.Count != 0 {
		row += fmt.Sprintf(", Count: %d", d.Count)
	}
	if d.Pointers {
		row += ", Pointers: true"
	}
	if d.Constant {
		row += ", Constant: true"
	}
	if d.Optional {
		row += ", Optional: true"
	}
	if d.If != nil {
		row += fmt.Sprintf(", If: %q", oneLine(d.If.String()))
	}
	if d.Shape != "" {
		row += fmt.Sprintf(", Shape: %q", oneLine(d.Shape))
	}
	if d.Pos.Line > 0 {
		row += fmt.Sprintf(", Pos: %q", posText(d.Pos))
	}
	return row
}

// whenNeeded says when an optional argument is needed, as far as that is known.
func whenNeeded(arg *binding.Arg) string {
	if arg.If == nil {
		return "optional"
	}
	return "only if " + condition(arg.If, "Constants.")
}
