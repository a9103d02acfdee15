package wide

// Chain is blocks: each leads to the next one, and nothing else leads to those after the first. It knows which
// registers are read after an instruction.
type Chain struct {
	x           *Analysis
	First, Last int // blocks, both included
	pc, end     int32
	events      [][]event // by slot: who reads and writes it
	slots       []int32   // that have some
	branches    []branch
	outs        []int32 // blocks that come next
}

// event is an instruction that reads or writes a register.
type event struct {
	pc    int32
	reads bool
}

// branch is where a chain may be left for a block.
type branch struct {
	pc, to int32
}

// NewChain returns one of no blocks.
func NewChain(x *Analysis) *Chain { return &Chain{x: x, events: make([][]event, len(x.Slots))} }

// Begin makes it a block and those that only it leads to.
func (c *Chain) Begin(block int) {
	x := c.x
	c.First, c.Last = block, block
	for x.LeadsOn(c.Last) && !x.Blocks[c.Last+1].Label {
		c.Last++
	}
	c.pc, c.end = x.Blocks[c.First].First, x.Blocks[c.Last].End
	c.findEvents()
}

// LeadsOn reports whether a block leads to the next one.
func (x *Analysis) LeadsOn(n int) bool {
	last := &x.Code[x.Blocks[n].End-1]
	op := &Infos[last.Op]
	return n+1 < len(x.Blocks) && !op.Ends && !op.Foreign && last.Op != Barrier
}

// BeginEdge makes it no instructions, which lead to a block.
func (c *Chain) BeginEdge(to int32) {
	c.clear()
	c.outs = append(c.outs, to)
	c.pc, c.end = -1, -1
}

func (c *Chain) clear() {
	for _, n := range c.slots {
		c.events[n] = c.events[n][:0]
	}
	c.slots, c.branches, c.outs = c.slots[:0], c.branches[:0], c.outs[:0]
}

// findEvents finds who reads and writes registers in the chain, and what it may lead to.
func (c *Chain) findEvents() {
	x := c.x
	c.clear()
	add := func(at, pc int32, reads bool) {
		n := c.x.SlotAt[at/8] - 1
		if len(c.events[n]) == 0 {
			c.slots = append(c.slots, n)
		}
		c.events[n] = append(c.events[n], event{pc, reads})
	}
	for pc := c.pc; pc < c.end; pc++ {
		in := &x.Code[pc]
		op := &Infos[in.Op]
		for o := range op.Operands(in) {
			add(o.At, pc, true)
		}
		for o := range op.Results(in) {
			add(o.At, pc, in.Masked && !x.Plain[pc])
		}
		if op.Jumps {
			c.branches = append(c.branches, branch{pc, x.BlockAt[in.Target] - 1})
			c.outs = append(c.outs, x.BlockAt[in.Target]-1)
		}
	}
	if last := &Infos[x.Code[c.end-1].Op]; !last.Ends {
		c.outs = append(c.outs, x.BlockAt[c.end]-1)
	}
}

// Needed reports whether the interpreter reads the register of a slot where it goes on at an instruction.
func (c *Chain) Needed(n, pc int32) bool {
	x := c.x
	if pc < c.pc || pc >= c.end {
		if at := x.BlockAt[pc]; at != 0 {
			return x.Blocks[at-1].Live.Has(n)
		}
		return true
	}
	next := c.end
	for _, e := range c.events[n] {
		if e.pc >= pc {
			if e.reads {
				return true
			}
			next = e.pc
			break
		}
	}
	for _, b := range c.branches {
		if b.pc >= pc && b.pc <= next && x.Blocks[b.to].Live.Has(n) {
			return true
		}
	}
	return next == c.end && c.LiveOut(n)
}

// LiveOut reports whether the register of a slot is read after the chain.
func (c *Chain) LiveOut(n int32) bool {
	if c.end > 0 {
		if last := &c.x.Code[c.end-1]; Infos[last.Op].ReadsAll(last) {
			return true
		}
	}
	for _, to := range c.outs {
		if c.x.Blocks[to].Live.Has(n) {
			return true
		}
	}
	return false
}
