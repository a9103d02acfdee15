package templates

import "github.com/metalgen/metalgen/internal/binding"

func argsName(k *binding.Kernel) string { return k.Go + "Args" }

// args declares the Args struct of k: its buffers and values in the order of the
// source, and below them what need not be set where the source states it.
func (f *sourceFile) args(k *binding.Kernel) {
	var given, stated []row
	if k.IsFamily() {
		given = append(given, row{"Variant", variantName(k) + typeArgs(k), "// which instance of the template; must be set"})
	}
	for _, arg := range k.Args {
		switch arg.Kind {
		case binding.Buffer:
			given = append(given, withComment(row{arg.Go, "runtime.Buffer[" + f.typ(arg.GoType) + "]"}, bufferComment(arg)))
		case binding.Value:
			given = append(given, withComment(row{arg.Go, f.typ(arg.GoType)}, valueComment(arg)))
		case binding.Threadgroup:
			if arg.Pointer {
				stated = append(stated, withComment(row{arg.Go, "int"}, threadgroupComment(arg)))
			}
		}
	}
	if k.Constants != nil {
		stated = append(stated, row{"Constants", k.Constants.Go, "// function constants"})
	}
	stated = append(stated, withComment(row{"Grid", "runtime.Grid"}, gridComment(k)))

	name := argsName(k)
	f.declare(docComment(name+" are the arguments of ["+k.Go+"]."), structure(name+typeParams(k), given, stated))
}

var accessWords = map[binding.Access]string{
	binding.Read:      "read",
	binding.Write:     "written",
	binding.ReadWrite: "read and written",
}

// bufferComment is "read, [rows * dim]: residual stream".
func bufferComment(arg *binding.Arg) string {
	s := accessWords[arg.Access]
	if arg.Optional {
		s += ", " + optional(arg)
	}
	if hasLength(arg) {
		s += ", " + shapeText(arg)
	}
	return s + colon(arg.Doc)
}

// valueComment is the doc of a value, which says when it is needed.
func valueComment(arg *binding.Arg) string {
	if arg.Optional {
		return optional(arg) + colon(arg.Doc)
	}
	return arg.Doc
}

// optional says when an optional argument is needed, as far as that is known.
func optional(arg *binding.Arg) string {
	if arg.If == nil {
		return "optional"
	}
	return "only if " + condition(arg.If, "Constants.")
}

func threadgroupComment(arg *binding.Arg) string {
	s := "threadgroup memory in elements of " + arg.GoType.String()
	if arg.Differs {
		s = "threadgroup memory in elements, of the variant's type"
	}
	switch {
	case hasLength(arg):
		s += "; 0 means " + shapeText(arg)
		if arg.ShapeText == "tg_size" {
			s += ", the threads per threadgroup"
		}
		s += at(arg.ShapeFrom)
	case arg.Optional:
		s += "; " + optional(arg)
	default:
		s += "; must be set"
	}
	return s + colon(arg.Doc)
}

func gridComment(k *binding.Kernel) string {
	if k.Geometry == nil {
		return "must be set: nothing in " + k.File + " states it"
	}
	return "zero means " + gridName(k)
}

// hasLength tells whether the source states how many elements arg has. What a
// reference is to is one element, and nothing to state.
func hasLength(arg *binding.Arg) bool { return arg.Pointer && arg.Shape != nil }

// shapeText is the shape of arg as a reader of Go sees it: a buffer's in brackets.
func shapeText(arg *binding.Arg) string {
	if arg.Kind == binding.Buffer {
		return "[" + oneLine(arg.ShapeText) + "]"
	}
	return oneLine(arg.ShapeText)
}
