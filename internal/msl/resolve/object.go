package resolve

import (
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// objectText is what is unique to an object: its type and values.
func (f *Facts) objectText(x *tree.Construct) string {
	parts := make([]string, len(x.Args))
	for i, arg := range x.Args {
		switch arg := arg.(type) {
		case *tree.Const:
			parts[i] = arg.Value.String()
		case *tree.Construct:
			parts[i] = f.objectText(arg)
		}
	}
	return f.typeKey(x.Type()) + "{" + strings.Join(parts, ", ") + "}"
}

// objectArg is the argument for a parameter that is an object (C++20 13.2); false for other parameters. The
// operations on tensors take their descriptors that way.
func (b paramBinder) objectArg(tokens *parser.Tokens) (TemplateArg, bool, error) {
	t, err := b.in.At(b.draft).TypeOf(b.param.Value.Type)
	if err != nil || t.Kind != tree.StructType {
		return TemplateArg{}, false, nil
	}
	e, err := b.in.R.Source.ParseArgument(tokens.List, b.in.IsTypePath)
	if err != nil {
		return TemplateArg{}, true, err
	}
	object, err := b.in.R.checker.Object(b.in, e, t, tokens.Pos)
	if err != nil {
		return TemplateArg{}, true, err
	}
	return TemplateArg{TemplateArg: tree.TemplateArg{Name: b.in.R.Facts.objectText(object)}, object: object}, true, nil
}

// objectVar is the constant that a parameter stands for which is an object.
func objectVar(name string, object *tree.Construct) *tree.Var {
	return &tree.Var{Name: name, Type: object.Type(), Pos: object.Position(), Space: "constant", Const: true,
		Static: true, Init: object}
}
