package templates

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// describe declares the variable that tells the runtime what k is and what the
// source says about it.
func (f *sourceFile) describe(k *binding.Kernel) {
	fields := align(f.about(k))
	if args := f.describeArgs(k, k.Args); len(args) > 0 {
		fields = append(fields, jen.Id("Args:").Add(lines("[]bind.Arg", args...)))
	}
	f.declare("", jen.Var().Add(assign(k.Var, lines("bind.Kernel", fields...))))
}

// about is what kernels and families have in common.
func (f *sourceFile) about(k *binding.Kernel) []row {
	about := []row{
		{"Name:", strconv.Quote(k.Name)},
		{"Library:", "&" + libraryName(f.source)},
		{"Pos:", strconv.Quote(place(k.Place))},
	}
	if k.Geometry != nil {
		about = append(about, row{"Grid:", strconv.Quote(oneLine(k.Geometry.Text))})
		if pos := place(k.Geometry.From); pos != "" {
			about = append(about, row{"GridPos:", strconv.Quote(pos)})
		}
	}
	if k.Positions {
		about = append(about, row{"Positions:", "true"})
	}
	return about
}

// describeArgs lists arguments of k in the order in which calls set them, which
// makes finding them quick.
func (f *sourceFile) describeArgs(k *binding.Kernel, list []*binding.Arg) []jen.Code {
	var args []jen.Code
	for _, arg := range list {
		switch arg.Kind {
		case binding.Buffer:
			args = append(args, describeArg("Buffer", arg))
		case binding.Value:
			args = append(args, describeArg("Value", arg))
		}
	}
	for _, c := range k.Uses {
		fields := []jen.Code{
			keyed("Kind", "bind.ConstantArg"),
			keyed("Index", strconv.Itoa(c.Index)),
			keyed("Name", strconv.Quote(c.Name)),
			keyed("Type", strconv.Quote(c.Type)),
			keyed("Size", strconv.Itoa(f.layouts.of(c.GoType).size)),
		}
		if c.Optional {
			fields = append(fields, keyed("Optional", "true"))
		}
		args = append(args, literal("", fields...))
	}
	for _, arg := range list {
		if arg.Kind == binding.Threadgroup {
			args = append(args, describeArg("Threadgroup", arg))
		}
	}
	return args
}

var accessNames = map[binding.Access]string{
	binding.Read:      "bind.Read",
	binding.Write:     "bind.Write",
	binding.ReadWrite: "bind.ReadWrite",
}

func describeArg(kind string, arg *binding.Arg) jen.Code {
	fields := []jen.Code{
		keyed("Kind", "bind."+kind+"Arg"),
		keyed("Index", strconv.Itoa(arg.Index)),
		keyed("Name", strconv.Quote(arg.Name)),
		keyed("Type", strconv.Quote(arg.Type)),
		keyed("Size", strconv.Itoa(arg.Size)),
	}
	if arg.Kind != binding.Threadgroup {
		fields = append(fields, fieldsOf(arg.Struct)...)
	}
	if arg.Kind == binding.Buffer {
		fields = append(fields,
			keyed("Align", strconv.Itoa(arg.Align)),
			keyed("Access", accessNames[arg.Access]))
		if arg.Space == "constant" {
			fields = append(fields, keyed("Constant", "true"))
		}
	}
	if arg.Optional {
		fields = append(fields, keyed("Optional", "true"))
	}
	if arg.If != nil {
		fields = append(fields, keyed("If", strconv.Quote(oneLine(arg.If.String()))))
	}
	// A value always is what the kernel declares, so only the others are
	// checked, and need to be told why.
	if arg.Kind != binding.Value {
		pos := arg.Place
		if hasLength(arg) {
			fields = append(fields, keyed("Shape", strconv.Quote(shapeText(arg))))
			pos = arg.ShapeFrom
		}
		fields = append(fields, keyed("Pos", strconv.Quote(place(pos))))
	}
	return literal("", fields...)
}
