package pass

import "github.com/metalgen/metalgen/internal/ir"

// maxElement bounds the numbers of elements, and their bytes, that become part of the offset of an access: with more, a
// pointer could come too far out of its object on the way.
const maxElement = 1 << 20

// maxOffset bounds the offsets of accesses.
const maxOffset = 1 << 40

// maxReach bounds how far from its object a pointer may be by what is known: no machine takes it for too far away.
const maxReach = 1 << 44

// moved is a pointer as another one, and a number of bytes from there. That is the address of an object, or such an
// address moved by numbers of 32 bits, by reach bytes at most.
type moved struct {
	from          ir.Value
	offset, reach int64
}

// place makes constants that move a pointer part of the offset of an access.
func (s *simplifier) place(in *ir.Instr) {
	switch in.Op {
	case ir.OpAddress:
		s.moves[in.Result()] = moved{from: in.Result()}
	case ir.OpWiden:
		s.widens[in.Result()] = in
	case ir.OpMove:
		in.Type = s.narrow(in, in.Type, in.Imm)
		s.move(in)
	case ir.OpLoad, ir.OpStore, ir.OpCheck:
		a := *in.Aux.(*ir.Access)
		narrowed := s.narrow(in, a.Index, int64(a.Scale))
		changed := narrowed != a.Index
		a.Index = narrowed
		if a.Index != ir.Void {
			if n, ok := s.element(in.Args[1], a.Index); ok {
				a.Offset += n * int64(a.Scale)
				a.Index, a.Scale = ir.Void, 0
				in.Args = append([]ir.Value{in.Args[0]}, in.Args[2:]...)
				changed = true
			}
		}
		m, ok := s.moves[in.Args[0]]
		if end := a.Offset + m.offset; ok && m.from != in.Args[0] && a.Offset >= 0 && end >= 0 && end <= maxOffset {
			in.Args = append([]ir.Value{m.from}, in.Args[1:]...)
			a.Offset += m.offset
			changed = true
		}
		if changed {
			kept := a // which a need not be
			in.Aux = &kept
		}
	}
}

// narrow replaces the number of elements that an instruction counts from its pointer on, where that is one of 32 bits
// which has been made longer. It returns what type it has.
func (s *simplifier) narrow(in *ir.Instr, t ir.Type, size int64) ir.Type {
	if t != ir.S64 || size > maxElement {
		return t
	}
	w := s.widens[in.Args[1]]
	if w == nil {
		return t
	}
	in.Args = append([]ir.Value{in.Args[0], w.Args[0]}, in.Args[2:]...)
	return w.Type
}

// move notes how far a pointer is moved. Numbers that are known come last: p + 3 + i becomes
// p + i + 3, and accesses do the rest.
func (s *simplifier) move(in *ir.Instr) {
	from, known := s.moves[in.Args[0]] // else the pointer may be so far away that it becomes the null pointer
	if !known || in.Imm > maxElement {
		return
	}
	if _, constant := s.Bits(in.Args[1]); constant {
		n, ok := s.element(in.Args[1], in.Type)
		if m := (moved{from.from, from.offset + n*in.Imm, from.reach}); ok && m.offset <= maxOffset {
			s.moves[in.Result()] = m
		}
		return
	}
	from.reach += in.Imm << 32
	if in.Type.Bits() != 32 || from.reach > maxReach || from.offset >= maxElement {
		return
	}
	root := in.Result()
	if from.offset != 0 {
		root = s.NewValue(ir.Ptr)
		s.kept = append(s.kept, &ir.Instr{
			Op: ir.OpMove, Type: in.Type, Imm: in.Imm, Pos: in.Pos,
			Args: []ir.Value{from.from, in.Args[1]}, Results: []ir.Value{root},
		})
		in.Type, in.Imm, in.Args = ir.S32, 1, []ir.Value{root, s.Known(ir.I32, uint64(from.offset))}
	} else {
		in.Args[0] = from.from
	}
	s.moves[root] = moved{root, 0, from.reach}
	s.moves[in.Result()] = moved{root, from.offset, from.reach}
}

// element returns a number of elements that is a constant.
func (s *simplifier) element(v ir.Value, t ir.Type) (int64, bool) {
	bits, ok := s.Bits(v)
	n := int64(bits)
	if t == ir.S32 {
		n = int64(int32(bits))
	}
	return n, ok && n >= 0 && n < maxElement
}
