package pass

import (
	"slices"

	"github.com/metalgen/metalgen/internal/ir"
)

// values makes values of the locals: what a local holds where paths meet becomes a result of the construct, and in a
// loop a parameter.
func values(k *ir.Kernel, _ *Options) {
	if len(k.Locals) == 0 {
		return
	}
	n := len(k.Locals)
	l := &locals{
		Kernel: k, home: make([]int32, n), now: make([]ir.Value, n), replaced: newReplacement(k),
		merged: make([][]int32, k.Labels()), begins: make([]int32, n),
	}
	for body := range k.Bodies() {
		l.nodes, l.open = l.nodes[:0], l.open[:0]
		clear(l.home)
		clear(l.begins)
		if !l.find(body, l.node(-1, nil)) {
			continue
		}
		l.merge()
		if l.spills(body) {
			clear(l.home)
			clear(l.begins)
			l.nodes = l.nodes[:0]
			l.find(body, l.node(-1, nil))
			l.merge()
		}
		clear(l.now)
		l.region(body)
	}
}

// locals is what is known of the locals of a function.
type locals struct {
	*ir.Kernel
	nodes    []node
	home     []int32      // by local: the innermost region with all that reads and writes it, plus one
	sets     []assignment // in the order of the code
	begins   []int32      // by local: the region, plus one, whose own code assigns it before anything else reaches it
	merged   [][]int32    // by label: locals that are assigned in a construct, and live around it
	now      []ir.Value   // by local: what it holds
	replaced replacement
	open     []*ir.Instr
}

// node is a region, as a node of their tree.
type node struct {
	outer int32
	depth int32
	of    *ir.Instr
}

// assignment is a local that is assigned in a region.
type assignment struct{ region, local int32 }

func (l *locals) node(outer int32, of *ir.Instr) int32 {
	depth := int32(0)
	if outer >= 0 {
		depth = l.nodes[outer].depth + 1
	}
	l.nodes = append(l.nodes, node{outer, depth, of})
	return int32(len(l.nodes) - 1)
}

// find finds the homes of locals and where they are assigned. It reports whether there are any.
func (l *locals) find(r *ir.Region, at int32) bool {
	if at == 0 {
		l.sets = l.sets[:0]
	}
	found := false
	for _, in := range r.Code {
		switch in.Op {
		case ir.OpGet, ir.OpSet:
			found = true
			i := int32(in.Imm)
			if l.home[i] == 0 {
				l.home[i] = at + 1
				if in.Op == ir.OpSet {
					l.begins[i] = at + 1
				}
			} else {
				l.home[i] = l.common(l.home[i]-1, at) + 1
			}
			if in.Op == ir.OpSet {
				l.sets = append(l.sets, assignment{at, i})
			}
		}
		for _, inner := range in.Regions {
			found = l.find(inner, l.node(at, in)) || found
		}
	}
	return found
}

// common returns the innermost region around two.
func (l *locals) common(a, b int32) int32 {
	for a != b {
		if l.nodes[a].depth >= l.nodes[b].depth {
			a = l.nodes[a].outer
		} else {
			b = l.nodes[b].outer
		}
	}
	return a
}

// merge finds the locals that have to be merged at each construct: those that are assigned in it and have their
// home outside.
func (l *locals) merge() {
	for i := range l.merged {
		l.merged[i] = l.merged[i][:0]
	}
	for i, home := range l.home {
		if home != 0 && l.begins[i] != home {
			l.home[i] = 1 // it may be read before it is assigned: what it holds comes from an earlier turn
		}
	}
	for _, s := range l.sets {
		home := l.home[s.local] - 1
		for at := s.region; at != home; at = l.nodes[at].outer {
			of := l.nodes[at].of
			if list := &l.merged[of.Label()]; !slices.Contains(*list, s.local) {
				*list = append(*list, s.local)
			} else {
				break // and so in all around
			}
		}
	}
}

// held returns what a local holds: 0 before anything is assigned.
func (l *locals) held(i int32) ir.Value {
	if l.now[i] == 0 {
		return l.Known(l.Locals[i].Type, 0)
	}
	return l.now[i]
}

// handed returns list with what the locals hold that are merged at a label.
func (l *locals) handed(list []ir.Value, label int) []ir.Value {
	if len(l.merged[label]) == 0 {
		return list
	}
	list = slices.Clip(list)
	for _, i := range l.merged[label] {
		list = append(list, l.held(i))
	}
	return list
}

// fresh adds new values for the locals that are merged at a label.
func (l *locals) fresh(list []ir.Value, label int) []ir.Value {
	if len(l.merged[label]) == 0 {
		return list
	}
	list = slices.Clip(list)
	for _, i := range l.merged[label] {
		list = append(list, l.NewValue(l.Locals[i].Type))
	}
	return list
}

// hold makes locals that are merged at a label what the last values of a list are.
func (l *locals) hold(list []ir.Value, label int) {
	merged := l.merged[label]
	for j, i := range merged {
		l.now[i] = list[len(list)-len(merged)+j]
	}
}

func (l *locals) region(r *ir.Region) {
	kept := r.Code[:0]
	for _, in := range r.Code {
		l.replaced.in(in.Args)
		switch in.Op {
		case ir.OpGet:
			l.replaced[in.Result()] = l.held(int32(in.Imm))
			continue
		case ir.OpSet:
			l.now[in.Imm] = in.Args[0]
			continue
		case ir.OpLeave:
			in.Args = l.handed(in.Args, in.Label())
		case ir.OpAgain:
			in.Args = l.handed(in.Args, in.Label())
		case ir.OpFall:
			in.Args = l.handed(in.Args, in.Label())
		}
		if len(in.Regions) > 0 {
			l.construct(in)
		}
		kept = append(kept, in)
	}
	clear(r.Code[len(kept):])
	r.Code = kept
}

func (l *locals) construct(in *ir.Instr) {
	label := in.Label()
	merged := l.merged[label]
	before := make([]ir.Value, len(merged))
	for j, i := range merged {
		before[j] = l.held(i)
	}
	parameters := in.Op == ir.OpLoop || in.Op == ir.OpSwitch
	if parameters {
		in.Args = l.handed(in.Args, label)
	}
	for _, r := range in.Regions {
		for j, i := range merged {
			l.now[i] = before[j]
		}
		if parameters {
			r.Params = l.fresh(r.Params, label)
			l.hold(r.Params, label)
		}
		l.region(r)
	}
	in.Results = l.fresh(in.Results, label)
	l.hold(in.Results, label)
}
