package wide

// Spreading is a register whose base is known on the way to a block, which wants its lanes.
type Spreading struct {
	Slot int32
	Kind Kind
}

// Spreads returns those on the way from a state to a block.
func (x *Analysis) Spreads(to int32, s *State) (list []Spreading) {
	b := &x.Blocks[to]
	for n := range x.Slots {
		k := s.Kinds[n]
		if x.Slots[n].Class == Mask || !k.Scalar() || k.Form == Unreached || !b.Live.Has(int32(n)) ||
			b.In.Kinds[n].Scalar() {
			continue
		}
		list = append(list, Spreading{int32(n), k})
	}
	return list
}
