package fold

import (
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
)

// evaluation runs a function in a constant expression (C++14 5.19). It knows
// numbers only: what needs an array or an object has no value here.
type evaluation struct {
	facts *resolve.Facts
	vars  map[*tree.Var]tree.Value
	steps int
	calls int
}

// flow says how a statement ended.
type flow uint8

const (
	flowOn flow = iota
	flowBreak
	flowContinue
	flowReturn
	flowUnknown // it is no constant expression
)

// foldCall evaluates a call; false where its value is not known.
func foldCall(f *resolve.Facts, x *tree.Call) (tree.Value, bool) {
	e := &evaluation{facts: f, vars: map[*tree.Var]tree.Value{}}
	return e.call(x)
}

func (e *evaluation) call(x *tree.Call) (tree.Value, bool) {
	if x.Func.Body == nil || e.calls >= resolve.MaxCalls {
		return tree.Value{}, false
	}
	inner := &evaluation{facts: e.facts, vars: map[*tree.Var]tree.Value{}, steps: e.steps, calls: e.calls + 1}
	for i, v := range x.Func.Params {
		if v.Ref && !v.Const && !resolve.IsThisParam(v) {
			return tree.Value{}, false // it may write to what it has no variable for here
		}
		// what has no value may still be of no interest
		if value, ok := e.value(x.Args[i]); ok {
			inner.vars[v] = value
		}
	}
	result, how := inner.statement(x.Func.Body)
	e.steps = inner.steps
	return result, how == flowReturn
}

// value evaluates an expression.
func (e *evaluation) value(x tree.Expr) (tree.Value, bool) {
	if e.steps++; e.steps > resolve.MaxSteps || x == nil || !e.facts.Work.Step(x.Position()) {
		return tree.Value{}, false
	}
	switch x := x.(type) {
	case *tree.VarRef:
		if v, ok := e.vars[x.Var]; ok {
			return v, true
		}
		return Var(e.facts, x.Var)
	case *tree.Const:
		return x.Value, true
	case *tree.Call:
		return e.call(x)
	case *tree.Assign:
		return e.assign(x)
	case *tree.IncDec:
		return e.incDec(x)
	case *tree.Comma:
		if _, ok := e.value(x.X); !ok {
			return tree.Value{}, false
		}
		return e.value(x.Y)
	}
	return folder{e.facts, e.value, nil}.expr(x)
}

func (e *evaluation) assign(x *tree.Assign) (tree.Value, bool) {
	to, ok := x.L.(*tree.VarRef)
	if !ok {
		return tree.Value{}, false
	}
	v, ok := e.value(x.R)
	if !ok {
		return tree.Value{}, false
	}
	if x.Op != 0 {
		old, known := e.vars[to.Var]
		if !known || x.Calc == nil {
			return tree.Value{}, false
		}
		old, err := old.Convert(x.Calc.Scalar)
		if err != nil {
			return tree.Value{}, false
		}
		if v, err = tree.BinaryOp(opTexts[x.Op], old, v); err != nil {
			return tree.Value{}, false
		}
	}
	if !types.ScalarLike(to.Var.Type) {
		return tree.Value{}, false
	}
	v, err := v.Convert(to.Var.Type.Scalar)
	e.vars[to.Var] = v
	return v, err == nil
}

func (e *evaluation) incDec(x *tree.IncDec) (tree.Value, bool) {
	to, ok := x.X.(*tree.VarRef)
	if !ok {
		return tree.Value{}, false
	}
	old, known := e.vars[to.Var]
	if !known || old.Kind.Floating() {
		return tree.Value{}, false
	}
	step := uint64(1)
	if x.Dec {
		step = ^uint64(0)
	}
	now := tree.IntValue(old.Kind, old.Bits+step)
	e.vars[to.Var] = now
	if x.Postfix {
		return old, true
	}
	return now, true
}

// statement runs a statement and returns what that returns, if so.
func (e *evaluation) statement(s tree.Stmt) (tree.Value, flow) {
	if e.steps++; e.steps > resolve.MaxSteps {
		return tree.Value{}, flowUnknown
	}
	switch s := s.(type) {
	case nil:
		return tree.Value{}, flowOn
	case *tree.Block:
		return e.block(s.List)
	case *tree.DeclStmt:
		if s.Init != nil && !s.Var.Ref {
			if v, ok := e.value(s.Init); ok {
				e.vars[s.Var] = v
			}
		}
		return tree.Value{}, flowOn
	case *tree.ExprStmt:
		if _, ok := e.value(s.X); !ok {
			return tree.Value{}, flowUnknown
		}
		return tree.Value{}, flowOn
	case *tree.If:
		v, ok := e.value(s.Cond)
		switch {
		case !ok:
			return tree.Value{}, flowUnknown
		case v.IsTrue():
			return e.statement(s.Then)
		case s.Else != nil:
			return e.statement(s.Else)
		}
		return tree.Value{}, flowOn
	case *tree.Loop:
		return e.loop(s)
	case *tree.Return:
		if s.X == nil {
			return tree.Value{}, flowUnknown
		}
		v, ok := e.value(s.X)
		if !ok {
			return tree.Value{}, flowUnknown
		}
		return v, flowReturn
	case *tree.Break:
		return tree.Value{}, flowBreak
	case *tree.Continue:
		return tree.Value{}, flowContinue
	}
	return tree.Value{}, flowUnknown
}

func (e *evaluation) block(list []tree.Stmt) (tree.Value, flow) {
	for _, s := range list {
		if v, how := e.statement(s); how != flowOn {
			return v, how
		}
	}
	return tree.Value{}, flowOn
}

func (e *evaluation) loop(s *tree.Loop) (tree.Value, flow) {
	if v, how := e.block(s.Init); how != flowOn {
		return v, how
	}
	for first := true; ; first = false {
		if s.Cond != nil && !(first && s.PostTested) {
			v, ok := e.value(s.Cond)
			if !ok {
				return tree.Value{}, flowUnknown
			}
			if !v.IsTrue() {
				return tree.Value{}, flowOn
			}
		}
		v, how := e.statement(s.Body)
		switch how {
		case flowBreak:
			return tree.Value{}, flowOn
		case flowReturn, flowUnknown:
			return v, how
		}
		if s.Post != nil {
			if _, ok := e.value(s.Post); !ok {
				return tree.Value{}, flowUnknown
			}
		}
	}
}
