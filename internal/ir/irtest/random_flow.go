package irtest

import "github.com/metalgen/metalgen/internal/ir"

// statements makes what a region does.
func (r *maker) statements() {
	known := len(r.known)
	for n := 1 + r.IntN(5); n > 0 && r.left > 0 && !r.Ended(); n-- {
		r.left--
		r.place()
		r.statement()
	}
	r.known = r.known[:min(known, len(r.known))]
}

func (r *maker) statement() {
	deep := len(r.open) > 4
	switch n := r.IntN(12); {
	case n < 4:
		local := r.IntN(variables)
		r.set(local, r.value(r.Locals[local].Type))
	case n < 5:
		r.store([...]ir.Type{ir.I32, ir.F32}[r.IntN(2)], Array)
	case n < 6:
		r.store([...]ir.Type{ir.I32, ir.F32}[r.IntN(2)], OutBuffer)
	case n < 8 && !deep:
		r.choice()
	case n < 9 && !deep:
		r.block()
	case n < 11 && !deep:
		r.loop()
	case !deep:
		r.cases()
	}
}

// results returns types that a construct has results of.
func (r *maker) results() []ir.Type {
	var list []ir.Type
	for range r.IntN(3) {
		list = append(list, [...]ir.Type{ir.I32, ir.F32, ir.Bool}[r.IntN(3)])
	}
	return list
}

// leave ends a region: with the construct, or now and then with one around it.
func (r *maker) leave(to target) {
	if r.Ended() {
		return
	}
	if len(r.open) > 1 && r.IntN(6) == 0 {
		to = r.open[r.IntN(len(r.open))]
	}
	var list []ir.Value
	for _, t := range to.results {
		list = append(list, r.value(t))
	}
	r.Emit(ir.Instr{Op: ir.OpLeave, Imm: int64(to.label), Args: list})
}

// construct makes a construct of some regions, each of which fill makes.
func (r *maker) construct(in ir.Instr, regions int, fill func(t target, i int)) {
	t := target{label: r.NewLabel(), op: in.Op, results: r.results()}
	in.Imm = int64(t.label)
	r.open = append(r.open, t)
	known := len(r.known)
	for i := range regions {
		region := &ir.Region{}
		in.Regions = append(in.Regions, region)
		r.In(region, func() { fill(t, i) })
		r.known = r.known[:known]
	}
	r.open = r.open[:len(r.open)-1]
	r.known = append(r.known, r.Emit(in, t.results...).Results...)
}

func (r *maker) body(t target, _ int) {
	r.statements()
	r.leave(t)
}

func (r *maker) choice() {
	r.construct(ir.Instr{Op: ir.OpIf, Args: []ir.Value{r.value(ir.Bool)}}, 2, r.body)
}

func (r *maker) block() { r.construct(ir.Instr{Op: ir.OpBlock}, 1, r.body) }

// loop makes a loop of a few rounds, which a local of its own counts.
func (r *maker) loop() {
	n := len(r.Locals) // which the statements do not assign
	r.Locals = append(r.Locals, ir.Local{Type: ir.I32})
	r.set(n, r.Known(ir.I32, 0))
	rounds := r.Known(ir.I32, uint64(r.IntN(6)))
	if r.IntN(3) == 0 { // known when the kernel runs
		rounds = r.Op(ir.OpAnd, ir.I32, r.value(ir.I32), r.Known(ir.I32, 3))
	}
	r.construct(ir.Instr{Op: ir.OpLoop}, 1, func(t target, _ int) {
		i := r.OpImm(ir.OpGet, ir.I32, int64(n))
		more := r.Op(ir.OpLt, ir.S32, i, rounds)
		r.exit(t, more)
		r.set(n, r.Op(ir.OpAdd, ir.I32, i, r.Known(ir.I32, 1)))
		r.statements()
		if !r.Ended() {
			r.Emit(ir.Instr{Op: ir.OpAgain, Imm: int64(t.label)})
		}
	})
}

// exit makes what ends a loop where there is no more: threads go on with results now and then, or leave constructs
// around.
func (r *maker) exit(t target, more ir.Value) {
	inner := target{label: r.NewLabel(), op: ir.OpIf, results: r.results()}
	on, off := &ir.Region{}, &ir.Region{}
	known := len(r.known)
	r.In(on, func() { r.leave(inner) })
	r.known = r.known[:known]
	r.In(off, func() { r.leave(t) })
	r.known = r.known[:known]
	r.known = append(r.known, r.Emit(ir.Instr{
		Op: ir.OpIf, Imm: int64(inner.label), Args: []ir.Value{more}, Regions: []*ir.Region{on, off},
	}, inner.results...).Results...)
}

// cases makes a switch whose cases fall through now and then.
func (r *maker) cases() {
	n := 1 + r.IntN(3)
	cases := &ir.Cases{Default: r.IntN(n)}
	for i := range n {
		cases.Values = append(cases.Values, []uint64{uint64(i), uint64(i + 10)})
	}
	x := r.value(ir.I32)
	r.construct(ir.Instr{Op: ir.OpSwitch, Type: ir.I32, Args: []ir.Value{x}, Aux: cases}, n, func(t target, i int) {
		r.statements()
		if i < n-1 && r.IntN(3) == 0 && !r.Ended() {
			r.Emit(ir.Instr{Op: ir.OpFall, Imm: int64(t.label)})
			return
		}
		r.leave(t)
	})
}
