package build

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// Functions are inlined, but those that call themselves, directly or not, cannot be. Each
// of them is a routine. References go as pointers.

// routine is a function that calls itself, as it is built.
type routine struct {
	fn     *tree.Func
	number int
	result []ir.Type
}

// routine returns the routine of a function, which is written after the kernel.
func (b *builder) routine(fn *tree.Func) *routine {
	if r := b.routines[fn]; r != nil {
		return r
	}
	r := &routine{fn: fn, number: len(b.out.Routines), result: typesOf(b.out.leavesOf(fn.Result, fn.Pos))}
	b.out.Routines = append(b.out.Routines,
		&ir.Routine{Name: fn.Name, Pos: fn.Pos, Body: &ir.Region{}, Results: r.result})
	b.routines[fn] = r
	b.waiting = append(b.waiting, r)
	return r
}

// callRoutine writes the call of a routine.
func (b *builder) callRoutine(e *tree.Call) value {
	r := b.routine(e.Func)
	var args []ir.Value
	for i, param := range e.Func.Params {
		if param.Ref {
			args = append(args, b.reference(e.Args[i]))
		} else {
			args = append(args, b.value(e.Args[i])...)
		}
	}
	return b.out.write(ir.Instr{Op: ir.OpCall, Imm: int64(r.number), Args: args}, r.result...).Results
}

// reference returns a pointer to what an argument denotes, or to a copy of its value.
func (b *builder) reference(arg tree.Expr) ir.Value {
	var v value
	if isPlace(arg) {
		p := b.lvalue(arg)
		if p.memory && p.bits == 0 && p.elements == nil {
			return b.mem.addressOf(p, arg.Position())
		}
		v = b.mem.load(p)
	} else {
		v = b.value(arg)
	}
	at := b.mem.newObject(arg.Type(), arg.Position())
	b.mem.store(at, v)
	return b.out.address(at.object)
}

// writeRoutines writes the routines that the kernel calls, and those that they call.
func (b *builder) writeRoutines() {
	for len(b.waiting) > 0 {
		r := b.waiting[0]
		b.waiting = b.waiting[1:]
		b.writeRoutine(r)
	}
}

func (b *builder) writeRoutine(r *routine) {
	b.inside, b.calls, b.flow.leads = r, 0, targets{}
	b.mem.routine, b.mem.private = r.number+1, 0
	b.vars.own, b.vars.places = map[*tree.Var]int{}, map[*tree.Var]*place{}
	body := b.out.Routines[r.number].Body
	b.out.At(r.fn.Pos)
	b.out.In(body, func() {
		for i, param := range b.kernel.Params {
			if param.Global { // every function sees it
				b.vars.parameter(param, b.params[i])
			}
		}
		for _, param := range r.fn.Params {
			if param.Ref {
				p := ofPointer(param.Type, b.flow.param(body, ir.Ptr), ir.SpaceNamed(param.Space))
				b.vars.places[param] = &p
				continue
			}
			leaves := b.out.leavesOf(param.Type, param.Pos)
			v := b.out.newValue(len(leaves))
			for i, l := range leaves {
				v[i] = b.flow.param(body, l.held())
			}
			b.vars.begin(param, v, param.Pos)
		}
		b.block(r.fn.Body.List)
		b.flow.fallsOff(r.fn)
		if !b.out.Ended() {
			b.out.write(ir.Instr{Op: ir.OpReturn, Args: b.out.args(b.out.zero(r.fn.Result, r.fn.Pos)...)})
		}
	})
}
