package native

import "github.com/metalgen/metalgen/runtime/internal/cpu/wide"

// chain is blocks: each leads to the next one, and nothing else leads to those after the first. It knows which
// registers are read after an instruction.
type chain struct {
	lanes       *lanes
	first, last int // blocks, both included
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

// begin makes it a block and those that only it leads to.
func (c *chain) begin(block int) {
	x := c.lanes.x
	c.first, c.last = block, block
	for leadsOn(x, c.last) && !x.Blocks[c.last+1].Label {
		c.last++
	}
	c.pc, c.end = x.Blocks[c.first].First, x.Blocks[c.last].End
	c.findEvents()
}

// leadsOn reports whether a block leads to the next one.
func leadsOn(x *wide.Analysis, n int) bool {
	last := &x.Code[x.Blocks[n].End-1]
	op := &wide.Infos[last.Op]
	return n+1 < len(x.Blocks) && !op.Ends && !op.Foreign && last.Op != wide.Barrier
}

// beginEdge makes it no instructions, which lead to a block.
func (c *chain) beginEdge(to int32) {
	c.clear()
	c.outs = append(c.outs, to)
	c.pc, c.end = -1, -1
}

func (c *chain) clear() {
	for _, n := range c.slots {
		c.events[n] = c.events[n][:0]
	}
	c.slots, c.branches, c.outs = c.slots[:0], c.branches[:0], c.outs[:0]
}

// findEvents finds who reads and writes registers in the chain, and what it may lead to.
func (c *chain) findEvents() {
	x := c.lanes.x
	c.clear()
	add := func(at, pc int32, reads bool) {
		n := c.lanes.slotOf(at)
		if len(c.events[n]) == 0 {
			c.slots = append(c.slots, n)
		}
		c.events[n] = append(c.events[n], event{pc, reads})
	}
	for pc := c.pc; pc < c.end; pc++ {
		in := &x.Code[pc]
		op := &wide.Infos[in.Op]
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
	if last := &wide.Infos[x.Code[c.end-1].Op]; !last.Ends {
		c.outs = append(c.outs, x.BlockAt[c.end]-1)
	}
}

// needed reports whether the interpreter reads a unit that it goes on with at an instruction.
func (c *chain) needed(unit reg, pc int32) bool {
	x, n := c.lanes.x, c.lanes.slotOfUnit[unit]
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
	return next == c.end && c.liveOut(unit)
}

func (c *chain) liveAt(unit reg, block int32) bool {
	return c.lanes.x.Blocks[block].Live.Has(c.lanes.slotOfUnit[unit])
}

func (c *chain) liveOut(unit reg) bool {
	if c.end > 0 {
		if last := &c.lanes.x.Code[c.end-1]; wide.Infos[last.Op].ReadsAll(last) {
			return true
		}
	}
	for _, n := range c.outs {
		if c.liveAt(unit, n) {
			return true
		}
	}
	return false
}
