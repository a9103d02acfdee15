package cpu

import "github.com/metalgen/metalgen/internal/msl/tree"

// A loop that goes round a few times, as the source says, is written that many times. The variable that counts is
// a constant in each round, and so is what follows from it: indexes of vectors, matrices and arrays above all.

// unroll writes the rounds of a loop one after the other. It reports false for one that stays a loop.
func (b *builder) unroll(s *tree.Loop) bool {
	v, ok := b.counter(s)
	if !ok {
		return false
	}
	before := b.constantsSoFar()
	rounds := b.rounds(s, v)
	if rounds == nil || !b.unrolling.allows(len(rounds), s) {
		delete(b.vars, v)
		b.forgetConstants(before)
		return false
	}
	for _, r := range rounds {
		b.count(v, r)
		b.body(s.Body)
	}
	delete(b.vars, v)
	return true
}

// counter returns the variable that a loop counts by. It reports false where more is to be known of the loop than
// the source says: its first value, when it ends, and what comes next.
func (b *builder) counter(s *tree.Loop) (v *tree.Var, ok bool) {
	if s.PostTested || s.Cond == nil || len(s.Init) != 1 {
		return nil, false
	}
	d, ok := s.Init[0].(*tree.DeclStmt)
	if !ok || d.Init == nil || d.Var.Ref || d.Var.Type.Kind != tree.Scalar || b.addressed(d.Var) {
		return nil, false
	}
	var next tree.Expr
	switch e := s.Post.(type) {
	case *tree.IncDec:
		next = e.X
	case *tree.Assign:
		next = e.L
		divisor, known := constantIndex(e.R)
		ok = b.foldable(e.R, d.Var) && (e.Op != tree.Div && e.Op != tree.Mod || known && divisor != 0)
	}
	ref, isVar := next.(*tree.VarRef)
	return d.Var, ok && isVar && ref.Var == d.Var && b.changing[d.Var] == 1 && !endsRound(s.Body) &&
		b.foldable(d.Init, nil) && b.foldable(s.Cond, d.Var)
}

// foldable reports whether an expression is computed when the program is written, where v is known.
func (b *builder) foldable(e tree.Expr, v *tree.Var) bool {
	ok := true
	walk(e, func(e tree.Expr) {
		switch e := e.(type) {
		case *tree.Const, *tree.Unary:
		case *tree.Convert:
			ok = ok && e.Type().Kind == tree.Scalar
		case *tree.VarRef:
			s := b.vars[e.Var]
			ok = ok && (e.Var == v || s != nil && b.isConstant(s.place))
		case *tree.Binary:
			if e.Op == tree.Div || e.Op == tree.Mod {
				n, known := constantIndex(e.Y)
				ok = ok && known && n != 0
			}
		default:
			ok = false
		}
		ok = ok && e.Type().Kind == tree.Scalar && !floating(e.Type().Scalar)
	})
	return ok
}

// isConstant reports whether a place is a single register that never changes.
func (asm *assembler) isConstant(p place) bool {
	if p.memory || p.chooser >= 0 || len(p.regs) != 1 {
		return false
	}
	_, ok := asm.constantIn(p.regs[0])
	return ok
}

// count makes the variable of a loop the constant in a register.
func (b *builder) count(v *tree.Var, r int32) {
	b.vars[v] = &storage{place: inRegisters(v.Type, value{r}, b.scope())}
}

// rounds returns what the variable of a loop is in each round, or nil where there are too many.
func (b *builder) rounds(s *tree.Loop, v *tree.Var) value {
	rounds := make(value, 0, 8)
	for r := b.value(s.Init[0].(*tree.DeclStmt).Init)[0]; ; {
		b.count(v, r)
		if goesOn, ok := b.decided(b.condition(s.Cond)); !ok {
			return nil
		} else if !goesOn {
			return rounds
		}
		if rounds = append(rounds, r); len(rounds) > maxRoundsUnrolled {
			return nil
		}
		switch e := s.Post.(type) {
		case *tree.IncDec:
			r = b.stepped(e, value{r})[0]
		case *tree.Assign:
			next := b.value(e.R)
			if e.Op != 0 {
				next = b.combined(e, value{r}, next)
			}
			r = next[0]
		}
	}
}

// unrolling knows how far loops are unrolled, and what functions come to.
type unrolling struct {
	weight    int // of all that has been written, or will be, because of it
	functions map[*tree.Func]int
}

// allows reports whether a loop may be written so many times, and counts what comes of it.
func (u *unrolling) allows(rounds int, s *tree.Loop) bool {
	weight := rounds * u.statements([]tree.Stmt{s.Body})
	if weight > maxUnrolled || u.weight+weight > maxUnrolledAll {
		return false
	}
	u.weight += weight
	return true
}

// tooMany expressions are not written more than once.
const tooMany = maxUnrolled + 1

// statements returns how many expressions statements come to, about, with those of functions that they call; or
// tooMany.
func (u *unrolling) statements(list []tree.Stmt) int {
	n := 0
	for _, s := range list {
		switch s := s.(type) {
		case *tree.Loop:
			round := u.statements([]tree.Stmt{s.Body}) + u.expression(s.Cond) + u.expression(s.Post)
			n += u.statements(s.Init) + roundsAbout(s)*round
		case *tree.Block:
			n += u.statements(s.List)
		case *tree.If:
			n += u.expression(s.Cond) + u.statements([]tree.Stmt{s.Then})
			if s.Else != nil {
				n += u.statements([]tree.Stmt{s.Else})
			}
		case *tree.Switch:
			n += u.expression(s.X)
			for _, c := range s.Cases {
				n += u.statements(c.List)
			}
		case *tree.DeclStmt:
			n += u.expression(s.Init) + weightOf(s.Var.Type)
		case *tree.ExprStmt:
			n += u.expression(s.X)
		case *tree.Return:
			n += u.expression(s.X)
		}
		n = min(n, tooMany)
	}
	return n
}

// roundsAbout guesses how often a loop in a loop goes round, for one that may be unrolled as well.
func roundsAbout(s *tree.Loop) int {
	n, _ := lastAbout(s)
	return int(max(1, min(n, maxRoundsUnrolled)))
}

// lastAbout returns the number that the condition of a loop compares with, which is about how often it goes round.
func lastAbout(s *tree.Loop) (int64, bool) {
	if c, ok := s.Cond.(*tree.Binary); ok {
		return constantIndex(c.Y)
	}
	return 0, false
}

// expression is statements of one.
func (u *unrolling) expression(e tree.Expr) int {
	n := 0
	walk(e, func(e tree.Expr) {
		n++
		switch e := e.(type) {
		case *tree.Assign:
			n += weightOf(e.Type())
		case *tree.Binary:
			n += weightOf(e.Type())
		case *tree.Construct:
			n += weightOf(e.Type())
		case *tree.Call:
			n += u.function(e.Func) + weightOf(e.Type())
		case *tree.Builtin:
			if e.Name == "threadgroup_barrier" { // its rounds are told apart
				n = tooMany
			}
		}
	})
	return min(n, tooMany)
}

// weightOf returns what it comes to besides, about, that a value of a type has many parts.
func weightOf(t *tree.Type) int {
	switch t.Kind {
	case tree.Array, tree.Matrix, tree.StructType:
		return countLeaves(t)
	}
	return 0
}

// function is statements of its body.
func (u *unrolling) function(fn *tree.Func) int {
	n, ok := u.functions[fn]
	if !ok {
		if u.functions == nil {
			u.functions = map[*tree.Func]int{}
		}
		u.functions[fn] = 0 // for one that calls itself
		n = u.statements(fn.Body.List)
		u.functions[fn] = n
	}
	return n
}

// endsRound reports whether a statement has a break or continue of the loop around it.
func endsRound(s tree.Stmt) bool { return leavesRound([]tree.Stmt{s}, true) }

// leavesRound is endsRound, where breaks are those of the loop, or of a switch in it.
func leavesRound(list []tree.Stmt, breaks bool) bool {
	for _, s := range list {
		switch s := s.(type) {
		case *tree.Break:
			if breaks {
				return true
			}
		case *tree.Continue:
			return true
		case *tree.Block:
			if leavesRound(s.List, breaks) {
				return true
			}
		case *tree.If:
			if leavesRound([]tree.Stmt{s.Then}, breaks) || s.Else != nil && leavesRound([]tree.Stmt{s.Else}, breaks) {
				return true
			}
		case *tree.Switch:
			for _, c := range s.Cases {
				if leavesRound(c.List, false) {
					return true
				}
			}
		}
	}
	return false
}
