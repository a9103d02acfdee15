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
	r := &routine{fn: fn, number: len(b.Routines), result: typesOf(b.leavesOf(fn.Result, fn.Pos))}
	b.Routines = append(b.Routines, &ir.Routine{Name: fn.Name, Pos: fn.Pos, Body: &ir.Region{}, Results: r.result})
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
	return b.write(ir.Instr{Op: ir.OpCall, Imm: int64(r.number), Args: args}, r.result...).Results
}

// reference returns a pointer to what an argument denotes, or to a copy of its value.
func (b *builder) reference(arg tree.Expr) ir.Value {
	var v value
	if isPlace(arg) {
		p := b.lvalue(arg)
		if p.memory && p.bits == 0 && p.elements == nil {
			return b.addressOf(p, arg.Position())
		}
		v = b.load(p)
	} else {
		v = b.value(arg)
	}
	at := b.newObject(arg.Type(), arg.Position())
	b.store(at, v)
	return b.address(at.object)
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
	b.inside, b.calls, b.leads = r, 0, targets{}
	b.memory.routine, b.private = r.number+1, 0
	b.own, b.vars = map[*tree.Var]int{}, map[*tree.Var]*place{}
	body := b.Routines[r.number].Body
	b.At(r.fn.Pos)
	b.In(body, func() {
		for i, param := range b.kernel.Params {
			if param.Global { // every function sees it
				b.parameter(param, b.params[i])
			}
		}
		for _, param := range r.fn.Params {
			if param.Ref {
				p := ofPointer(param.Type, b.param(body, ir.Ptr), ir.SpaceNamed(param.Space))
				b.vars[param] = &p
				continue
			}
			leaves := b.leavesOf(param.Type, param.Pos)
			v := b.newValue(len(leaves))
			for i, l := range leaves {
				v[i] = b.param(body, l.held())
			}
			b.begin(param, v, param.Pos)
		}
		b.block(r.fn.Body.List)
		b.fallsOff(r.fn)
		if !b.Ended() {
			b.write(ir.Instr{Op: ir.OpReturn, Args: b.args(b.zero(r.fn.Result, r.fn.Pos)...)})
		}
	})
}
