package wide

// Held is how a register holds its values at a point of the program.
type Held struct {
	At   int32
	Long bool
	Form Form
	Step int32 // of a linear one
	// Object is the number of the one that a pointer is into, or 0 where that is not known.
	Object int32
}

// Held returns how the registers that are read from a block on hold their values.
func (x *Analysis) Held(s *State, live Set) []Held {
	var list []Held
	for n, slot := range x.Slots {
		if slot.Class == Mask || !live.Has(int32(n)) || s.Kinds[n].Form == Unreached {
			continue
		}
		if _, ok := x.Known[slot.At]; ok {
			continue
		}
		k := s.Kinds[n]
		list = append(list, Held{slot.At, slot.Class == Long, k.Form, k.Step, int32(k.Object)})
	}
	return list
}

// HeldAt is held for an instruction. It returns as well how many steps that took.
func (x *Analysis) HeldAt(pc int32) (list []Held, steps int) {
	first := pc
	for x.BlockAt[first] == 0 {
		first--
	}
	b := x.BlockOf(first)
	var s State
	s.Clone(&b.In)
	for at := b.First; at < pc; at++ {
		x.Step(&s, at)
	}
	live := make(Set, len(b.Live))
	for at := b.End - 1; at >= pc; at-- {
		x.liveBefore(live, at)
	}
	return x.Held(&s, live), len(x.Slots) + int(b.End-b.First)
}
