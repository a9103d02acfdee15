package native

// Form is how a register holds its values at a point of the program.
type Form uint8

const (
	Uniform Form = iota // in its base, the same for all lanes
	Linear              // in its base, counting up by a step that the code knows
	Strided             // in its base, counting up by its step
	Varying             // in its lanes
)

// Held is how a register holds its values at a point of the program.
type Held struct {
	At   int32
	Long bool
	Form Form
	Step int32 // of a linear one
	// Object is the number of the one that a pointer is into, or 0 where that is not known.
	Object int32
}

// held returns how the registers that are read from a block on hold their values.
func (x *analysis) held(s *state, live bits) []Held {
	var list []Held
	for n, slot := range x.slots {
		if slot.class == mask || !live.has(int32(n)) || s.kinds[n].form == unreached {
			continue
		}
		if _, ok := x.constant[slot.at]; ok {
			continue
		}
		k := s.kinds[n]
		list = append(list, Held{slot.at, slot.class == long, Form(k.form - uniform), k.step, int32(k.object)})
	}
	return list
}

// Outside is what is to be known of a foreign instruction to execute it alone, outside of the code, which then goes on
// at the next one: how it and others hold registers before, and in another way after it.
type Outside struct{ Before, After []Held }

// Outside returns that of an instruction, or nil for one that is not foreign or may change more than it says.
func (c *Code) Outside(pc int32) *Outside { return c.outside[pc] }

// outsides finds those of all foreign instructions.
func (l *lowering) outsides() map[int32]*Outside {
	all := map[int32]*Outside{}
	var s state
	own := make(bits, (len(l.slots)+63)/64)
	for i := range l.blocks {
		b := &l.blocks[i]
		pc := b.end - 1
		in := &l.Code[pc]
		if !b.reached || in.Operands == nil {
			continue
		}
		if !l.budget.step(len(l.slots) + int(b.end-b.first)) {
			return nil
		}
		s.clone(&b.in)
		for at := b.first; at < pc; at++ {
			l.analysis.step(&s, at)
		}
		clear(own)
		in.Operands.Reads.each(func(o operand) bool { own.add(l.slotOf(o.at)); return true })
		next := l.blockOf(b.end)
		differs := make(bits, len(own))
		in.Operands.Writes.each(func(o operand) bool { differs.add(l.slotOf(o.at)); return true })
		for n, k := range s.kinds {
			if next.live.has(int32(n)) && k.form != next.in.kinds[n].form {
				differs.add(int32(n))
			}
		}
		own.join(differs)
		for n := range differs {
			differs[n] &= next.live[n]
		}
		if !l.budget.take(bytesOfBlock + (own.count()+differs.count())*bytesOfHeld) {
			return nil
		}
		all[pc] = &Outside{l.held(&s, own), l.held(&next.in, differs)}
	}
	return all
}

// maxKept bounds the registers in the lists that are kept of where code has given back: about 16 MB.
const maxKept = 1 << 20

// At returns how registers hold their values before an instruction, where code gives back a
// simd-group to the interpreter: all that it may read. It returns as well how many steps that took: none where the list
// was kept from the last time.
func (c *Code) At(pc int32) (list []Held, steps int) {
	if list := c.at[pc].Load(); list != nil {
		return *list, 0
	}
	list, steps = c.analysis.at(pc)
	if c.kept.Add(int64(len(list))) <= maxKept {
		kept := list // of its own: the result would be allocated at each call
		c.at[pc].Store(&kept)
	} else {
		c.kept.Add(-int64(len(list)))
	}
	return list, steps
}

func (x *analysis) at(pc int32) (list []Held, steps int) {
	first := pc
	for x.blockAt[first] == 0 {
		first--
	}
	b := x.blockOf(first)
	var s state
	s.clone(&b.in)
	for at := b.first; at < pc; at++ {
		x.step(&s, at)
	}
	live := make(bits, len(b.live))
	for at := b.end - 1; at >= pc; at-- {
		x.liveBefore(live, at)
	}
	return x.held(&s, live), len(x.slots) + int(b.end-b.first)
}
