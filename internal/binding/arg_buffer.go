package binding

import (
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// Buffer is the kind of pointers and references to device memory, and of pointers to
// constant memory.
var Buffer ArgKind = buffer{}

type buffer struct{}

func (buffer) String() string { return "buffer" }

func (buffer) Field(a *Arg) string { return "runtime.Buffer[" + a.GoType.String() + "]" }

func (buffer) takes(p *tree.Param) bool { return p.Kind == tree.BufferParam }

func (buffer) goType(ts *types, p *tree.Param) (GoType, error) { return ts.of(p.Type) }

func (buffer) complete(k *kernelBuilder, p *tree.Param, a *Arg) {
	switch used := k.program.AccessOf(k.source, p); {
	case !used.Write:
		a.Access = Read
	case !used.Read:
		a.Access = Write
	default:
		a.Access = ReadWrite
	}
}

var bufferRules = rules{
	turn: resourceTurn, listed: true, length: true, brackets: true, typed: true,
	annotations: argAnnotations{"shape": annotateShape, "type": annotateType},
}

func (buffer) rules() *rules { return &bufferRules }

func (buffer) describe(a *Arg, d *Description) {
	d.Align, d.Access, d.Constant = a.Align, a.Access, a.Space == "constant"
	d.describeFields(a)
	d.describeShape(a)
}

// annotateShape takes metalgen:shape x [rows * dim], and metalgen:shape x any.
func annotateShape(k *kernelBuilder, a annotation, arg *Arg, text string) error {
	if text == "any" {
		arg.AnyLength, arg.ShapeFrom = true, a.pos
		return nil
	}
	if !strings.HasPrefix(text, "[") {
		return errorf("a shape stands in brackets, as in [rows * dim]")
	}
	return annotateLength(k, a, arg, text)
}
