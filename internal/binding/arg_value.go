package binding

import "github.com/metalgen/metalgen/internal/msl/tree"

// Value is the kind of references to constant memory, `constant T&`: buffers in Metal's
// eyes, whose bytes the caller passes.
var Value ArgKind = value{}

type value struct{}

func (value) String() string { return "value" }

func (value) Field(a *Arg) string { return a.GoType.String() }

func (value) takes(p *tree.Param) bool {
	return p.Kind == tree.BufferParam && p.Space == "constant" && !p.Pointer
}

func (value) goType(ts *types, p *tree.Param) (GoType, error) {
	if err := checkValue(p); err != nil {
		return nil, err
	}
	return ts.of(p.Type)
}

func (value) complete(*kernelBuilder, *tree.Param, *Arg) {}

var valueRules = rules{
	turn: resourceTurn, listed: true, number: true, typed: true, annotations: argAnnotations{"type": annotateType},
}

func (value) rules() *rules { return &valueRules }

// describe leaves out position and shape: a value always is what the kernel declares, so
// there is nothing to check, and no reason to show.
func (value) describe(a *Arg, d *Description) {
	d.describeFields(a)
}
