package build

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// call evaluates the arguments of a call and inlines the function.
func (b *builder) call(e *tree.Call) value {
	if known := b.vars.know(e.Func); known.cycle != 0 {
		return b.callRoutine(e)
	}
	values := make([]value, len(e.Args))
	bound := make([]*place, len(e.Args))
	for i, param := range e.Func.Params {
		arg := e.Args[i]
		if !param.Ref || !isPlace(arg) || hasNoAddress(arg) {
			values[i] = b.value(arg)
			continue
		}
		p := b.lvalue(arg)
		if p.memory || !b.vars.addressed(param) {
			bound[i] = b.vars.hold(p)
		} else {
			values[i] = b.mem.load(p) // a local has no address, a copy has
		}
	}
	// Parameters begin when all arguments are known: one of them may be a call of
	// the same function.
	outer := make([]*place, len(bound))
	for i, param := range e.Func.Params {
		outer[i] = b.vars.places[param]
		if bound[i] != nil {
			b.vars.places[param] = bound[i]
		} else {
			b.vars.begin(param, values[i], e.Args[i].Position())
		}
	}
	v := b.inline(e.Func, e.Position())
	for i, param := range e.Func.Params {
		delete(b.vars.places, param)
		if outer[i] != nil {
			b.vars.places[param] = outer[i]
		}
	}
	return v
}

// inline writes the body of a function whose parameters have begun.
func (b *builder) inline(fn *tree.Func, pos parser.Pos) value {
	if b.calls++; b.calls > maxInline {
		b.out.unsupported(pos, "calls nested so deep")
	}
	defer func() { b.calls-- }()
	list := fn.Body.List
	n := returns(list)
	if n == 0 {
		return b.withoutReturn(fn, pos)
	}
	if last, ok := list[len(list)-1].(*tree.Return); ok && n == 1 {
		return b.straight(list[:len(list)-1], last)
	}
	leaves, outer := b.out.leavesOf(fn.Result, pos), b.flow.leads
	label := b.out.NewLabel()
	b.flow.leads = targets{returns: label}
	body := b.flow.region(label, func() value {
		b.block(list)
		b.flow.fallsOff(fn)
		return b.out.zeros(leaves)
	})
	b.flow.leads = outer
	b.out.At(pos)
	return b.out.write(ir.Instr{Op: ir.OpBlock, Imm: int64(label), Regions: []*ir.Region{body}, Aux: fn.Name},
		typesOf(leaves)...).Results
}

// withoutReturn writes a body that has no return.
func (b *builder) withoutReturn(fn *tree.Func, pos parser.Pos) value {
	void, falls := fn.Result.Kind == tree.Void, fn.End.Line > 0
	switch {
	case void:
		b.block(fn.Body.List)
	case falls:
		b.block(fn.Body.List)
		b.flow.fallsOff(fn)
	default: // its loops never end
		b.out.writeAt(pos, ir.Instr{Op: ir.OpFault, Aux: fn.Name + " never returns"})
	}
	return b.out.zero(fn.Result, pos)
}

// straight writes a body whose only return is its last statement.
func (b *builder) straight(list []tree.Stmt, last *tree.Return) value {
	b.statements(list)
	var v value
	if last.X != nil {
		b.out.At(last.Pos)
		v = b.value(last.X)
	}
	b.vars.forgetDeclared(list)
	return v
}

// returns counts the return statements of a body.
func returns(list []tree.Stmt) int {
	n := 0
	for _, s := range list {
		switch s := s.(type) {
		case *tree.Return:
			n++
		case *tree.Block:
			n += returns(s.List)
		case *tree.If:
			n += returns([]tree.Stmt{s.Then})
			if s.Else != nil {
				n += returns([]tree.Stmt{s.Else})
			}
		case *tree.Loop:
			n += returns([]tree.Stmt{s.Body})
		case *tree.Switch:
			for _, c := range s.Cases {
				n += returns(c.List)
			}
		}
	}
	return n
}
