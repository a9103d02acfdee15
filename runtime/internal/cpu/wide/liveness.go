package wide

import mathbits "math/bits"

// Set is a set of slots.
type Set []uint64

func (b Set) Has(i int32) bool { return b[i>>6]>>(i&63)&1 != 0 }
func (b Set) Add(i int32)      { b[i>>6] |= 1 << (i & 63) }
func (b Set) remove(i int32)   { b[i>>6] &^= 1 << (i & 63) }

func (b Set) Count() (n int) {
	for _, w := range b {
		n += mathbits.OnesCount64(w)
	}
	return n
}

// Join adds those of o. It reports whether that are more.
func (b Set) Join(o Set) bool {
	more := false
	for i, w := range o {
		if w&^b[i] != 0 {
			b[i] |= w
			more = true
		}
	}
	return more
}

// liveness finds the registers that are read after the beginning of each block.
func (x *Analysis) liveness() {
	words := (len(x.Slots) + 63) / 64
	memory := make(Set, words*(len(x.Blocks)+1))
	for i := range x.Blocks {
		x.Blocks[i].Live = memory[i*words : (i+1)*words]
	}
	now := memory[len(x.Blocks)*words:]
	for again := true; again; {
		again = false
		for i := len(x.Blocks) - 1; i >= 0; i-- {
			b := &x.Blocks[i]
			if !b.Reached {
				continue
			}
			if !x.Budget.Step(words + int(b.End-b.First)) {
				return
			}
			clear(now)
			for pc := b.End - 1; pc >= b.First; pc-- {
				x.liveBefore(now, pc)
			}
			again = b.Live.Join(now) || again
		}
	}
}

// liveBefore changes the registers that are read after an instruction to those that are read
// from it on.
func (x *Analysis) liveBefore(live Set, pc int32) {
	in := &x.Code[pc]
	op := &Infos[in.Op]
	last := x.BlockAt[pc+1] != 0
	if last && !op.Ends {
		live.Join(x.BlockOf(pc + 1).Live)
	}
	if op.Jumps {
		live.Join(x.BlockOf(in.Target).Live)
	}
	if op.ReadsAll(in) {
		for i := range live {
			live[i] = ^uint64(0)
		}
		return
	}
	for o := range op.Results(in) {
		if in.Masked && !x.Plain[pc] {
			live.Add(x.SlotAt[o.At/8] - 1)
		} else {
			live.remove(x.SlotAt[o.At/8] - 1)
		}
	}
	for o := range op.Operands(in) {
		live.Add(x.SlotAt[o.At/8] - 1)
	}
}
