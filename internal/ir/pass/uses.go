package pass

import "github.com/metalgen/metalgen/internal/ir"

// replacement says which value takes the place of another one.
type replacement []ir.Value

func newReplacement(k *ir.Kernel) replacement { return make(replacement, k.Values()) }

// of returns what a value is replaced by, or the value.
func (r replacement) of(v ir.Value) ir.Value {
	for int(v) < len(r) && r[v] != 0 {
		v = r[v]
	}
	return v
}

// in replaces values in a list.
func (r replacement) in(list []ir.Value) {
	for i, v := range list {
		list[i] = r.of(v)
	}
}

// edges are the terminators that lead to each label, by the label.
type edges struct {
	leave, again, fall [][]*ir.Instr
}

// edgesOf returns the terminators of a kernel.
func edgesOf(k *ir.Kernel) *edges {
	n := k.Labels()
	lists := make([][]*ir.Instr, 3*n)
	e := &edges{lists[:n], lists[n : 2*n], lists[2*n:]}
	var all []*ir.Instr
	count := make([]int32, 3*n)
	for in := range k.All() {
		if i := e.at(in); i >= 0 {
			all = append(all, in)
			count[i]++
		}
	}
	room := make([]*ir.Instr, len(all))
	for _, in := range all {
		i := e.at(in)
		if lists[i] == nil {
			lists[i], room = room[:0:count[i]], room[count[i]:]
		}
		lists[i] = append(lists[i], in)
	}
	return e
}

// at returns the place of a terminator's list among all, or -1.
func (e *edges) at(in *ir.Instr) int {
	switch in.Op {
	case ir.OpLeave:
		return in.Label()
	case ir.OpAgain:
		return len(e.leave) + in.Label()
	case ir.OpFall:
		return 2*len(e.leave) + in.Label()
	}
	return -1
}
