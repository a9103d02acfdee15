package msl

import "github.com/metalgen/metalgen/parser"

// maxSteps bounds the work on one call in a constant expression.
const maxSteps = 1 << 16

// maxCalls bounds how deep such calls nest.
const maxCalls = 64

// evaluation runs a function in a constant expression (C++14 5.19). It knows
// numbers only: what needs an array or an object has no value here.
type evaluation struct {
	facts *facts
	vars  map[*Var]Value
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
func (f *facts) foldCall(x *Call) (Value, bool) {
	e := &evaluation{facts: f, vars: map[*Var]Value{}}
	return e.call(x)
}

func (e *evaluation) call(x *Call) (Value, bool) {
	if x.Func.Body == nil || e.calls >= maxCalls {
		return Value{}, false
	}
	inner := &evaluation{facts: e.facts, vars: map[*Var]Value{}, steps: e.steps, calls: e.calls + 1}
	for i, v := range x.Func.Params {
		if v.Ref && !v.Const && !isThisParam(v) {
			return Value{}, false // it may write to what it has no place for here
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
func (e *evaluation) value(x Expr) (Value, bool) {
	if e.steps++; e.steps > maxSteps || x == nil {
		return Value{}, false
	}
	switch x := x.(type) {
	case *VarRef:
		if v, ok := e.vars[x.Var]; ok {
			return v, true
		}
		return e.facts.foldVar(x.Var)
	case *Const:
		return x.Value, true
	case *Call:
		return e.call(x)
	case *Assign:
		return e.assign(x)
	case *IncDec:
		return e.incDec(x)
	case *Comma:
		if _, ok := e.value(x.X); !ok {
			return Value{}, false
		}
		return e.value(x.Y)
	}
	return e.facts.foldWith(x, e.value)
}

func (e *evaluation) assign(x *Assign) (Value, bool) {
	to, ok := x.L.(*VarRef)
	if !ok {
		return Value{}, false
	}
	v, ok := e.value(x.R)
	if !ok {
		return Value{}, false
	}
	if x.Op != 0 {
		old, known := e.vars[to.Var]
		if !known || x.Calc == nil {
			return Value{}, false
		}
		old, err := old.Convert(x.Calc.Scalar)
		if err != nil {
			return Value{}, false
		}
		if v, err = binaryOp(opTexts[x.Op], old, v); err != nil {
			return Value{}, false
		}
	}
	if !scalarLike(to.Var.Type) {
		return Value{}, false
	}
	v, err := v.Convert(to.Var.Type.Scalar)
	e.vars[to.Var] = v
	return v, err == nil
}

func (e *evaluation) incDec(x *IncDec) (Value, bool) {
	to, ok := x.X.(*VarRef)
	if !ok {
		return Value{}, false
	}
	old, known := e.vars[to.Var]
	if !known || old.Kind.floating() {
		return Value{}, false
	}
	step := uint64(1)
	if x.Dec {
		step = ^uint64(0)
	}
	now := intValue(old.Kind, old.Bits+step)
	e.vars[to.Var] = now
	if x.Postfix {
		return old, true
	}
	return now, true
}

// statement runs a statement and gives what it returns, if so.
func (e *evaluation) statement(s Stmt) (Value, flow) {
	if e.steps++; e.steps > maxSteps {
		return Value{}, flowUnknown
	}
	switch s := s.(type) {
	case nil:
		return Value{}, flowOn
	case *Block:
		return e.block(s.List)
	case *DeclStmt:
		if s.Init != nil && !s.Var.Ref {
			if v, ok := e.value(s.Init); ok {
				e.vars[s.Var] = v
			}
		}
		return Value{}, flowOn
	case *ExprStmt:
		if _, ok := e.value(s.X); !ok {
			return Value{}, flowUnknown
		}
		return Value{}, flowOn
	case *If:
		v, ok := e.value(s.Cond)
		switch {
		case !ok:
			return Value{}, flowUnknown
		case v.isTrue():
			return e.statement(s.Then)
		case s.Else != nil:
			return e.statement(s.Else)
		}
		return Value{}, flowOn
	case *Loop:
		return e.loop(s)
	case *Return:
		if s.X == nil {
			return Value{}, flowUnknown
		}
		v, ok := e.value(s.X)
		if !ok {
			return Value{}, flowUnknown
		}
		return v, flowReturn
	case *Break:
		return Value{}, flowBreak
	case *Continue:
		return Value{}, flowContinue
	}
	return Value{}, flowUnknown
}

func (e *evaluation) block(list []Stmt) (Value, flow) {
	for _, s := range list {
		if v, how := e.statement(s); how != flowOn {
			return v, how
		}
	}
	return Value{}, flowOn
}

func (e *evaluation) loop(s *Loop) (Value, flow) {
	if v, how := e.block(s.Init); how != flowOn {
		return v, how
	}
	for first := true; ; first = false {
		if s.Cond != nil && !(first && s.PostTested) {
			v, ok := e.value(s.Cond)
			if !ok {
				return Value{}, flowUnknown
			}
			if !v.isTrue() {
				return Value{}, flowOn
			}
		}
		v, how := e.statement(s.Body)
		switch how {
		case flowBreak:
			return Value{}, flowOn
		case flowReturn, flowUnknown:
			return v, how
		}
		if s.Post != nil {
			if _, ok := e.value(s.Post); !ok {
				return Value{}, flowUnknown
			}
		}
	}
}

// checkedConstant evaluates what takes a check of types: calls of constexpr
// functions, members of objects.
func (p *Program) checkedConstant(e parser.Expr, namespace []string) (Value, error) {
	c := p.probe(namespace)
	x := c.expr(e)
	if x == nil {
		return Value{}, c.failure(e.Position())
	}
	if x.Type().Kind == StructType {
		x = c.plain(x)
	}
	if v, ok := c.facts.fold(x); ok {
		return v, nil
	}
	return Value{}, posError(e.Position(), "this is no constant expression")
}

// probe is a checker for an expression whose errors are somebody else's.
func (p *Program) probe(namespace []string) *checker {
	root := p.root()
	if root.bodies.functions == nil {
		root.bodies.list(root)
	}
	c := root.newChecker(&unit{}, namespace)
	c.p.locals, c.fn, c.from = p.locals, &Func{}, len(p.Tree.Tokens)
	return c
}

// failure is the first error that a probe has found.
func (c *checker) failure(pos parser.Pos) error {
	list := c.p.root().errorsOf(c.unit)
	for _, e := range list {
		if !e.Warning {
			return e
		}
	}
	return posError(pos, "this is no constant expression")
}

// decltypeOf is the type of an expression that is not evaluated.
func (p *Program) decltypeOf(t *parser.Type, namespace []string) (*Type, error) {
	c := p.probe(namespace)
	c.p.this = p.this
	e, err := c.parseInit(&t.Decltype.Expr.Tokens)
	if err != nil {
		return nil, err
	}
	x := c.expr(e)
	if x == nil {
		return nil, c.failure(t.At.Pos)
	}
	return p.root().memberType(x.Type(), t.Decltype.Member, t.At.Pos)
}
