package pass

import "github.com/metalgen/metalgen/internal/ir"

// dead leaves out instructions whose results nobody uses and that do nothing else, and results and parameters of
// constructs that nobody uses.
func dead(k *ir.Kernel, o *Options) {
	d := &eliminator{Kernel: k, edges: edgesOf(k), live: make([]bool, k.Values()), by: make([]source, k.Values()),
		needed: map[*ir.Instr]bool{}, uninit: o.Uninit, owner: make([]*ir.Instr, k.Labels())}
	for body := range k.Bodies() {
		d.know(body)
	}
	for body := range k.Bodies() {
		d.roots(body, nil)
	}
	for len(d.waiting) > 0 {
		v := d.waiting[len(d.waiting)-1]
		d.waiting = d.waiting[:len(d.waiting)-1]
		d.follow(v)
	}
	for body := range k.Bodies() {
		d.sweep(body)
	}
	for in := range k.All() {
		switch in.Op {
		case ir.OpUnset, ir.OpGet, ir.OpSet:
			return
		}
	}
	k.Locals = nil
}

// eliminator knows what is live.
type eliminator struct {
	*ir.Kernel
	edges   *edges
	live    []bool
	by      []source
	owner   []*ir.Instr        // by label
	needed  map[*ir.Instr]bool // constructs that stay
	waiting []ir.Value
	uninit  bool // what threads branch on is looked at
}

// source says where a value is assigned: by an instruction, as its result or as the parameter of its regions.
type source struct {
	in    *ir.Instr
	index int32
	param bool
}

func (d *eliminator) know(r *ir.Region) {
	for _, in := range r.Code {
		if len(in.Regions) > 0 {
			d.owner[in.Label()] = in
		}
		for i, v := range in.Results {
			d.by[v] = source{in: in, index: int32(i)}
		}
		for _, inner := range in.Regions {
			for i, v := range inner.Params {
				d.by[v] = source{in: in, index: int32(i), param: true}
			}
			d.know(inner)
		}
	}
}

// roots marks what instructions of a region use that do something; of is its construct. It reports whether there are
// such: threads that end their construct, as they would anyway, do nothing.
func (d *eliminator) roots(r *ir.Region, of *ir.Instr) bool {
	some := false
	for _, in := range r.Code {
		switch info := in.Op.Info(); {
		case len(in.Regions) > 0:
			does := in.Op == ir.OpLoop || d.uninit && in.Op != ir.OpBlock // a loop may have no end
			for _, inner := range in.Regions {
				does = d.roots(inner, in) || does
			}
			if does {
				d.need(in)
				some = true
			}
		case in.Op == ir.OpReturn:
			d.use(in.Args...)
			some = true
		case info.Has(ir.Terminates):
			some = some || in.Op != ir.OpLeave || d.owner[in.Label()] != of
		case d.does(in):
			d.use(in.Args...)
			some = true
		}
	}
	return some
}

// does reports whether an instruction does something besides having results.
func (d *eliminator) does(in *ir.Instr) bool {
	_, operator := in.Aux.(ir.ByOperator)
	return d.Effect(in)&(ir.Traps|ir.Writes) != 0 || d.uninit && operator
}

func (d *eliminator) use(list ...ir.Value) {
	for _, v := range list {
		if v != 0 && !d.live[v] {
			d.live[v] = true
			d.waiting = append(d.waiting, v)
		}
	}
}

// need keeps a construct: what decides in it is live.
func (d *eliminator) need(in *ir.Instr) {
	if d.needed[in] {
		return
	}
	d.needed[in] = true
	if in.Op == ir.OpIf || in.Op == ir.OpSwitch {
		d.use(in.Args[0])
	}
}

// follow marks what a live value is made of.
func (d *eliminator) follow(v ir.Value) {
	s := d.by[v]
	switch {
	case s.in == nil: // a constant, or a parameter of a routine
	case s.param:
		d.use(s.in.Initial()[s.index])
		for _, way := range d.edges.again[s.in.Label()] {
			d.use(way.Args[s.index])
		}
		for _, way := range d.edges.fall[s.in.Label()] {
			d.use(way.Args[s.index])
		}
	case len(s.in.Regions) > 0:
		d.need(s.in)
		for _, way := range d.edges.leave[s.in.Label()] {
			d.use(way.Args[s.index])
		}
	default:
		d.use(s.in.Args...)
	}
}

func (d *eliminator) sweep(r *ir.Region) {
	kept := r.Code[:0]
	for _, in := range r.Code {
		switch {
		case len(in.Regions) > 0:
			if !d.needed[in] {
				continue
			}
			d.construct(in)
		case in.Op.Info().Has(ir.Terminates):
		case d.does(in):
		default:
			if !d.anyLive(in.Results) {
				continue
			}
		}
		kept = append(kept, in)
	}
	clear(r.Code[len(kept):])
	r.Code = kept
}

func (d *eliminator) anyLive(list []ir.Value) bool {
	for _, v := range list {
		if d.live[v] {
			return true
		}
	}
	return false
}

// construct leaves out results and parameters, and sweeps the regions.
func (d *eliminator) construct(in *ir.Instr) {
	label := in.Label()
	if keep, all := d.flags(in.Results); !all {
		in.Results = only(in.Results, keep)
		for _, way := range d.edges.leave[label] {
			way.Args = only(way.Args, keep)
		}
	}
	if in.Op == ir.OpLoop || in.Op == ir.OpSwitch {
		d.parameters(in)
	}
	for _, inner := range in.Regions {
		d.sweep(inner)
	}
}

func (d *eliminator) parameters(in *ir.Instr) {
	label := in.Label()
	keep, _ := d.flags(in.Regions[0].Params)
	for _, r := range in.Regions[1:] {
		for i, v := range r.Params {
			keep[i] = keep[i] || d.live[v]
		}
	}
	all := true
	for _, k := range keep {
		all = all && k
	}
	if all {
		return
	}
	for _, r := range in.Regions {
		r.Params = only(r.Params, keep)
	}
	first := len(in.Args) - len(keep)
	in.Args = append(in.Args[:first:first], only(in.Args[first:], keep)...)
	for _, way := range d.edges.again[label] {
		way.Args = only(way.Args, keep)
	}
	for _, way := range d.edges.fall[label] {
		way.Args = only(way.Args, keep)
	}
}

// flags returns which values are live, and whether all are.
func (d *eliminator) flags(list []ir.Value) (keep []bool, all bool) {
	keep, all = make([]bool, len(list)), true
	for i, v := range list {
		keep[i] = d.live[v]
		all = all && keep[i]
	}
	return keep, all
}

// only returns the values of a list whose flags are set.
func only(list []ir.Value, keep []bool) []ir.Value {
	kept := make([]ir.Value, 0, len(list))
	for i, v := range list {
		if keep[i] {
			kept = append(kept, v)
		}
	}
	return kept
}
