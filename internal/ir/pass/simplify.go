package pass

import "github.com/metalgen/metalgen/internal/ir"

// simplify computes what follows from constants, leaves out regions that no thread comes to and constructs that
// threads leave at their end only, and replaces merges that lead to the same value on each way.
func simplify(k *ir.Kernel, o *Options) {
	s := &simplifier{Kernel: k, replacement: newReplacement(k), moves: map[ir.Value]moved{},
		widens: map[ir.Value]*ir.Instr{}}
	s.rounds = !o.NaN
	s.merges()
	s.leaves = make([]int, k.Labels())
	for in := range k.All() {
		if in.Op == ir.OpLeave {
			s.leaves[in.Label()]++
		}
	}
	for body := range k.Bodies() {
		s.region(body)
	}
}

type simplifier struct {
	*ir.Kernel
	replacement
	leaves []int // by label: how many terminators lead to the end of the construct
	moves  map[ir.Value]moved
	widens map[ir.Value]*ir.Instr // what makes an integer of 64 bits of one of 32
	kept   []*ir.Instr            // of the regions that are being simplified, the innermost last

	rounds  bool               // rounding may be left out
	rounded map[ir.Value]ir.Op // of floats: which rounding to 16 bits leaves one as it is
}

func (s *simplifier) region(r *ir.Region) {
	outer := len(s.kept)
	s.keep(r.Code)
	kept := s.kept[outer:]
	clear(r.Code)
	r.Code = append(r.Code[:0:len(r.Code)], kept...)
	s.kept = s.kept[:outer]
}

// keep adds to what is kept what instructions come to. It reports whether a thread may come to what follows them.
func (s *simplifier) keep(code []*ir.Instr) bool {
	for i, in := range code {
		s.in(in.Args)
		if s.folds(in) {
			continue
		}
		s.place(in)
		s.notesRounded(in)
		goesOn := true
		switch taken := s.taken(in); {
		case taken != nil && s.ends(taken, in.Label()):
			if goesOn = s.spliced(in, taken); !goesOn {
				s.drop(code[i+1:])
				return false
			}
			continue
		case taken != nil && in.Op == ir.OpIf:
			in.Op, in.Args, in.Aux, in.Regions = ir.OpBlock, nil, nil, []*ir.Region{taken}
		}
		for _, r := range in.Regions {
			s.region(r)
		}
		s.kept = append(s.kept, in)
		if in.Op.Info().Has(ir.Terminates) {
			s.drop(code[i+1:])
			return false
		}
	}
	return true
}

// folds replaces the result of an operation on constants. It reports false for other instructions.
func (s *simplifier) folds(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpPick:
		n, ok := s.Bits(in.Args[0])
		if ok = ok && n < uint64(len(in.Args)-1); ok {
			s.replacement[in.Result()] = in.Args[1+n]
		}
		return ok
	case ir.OpCheckIndex:
		n, ok := s.Bits(in.Args[0])
		return ok && n < uint64(in.Imm)
	case ir.OpRoundHalf, ir.OpRoundBFloat:
		if s.rounded[in.Args[0]] == in.Op {
			s.replacement[in.Result()] = in.Args[0]
			return true
		}
	}
	if len(in.Results) != 1 || in.Aux != nil || len(in.Args) == 0 {
		return false
	}
	v, ok := s.Fold(in.Op, in.Type, in.Imm, in.Args...)
	if !ok {
		v, ok = s.same(in)
	}
	if ok {
		s.replacement[in.Result()] = s.of(v)
	}
	return ok
}

// notesRounded notes which results of an instruction fit in 16 bits.
func (s *simplifier) notesRounded(in *ir.Instr) {
	op := in.Op
	switch in.Op {
	case ir.OpRoundHalf, ir.OpRoundBFloat:
	case ir.OpLoad:
		op = roundings[in.Aux.(*ir.Access).Kind]
	case ir.OpMatrixLoad:
		op = roundings[in.Aux.(*ir.MatrixAccess).Kind]
	default:
		return
	}
	if op != 0 && s.rounds {
		if s.rounded == nil {
			s.rounded = map[ir.Value]ir.Op{}
		}
		for _, v := range in.Results {
			s.rounded[v] = op
		}
	}
}

// roundings are what floats of 16 bits have been through.
var roundings = map[ir.Scalar]ir.Op{ir.Half16: ir.OpRoundHalf, ir.BFloat16: ir.OpRoundBFloat}

// neutral returns the second operand with which an operation on integers is its first operand, if there is one.
func neutral(op ir.Op) (bits uint64, ok bool) {
	switch op {
	case ir.OpAdd, ir.OpSub, ir.OpOr, ir.OpXor, ir.OpShl, ir.OpShr:
		return 0, true
	case ir.OpMul:
		return 1, true
	}
	return 0, false
}

// same returns the operand that the result of an operation on integers is. It reports false for other instructions.
func (s *simplifier) same(in *ir.Instr) (ir.Value, bool) {
	n, ok := neutral(in.Op)
	if !ok || in.Type == ir.F32 || in.Type == ir.Bool {
		return 0, false
	}
	if bits, ok := s.Bits(in.Args[1]); ok && bits == n {
		return in.Args[0], true
	}
	switch in.Op {
	case ir.OpAdd, ir.OpOr, ir.OpXor, ir.OpMul:
		if bits, ok := s.Bits(in.Args[0]); ok && bits == n {
			return in.Args[1], true
		}
	}
	return 0, false
}

// taken returns the region of a block, or that of an If whose condition is a constant, and gives up the other one.
func (s *simplifier) taken(in *ir.Instr) *ir.Region {
	switch in.Op {
	case ir.OpBlock:
		return in.Regions[0]
	case ir.OpIf:
		is, ok := s.Bits(in.Args[0])
		if !ok {
			return nil
		}
		taken, other := in.Regions[0], in.Regions[1]
		if is == 0 {
			taken, other = other, taken
		}
		s.drop(other.Code)
		in.Args[0] = s.Known(ir.Bool, 1)
		in.Regions[0], in.Regions[1] = taken, &ir.Region{Code: []*ir.Instr{{Op: ir.OpLeave, Imm: in.Imm, Args: s.zeros(in)}}}
		s.leaves[in.Label()]++
		s.drop(in.Regions[1].Code)
		return taken
	}
	return nil
}

// zeros returns operands for a terminator that nobody comes to.
func (s *simplifier) zeros(in *ir.Instr) []ir.Value {
	list := make([]ir.Value, len(in.Results))
	for i, v := range in.Results {
		list[i] = s.Known(s.Type(v), 0)
	}
	return list
}

// ends reports whether threads leave a construct at the end of a region only, or not at all.
func (s *simplifier) ends(r *ir.Region, label int) bool {
	end := r.End()
	if end.Op == ir.OpLeave && end.Label() == label {
		return s.leaves[label] == 1
	}
	return s.leaves[label] == 0
}

// spliced adds the instructions of a region in place of its construct. It reports whether a thread may come to what
// follows.
func (s *simplifier) spliced(in *ir.Instr, r *ir.Region) bool {
	end := r.End()
	if end.Op != ir.OpLeave || end.Label() != in.Label() {
		s.keep(r.Code)
		return false
	}
	if !s.keep(r.Code[:len(r.Code)-1]) {
		return false
	}
	for i, v := range in.Results {
		s.replacement[v] = s.of(end.Args[i])
	}
	return true
}

// drop gives up instructions that no thread comes to.
func (s *simplifier) drop(code []*ir.Instr) {
	for in := range (&ir.Region{Code: code}).All() {
		if in.Op == ir.OpLeave {
			s.leaves[in.Label()]--
		}
	}
}
