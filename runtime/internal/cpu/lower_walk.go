package cpu

import "github.com/metalgen/metalgen/internal/msl/tree"

// walk calls visit for an expression and all that it is made of.
func walk(e tree.Expr, visit func(tree.Expr)) {
	if e == nil {
		return
	}
	visit(e)
	all := func(list ...tree.Expr) {
		for _, e := range list {
			walk(e, visit)
		}
	}
	switch e := e.(type) {
	case *tree.Unary:
		all(e.X)
	case *tree.Binary:
		all(e.X, e.Y)
	case *tree.PointerAdd:
		all(e.X, e.I)
	case *tree.PointerDiff:
		all(e.X, e.Y)
	case *tree.Cond:
		all(e.If, e.Then, e.Else)
	case *tree.Convert:
		all(e.X)
	case *tree.Decay:
		all(e.X)
	case *tree.Bitcast:
		all(e.X)
	case *tree.Construct:
		all(e.Args...)
	case *tree.Swizzle:
		all(e.X)
	case *tree.Elements:
		all(e.X)
	case *tree.Index:
		all(e.X, e.I)
	case *tree.FieldOf:
		all(e.X)
	case *tree.Deref:
		all(e.X)
	case *tree.AddrOf:
		all(e.X)
	case *tree.Assign:
		all(e.L, e.R)
	case *tree.IncDec:
		all(e.X)
	case *tree.Comma:
		all(e.X, e.Y)
	case *tree.Call:
		all(e.Args...)
	case *tree.Builtin:
		all(e.Args...)
	}
}
