package pass

import "github.com/metalgen/metalgen/internal/ir"

// hoisted knows the loads of constant arguments, which are done in any case.
type hoisted struct {
	*ir.Kernel
	address []int32 // by value: the object that it is the address of
}

func hoistedOf(k *ir.Kernel, o *Options) hoisted {
	h := hoisted{Kernel: k}
	if !o.Hoist {
		return h
	}
	h.address = make([]int32, k.Values())
	for in := range k.All() {
		if in.Op == ir.OpAddress {
			h.address[in.Result()] = int32(in.Imm)
		}
	}
	return h
}

// has reports whether a load is one of them.
func (h *hoisted) has(in *ir.Instr) bool {
	if int(in.Args[0]) >= len(h.address) || h.address[in.Args[0]] == 0 {
		return false
	}
	return h.Objects[h.address[in.Args[0]]].Holds(in.Aux.(*ir.Access))
}
