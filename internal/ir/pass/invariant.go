package pass

import "github.com/metalgen/metalgen/internal/ir"

// maxInvariant bounds the values of a loop that are computed before it: each takes a register for all of the loop.
const maxInvariant = 16

// invariant computes before a loop what is the same in all of its turns: results of pure instructions, and what each
// turn begins with loading, where the loop writes nothing.
func invariant(k *ir.Kernel, o *Options) {
	if !o.Invariant || o.Uninit || o.NaN {
		return
	}
	v := &invariants{
		Kernel: k, hoisted: hoistedOf(k, o), inside: make([]int32, k.Values()), cost: make([]int32, k.Values()),
	}
	for body := range k.Bodies() {
		v.region(body)
	}
}

type invariants struct {
	*ir.Kernel
	hoisted hoisted
	loops   int32
	inside  []int32 // by value: the last loop around what assigns it that was looked at
	cost    []int32 // by value: one more than how many instructions make it, where these may come before the loop
}

func (v *invariants) region(r *ir.Region) {
	out := make([]*ir.Instr, 0, len(r.Code))
	for _, in := range r.Code {
		for _, inner := range in.Regions {
			v.region(inner)
		}
		if in.Op == ir.OpLoop {
			out = append(out, v.loop(in.Regions[0])...)
		}
		out = append(out, in)
	}
	r.Code = out
}

// loop takes from the body of a loop what is to come before it.
func (v *invariants) loop(body *ir.Region) []*ir.Instr {
	writes, begins := v.enter(body) || v.Volatile, true
	worth := map[*ir.Instr]bool{}
	group := 0 // accesses that belong together, which stay together
	for _, in := range body.Code {
		a, access := in.Aux.(*ir.Access)
		if access && in.Op != ir.OpCheck {
			group = max(group-1, a.Whole)
		}
		e := v.Effect(in)
		loads := in.Op == ir.OpLoad && group == 0 &&
			(begins && (!writes || a.Space == ir.ConstantSpace) || v.hoisted.has(in))
		if n, ok := v.costOf(in); ok && (e == 0 || loads) {
			for _, made := range in.Results {
				v.cost[made] = n + 1
			}
			if v.pays(in, n) && len(worth) < maxInvariant {
				worth[in] = true
			}
			continue
		}
		begins = begins && e&^ir.Reads == 0
	}
	return v.take(body, worth)
}

// enter notes what is assigned in a loop. It reports whether the loop writes memory, or waits for others that do.
func (v *invariants) enter(body *ir.Region) (writes bool) {
	v.loops++
	note := func(list []ir.Value) {
		for _, made := range list {
			v.inside[made], v.cost[made] = v.loops, 0
		}
	}
	note(body.Params)
	for in := range body.All() {
		writes = writes || v.Effect(in)&ir.Writes != 0
		note(in.Results)
		for _, inner := range in.Regions {
			note(inner.Params)
		}
	}
	return writes
}

// costOf returns how many instructions make what an instruction makes. It reports false where they must be in the loop.
func (v *invariants) costOf(in *ir.Instr) (n int32, ok bool) {
	if len(in.Results) == 0 || in.Op == ir.OpUnset || v.Effect(in)&^(ir.Traps|ir.Reads) != 0 {
		return 0, false
	}
	if !v.isThere(in) {
		n = 1
	}
	for _, x := range in.Args {
		if v.inside[x] == v.loops {
			if v.cost[x] == 0 {
				return 0, false
			}
			n += v.cost[x] - 1
		}
	}
	return min(n, maxInvariant), true
}

// isThere reports whether what an instruction makes is there from the start.
func (v *invariants) isThere(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpAddress, ir.OpInput, ir.OpConstant:
		return true
	}
	return in.Op == ir.OpLoad && v.hoisted.has(in)
}

// pays reports whether an instruction that takes n, with those before it, is better computed once. A sum with a number
// is not: accesses that are a number apart are checked together where that is known.
func (v *invariants) pays(in *ir.Instr, n int32) bool {
	switch in.Op {
	case ir.OpLoad, ir.OpMul:
		return n > 0
	case ir.OpAdd, ir.OpSub:
		if _, known := v.Bits(in.Args[1]); known {
			return false
		}
	}
	return n > 1 || n == 1 && !in.Op.Info().Cheap
}

// take takes instructions from the body of a loop, with those that they depend on.
func (v *invariants) take(body *ir.Region, worth map[*ir.Instr]bool) (taken []*ir.Instr) {
	if len(worth) == 0 {
		return nil
	}
	needed := map[ir.Value]bool{}
	for i := len(body.Code) - 1; i >= 0; i-- {
		in := body.Code[i]
		for _, made := range in.Results {
			worth[in] = worth[in] || needed[made]
		}
		if worth[in] {
			for _, x := range in.Args {
				needed[x] = true
			}
		}
	}
	kept := body.Code[:0]
	for _, in := range body.Code {
		if worth[in] {
			taken = append(taken, in)
		} else {
			kept = append(kept, in)
		}
	}
	clear(body.Code[len(kept):])
	body.Code = kept
	return taken
}
