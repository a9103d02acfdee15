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
	e := &edges{make([][]*ir.Instr, n), make([][]*ir.Instr, n), make([][]*ir.Instr, n)}
	for in := range k.All() {
		switch in.Op {
		case ir.OpLeave:
			e.leave[in.Label()] = append(e.leave[in.Label()], in)
		case ir.OpAgain:
			e.again[in.Label()] = append(e.again[in.Label()], in)
		case ir.OpFall:
			e.fall[in.Label()] = append(e.fall[in.Label()], in)
		}
	}
	return e
}
