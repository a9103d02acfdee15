package native

import mathbits "math/bits"

// bits is a set of slots.
type bits []uint64

func (b bits) has(i int32) bool { return b[i>>6]>>(i&63)&1 != 0 }
func (b bits) add(i int32)      { b[i>>6] |= 1 << (i & 63) }
func (b bits) remove(i int32)   { b[i>>6] &^= 1 << (i & 63) }

func (b bits) count() (n int) {
	for _, w := range b {
		n += mathbits.OnesCount64(w)
	}
	return n
}

// join adds those of o. It reports whether that are more.
func (b bits) join(o bits) bool {
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
func (x *analysis) liveness() {
	words := (len(x.slots) + 63) / 64
	memory := make(bits, words*(len(x.blocks)+1))
	for i := range x.blocks {
		x.blocks[i].live = memory[i*words : (i+1)*words]
	}
	now := memory[len(x.blocks)*words:]
	for again := true; again; {
		again = false
		for i := len(x.blocks) - 1; i >= 0; i-- {
			b := &x.blocks[i]
			if !b.reached {
				continue
			}
			if !x.budget.step(words + int(b.end-b.first)) {
				return
			}
			clear(now)
			for pc := b.end - 1; pc >= b.first; pc-- {
				x.liveBefore(now, pc)
			}
			again = b.live.join(now) || again
		}
	}
}

// liveBefore changes the registers that are read after an instruction to those that are read
// from it on.
func (x *analysis) liveBefore(live bits, pc int32) {
	in := &x.Code[pc]
	op := &operations[in.Op]
	last := x.blockAt[pc+1] != 0
	if last && !op.ends {
		live.join(x.blockOf(pc + 1).live)
	}
	if op.jumps {
		live.join(x.blockOf(in.Target).live)
	}
	if op.readsAll(in) {
		for i := range live {
			live[i] = ^uint64(0)
		}
		return
	}
	for o := range op.results(in) {
		if in.Masked && !x.plain[pc] {
			live.add(x.slotAt[o.at/8] - 1)
		} else {
			live.remove(x.slotAt[o.at/8] - 1)
		}
	}
	for o := range op.operands(in) {
		live.add(x.slotAt[o.at/8] - 1)
	}
}
