package assemble

import (
	"slices"

	"github.com/metalgen/metalgen/internal/ir"
)

// findUnset finds the values that may have unset bits.
func (f *facts) findUnset() {
	f.mayUnset = make([]bool, f.Values())
	for in := range f.All() {
		if f.fixed[resultOf(in)] == 0 && begunUnset(in) {
			for _, v := range in.Results {
				f.mayUnset[v] = true
			}
		}
	}
	for _, r := range f.Routines {
		for _, v := range r.Body.Params {
			f.mayUnset[v] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for body := range f.Bodies() {
			changed = f.spreadUnset(body, nil) || changed
		}
	}
}

// spreadUnset notes values that may be unset because others are, and reports whether there are new ones.
func (f *facts) spreadUnset(r *ir.Region, loops []*ir.Instr) (changed bool) {
	note := func(from, to ir.Value) {
		if from != 0 && f.mayUnset[f.resolve(from)] && !f.mayUnset[to] && f.fixed[to] == 0 {
			f.mayUnset[to], changed = true, true
		}
	}
	pairs := func(from, to []ir.Value) {
		for i, v := range to {
			note(from[i], v)
		}
	}
	around := func(label int) *ir.Instr {
		for _, in := range loops {
			if in.Label() == label {
				return in
			}
		}
		return nil
	}
	for _, in := range r.Code {
		switch {
		case in.Op == ir.OpLeave:
			pairs(in.Args, around(in.Label()).Results)
		case in.Op == ir.OpAgain:
			pairs(in.Args, around(in.Label()).Regions[0].Params)
		case in.Op == ir.OpFall:
			of := around(in.Label())
			i := slices.Index(of.Regions, r)
			pairs(in.Args, of.Regions[i+1].Params)
		case len(in.Regions) > 0:
			if in.Op == ir.OpLoop {
				pairs(in.Args, in.Regions[0].Params)
			}
			for _, inner := range in.Regions {
				if in.Op == ir.OpSwitch {
					pairs(in.Args[1:], inner.Params)
				}
				changed = f.spreadUnset(inner, append(loops, in)) || changed
			}
		case in.Op == ir.OpLoad, in.Op == ir.OpTexture, in.Op == ir.OpAtomic, in.Op == ir.OpExchange,
			in.Op == ir.OpMatrixLoad,
			in.Op == ir.OpCall:
		default:
			for _, v := range in.Results {
				for _, a := range in.Args {
					note(a, v)
				}
			}
		}
	}
	return changed
}
