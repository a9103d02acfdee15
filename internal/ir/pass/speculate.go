package pass

import "github.com/metalgen/metalgen/internal/ir"

// maxSpeculated bounds the instructions of a region that is carried out whether or not its results are needed.
const maxSpeculated = 16

// speculate has threads compute both sides of a choice, where that costs less than to branch around them, has no
// effects, and cannot trap.
func speculate(k *ir.Kernel, o *Options) {
	s := &speculator{
		Writer: ir.NewWriter(k), replacement: newReplacement(k), leaves: make([]int, k.Labels()), uninit: o.Uninit,
		operators: o.Uninit || o.NaN, hoisted: hoistedOf(k, o),
	}
	for in := range k.All() {
		if in.Op == ir.OpLeave {
			s.leaves[in.Label()]++
		}
	}
	for body := range k.Bodies() {
		s.region(body)
	}
}

type speculator struct {
	*ir.Writer
	replacement
	leaves    []int
	uninit    bool
	operators bool // only those of the source
	hoisted   hoisted
}

func (s *speculator) region(r *ir.Region) {
	out := make([]*ir.Instr, 0, len(r.Code))
	for _, in := range r.Code {
		s.in(in.Args)
		for _, inner := range in.Regions {
			s.region(inner)
		}
		if in.Op != ir.OpIf || !s.pays(in) {
			out = append(out, in)
			continue
		}
		for _, side := range in.Regions {
			out = append(out, side.Code[:len(side.Code)-1]...)
		}
		x, y := in.Regions[0].End().Args, in.Regions[1].End().Args
		for i, v := range in.Results {
			out = s.choice(out, in, v, s.of(x[i]), s.of(y[i]))
		}
	}
	r.Code = out
}

// pays reports whether both sides of an If are few pure instructions.
func (s *speculator) pays(in *ir.Instr) bool {
	_, operator := in.Aux.(ir.ByOperator)
	if s.leaves[in.Label()] != 2 || len(in.Results) == 0 || s.operators && !operator {
		return false
	}
	n := 0
	for _, side := range in.Regions {
		if end := side.End(); end.Op != ir.OpLeave || end.Label() != in.Label() {
			return false
		}
		for _, inner := range side.Code[:len(side.Code)-1] {
			if n++; n > maxSpeculated || !s.cheap(inner) {
				return false
			}
		}
	}
	return true
}

// cheap reports whether an instruction may be carried out for threads that do not need it.
func (s *speculator) cheap(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpAddress, ir.OpDiv, ir.OpRem:
		return s.Effect(in) == 0
	case ir.OpLoad:
		return s.hoisted.has(in)
	}
	return s.Effect(in) == 0 && in.Op.Info().Cheap
}

// choice adds what makes a result of an If: of bools an operator where one side is known.
func (s *speculator) choice(out []*ir.Instr, in *ir.Instr, v, x, y ir.Value) []*ir.Instr {
	if x == y {
		s.replacement[v] = x
		return out
	}
	cond, t := in.Args[0], s.Type(v)
	op, args := ir.OpSelect, []ir.Value{cond, x, y}
	if a, ok := s.Bits(x); ok && t == ir.Bool && a != 0 {
		op, args = ir.OpOr, []ir.Value{cond, y}
	} else if a, ok := s.Bits(y); ok && t == ir.Bool && a == 0 {
		op, args = ir.OpAnd, []ir.Value{cond, x}
	}
	c := &ir.Instr{Op: op, Type: t, Pos: in.Pos, Args: args, Results: []ir.Value{v}}
	if s.uninit && op == ir.OpSelect {
		c.Aux = in.Aux
	}
	return append(out, c)
}
