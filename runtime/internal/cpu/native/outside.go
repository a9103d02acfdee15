package native

import "github.com/metalgen/metalgen/runtime/internal/cpu/wide"

// Outside is what is to be known of a foreign instruction to execute it alone, outside of the code, which then goes on
// at the next one: how it and others hold registers before, and in another way after it.
type Outside struct{ Before, After []wide.Held }

// Outside returns that of an instruction, or nil for one that is not foreign or may change more than it says.
func (c *Code) Outside(pc int32) *Outside { return c.outside[pc] }

// outsides finds those of all foreign instructions.
func outsides(l *lanes) map[int32]*Outside {
	all := map[int32]*Outside{}
	var s wide.State
	own := make(wide.Set, (len(l.x.Slots)+63)/64)
	for i := range l.x.Blocks {
		b := &l.x.Blocks[i]
		pc := b.End - 1
		in := &l.x.Code[pc]
		if !b.Reached || in.Op != wide.Foreign || in.Operands == nil {
			continue
		}
		if !l.x.Budget.Step(len(l.x.Slots) + int(b.End-b.First)) {
			return nil
		}
		s.Clone(&b.In)
		for at := b.First; at < pc; at++ {
			l.x.Step(&s, at)
		}
		clear(own)
		in.Operands.Reads.Each(func(o wide.Operand) bool { own.Add(l.slotOf(o.At)); return true })
		next := l.x.BlockOf(b.End)
		differs := make(wide.Set, len(own))
		in.Operands.Writes.Each(func(o wide.Operand) bool { differs.Add(l.slotOf(o.At)); return true })
		for n, k := range s.Kinds {
			if next.Live.Has(int32(n)) && k.Form != next.In.Kinds[n].Form {
				differs.Add(int32(n))
			}
		}
		own.Join(differs)
		for n := range differs {
			differs[n] &= next.Live[n]
		}
		if !l.x.Budget.Take(wide.BytesOfBlock + (own.Count()+differs.Count())*wide.BytesOfHeld) {
			return nil
		}
		all[pc] = &Outside{l.x.Held(&s, own), l.x.Held(&next.In, differs)}
	}
	return all
}

// maxKept bounds the registers in the lists that are kept of where code has given back: about 16 MB.
const maxKept = 1 << 20

// At returns how registers hold their values before an instruction, where code gives back a
// simd-group to the interpreter: all that it may read. It returns as well how many steps that took: none where the list
// was kept from the last time.
func (c *Code) At(pc int32) (list []wide.Held, steps int) {
	if list := c.at[pc].Load(); list != nil {
		return *list, 0
	}
	list, steps = c.analysis.HeldAt(pc)
	if c.kept.Add(int64(len(list))) <= maxKept {
		kept := list // of its own: the result would be allocated at each call
		c.at[pc].Store(&kept)
	} else {
		c.kept.Add(-int64(len(list)))
	}
	return list, steps
}
