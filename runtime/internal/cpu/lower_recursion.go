package cpu

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// Functions are inlined, but those that call themselves, directly or not, cannot be. Each
// of them is a routine: a piece of the program with registers of its own, which call and
// back in run_call.go enter and leave. Arguments and results go through registers that
// belong to no activation, references as pointers.

// routine is a function that calls itself, as it is compiled.
type routine struct {
	fn             *tree.Func
	cycle          int // see known
	number         int // of its info
	start          *label
	params, result value
}

// routineInfo is what the execution of calls needs to know of a routine.
type routineInfo struct {
	name   string
	locals []local
	memory int // bytes of its variables in the memory of a thread
}

// local is a variable of a routine that is in memory. Each activation has an object for
// it, and a pointer to that in a register.
type local struct {
	info    objectInfo
	memory  threadMemory
	pointer int32
}

// saved are the registers of its caller that a call keeps.
type saved struct {
	registers []ownedRegister
	words     int
}

// settle ends the search for what leads back to a function: those that were found behind
// it, and are not settled yet, do, and it leads to them.
func (a *assigned) settle(first *known, itself bool) {
	n := slices.Index(a.open, first)
	cycle := a.open[n:]
	a.open = a.open[:n]
	captures := slices.ContainsFunc(cycle, func(k *known) bool { return k.captures })
	for _, k := range cycle {
		k.settled, k.captures = true, captures
		if len(cycle) > 1 || itself {
			k.cycle = first.number
			if a.pointed == nil {
				a.pointed = map[*tree.Var]bool{}
			}
		}
	}
}

// findPointed finds the variables that a routine may refer to, wherever they are declared.
func (a *assigned) findPointed() {
	for before := -1; before != len(a.pointed); {
		before = len(a.pointed)
		for fn := range a.functions {
			walkStatements([]tree.Stmt{fn.Body}, func(e tree.Expr) {
				call, ok := e.(*tree.Call)
				if !ok {
					return
				}
				for i, p := range call.Func.Params {
					if p.Ref && (a.functions[call.Func].cycle != 0 || a.addressed(p)) {
						a.pointed[variableIn(call.Args[i])] = true
					}
				}
			}, func(d *tree.DeclStmt) {
				if d.Var.Ref && d.Init != nil && a.pointed[d.Var] {
					a.pointed[variableIn(d.Init)] = true
				}
			})
		}
	}
}

// addressed reports whether something may point to a variable.
func (a *assigned) addressed(v *tree.Var) bool { return v.Addressed || a.pointed[v] }

// routine returns the routine of a function, which is lowered behind the kernel.
func (b *builder) routine(fn *tree.Func, cycle int) *routine {
	if r := b.routines[fn]; r != nil {
		return r
	}
	r := &routine{fn: fn, cycle: cycle, number: len(b.program.routines), start: newLabel()}
	for _, param := range fn.Params {
		if param.Ref {
			r.params = append(r.params, b.passing(longClass))
			continue
		}
		for _, l := range b.leaves(param.Type, param.Pos) {
			r.params = append(r.params, b.passing(l.class()))
		}
	}
	for _, l := range b.leaves(fn.Result, fn.Pos) {
		r.result = append(r.result, b.passing(l.class()))
	}
	b.program.routines = append(b.program.routines, &routineInfo{name: fn.Name})
	b.routines[fn] = r
	b.waiting = append(b.waiting, r)
	return r
}

// passing returns a register for an argument or a result, of no activation.
func (b *builder) passing(c class) int32 {
	r := b.extend(c, 1)
	if b.track() {
		b.of[r] = b.extend(unsetClass, 1)
	}
	return r
}

// callRoutine lowers the call of a routine.
func (b *builder) callRoutine(e *tree.Call, cycle int) value {
	r := b.routine(e.Func, cycle)
	var args value
	var classes []class
	for i, param := range e.Func.Params {
		if param.Ref {
			pointer := b.reference(e.Args[i])
			if slices.ContainsFunc(e.Args[i+1:], changes) && !b.isTemp(pointer) {
				pointer = b.copyOf(longClass, pointer)
			}
			args, classes = append(args, pointer), append(classes, longClass)
			continue
		}
		args = append(args, keep(b.assembler, e.Args[i], b.value(e.Args[i]), e.Args[i+1:]...)...)
		for _, l := range b.leaves(param.Type, param.Pos) {
			classes = append(classes, l.class())
		}
	}
	for i, arg := range args {
		b.copyTo(classes[i], r.params[i], arg)
	}
	call := instruction{flow: flowCall, d: int32(r.number), imm: -1}
	if b.inside != nil && b.inside.cycle == cycle {
		// the caller may be called again before this returns
		call.imm = int64(len(b.program.saves))
		b.program.saves = append(b.program.saves, b.live())
	}
	b.jump(call, r.start)
	result := make(value, len(r.result))
	for i, l := range b.leaves(e.Func.Result, e.Position()) {
		result[i] = b.newTemp(l.class())
		b.copyTo(l.class(), result[i], r.result[i])
	}
	return result
}

// reference returns a pointer to what an argument denotes, or to a copy of its value.
func (b *builder) reference(arg tree.Expr) int32 {
	var v value
	if isPlace(arg) {
		p := b.lvalue(arg)
		if p.memory && p.bits == 0 && p.elements == nil {
			return b.address(p, arg.Position())
		}
		v = b.load(p, arg.Position())
	} else {
		v = b.value(arg)
	}
	at := b.newObject("", arg.Type(), arg.Position())
	b.store(at, v)
	return at.pointer
}

// lowerRoutines lowers the routines that the kernel calls, and those that they call.
func (b *builder) lowerRoutines() {
	for len(b.waiting) > 0 {
		r := b.waiting[0]
		b.waiting = b.waiting[1:]
		b.lowerRoutine(r)
	}
}

func (b *builder) lowerRoutine(r *routine) {
	b.inside, b.locals, b.calls = r, b.program.routines[r.number], 0
	b.memory = map[*tree.Var]int32{}
	b.beginWindow()
	b.at(r.fn.Pos)
	b.here(r.start)
	c := b.push(callConstruct)
	for _, l := range b.leaves(r.fn.Result, r.fn.Pos) {
		c.result = append(c.result, b.newJoin(l.class()))
	}
	b.jump(instruction{flow: flowEnter, d: c.entry, b: c.active}, nil)
	params := r.params
	for _, param := range r.fn.Params {
		n := 1
		if param.Ref {
			pointer := b.allocate(longClass)
			b.copyTo(longClass, pointer, params[0])
			b.vars[param] = &storage{place: inMemoryAt(param.Type, pointer, 0).in(param.Space)}
		} else {
			n = len(b.leaves(param.Type, param.Pos))
			b.beginVariable(param, params[:n:n], param.Pos)
		}
		params = params[n:]
	}
	b.block(r.fn.Body.List)
	if r.fn.End.Line > 0 {
		b.fallsOff(r.fn)
	}
	b.here(c.resume)
	b.pop()
	b.jump(instruction{flow: flowEnd, d: c.entry}, nil)
	for i, l := range b.leaves(r.fn.Result, r.fn.Pos) {
		b.copyTo(l.class(), r.result[i], c.result[i])
	}
	b.emit(instruction{flow: flowReturn})
	for _, param := range r.fn.Params {
		b.forget(param)
	}
	b.release(0)
}
