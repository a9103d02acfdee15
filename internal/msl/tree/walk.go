package tree

// Walk calls visit for an expression and all that it is made of, in no order. It goes
// down the left sides of operators, and what else makes long chains, without recursion.
func Walk(e Expr, visit func(Expr)) {
	for e != nil {
		visit(e)
		switch x := e.(type) {
		case *Unary:
			e = x.X
		case *Binary:
			Walk(x.Y, visit)
			e = x.X
		case *PointerAdd:
			Walk(x.I, visit)
			e = x.X
		case *PointerDiff:
			Walk(x.Y, visit)
			e = x.X
		case *Cond:
			Walk(x.If, visit)
			Walk(x.Then, visit)
			e = x.Else
		case *Convert:
			e = x.X
		case *Decay:
			e = x.X
		case *Bitcast:
			e = x.X
		case *Construct:
			e = walkRest(x.Args, visit)
		case *Swizzle:
			e = x.X
		case *Elements:
			e = x.X
		case *Index:
			Walk(x.I, visit)
			e = x.X
		case *FieldOf:
			e = x.X
		case *Deref:
			e = x.X
		case *AddrOf:
			e = x.X
		case *Assign:
			Walk(x.R, visit)
			e = x.L
		case *IncDec:
			e = x.X
		case *Comma:
			Walk(x.Y, visit)
			e = x.X
		case *Log:
			for _, a := range x.Args {
				Walk(a, visit)
			}
			e = x.X
		case *Call:
			e = walkRest(x.Args, visit)
		case *Builtin:
			e = walkRest(x.Args, visit)
		case *TextureCall:
			for _, operand := range [...]Expr{
				x.Texture, x.Sampler, x.Face, x.Index, x.Sample, x.Level, x.DX, x.DY, x.MinLOD, x.Offset, x.Compare,
			} {
				Walk(operand, visit)
			}
			for _, value := range x.Value {
				Walk(value, visit)
			}
			e = x.Coord
		default:
			e = nil
		}
	}
}

// walkRest walks all expressions of a list but the first, which it returns.
func walkRest(list []Expr, visit func(Expr)) Expr {
	if len(list) == 0 {
		return nil
	}
	for _, e := range list[1:] {
		Walk(e, visit)
	}
	return list[0]
}

// WalkStatements calls visit for all expressions of statements, as Walk does, and declared for all declarations.
func WalkStatements(list []Stmt, visit func(Expr), declared func(*DeclStmt)) {
	for _, s := range list {
		walkStatement(s, visit, declared)
	}
}

func walkStatement(s Stmt, visit func(Expr), declared func(*DeclStmt)) {
	switch s := s.(type) {
	case *Block:
		WalkStatements(s.List, visit, declared)
	case *DeclStmt:
		declared(s)
		Walk(s.Init, visit)
	case *ExprStmt:
		Walk(s.X, visit)
	case *If:
		Walk(s.Cond, visit)
		walkStatement(s.Then, visit, declared)
		if s.Else != nil {
			walkStatement(s.Else, visit, declared)
		}
	case *Loop:
		WalkStatements(s.Init, visit, declared)
		Walk(s.Cond, visit)
		Walk(s.Post, visit)
		walkStatement(s.Body, visit, declared)
	case *Switch:
		Walk(s.X, visit)
		for _, c := range s.Cases {
			WalkStatements(c.List, visit, declared)
		}
	case *Return:
		Walk(s.X, visit)
	}
}
