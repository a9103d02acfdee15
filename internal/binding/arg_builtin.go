package binding

import "github.com/metalgen/metalgen/internal/msl/tree"

// Builtin is the kind of what Metal computes from the grid.
var Builtin ArgKind = builtin{}

type builtin struct{ notPassed }

func (builtin) String() string { return "builtin" }

func (builtin) takes(p *tree.Param) bool { return p.Kind == tree.BuiltinParam }
