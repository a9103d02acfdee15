package binding

import "github.com/metalgen/metalgen/internal/msl"

// Builtin is the kind of what Metal computes from the grid.
var Builtin ArgKind = builtin{}

type builtin struct{ noRules }

func (builtin) String() string { return "builtin" }

func (builtin) takes(p *msl.Param) bool { return p.Kind == msl.BuiltinParam }
