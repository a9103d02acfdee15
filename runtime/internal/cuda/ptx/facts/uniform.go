package facts

import (
	"github.com/metalgen/metalgen/internal/ir"
)

// Where all lanes of a simd-group go the same way, none has to vote on who is active: the mask stays what it was. That
// is so where conditions are made of what all lanes have in common: arguments, where a threadgroup is, and numbers
// that count alike in all lanes.

// uniformInputs are the attributes that are the same in all lanes of a simd-group.
var uniformInputs = map[string]bool{
	"threadgroup_position_in_grid": true, "threads_per_threadgroup": true, "dispatch_threads_per_threadgroup": true,
	"threadgroups_per_grid": true, "threads_per_grid": true, "grid_size": true, "grid_origin": true,
	"simdgroups_per_threadgroup": true, "quadgroups_per_threadgroup": true, "dispatch_simdgroups_per_threadgroup": true,
	"dispatch_quadgroups_per_threadgroup": true, "simdgroup_index_in_threadgroup": true, "threads_per_simdgroup": true,
	"thread_execution_width": true,
}

// uniformity is what is known of values and constructs: at first that all values are the same in all lanes, and that
// lanes part nowhere.
type uniformity struct {
	*Facts
	differs []bool // by value
	parts   map[int]bool
	changed bool
}

// Parting finds the constructs whose end lanes do not reach together, or at different turns.
func (f *Facts) Parting() map[int]bool {
	u := &uniformity{Facts: f, differs: make([]bool, f.Values()), parts: map[int]bool{}, changed: true}
	for _, one := range f.Kernel.Routines {
		u.differ(one.Body.Params...)
	}
	for u.changed {
		u.changed = false
		for r := range f.Bodies() {
			u.region(r, nil)
		}
	}
	return u.parts
}

func (u *uniformity) differ(values ...ir.Value) {
	for _, v := range values {
		if !u.differs[v] {
			u.differs[v], u.changed = true, true
		}
	}
}

func (u *uniformity) part(in *ir.Instr) {
	if !u.parts[in.Label()] {
		u.parts[in.Label()], u.changed = true, true
	}
	u.differ(in.Results...)
	for _, r := range in.Regions {
		u.differ(r.Params...)
	}
}

// assign notes that values are assigned to others.
func (u *uniformity) assign(to, from []ir.Value) {
	for i, v := range from {
		if i < len(to) && u.differs[v] {
			u.differ(to[i])
		}
	}
}

func (u *uniformity) region(r *ir.Region, open []*ir.Instr) {
	for _, in := range r.Code {
		info := in.Op.Info()
		switch {
		case info.Has(ir.Terminates):
			u.leave(in, open)
		case info.Has(ir.Constructs):
			if (in.Op == ir.OpIf || in.Op == ir.OpSwitch) && u.differs[in.Args[0]] {
				u.part(in)
			}
			for _, inner := range in.Regions {
				u.assign(inner.Params, in.Initial())
				u.region(inner, append(open, in))
			}
		case !u.isUniform(in):
			u.differ(in.Results...)
		}
	}
}

// leave notes where a terminator leads. What lanes that part leave, they leave at different times.
func (u *uniformity) leave(in *ir.Instr, open []*ir.Instr) {
	parted := false
	for i := len(open) - 1; i >= 0; i-- {
		c := open[i]
		if parted {
			u.part(c)
		}
		if in.Op != ir.OpReturn && c.Label() == in.Label() {
			u.assign(u.Targets(in, c), in.Args)
			return
		}
		parted = parted || u.parts[c.Label()]
	}
}

// isUniform reports whether an instruction makes the same values in all lanes that execute it.
func (u *uniformity) isUniform(in *ir.Instr) bool {
	info := in.Op.Info()
	switch {
	case in.Op == ir.OpInput:
		return uniformInputs[u.Inputs[in.Imm].Attribute]
	case in.Op == ir.OpLoad:
		o := u.Origins[in.Args[0]]
		if o == Unknown || u.Objects[o].Kind != ir.PassedValue || u.bound[o] {
			return false
		}
	case in.Op == ir.OpGet || info.Has(ir.Converges) || info.Has(ir.Writes) || info.Has(ir.Reads):
		return false
	}
	for _, v := range in.Args {
		if v != 0 && u.differs[v] {
			return false
		}
	}
	return true
}
