package pass

import "github.com/metalgen/metalgen/internal/ir"

// maxElement bounds the numbers of elements, and their bytes, that become part of the offset of an access: with more, a
// pointer could come too far out of its object on the way.
const maxElement = 1 << 20

// maxOffset bounds the offsets of accesses.
const maxOffset = 1 << 40

// moved is a pointer as the address of an object and a number of bytes from there.
type moved struct {
	from   ir.Value
	offset int64
}

// place makes constants that move a pointer part of the offset of an access.
func (s *simplifier) place(in *ir.Instr) {
	switch in.Op {
	case ir.OpAddress:
		s.moves[in.Result()] = moved{in.Result(), 0}
	case ir.OpMove:
		n, ok := s.element(in.Args[1], in.Type)
		from, known := s.moves[in.Args[0]] // else the pointer may be so far away that it becomes the null pointer
		if !ok || !known || in.Imm > maxElement {
			return
		}
		if m := (moved{from.from, from.offset + n*in.Imm}); m.offset <= maxOffset {
			s.moves[in.Result()] = m
		}
	case ir.OpLoad, ir.OpStore, ir.OpCheck:
		a := *in.Aux.(*ir.Access)
		changed := false
		if a.Index != ir.Void {
			if n, ok := s.element(in.Args[1], a.Index); ok {
				a.Offset += n * int64(a.Scale)
				a.Index, a.Scale = ir.Void, 0
				in.Args = append([]ir.Value{in.Args[0]}, in.Args[2:]...)
				changed = true
			}
		}
		if m, ok := s.moves[in.Args[0]]; ok && m.from != in.Args[0] && a.Offset >= 0 && a.Offset+m.offset <= maxOffset {
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

// element returns a number of elements that is a constant.
func (s *simplifier) element(v ir.Value, t ir.Type) (int64, bool) {
	bits, ok := s.Bits(v)
	n := int64(bits)
	if t == ir.S32 {
		n = int64(int32(bits))
	}
	return n, ok && n >= 0 && n < maxElement
}
