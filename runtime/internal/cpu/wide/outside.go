package wide

// Outside is what is to be known of a foreign instruction to execute it alone, outside of the code, which then goes on
// at the next one: how it and others hold registers before, and in another way after it.
type Outside struct{ Before, After []Held }

// Outsides finds those of all foreign instructions.
func (x *Analysis) Outsides() map[int32]*Outside {
	all := map[int32]*Outside{}
	var s State
	own := make(Set, (len(x.Slots)+63)/64)
	for i := range x.Blocks {
		b := &x.Blocks[i]
		pc := b.End - 1
		in := &x.Code[pc]
		if !b.Reached || in.Op != Foreign || in.Operands == nil {
			continue
		}
		if !x.Budget.Step(len(x.Slots) + int(b.End-b.First)) {
			return nil
		}
		s.Clone(&b.In)
		for at := b.First; at < pc; at++ {
			x.Step(&s, at)
		}
		clear(own)
		in.Operands.Reads.Each(func(o Operand) bool { own.Add(x.SlotAt[o.At/8] - 1); return true })
		next := x.BlockOf(b.End)
		differs := make(Set, len(own))
		in.Operands.Writes.Each(func(o Operand) bool { differs.Add(x.SlotAt[o.At/8] - 1); return true })
		for n, k := range s.Kinds {
			if next.Live.Has(int32(n)) && k.Form != next.In.Kinds[n].Form {
				differs.Add(int32(n))
			}
		}
		own.Join(differs)
		for n := range differs {
			differs[n] &= next.Live[n]
		}
		if !x.Budget.Take(BytesOfBlock + (own.Count()+differs.Count())*BytesOfHeld) {
			return nil
		}
		all[pc] = &Outside{x.Held(&s, own), x.Held(&next.In, differs)}
	}
	return all
}
