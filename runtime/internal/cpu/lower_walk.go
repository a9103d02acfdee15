package cpu

import "github.com/metalgen/metalgen/internal/msl"

// walk calls visit for an expression and all that it is made of.
func walk(e msl.Expr, visit func(msl.Expr)) {
	if e == nil {
		return
	}
	visit(e)
	all := func(list ...msl.Expr) {
		for _, e := range list {
			walk(e, visit)
		}
	}
	switch e := e.(type) {
	case *msl.Unary:
		all(e.X)
	case *msl.Binary:
		all(e.X, e.Y)
	case *msl.PointerAdd:
		all(e.X, e.I)
	case *msl.PointerDiff:
		all(e.X, e.Y)
	case *msl.Cond:
		all(e.If, e.Then, e.Else)
	case *msl.Convert:
		all(e.X)
	case *msl.Decay:
		all(e.X)
	case *msl.Bitcast:
		all(e.X)
	case *msl.Construct:
		all(e.Args...)
	case *msl.Swizzle:
		all(e.X)
	case *msl.Elements:
		all(e.X)
	case *msl.Index:
		all(e.X, e.I)
	case *msl.FieldOf:
		all(e.X)
	case *msl.Deref:
		all(e.X)
	case *msl.AddrOf:
		all(e.X)
	case *msl.Assign:
		all(e.L, e.R)
	case *msl.IncDec:
		all(e.X)
	case *msl.Comma:
		all(e.X, e.Y)
	case *msl.Call:
		all(e.Args...)
	case *msl.Builtin:
		all(e.Args...)
	}
}
