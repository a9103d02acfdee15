package cpu

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// call evaluates the arguments of a call and inlines the function.
func (b *builder) call(e *tree.Call) value {
	known := b.know(e.Func)
	if known.cycle != 0 {
		return b.callRoutine(e, known.cycle)
	}
	borrow := !known.captures && !slices.ContainsFunc(e.Func.Params, func(p *tree.Var) bool { return p.Ref && !p.Const })
	values := make([]value, len(e.Args))
	bound := make([]*storage, len(e.Args))
	for i, param := range e.Func.Params {
		arg := e.Args[i]
		if param.Ref && isPlace(arg) && !hasNoAddress(arg) {
			p := b.lvalue(arg)
			if p.memory || !b.addressed(param) {
				bound[i] = b.hold(p)
				continue
			}
			// registers have no address, a copy has
			values[i] = keep(b.assembler, arg, b.load(p, arg.Position()), e.Args[i+1:]...)
			continue
		}
		values[i] = keep(b.assembler, arg, b.value(arg), e.Args[i+1:]...)
	}
	// Parameters begin when all arguments are known: one of them may be a call of
	// the same function.
	outer := make([]*storage, len(bound))
	for i, param := range e.Func.Params {
		outer[i] = b.vars[param]
		v := values[i]
		switch {
		case bound[i] != nil:
			b.vars[param] = bound[i]
		case borrow && b.changing[param] == 0 && !b.addressed(param) && !inMemory(param.Type) &&
			!slices.ContainsFunc(v, b.isTemp):
			// a function without references to write through and without lambdas
			// cannot change what belongs to its caller
			b.vars[param] = &storage{place: inRegisters(param.Type, v, b.scope())}
		default:
			b.beginVariable(param, v, e.Args[i].Position())
		}
	}
	v := b.inline(e.Func, e.Position())
	for i, param := range e.Func.Params {
		b.forget(param)
		if outer[i] != nil {
			b.vars[param] = outer[i]
		}
	}
	return v
}
