package templates

import (
	"cmp"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// An argument is what a caller passes to a kernel. All that is generated for a kind of argument is in a file
// named after it: arg_buffer.go, arg_value.go, arg_threadgroup.go and arg_constant.go.
type argument interface {
	// turn says when a call sets the argument: those of a lower turn come first, those of one turn in the
	// order of the source.
	turn() turn
	// field returns the argument's field of the Args struct, nil for none, and reports whether callers may
	// leave it unset.
	field(f *sourceFile) (field jen.Code, unset bool)
	// fallback returns the statement that fills in a field that was left unset, nil for none.
	fallback(s scope) jen.Code
	// set returns the statements that pass the argument to the call c.
	set(s scope) []jen.Code
	// describe returns what the kernel's description lists: a composite literal for each setting.
	describe(f *sourceFile) []jen.Code
}

type turn int

const (
	bufferTurn turn = iota // what Metal has in its table of buffers
	constantTurn
	threadgroupTurn
)

// argKinds has a row for each kind of argument that the parameters of a kernel can be. Callers pass nothing for
// a kind that has none.
var argKinds = map[binding.ArgKind]func(*binding.Arg) argument{
	binding.Buffer:      func(arg *binding.Arg) argument { return bufferArg{arg} },
	binding.Value:       func(arg *binding.Arg) argument { return valueArg{arg} },
	binding.Threadgroup: func(arg *binding.Arg) argument { return threadgroupArg{arg} },
}

// arguments returns what a caller of k passes when its parameters are those of list: of k, or of a variant.
func arguments(k *binding.Kernel, list []*binding.Arg) []argument {
	var all []argument
	for _, arg := range list {
		if of := argKinds[arg.Kind]; of != nil {
			all = append(all, of(arg))
		}
	}
	if k.Constants != nil {
		all = append(all, constantArgs{k})
	}
	return all
}

// inTurn returns arguments in the order in which a call sets them. Descriptions list them in the same order,
// which makes finding them quick.
func inTurn(args []argument) []argument {
	return slices.SortedStableFunc(slices.Values(args), func(a, b argument) int { return cmp.Compare(a.turn(), b.turn()) })
}

// ifPresent returns the statement that passes arg, under the condition that the kernel has it.
func ifPresent(arg *binding.Arg, set jen.Code) []jen.Code {
	if arg.If != nil {
		set = jen.If(jen.Id(condition(arg.If, "a.Constants."))).Block(set)
	}
	return []jen.Code{set}
}

// describeArg returns what the descriptions of all parameters start with.
func describeArg(kind string, arg *binding.Arg) []jen.Code {
	return []jen.Code{
		keyed("Kind", jen.Id(kind)),
		keyed("Index", jen.Lit(arg.Index)),
		keyed("Name", jen.Lit(arg.Name)),
		keyed("Type", jen.Lit(arg.Type)),
		keyed("Size", jen.Lit(arg.Size)),
	}
}

// describePresence returns the part of a description that says when the kernel has arg.
func describePresence(arg *binding.Arg) []jen.Code {
	var about []jen.Code
	if arg.Optional {
		about = append(about, keyed("Optional", jen.True()))
	}
	if arg.If != nil {
		about = append(about, keyed("If", jen.Lit(oneLine(arg.If.String()))))
	}
	return about
}

// describeLength returns the part of a description that says how long arg has to be, and which line of the
// source says so. A value has none: its length is that of its Go type.
func describeLength(arg *binding.Arg) []jen.Code {
	if !hasLength(arg) {
		return []jen.Code{keyed("Pos", jen.Lit(place(arg.Place)))}
	}
	return []jen.Code{keyed("Shape", jen.Lit(shapeText(arg))), keyed("Pos", jen.Lit(place(arg.ShapeFrom)))}
}

// whenNeeded says when an optional argument is needed, as far as that is known.
func whenNeeded(arg *binding.Arg) string {
	if arg.If == nil {
		return "optional"
	}
	return "only if " + condition(arg.If, "Constants.")
}

// hasLength reports whether the source states how many elements arg has. What a reference refers to is one
// element, and nothing to state.
func hasLength(arg *binding.Arg) bool { return arg.Pointer && arg.Shape != nil }

// shapeText returns the shape of arg as a reader of Go sees it: a buffer's in brackets.
func shapeText(arg *binding.Arg) string {
	if arg.Kind == binding.Buffer {
		return "[" + oneLine(arg.ShapeText) + "]"
	}
	return oneLine(arg.ShapeText)
}
