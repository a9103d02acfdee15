package cpu

import "github.com/metalgen/metalgen/internal/msl/tree"

// An array of a thread is in memory, because indexes vary from lane to lane. A small one whose indexes are constants,
// or count the rounds of loops that are unrolled, is in registers like a vector.

// arrays knows which arrays are in registers.
type arrays struct {
	in          []*tree.Func // where arrays are declared
	inRegisters map[*tree.Var]bool
}

// inMemory reports whether a variable is in memory because of its type.
func (a *assigned) inMemory(v *tree.Var) bool { return inMemory(v.Type) && !a.arrays.inRegisters[v] }

// findArrays finds the arrays that are in registers.
func (a *assigned) findArrays(u *unrolling) {
	s := arraySearch{assigned: a, known: map[*tree.Var]bool{}, uses: map[*tree.Var]int{}}
	for _, fn := range a.arrays.in {
		s.counters([]tree.Stmt{fn.Body}, u)
		walkStatements([]tree.Stmt{fn.Body}, s.use, s.declared)
	}
	for v, uses := range s.uses { // of all functions: lambdas use arrays of others
		if uses == 0 && a.fits(v) {
			if a.arrays.inRegisters == nil {
				a.arrays.inRegisters = map[*tree.Var]bool{}
			}
			a.arrays.inRegisters[v] = true
		}
	}
}

// fits reports whether an array may be in registers.
func (a *assigned) fits(v *tree.Var) bool {
	elem := v.Type
	for elem.Kind == tree.Array {
		elem = elem.Elem
	}
	return v.Type.Kind == tree.Array && !v.Ref && !v.Static && v.Space != "threadgroup" && !a.addressed(v) &&
		!inMemory(elem) && countLeaves(v.Type) <= maxArrayLeaves
}

// arraySearch is what is found in a function: which variables will be known when the program is written, and how
// arrays are used. An array that is also used otherwise than by an index that is known has more than 0 uses.
type arraySearch struct {
	*assigned
	known map[*tree.Var]bool
	uses  map[*tree.Var]int
}

// counters finds the variables of loops that will be unrolled, as far as the source of the function says.
func (s *arraySearch) counters(list []tree.Stmt, u *unrolling) {
	for _, stmt := range list {
		switch stmt := stmt.(type) {
		case *tree.Loop:
			if len(stmt.Init) == 1 && !endsRound(stmt.Body) {
				d, ok := stmt.Init[0].(*tree.DeclStmt)
				n, stated := lastAbout(stmt)
				few := stated && n > 1 && n <= maxRoundsUnrolled && int(n)*u.statements([]tree.Stmt{stmt.Body}) <= maxUnrolled
				if ok && few && s.changing[d.Var] == 1 && d.Init != nil && s.isKnown(d.Init) {
					s.known[d.Var] = true
				}
			}
			s.counters([]tree.Stmt{stmt.Body}, u)
		case *tree.Block:
			s.counters(stmt.List, u)
		case *tree.If:
			s.counters([]tree.Stmt{stmt.Then, stmt.Else}, u)
		case *tree.Switch:
			for _, c := range stmt.Cases {
				s.counters(c.List, u)
			}
		}
	}
}

func (s *arraySearch) declared(d *tree.DeclStmt) {
	if d.Init != nil && s.changing[d.Var] == 0 && s.isKnown(d.Init) {
		s.known[d.Var] = true
	}
	if d.Var.Type.Kind == tree.Array {
		s.uses[d.Var] += 0
	}
}

// use notes how an expression uses an array.
func (s *arraySearch) use(e tree.Expr) {
	switch e := e.(type) {
	case *tree.VarRef:
		if e.Var.Type.Kind == tree.Array {
			s.uses[e.Var]++
		}
	case *tree.Index:
		if e.X.Type().Kind != tree.Array {
			return
		}
		if ref, ok := e.X.(*tree.VarRef); ok {
			s.uses[ref.Var]-- // which counted, or will
		}
		if v := variableIn(e); v != nil && !s.isKnown(e.I) {
			s.uses[v]++
		}
	}
}

// isKnown reports whether an expression will be known when the program is written.
func (s *arraySearch) isKnown(e tree.Expr) bool {
	ok := true
	walk(e, func(e tree.Expr) {
		switch e := e.(type) {
		case *tree.Const, *tree.Unary, *tree.Convert, *tree.Binary, *tree.Cond:
		case *tree.VarRef:
			ok = ok && s.known[e.Var]
		default:
			ok = false
		}
	})
	return ok
}
