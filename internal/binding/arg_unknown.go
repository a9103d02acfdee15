package binding

import "github.com/metalgen/metalgen/internal/msl/tree"

// unknown is the kind of an argument that metalgen does not bind yet: it leaves the kernel out.
var unknown ArgKind = unknownKind{}

type unknownKind struct{ notPassed }

func (unknownKind) String() string { return "unknown" }

func (unknownKind) takes(*tree.Param) bool { return true }

func (unknownKind) goType(ts *types, p *tree.Param) (GoType, error) {
	if _, err := ts.of(p.Type); err != nil {
		return nil, err // which may know more than that
	}
	return nil, unbound(p.Type)
}
