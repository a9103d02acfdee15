package wide

import "slices"

// Held is how a register holds its values at a point of the program.
type Held struct {
	At   int32
	Long bool
	Form Form
	Step int32 // of a linear one
	// Object is the number of the one that a pointer is into, or 0 where that is not known.
	Object int32
}

// Entry is what code takes for granted where it goes on after the interpreter.
type Entry struct {
	Held []Held
	// Equal are masks of constructs that are the same, by twos. ActiveMask stands for the active lanes.
	Equal [][2]int32
	// Uniform are conditions that hold in all lanes or in none.
	Uniform []int32
}

// ActiveMask stands for the active lanes among offsets of masks.
const ActiveMask int32 = -1

// EntryOf returns what is known at the beginning of a block. The registers may be as they are held and the masks not:
// what counts up in machine code, with a check, may have wrapped around while the interpreter went on.
func (x *Analysis) EntryOf(b *Block) Entry {
	e := Entry{Held: x.Held(&b.In, b.Live)}
	at := make([]int32, x.masks)
	at[0] = ActiveMask
	for i, n := range x.MaskAt {
		if n != 0 {
			at[n] = int32(8 * i)
		}
	}
	for i, n := range b.In.same {
		if j := slices.Index(b.In.same, n); j < i {
			e.Equal = append(e.Equal, [2]int32{at[j], at[i]})
		}
	}
	for n, slot := range x.Slots {
		if _, ok := x.Known[slot.At]; !ok && slot.Class == Mask && b.Live.Has(int32(n)) && b.In.Kinds[n].Form == Uniform {
			e.Uniform = append(e.Uniform, slot.At)
		}
	}
	return e
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
