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

func (buffer) rules() rules {
	return rules{
		turn: bufferTurn, annotations: []string{"shape", "type"}, listed: true, length: true, brackets: true, typed: true,
	}
}

func (buffer) describe(a *Arg, d *Description) {
	d.Align, d.Access, d.Constant = a.Align, a.Access, a.Space == "constant"
	d.describeFields(a)
	d.describeShape(a)
}

// annotateShape takes metalgen:shape x [rows * dim].
func (k *kernelBuilder) annotateShape(a annotation, arg *Arg, rest string) error {
	if !strings.HasPrefix(rest, "[") {
		return errorf("a shape stands in brackets, as in [rows * dim]")
	}
	return k.annotateLength(a, arg, rest)
}
