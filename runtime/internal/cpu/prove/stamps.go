package prove

import "github.com/metalgen/metalgen/internal/ir"

// stamps are the numbers of a thread at some place: what is less than base was before, and matters no more.
type stamps struct {
	base, own ir.Value
	several   ir.Value // of what several threads have read
	atomic    ir.Value // of what atomics have touched
}

// groupStamps bounds the threads of a threadgroup, with the numbers that are no thread's: so many begin with each
// barrier.
const (
	groupStamps  = 1 << 11
	groupWhole   = 1 << 10 // the first of those of simd-groups as a whole
	groupSeveral = groupStamps - Numbers
	// lastStamp is where there are too many barriers for numbers of 32 bits.
	lastStamp = 1 << 30
)

// begin makes the numbers of the threads, before all else.
func (p *prover) begin() {
	p.thread = input(p.Writer, "thread_index_in_threadgroup", 0)
	x, y, z := input(p.Writer, "threadgroup_position_in_grid", 0), input(p.Writer, "threadgroup_position_in_grid", 1),
		input(p.Writer, "threadgroup_position_in_grid", 2)
	group := p.add(x, p.times(input(p.Writer, "threadgroups_per_grid", 0),
		p.add(y, p.times(input(p.Writer, "threadgroups_per_grid", 1), z))))
	first := constant(p.Writer, First)
	own := p.add(p.times(group, constant(p.Writer, Threads)), p.add(p.number(Simdgroups), p.thread))
	p.grid = stamps{base: first, own: p.add(first, own)}
	p.grid.several = constant(p.Writer, Several)
	p.grid.atomic = p.add(p.grid.several, p.number(byAtomics))
	p.doubts = local(p.Kernel, ir.Bool)
	p.set(p.doubts, p.Known(ir.Bool, 0))
	p.base = local(p.Kernel, ir.I32)
	p.set(p.base, p.number(0))
	p.trace = local(p.Kernel, ir.I32)
	p.set(p.trace, p.number(0))
}

// stampsIn returns the numbers for an address space.
func (p *prover) stampsIn(space ir.Space) stamps {
	if space == ir.Device {
		s := p.grid
		if p.group != 0 {
			s.own = p.add(p.add(s.own, p.group), p.Op(ir.OpSub, ir.I32, p.number(-Simdgroups), p.thread))
		}
		return s
	}
	base := p.get(p.base)
	own := p.add(base, p.thread)
	if p.group != 0 {
		own = p.add(base, p.add(p.number(groupWhole), p.group))
	}
	return stamps{
		base: base, own: own, several: p.add(base, p.number(groupSeveral+several)),
		atomic: p.add(base, p.number(groupSeveral+byAtomics)),
	}
}

// number returns a constant.
func (p *prover) number(n int64) ir.Value { return p.Known(ir.I32, uint64(n)) }

func (p *prover) add(x, y ir.Value) ir.Value   { return p.Op(ir.OpAdd, ir.I32, x, y) }
func (p *prover) times(x, y ir.Value) ir.Value { return p.Op(ir.OpMul, ir.I32, x, y) }

// input returns what says where a thread is.
func input(w *ir.Writer, attribute string, component int) ir.Value {
	want := ir.Input{Attribute: attribute, Component: component}
	n := len(w.Inputs)
	for i, in := range w.Inputs {
		if in == want {
			n = i
		}
	}
	if n == len(w.Inputs) {
		w.Inputs = append(w.Inputs, want)
	}
	return w.OpImm(ir.OpInput, ir.I32, int64(n))
}

// constant returns a function constant.
func constant(w *ir.Writer, index int) ir.Value {
	n := len(w.Constants)
	w.Constants = append(w.Constants, ir.FunctionConstant{Name: "proof", Index: index, Kind: ir.Word32})
	return w.OpImm(ir.OpConstant, ir.I32, int64(n))
}

// local returns a new variable of the thread.
func local(k *ir.Kernel, t ir.Type) int64 {
	k.Locals = append(k.Locals, ir.Local{Type: t})
	return int64(len(k.Locals) - 1)
}

func (p *prover) get(local int64) ir.Value {
	return p.OpImm(ir.OpGet, p.Locals[local].Type, local)
}

func (p *prover) set(local int64, v ir.Value) {
	p.Emit(ir.Instr{Op: ir.OpSet, Type: p.Locals[local].Type, Imm: local, Args: []ir.Value{v}})
}

// doubt says that nothing is proved where a condition holds.
func (p *prover) doubt(c ir.Value) {
	p.set(p.doubts, p.Op(ir.OpOr, ir.Bool, p.get(p.doubts), c))
}

// when writes what is done where a condition holds.
func (p *prover) when(c ir.Value, then func()) {
	label := int64(p.NewLabel())
	regions := []*ir.Region{{}, {}}
	p.Emit(ir.Instr{Op: ir.OpIf, Imm: label, Args: []ir.Value{c}, Regions: regions})
	for i, r := range regions {
		p.In(r, func() {
			if i == 0 {
				then()
			}
			p.Emit(ir.Instr{Op: ir.OpLeave, Imm: label})
		})
	}
}
