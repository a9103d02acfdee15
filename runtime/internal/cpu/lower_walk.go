package cpu

import "github.com/metalgen/metalgen/internal/msl/tree"

// walk calls visit for an expression and all that it is made of, in no order. It goes
// down the left sides of operators, and what else makes long chains, without recursion.
func walk(e tree.Expr, visit func(tree.Expr)) {
	for e != nil {
		visit(e)
		switch x := e.(type) {
		case *tree.Unary:
			e = x.X
		case *tree.Binary:
			walk(x.Y, visit)
			e = x.X
		case *tree.PointerAdd:
			walk(x.I, visit)
			e = x.X
		case *tree.PointerDiff:
			walk(x.Y, visit)
			e = x.X
		case *tree.Cond:
			walk(x.If, visit)
			walk(x.Then, visit)
			e = x.Else
		case *tree.Convert:
			e = x.X
		case *tree.Decay:
			e = x.X
		case *tree.Bitcast:
			e = x.X
		case *tree.Construct:
			e = walkRest(x.Args, visit)
		case *tree.Swizzle:
			e = x.X
		case *tree.Elements:
			e = x.X
		case *tree.Index:
			walk(x.I, visit)
			e = x.X
		case *tree.FieldOf:
			e = x.X
		case *tree.Deref:
			e = x.X
		case *tree.AddrOf:
			e = x.X
		case *tree.Assign:
			walk(x.R, visit)
			e = x.L
		case *tree.IncDec:
			e = x.X
		case *tree.Comma:
			walk(x.Y, visit)
			e = x.X
		case *tree.Log:
			walkRest(append([]tree.Expr{nil}, x.Args...), visit)
			e = x.X
		case *tree.Call:
			e = walkRest(x.Args, visit)
		case *tree.Builtin:
			e = walkRest(x.Args, visit)
		case *tree.TextureCall:
			for _, operand := range [...]tree.Expr{x.Texture, x.Sampler, x.Face, x.Index, x.Sample, x.Level, x.DX, x.DY,
				x.MinLOD, x.Offset, x.Compare} {
				walk(operand, visit)
			}
			for _, value := range x.Value {
				walk(value, visit)
			}
			e = x.Coord
		default:
			e = nil
		}
	}
}

// walkRest walks all expressions of a list but the first, which it returns.
func walkRest(list []tree.Expr, visit func(tree.Expr)) tree.Expr {
	if len(list) == 0 {
		return nil
	}
	for _, e := range list[1:] {
		walk(e, visit)
	}
	return list[0]
}
